"""No statement grows with the number of documents, nor with the length of a URI (PER-06)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

import knarr
from knarr.catalog import batches, documents
from knarr.testing import HashEmbedder, ScriptedChat

AT_ONCE = (
    50  # values in one place of a statement: a tenth of what it is, so that a base of few documents has more
)
FEW, MANY = 3, 70
MOST_VALUES = 5 * AT_ONCE + 10  # in five places, and some


@contextmanager
def statements() -> Iterator[dict[str, int]]:
    """The most values and characters of any statement, whoever executes it."""
    most = {"values": 0, "characters": 0, "statements": 0}

    def note(
        _c: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, executemany: bool
    ) -> None:
        rows = parameters if executemany else [parameters]
        most["values"] = max(most["values"], *(len(row) for row in rows), 0)
        most["characters"] = max(most["characters"], len(statement))
        most["statements"] += 1

    sa.event.listen(sa.Engine, "before_cursor_execute", note)
    try:
        yield most
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", note)


def use(folder: Path, documents: int) -> dict[str, int]:
    """Everything that touches many documents at once, on a base of so many tiny ones."""
    docs = folder / "docs"
    for number in range(documents):
        path = docs / f"f{number % 9}" / f"{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"word {number}")
    with statements() as most:
        with knarr.open(folder / "s.kb", embedder=HashEmbedder(8)) as kb:
            kb.add(docs, into="viking://kb")
            kb.add(docs, into="viking://kb")
            kb.search("word", k=documents)
            kb.grep("word", limit=documents)
            kb.list("viking://kb/f0", limit=documents)
            kb.ask("What word?", mode="vikingrag-e")
            kb.experience.historical_questions(documents)
            kb.abstracts.estimate(chat=ScriptedChat([]))
            kb.move("viking://kb", "viking://moved")
            (docs / "f0" / "0.txt").unlink()
            kb.add(docs, into="viking://kb")
        for path in (folder / "s.kb").glob("engine-*"):
            path.unlink()
        with knarr.open(folder / "s.kb", embedder=HashEmbedder(8)) as kb:
            kb.remove("viking://", all=True)
    return most


def test_no_statement_grows_with_the_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "VALUES", AT_ONCE)
    monkeypatch.setattr(documents, "VALUES", AT_ONCE)
    few, many = use(tmp_path / "few", FEW), use(tmp_path / "many", MANY)
    assert few["statements"] > 50
    assert many["values"] <= MOST_VALUES
    # A statement of many values is longer than one of three, and none is longer than that.
    assert many["characters"] <= few["characters"] + 3 * MOST_VALUES


@pytest.mark.parametrize(
    "uri", ["viking://" + "a/" * 100_000, "viking://" + "a" * 100_000, "viking://kb/" + "b/" * 20_000]
)
def test_a_uri_of_any_length_is_not_found(tmp_path: Path, uri: str) -> None:
    with knarr.open(tmp_path / "u.kb", embedder=HashEmbedder(8)) as kb, statements() as most:
        (tmp_path / "a.md").write_text("word")
        kb.add(tmp_path / "a.md", into="viking://kb")
        for call in (lambda: kb.read(uri), lambda: kb.list(uri), lambda: kb.remove(uri)):
            with pytest.raises((knarr.NotFound, knarr.InvalidArgument)):
                call()
    assert most["values"] <= 5 * batches.VALUES
