"""The one model of a document: its canonical text, and a tree of sections over it.

Every format becomes a `Document`. All offsets are byte offsets into the UTF-8 encoding of the
canonical text (`Document.data`), which uses ``\\n`` line ends and has no byte-order mark; lines
start at 1. For Markdown and plain text the canonical text keeps the source's lines one for one,
so a line number counts from the file's first line; only the bodies of `data:` URIs are left out.

Invariants, checked by `Document.check`:
- the root section is level 0 and spans the whole text;
- children lie inside their parent, in order, without overlap, after the parent's heading and
  own text: a section's own text is ``[begin_byte, children[0].begin_byte or end_byte)``;
- a child's level is greater than its parent's; levels may be skipped;
- all offsets fall on character boundaries, and `page_begins` rises from 0.
"""

from __future__ import annotations

import bisect
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from knarr.documents.boxes import WordBoxes
from knarr.types import MetadataValue as MetadataValue
from knarr.types import PageShape

DEEPEST = 32
"""Levels of sections that a document can have; deeper headings become siblings."""


@dataclass(slots=True)
class Section:
    """A node of the heading tree.

    title:       the heading as a reader sees it: one line, no markup, no leading numbering removed
    level:       0 for the document, 1 for a top heading, and so on
    begin_byte:  where its heading line starts
    body_byte:   first byte after its heading line(s)
    end_byte:    end of its whole subtree
    """

    title: str
    level: int
    begin_byte: int
    body_byte: int
    end_byte: int
    children: list[Section] = field(default_factory=list)

    def walk(self) -> Iterator[Section]:
        """This section and all below it, in document order."""
        stack = [self]
        while stack:
            section = stack.pop()
            yield section
            stack.extend(reversed(section.children))


@dataclass(frozen=True, slots=True)
class Table:
    """A table in the canonical text: `header` is repeated, for embedding and showing, in every
    chunk that holds only later rows. `row_begins` are the byte offsets of its body rows. `title` is its caption, ""
    where it has none; where that stands right above it, the table begins there."""

    begin_byte: int
    end_byte: int
    header: str
    row_begins: tuple[int, ...]
    title: str = ""


@dataclass
class Document:
    """One parsed source.

    status:        "ok", or "partial" when `missing_pages` gave no text
    page_begins:   byte offset where each page starts; empty for formats without pages
    missing_pages: page numbers (from 1) that gave no text
    notes:         short sentences for the coverage receipt, which say what was dropped and why
    recognised:    page numbers (from 1) whose text OCR read, with its confidence from 0 to 1
    may_change:    whether the same bytes may give more when they are read again: it depends on this machine's fonts
    metadata:      what the source says of itself (front matter, properties, headers of a message): text, numbers,
                   and lists of them, by the source's own keys in lower case
    pages:         the shape of each page, where the format has pages
    boxes:         where the words of the text stand on the pages
    """

    title: str
    text: str
    root: Section
    format: str
    page_begins: tuple[int, ...] = ()
    tables: tuple[Table, ...] = ()
    status: str = "ok"
    missing_pages: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    recognised: Mapping[int, float] = field(default_factory=dict)
    may_change: bool = False
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    pages: tuple[PageShape, ...] = ()
    boxes: WordBoxes | None = None

    @cached_property
    def data(self) -> bytes:
        """The canonical text as UTF-8."""
        return self.text.encode("utf-8")

    @cached_property
    def _line_ends(self) -> array[int]:
        # Eight bytes a line; a list of numbers would take forty.
        ends = np.flatnonzero(np.frombuffer(self.data, dtype=np.uint8) == 0x0A)
        return array("q", ends.astype(np.int64).tobytes())

    def line_at(self, byte: int) -> int:
        """The line (from 1) that holds this byte."""
        return 1 + bisect.bisect_left(self._line_ends, byte)

    def page_at(self, byte: int) -> int | None:
        """The page (from 1) that holds this byte; None for formats without pages."""
        return bisect.bisect_right(self.page_begins, byte) if self.page_begins else None

    def check(self) -> None:
        """Raise AssertionError when an invariant of this module does not hold."""
        size = len(self.data)
        root = self.root
        assert (root.level, root.begin_byte, root.end_byte) == (0, 0, size), (root, size)
        assert not self.text.startswith("\ufeff") and "\r" not in self.text
        for section in root.walk():
            assert 0 <= section.begin_byte <= section.body_byte <= section.end_byte <= size, section
            self.data[section.begin_byte : section.end_byte].decode("utf-8")
            at = section.body_byte
            for child in section.children:
                assert child.level > section.level, (section.title, child.title)
                assert at <= child.begin_byte and child.end_byte <= section.end_byte, child
                at = child.end_byte
            if section.children:
                assert at == section.end_byte, f"gap at the end of {section.title!r}"
            for left, right in zip(section.children, section.children[1:], strict=False):
                assert left.end_byte == right.begin_byte, (left.title, right.title)
        assert list(self.page_begins) == sorted(self.page_begins)
        for table in self.tables:
            assert 0 <= table.begin_byte <= table.end_byte <= size
        if self.boxes is not None:
            self.boxes.check(size)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading as a format's parser finds it, before the tree is made."""

    title: str
    level: int
    begin_byte: int
    body_byte: int


def levels(ranks: Iterable[tuple[float, ...]]) -> list[int]:
    """The levels, from 1, of headings whose looks only rank them, in document order; less ranks higher.

    A heading lies under the nearest one before it that ranks higher, so levels have no gaps, and the same
    look may have another level in another part of the document.
    """
    path: list[tuple[float, ...]] = []
    found = []
    for rank in ranks:
        while path and path[-1] >= rank:
            path.pop()
        path.append(rank)
        found.append(len(path))
    return found


def section_tree(title: str, size_bytes: int, headings: list[Heading]) -> Section:
    """Nest headings (in document order) under a root.

    A heading's parent is the nearest one before it of a smaller level, so that after a skipped
    level equal headings stay siblings (H1, H3, H3: both H3 are children of H1). Below `DEEPEST` levels all
    are siblings: only looks give more, and a path of thousands of names is no use to anyone.
    """
    root = Section(title, 0, 0, 0, size_bytes)
    path = [root]
    for heading in headings:
        while path[-1].level >= heading.level or len(path) > DEEPEST:
            path.pop().end_byte = heading.begin_byte
        section = Section(heading.title, heading.level, heading.begin_byte, heading.body_byte, size_bytes)
        path[-1].children.append(section)
        path.append(section)
    return root


def byte_offsets(text: str, places: Iterable[int]) -> dict[int, int]:
    """UTF-8 byte offsets of character offsets."""
    found, last, size = {}, 0, 0
    for at in sorted(set(places)):
        size += len(text[last:at].encode("utf-8"))
        found[at], last = size, at
    return found
