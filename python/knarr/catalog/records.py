"""What the catalog's rows look like in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """A stored document. `uri` has no trailing slash; `folder` is its parent's URI at the time of
    adding, and with `file_name` its identity: the same file added again is the same document.
    `recipe` names everything besides the bytes that shapes its objects."""

    id: int
    uri: str
    folder: str
    file_name: str
    title: str
    format: str
    version: int
    content_hash: str
    recipe: str
    status: str
    size_bytes: int
    page_begins: tuple[int, ...]
    missing_pages: tuple[int, ...]
    notes: tuple[str, ...]
    updated_at: str


@dataclass(frozen=True, slots=True)
class Change:
    """One line of the log: "put" of a document, "remove" of a subtree, "move" of one to `target`, "folder"
    whose abstract changed, "experience": what a trace taught changed, whose id is `uri`."""

    seq: int
    kind: str
    document_id: int | None
    uri: str
    target: str | None
    stamp: int | None

    @property
    def position(self) -> Position:
        """That of the log which ends with this change."""
        return Position(self.seq, self.stamp)


class Position(NamedTuple):
    """How far a log goes. The stamp is drawn at random for each change, so that logs which have a position in
    common are one up to there: a catalog that is restored from a backup grows past the same numbers with
    other stamps. None where an older knarr wrote the change."""

    seq: int
    stamp: int | None


@dataclass(frozen=True, slots=True)
class EdgeEnd:
    """A chunk as an edge knows it: by document and path below it, so that it follows a move; `hash` is
    that of the text the edge was learnt on, in `version` of the document."""

    document_id: int
    path: str
    hash: bytes
    version: int
