"""Knowledge bases whose abstracts a model is to make."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import knarr
from knarr.testing import HashEmbedder
from support import WriteDocs
from telling import manual, prose
from told_base import SETTINGS


@pytest.fixture
def base(tmp_path: Path, embedder: HashEmbedder) -> Iterator[knarr.KnowledgeBase]:
    with knarr.open(tmp_path / "test.kb", embedder=embedder, settings=SETTINGS) as base:
        yield base


@pytest.fixture
def filled(base: knarr.KnowledgeBase, write_docs: WriteDocs) -> knarr.KnowledgeBase:
    base.add(
        write_docs({f"{name}/doc.md": manual(name) for name in ("Ropes", "Sails")}), into="viking://ship"
    )
    return base


@pytest.fixture
def library(base: knarr.KnowledgeBase, write_docs: WriteDocs) -> tuple[knarr.KnowledgeBase, Path]:
    """Many folders of one small file each, and one large text."""
    files: dict[str, str | bytes] = {
        f"part{at:03}/note.md": f"# Note {at}\n\n{prose(at, 60)}\n" for at in range(60)
    }
    files["large.txt"] = "\n\n".join(prose(("large", at), 200) for at in range(30))
    docs = write_docs(files)
    base.add(docs, into="viking://library")
    return base, docs
