"""A scripted server per test, whose strict checks are read at the end of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from fake_chat import FakeChat, Reply

Serve = Callable[..., FakeChat]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts a `FakeChat`; the test fails when a request to it was at fault."""
    servers: list[FakeChat] = []

    def start(*replies: Reply, **options: object) -> FakeChat:
        servers.append(FakeChat(*replies, **options))
        return servers[-1]

    yield start
    for server in servers:
        server.check()
