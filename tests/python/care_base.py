"""A base with a secret, questions that met it, and a look at the bytes of its files: helpers of these tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import knarr
from knarr.testing import HashEmbedder
from support import WriteDocs

SECRET = "Quetzalcoatl"
DOCUMENTS: dict[str, str | bytes] = {
    "secret.md": f"# The {SECRET} contract\n\nThe {SECRET} fee is 15 crowns a month.\n\n"
    f"## Ending\n\nThe {SECRET} contract ends with notice of three months.\n",
    "ships.md": "# Ships\n\nA knarr carried cargo over the sea.\n\n## Crew\n\nIts crew was small.\n",
    "deep/horses.md": "# Horses\n\nA horse eats ten kilograms of hay a day.\n",
}

Fill = Callable[[Path], None]


@pytest.fixture
def fill(write_docs: WriteDocs) -> Fill:
    """Make a base with documents, an answered question that taught edges, and a snapshot."""

    def make(place: Path) -> None:
        with knarr.open(place, embedder=HashEmbedder(64)) as base:
            base.add(write_docs(DOCUMENTS), into="viking://h")
            base.ask(f"What is the {SECRET} fee?", mode="vikingrag-e")
            base.ask("What did a knarr carry over the sea?", mode="vikingrag-e")

    return make


def files_with(folder: Path, word: str) -> list[str]:
    """The files of a base whose bytes hold a word, in any case of its letters."""
    sought = word.lower().encode()
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and sought in path.read_bytes().lower()
    )


def tree(folder: Path) -> dict[str, bytes]:
    """All bytes of a folder; SQLite's index of its log aside, which readers make."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(("-shm", "-wal"))
    }
