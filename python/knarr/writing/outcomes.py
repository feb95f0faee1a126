"""What came of a batch, and of each of its files, as the receipt tells it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import cast, get_args

import sqlalchemy as sa

from knarr.catalog import documents
from knarr.catalog.records import Laid
from knarr.catalog.sources import Standing
from knarr.documents.sections import Document
from knarr.errors import CatalogError, DocumentError, EmbedderError, InvalidArgument, KnarrError
from knarr.types import Progress
from knarr.writing.files import SourceFile
from knarr.writing.places import Places
from knarr.writing.receipt import Change, FileReport, GoneFile, Status


@dataclass(slots=True)
class Taken:
    """What became of the files of a batch. `stopped_by` is the error that ended it."""

    reports: list[FileReport] = field(default_factory=list)
    embedding_s: float = 0.0
    unread: tuple[str, ...] = ()
    error: str = ""
    stopped_by: EmbedderError | CatalogError | None = None

    def note(self, error: EmbedderError | CatalogError, ends: bool) -> None:
        """Something failed; `ends` says whether the rest would fail as well."""
        if ends:
            self.error, self.stopped_by = str(error), error


def with_progress(
    files: Sequence[SourceFile], progress: Progress | None
) -> Iterator[tuple[SourceFile, Callable[[float], None]]]:
    """The files, each with a function that tells how much of it is done, from 0 to 1."""
    total, done = sum(source.size_bytes for source in files), 0
    for source in files:

        def advance(share: float, source: SourceFile = source, done: int = done) -> None:
            if progress is not None:
                progress(done + int(source.size_bytes * share), total, source.shown)

        advance(0.0)
        yield source, advance
        advance(1.0)
        done += source.size_bytes


@contextmanager
def contained() -> Iterator[None]:
    """One odd file costs only itself: what its reader, or a library below, did not foresee is a DocumentError."""
    try:
        yield
    except InvalidArgument as error:  # a name that cannot be kept
        raise DocumentError(str(error), "limit") from None
    except KnarrError:
        raise
    except (MemoryError, RecursionError) as error:
        raise DocumentError(
            f"nested too deep or too large to be read ({type(error).__name__})", "limit"
        ) from None
    except Exception as error:
        raise DocumentError(f"its reader failed ({type(error).__name__}: {error})", "corrupt") from error


def left_out(
    source: SourceFile, status: Status, reason: str, standing: Standing | None = None, size_bytes: int = 0
) -> FileReport:
    """A file that gave nothing; what an earlier one gave in its place still stands."""
    notes: tuple[str, ...] = (reason,)
    uri, version = "", 0
    if standing is not None:
        uri, version = standing.uri, standing.version
        notes = (reason, f"version {version} stays as it is at {uri}")
    size = size_bytes or source.size_bytes
    return FileReport(source.shown, status, "none", version=version, size_bytes=size, notes=notes, stands=uri)


def status_of(error: DocumentError) -> Status:
    """The receipt's word for an error."""
    known = get_args(Status)
    return cast(Status, error.status) if error.status in known else "corrupt"


def stored_report(
    source: SourceFile,
    document: Document,
    laid: Laid,
    uri: str,
    version: int,
    size: int,
    change: Change,
    embedded: int,
    reused: int,
    notes: tuple[str, ...],
) -> FileReport:
    """A file whose document was stored."""
    chunks = [part for part in laid.objects if part.kind == "chunk"]
    return FileReport(
        source.shown,
        "partial" if document.status == "partial" else "ok",
        change,
        uri=uri,
        version=version,
        size_bytes=size,
        text_bytes=len(document.data),
        pages=len(document.page_begins),
        missing_pages=document.missing_pages,
        sections=len(laid.sections),
        chunks=len(chunks),
        tokens=sum(part.tokens for part in chunks),
        embedded=embedded,
        reused=reused,
        notes=notes,
    )


def gone_files(
    connection: sa.Connection, places: Places, reports: Sequence[FileReport]
) -> tuple[GoneFile, ...]:
    """The documents whose files are gone, each with the new document of the same bytes; of several, the one whose file
    is called the same."""
    gone = places.gone(connection)
    if not gone:
        return ()
    fresh = {report.uri: report.path for report in reports if report.change == "added"}
    hashes = documents.hashes_by_uri(connection, [*fresh, *(uri for _, uri in gone)])
    left: defaultdict[str, list[str]] = defaultdict(list)
    for uri in fresh:
        left[hashes[uri]].append(uri)
    found = []
    for path, uri in gone:
        alike = left[hashes[uri]]
        name = PurePosixPath(path).name
        now = next((one for one in alike if PurePosixPath(fresh[one]).name == name), "")
        now = now or next(iter(alike), "")
        if now:
            alike.remove(now)
        found.append(GoneFile(uri, path, now))
    return tuple(found)
