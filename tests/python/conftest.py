"""Shared fixtures: a knowledge base with a hash embedder, and a writer of small document folders."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import knarr
from knarr.testing import HashEmbedder
from support import WriteDocs

# The same examples everywhere, and no clock: a slow machine is no fault.
settings.register_profile(
    "knarr", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("knarr")


@pytest.fixture(autouse=True)
def _traces_of_any_age_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests make traces of fixed dates; those of `care` say how long theirs are kept."""
    monkeypatch.setenv("KNARR_TRACE_DAYS", "36500")


@pytest.fixture
def embedder() -> HashEmbedder:
    return HashEmbedder(dim=64)


@pytest.fixture
def kb(tmp_path: Path, embedder: HashEmbedder) -> Iterator[knarr.KnowledgeBase]:
    with knarr.open(tmp_path / "test.kb", embedder=embedder) as base:
        yield base


@pytest.fixture
def write_docs(tmp_path: Path) -> WriteDocs:
    """Write `{relative path: content}` into a folder; returns the folder."""
    root = tmp_path / "docs"

    def write(files: dict[str, str | bytes]) -> Path:
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return root

    return write
