"""Traces of these tests were asked long ago, and are kept."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="module")
def _for_ever() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KNARR_TRACE_DAYS", "0")
        yield
