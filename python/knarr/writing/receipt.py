"""The coverage receipt of an add: what was read, what is searchable, what was left out and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from knarr.abstracts.report import AbstractReport

Status = Literal[
    "ok",
    "partial",
    "no_text",
    "encrypted",
    "corrupt",
    "empty",
    "limit",
    "unsupported",
    "unreadable",
    "skipped",
    "failed",
]
_PAGES_SHOWN = 12

Change = Literal["added", "updated", "moved", "unchanged", "none"]


@dataclass(frozen=True, slots=True)
class FileReport:
    """One file.

    status:    "ok"; "partial" (some pages gave no text); why nothing of it is searchable; or "failed" where the file
               is not at fault, but an embedder or the catalog
    change:    what the file did to the knowledge base
    uri:       its document's URI, empty when it became none
    stands:    the URI of the document that was made of it earlier, where nothing could be made of it now:
               `version` of that still stands
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
    stands: str = ""

    @property
    def ready(self) -> bool:
        """Whether its text, or part of it, is searchable."""
        return self.status in ("ok", "partial")


@dataclass(frozen=True, slots=True)
class GoneFile:
    """A document that is stored although its file is no longer where it was added from. `now` is the URI of a
    document with the same bytes that this `add` made, as after a renaming; empty when there is none. `why` says why
    a `sync` let it be."""

    uri: str
    path: str
    now: str = ""
    why: str = ""

    def __str__(self) -> str:
        moved = f"; the same file is now {self.now}" if self.now else ""
        return (
            f"{self.uri}: its file {self.path} is no longer there{moved}{'; ' if self.why else ''}{self.why}"
        )


@dataclass(frozen=True, slots=True)
class AddReport:
    """All files of one `add`, in the order they were read.

    abstracts: the job that followed, when a model writes them
    gone:      documents from the folders that were added, whose files are no longer there; they stay until they
               are removed, which `sync` does
    unread:    the files that were not tried, because what failed before them would have failed for them too
    error:     what that was, or why the abstracts of folders are not made yet; "" where all went well
    job:       the number by which `kb.jobs` knows it, to be resumed
    """

    into: str
    files: tuple[FileReport, ...]
    seconds: float
    seconds_embedding: float
    abstracts: AbstractReport | None = None
    gone: tuple[GoneFile, ...] = ()
    unread: tuple[str, ...] = ()
    error: str = ""
    job: int = 0

    @property
    def ok(self) -> bool:
        """True when every file is searchable in full. Links, hidden and ignored files and knowledge bases that were
        passed over in a folder do not count as missing; files of an unknown type do."""
        return not (self.unread or self.error) and all(f.status in ("ok", "skipped") for f in self.files)

    @property
    def stored(self) -> tuple[FileReport, ...]:
        """The files whose text is searchable now."""
        return tuple(f for f in self.files if f.ready)

    @property
    def failed(self) -> tuple[FileReport, ...]:
        """Those that are not at fault and were not stored, with the reason among their notes."""
        return tuple(f for f in self.files if f.status == "failed")

    @property
    def left_out(self) -> tuple[FileReport, ...]:
        """Those that gave nothing to search, whatever the reason."""
        return tuple(f for f in self.files if not f.ready)

    @property
    def added(self) -> tuple[FileReport, ...]:
        """Those that became documents."""
        return tuple(f for f in self.files if f.change == "added")

    @property
    def updated(self) -> tuple[FileReport, ...]:
        """Those whose documents have a new version."""
        return tuple(f for f in self.files if f.change == "updated")

    @property
    def unchanged(self) -> tuple[FileReport, ...]:
        """Those whose documents were what they are."""
        return tuple(f for f in self.files if f.change == "unchanged")

    def count(self, *words: str) -> int:
        """How many files have one of these statuses or changes."""
        return sum(f.status in words or f.change in words for f in self.files)

    def total(self, name: str) -> int:
        """The sum of a numeric field over all files."""
        return sum(int(getattr(f, name)) for f in self.files)

    def __str__(self) -> str:
        changes = ", ".join(f"{self.count(word)} {word}" for word in ("added", "updated", "unchanged"))
        lines = [
            f"{len(self.stored)} of {len(self.files) + len(self.unread)} files searchable in {self.into}: "
            f"{self.total('sections')} sections, {self.total('chunks')} chunks, {self.total('tokens')} tokens "
            f"({changes}; {self.total('embedded')} embedded, {self.total('reused')} reused, {self.seconds:.1f} s)"
        ]
        return "\n".join([*lines, *self._details()])

    def _details(self) -> list[str]:
        lines = [line for file in self.files for line in _lines(file)]
        lines += [f"  not tried: {path}" for path in self.unread]
        lines += [f"  stopped: {self.error}"] if self.error else []
        lines += [f"  gone: {file}" for file in self.gone]
        lines += [gone_line(self.gone)] if self.gone else []
        return lines if self.abstracts is None else [*lines, str(self.abstracts)]


def gone_line(gone: tuple[GoneFile, ...]) -> str:
    """How many documents have lost their files, in a sentence."""
    word = "document is" if len(gone) == 1 else "documents are"
    return f"{len(gone):,} stored {word} no longer on disk"


def _lines(file: FileReport) -> list[str]:
    """What there is to say of a file: nothing of one that went in as it is."""
    if file.status == "ok":
        return [f"  {file.uri}: {'; '.join(file.notes)}"] if file.notes else []
    pages = f"no text on {_pages(file.missing_pages)}" if file.missing_pages else ""
    reason = "; ".join(part for part in (pages, *file.notes) if part)
    return [f"  {file.status}: {file.path}{': ' + reason if reason else ''}"]


def _pages(numbers: tuple[int, ...]) -> str:
    shown = ", ".join(map(str, numbers[:_PAGES_SHOWN])) + (", …" if len(numbers) > _PAGES_SHOWN else "")
    return f"{'page' if len(numbers) == 1 else 'pages'} {shown}"
