"""The catalog's values in memory: its rows as they are read, and a document as it is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from knarr.language.plain import text_key
from knarr.types import Kind, MetadataValue, PageShape


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
    metadata: Mapping[str, MetadataValue]


@dataclass(frozen=True, slots=True)
class NamedPage:
    """A page (from 1): its shape, and where its words stand, packed; these are in a range of the text, which is
    empty for a page without words."""

    number: int
    shape: PageShape
    begin_byte: int = 0
    end_byte: int = 0
    boxes: bytes = b""


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


class Floor(NamedTuple):
    """Where the record of history begins to be whole: the change, and the time (ISO 8601, UTC, microseconds)."""

    seq: int
    at: str


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a version of a document stood, or stands where it has no end: from `begin` on, until before `end`."""

    document_id: int
    version: int
    uri: str
    folder: str
    file_name: str
    begin_seq: int
    end_seq: int | None
    begin_at: str
    end_at: str | None


@dataclass(frozen=True, slots=True)
class EdgeEnd:
    """A chunk as an edge knows it: by document and path below it, so that it follows a move; `hash` is
    that of the text the edge was learnt on, in `version` of the document."""

    document_id: int
    path: str
    hash: bytes
    version: int


@dataclass(frozen=True, slots=True)
class NamedSection:
    """`path` is relative to the document's URI, percent-encoded, empty for the document itself;
    `parent` is an index into the same list, None for the document; lines count from 1."""

    title: str
    level: int
    path: str
    parent: int | None
    begin_byte: int
    body_byte: int
    end_byte: int
    begin_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class NamedObject:
    """A chunk or an abstract. `text` is what Read returns; `embedded` what its vector stands for; an
    abstract's byte range and lines are those of its section."""

    kind: Kind
    path: str
    section: int
    begin_byte: int
    end_byte: int
    begin_line: int
    end_line: int
    tokens: int
    header: str
    preview: str
    text: str
    embedded: str = field(repr=False)

    def embedded_hash(self) -> bytes:
        """The key of this object's vector: equal text is never embedded twice."""
        return text_key(self.embedded)


@dataclass(frozen=True, slots=True)
class Laid:
    """A document laid out: sections and objects in document order. `labels` are what a question may
    call the document; the vector of each of its objects leans towards theirs. `notes` are for the receipt; `pages`
    are those of formats that have pages."""

    sections: tuple[NamedSection, ...]
    objects: tuple[NamedObject, ...]
    labels: tuple[str, ...]
    notes: tuple[str, ...] = ()
    pages: tuple[NamedPage, ...] = ()

    def label_hashes(self) -> list[bytes]:
        """The keys of the labels' vectors."""
        return [text_key(label) for label in self.labels]
