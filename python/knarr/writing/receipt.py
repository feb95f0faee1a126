"""The coverage receipt of an add: what was read, what is searchable, what was left out and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from knarr.abstracts.report import AbstractReport

Status = Literal[
    "ok", "partial", "no_text", "encrypted", "corrupt", "empty", "limit", "unsupported", "skipped"
]
Change = Literal["added", "updated", "unchanged", "none"]


@dataclass(frozen=True, slots=True)
class FileReport:
    """One file.

    status:    "ok"; "partial" (some pages gave no text); or why nothing of it is searchable
    change:    what the file did to the knowledge base
    uri:       its document's URI, empty when it became none
    size_bytes, text_bytes:  of the file, and of its canonical text
    pages, missing_pages:    how many it has, and which (from 1) gave no text
    embedded:  texts that were embedded, those of the document's names among them
    reused:    objects whose vector was there already
    notes:     what was dropped or renamed, and why
    """

    path: str
    status: Status
    change: Change
    uri: str = ""
    version: int = 0
    size_bytes: int = 0
    text_bytes: int = 0
    pages: int = 0
    missing_pages: tuple[int, ...] = ()
    sections: int = 0
    chunks: int = 0
    tokens: int = 0
    embedded: int = 0
    reused: int = 0
    notes: tuple[str, ...] = ()

    @property
    def ready(self) -> bool:
        """Whether its text, or part of it, is searchable."""
        return self.status in ("ok", "partial")


@dataclass(frozen=True, slots=True)
class AddReport:
    """All files of one `add`, in the order they were read; `abstracts` is the job that followed, when a
    model writes them."""

    into: str
    files: tuple[FileReport, ...]
    seconds: float
    seconds_embedding: float
    abstracts: AbstractReport | None = None

    @property
    def ok(self) -> bool:
        """True when every file is searchable in full. Links, hidden files and knowledge bases that were
        passed over in a folder do not count as missing; files of an unknown type do."""
        return all(f.status in ("ok", "skipped") for f in self.files)

    def count(self, *words: str) -> int:
        """How many files have one of these statuses or changes."""
        return sum(f.status in words or f.change in words for f in self.files)

    def total(self, name: str) -> int:
        """The sum of a numeric field over all files."""
        return sum(int(getattr(f, name)) for f in self.files)

    def __str__(self) -> str:
        ready = [f for f in self.files if f.ready]
        lines = [
            f"{len(ready)} of {len(self.files)} files searchable in {self.into}: "
            f"{self.total('sections')} sections, {self.total('chunks')} chunks, {self.total('tokens')} tokens "
            f"({self.count('added')} added, {self.count('updated')} updated, {self.count('unchanged')} unchanged; "
            f"{self.total('embedded')} embedded, {self.total('reused')} reused, {self.seconds:.1f} s)"
        ]
        for file in self.files:
            if file.status != "ok":
                reason = "; ".join(file.notes)
                lines.append(f"  {file.status}: {file.path}{': ' + reason if reason else ''}")
        if self.abstracts is not None:
            lines.append(str(self.abstracts))
        return "\n".join(lines)
