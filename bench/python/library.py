"""A made library: ten folders of documents, by default ten sections a document, ten chunks a section.

The rows of every scope are one range, as they are in a freshly filled engine, so that a contender
without a namespace can be told at once which rows a scope means.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

FOLDERS = 10
SECTIONS = 10
CHUNKS = 10
DOCUMENT_ROWS = SECTIONS * CHUNKS
ROOT = "viking://library"


@dataclass(frozen=True, slots=True)
class Scope:
    """A scope and the rows [begin, end) under it."""

    name: str
    uri: str
    begin: int
    end: int


@dataclass(frozen=True)
class Library:
    """`rows` chunks in all, rounded down to whole folders of whole documents."""

    wanted_rows: int
    sections: int = SECTIONS  # of a document
    chunks: int = CHUNKS  # of a section

    @property
    def document_rows(self) -> int:
        """Chunks of a document."""
        return self.sections * self.chunks

    @property
    def documents(self) -> int:
        """Documents in all: the same number in each folder."""
        return max(1, self.wanted_rows // (FOLDERS * self.document_rows)) * FOLDERS

    @property
    def rows(self) -> int:
        """Chunks in all."""
        return self.documents * self.document_rows

    def document_uri(self, number: int) -> str:
        """The URI of a document, counted from 0 in row order."""
        folder, within = divmod(number, self.documents // FOLDERS)
        return f"{ROOT}/folder_{folder}/document_{within:05d}"

    def chunk_uris(self, number: int) -> list[str]:
        """The URIs of a document's chunks, in row order."""
        base = self.document_uri(number)
        return [
            f"{base}/section_{section}/section_{section}_{chunk + 1}.md"
            for section in range(self.sections)
            for chunk in range(self.chunks)
        ]

    def scopes(self) -> Iterator[Scope]:
        """All, a tenth, one document, one section; the narrow ones from the middle."""
        yield Scope("100%", "viking://", 0, self.rows)
        tenth = self.rows // FOLDERS
        yield Scope("10%", f"{ROOT}/folder_4", 4 * tenth, 5 * tenth)
        middle = self.documents // 2
        begin = middle * self.document_rows
        yield Scope("document", self.document_uri(middle), begin, begin + self.document_rows)
        section = begin + 3 * self.chunks
        yield Scope("section", f"{self.document_uri(middle)}/section_3", section, section + self.chunks)
