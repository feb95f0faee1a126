"""The write path: read, parse, lay out, embed, commit, publish.

A document is one transaction: whole or absent. Vectors are stored as they are computed, so that work
paid for survives a kill; they are found again by content. What did not change costs nothing: a file
of the same bytes is recognised by its hash, a chunk of the same text by its own.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import cast, get_args

import sqlalchemy as sa

from knarr.abstracts.recall import AbstractRecall
from knarr.catalog import (
    Catalog,
    abstracts,
    changes,
    documents,
    folders,
    pages,
    sources,
    vectors,
    versions,
    wholeness,
)
from knarr.catalog.pages import ReadPages
from knarr.catalog.records import DocumentRecord, Laid
from knarr.catalog.sources import KnownFile
from knarr.catalog.vectors import Vector
from knarr.catalog.versions import Retention
from knarr.config import Settings
from knarr.documents import parse
from knarr.documents.ocr import PageReader, installed
from knarr.documents.sections import Document
from knarr.errors import CatalogError, DocumentError, EmbedderError, InvalidArgument, KnarrError
from knarr.models.embed import Embedder, embed_checked
from knarr.models.embed.parallel import available_cores
from knarr.types import Progress
from knarr.uris import above, place
from knarr.writing.layout import lay_out
from knarr.writing.metadata import kept
from knarr.writing.places import Places
from knarr.writing.receipt import AddReport, Change, FileReport, GoneFile, Status
from knarr.writing.sources import SourceFile, find_sources, read_bytes, why

# Grows when parsing, naming, chunking or the embedded text change, so that a later knarr lays the
# same bytes out anew instead of calling them unchanged.
RECIPE_VERSION = 3
# What a file whose pages OCR reads has cost, of all that it will, when they are read.
_OCR_SHARE = 0.95
# Texts embedded between two writes: enough for every core, few enough that a kill loses seconds of work.
_EMBED_BATCH = max(32, 8 * available_cores())


@dataclass(slots=True)
class _Clock:
    """Seconds spent embedding, apart from the rest."""

    embedding: float = 0.0


@dataclass(frozen=True, slots=True)
class _File:
    """A file that was read, and the document that it is already, if any."""

    source: SourceFile
    folder: str
    known: KnownFile | None
    digest: str
    size_bytes: int


class Ingest:
    """Adds files to a catalog. One at a time; `published` is called after each committed document."""

    def __init__(
        self, catalog: Catalog, embedder: Embedder, settings: Settings, published: Callable[[], object]
    ) -> None:
        self._catalog = catalog
        self._embedder = embedder
        self._settings = settings
        self._published = published
        self._recall = AbstractRecall.of(catalog, settings)
        self._recipe = (
            f"{RECIPE_VERSION}:{settings.chunk_tokens}:{settings.abstract_tokens}:{settings.preview_chars}"
        )
        self._retention = Retention(settings.history_versions, settings.history_days)
        self._ocr = PageReader(ReadPages(catalog)) if settings.ocr and installed() else None

    def add(
        self, paths: str | Path | Iterable[str | Path], into: str, progress: Progress | None = None
    ) -> AddReport:
        """Read everything, one document at a time. See `KnowledgeBase.add`."""
        started = time.monotonic()
        into = place(into)
        self._refuse_inside_document(into)
        batch = find_sources(paths, self._settings.max_file_bytes)
        places, clock = Places(into, batch), _Clock()
        reports: list[FileReport] = []
        try:
            for source, advance in _with_progress(batch.files, progress):
                reports.append(self._add_file(source, places, advance, clock))
            gone = self._note_places(places, reports)
        except (EmbedderError, CatalogError) as error:
            # What was stored is whole and stays; the same `add` again goes on from there.
            left = tuple(source.shown for source in batch.files[len(reports) :])
            seconds = time.monotonic() - started
            error.report = AddReport(into, tuple(reports), seconds, clock.embedding, unread=left)
            where = f"{left[0]}: " if left else ""
            error.args = (f"{where}{error}. {error.report.stopped}",)
            raise
        finally:
            if self._ocr is not None:
                self._ocr.close()
        return AddReport(into, tuple(reports), time.monotonic() - started, clock.embedding, gone=gone)

    def _note_places(self, places: Places, reports: Sequence[FileReport]) -> tuple[GoneFile, ...]:
        """Note where unchanged files are now; returns the documents whose files are gone."""
        unwritten = places.take_unwritten()
        if unwritten:
            with self._catalog.writing() as connection:
                sources.put(connection, unwritten)
        with self._catalog.reading() as connection:
            gone = places.gone(connection)
            fresh = [report.uri for report in reports if report.change == "added"]
            hashes = documents.hashes_by_uri(connection, [*fresh, *(uri for _, uri in gone)]) if gone else {}
        now = {hashes[uri]: uri for uri in reversed(fresh) if uri in hashes}
        return tuple(GoneFile(uri, path, now.get(hashes.get(uri, ""), "")) for path, uri in gone)

    def _refuse_inside_document(self, into: str) -> None:
        with self._catalog.reading() as connection:
            owner = documents.owning(connection, into)
        if owner is not None:
            raise InvalidArgument(f"{into}: lies in the document {owner.uri}; name a folder above documents")

    def _add_file(
        self, source: SourceFile, places: Places, advance: Callable[[float], None], clock: _Clock
    ) -> FileReport:
        if source.status:
            return _left_out(source, source.status, source.reason)
        most, size = self._settings.max_file_bytes, source.size_bytes
        try:
            data = read_bytes(source, most) if size <= most else b""
        except OSError as error:
            return _left_out(source, "unreadable", why(error))
        size = max(size, len(data))
        if size > most:
            return _left_out(
                source, "limit", f"{size} bytes, the limit is {most} (KNARR_MAX_FILE_BYTES)", size
            )
        digest = hashlib.sha256(data).hexdigest()
        with self._catalog.reading() as connection:
            folder = places.folder(connection, source)
            known = places.known(connection, source, folder, digest)
            if (
                known is not None
                and known.record.content_hash == digest
                and self._is_current(known.record)
                and not wholeness.is_damaged(connection, known.record.id)
            ):
                places.unchanged(known, source, folder)
                return self._unchanged(connection, source, known.record)
        file = _File(source, folder, known, digest, len(data))
        try:
            with _contained():
                document, advance = self._parse(data, source.name, advance)
            if known is not None and self._gives_the_same(known.record, document, digest):
                with self._catalog.reading() as connection:
                    places.unchanged(known, source, folder)
                    return self._unchanged(connection, source, known.record)
            return self._store(file, document, places, advance, clock)
        except DocumentError as error:
            notes = [str(error).removeprefix(f"{source.name}: ")]  # the name stands beside it
            if known is not None:
                notes.append(f"version {known.record.version} stays as it is at {known.record.uri}")
            return _left_out(source, _status(error), "; ".join(notes), len(data))

    def _is_current(self, known: DocumentRecord) -> bool:
        """Whether the same bytes would be laid out in the same way. Pages that OCR did read, or would have read,
        depend on it."""
        return known.recipe in (self._recipe, self._recipe_with_ocr())

    def _gives_the_same(self, known: DocumentRecord, document: Document, digest: str) -> bool:
        """Whether a file that was read again since it may give more did not."""
        if not document.may_change or (known.content_hash, known.recipe) != (
            digest,
            self._recipe_of(document),
        ):
            return False
        with self._catalog.reading() as connection:
            return documents.text_of(connection, known.id) == document.text

    def _recipe_with_ocr(self) -> str:
        return f"{self._recipe}:{self._ocr.id if self._ocr is not None else 'no-ocr'}"

    def _recipe_of(self, document: Document) -> str:
        if document.may_change:
            return f"{self._recipe}:again"  # never current: it is read again each time
        return self._recipe_with_ocr() if document.recognised or document.missing_pages else self._recipe

    def _parse(
        self, data: bytes, name: str, advance: Callable[[float], None]
    ) -> tuple[Document, Callable[[float], None]]:
        """The document, and what tells of the progress that is left: reading pages takes much longer than embedding
        them."""
        if self._ocr is None:
            return parse(data, name), advance
        self._ocr.progress = lambda share: advance(_OCR_SHARE * share)
        document = parse(data, name, ocr=self._ocr)
        if not document.recognised:
            return document, advance
        return document, lambda share: advance(_OCR_SHARE + (1 - _OCR_SHARE) * share)

    def _unchanged(self, connection: sa.Connection, source: SourceFile, known: DocumentRecord) -> FileReport:
        rows = documents.objects_of(connection, known.id)
        return FileReport(
            source.shown,
            "partial" if known.status == "partial" else "ok",
            "unchanged",
            uri=known.uri,
            version=known.version,
            size_bytes=known.size_bytes,
            pages=len(known.page_begins),
            missing_pages=known.missing_pages,
            sections=len({row.section for row in rows}),
            chunks=sum(row.kind == "chunk" for row in rows),
            tokens=sum(row.tokens for row in rows if row.kind == "chunk"),
            reused=len(rows),
            notes=known.notes,
        )

    def _store(
        self,
        file: _File,
        document: Document,
        places: Places,
        advance: Callable[[float], None],
        clock: _Clock,
    ) -> FileReport:
        source, known = file.source, file.known.record if file.known else None
        with self._catalog.reading() as connection, _contained():
            name, uri, renamed = places.name(connection, source, file.folder, known)
            laid, asked = self._lay_out(connection, document, name)
            claimed = (known.id, known.version + 1) if known else versions.claim(connection, uri)
        number, version = claimed
        hashes = [part.embedded_hash() for part in laid.objects]
        began = time.monotonic()
        missing, fresh = self._embed_missing(laid, hashes, advance)
        clock.embedding += time.monotonic() - began
        metadata, cut = kept(document.metadata)
        notes = (*document.notes, *cut, *laid.notes, *renamed)
        values = {
            "id": number,
            "uri": uri,
            "folder": file.folder,
            "title": document.title,
            "format": document.format,
            "version": version,
            "content_hash": file.digest,
            "recipe": self._recipe_of(document),
            "status": document.status,
            "size_bytes": file.size_bytes,
            "page_begins": list(document.page_begins),
            "missing_pages": list(document.missing_pages),
            "notes": list(notes),
            "metadata": metadata,
            "updated_at": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        with _contained():
            self._commit(file, places, values, number, document.text, laid, hashes, fresh, asked)
        places.settled(number, source)
        self._published()
        change: Change = "updated" if known else "added"
        reused = sum(key not in missing for key in hashes)
        notes = (*notes, *_replaced(file))
        return _report(
            source, document, laid, uri, version, file.size_bytes, change, len(missing), reused, notes
        )

    def _lay_out(self, connection: sa.Connection, document: Document, name: str) -> tuple[Laid, list[bytes]]:
        laid = lay_out(
            document,
            name,
            self._embedder.tokenizer,
            chunk_tokens=self._settings.chunk_tokens,
            abstract_tokens=self._settings.abstract_tokens,
            preview_chars=self._settings.preview_chars,
        )
        return self._recall.document(connection, laid, document.data, self._embedder.tokenizer)

    def _embed_missing(
        self, laid: Laid, hashes: list[bytes], advance: Callable[[float], None]
    ) -> tuple[set[bytes], dict[bytes, Vector]]:
        """Embed what has no stored vector yet. Returns the keys of those texts, and the vectors of the
        last batch, which are left for the document's own transaction: a small document has only one."""
        with self._catalog.reading() as connection:
            stored = vectors.get(connection, [*hashes, *laid.label_hashes()], self._embedder.id)
        texts = dict(zip(laid.label_hashes(), laid.labels, strict=True))
        texts |= {key: part.embedded for key, part in zip(hashes, laid.objects, strict=True)}
        keys = [key for key in texts if key not in stored]
        fresh: dict[bytes, Vector] = {}
        for begin in range(0, len(keys), _EMBED_BATCH):
            if fresh:
                with self._catalog.writing() as connection:
                    vectors.put(connection, fresh, self._embedder.id)
            batch = keys[begin : begin + _EMBED_BATCH]
            matrix = embed_checked(
                self._embedder, [texts[key] for key in batch], "nothing of this document was stored"
            )
            fresh = dict(zip(batch, matrix, strict=True))
            advance((begin + len(batch)) / len(keys))
        return set(keys), fresh

    def _commit(
        self,
        file: _File,
        places: Places,
        values: dict[str, object],
        document_id: int,
        text: str,
        laid: Laid,
        hashes: list[bytes],
        fresh: dict[bytes, Vector],
        asked: list[bytes],
    ) -> None:
        known = [file.known.record.id] if file.known else []
        with self._catalog.writing() as connection:
            versions.begin(connection)
            versions.keep(connection, known, self._retention)
            name = documents.free_file_name(connection, file.folder, file.source.name, document_id)
            values = {**values, "file_name": name}
            old = vectors.hashes_of(connection, known)
            vectors.put(connection, fresh, self._embedder.id)
            documents.put(connection, values, text, laid, hashes, new=not known)
            vectors.release(connection, old)
            if file.known:
                pages.release(connection, [file.known.record.content_hash])
            abstracts.keep(connection, abstracts.owner(document_id), asked)
            if not known:
                versions.inherit(connection, str(values["uri"]), document_id)
                folders.clear(connection, str(values["uri"]))
            folders.mark_stale(connection, above(str(values["uri"])), quotes_gone=known is not None)
            places.stored(connection, document_id, file.source, file.folder)
            seq = changes.append(connection, "put", str(values["uri"]), document_id=document_id)
            versions.stands(connection, [document_id], seq, self._retention)


def _with_progress(
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
def _contained() -> Iterator[None]:
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


def _left_out(source: SourceFile, status: Status, reason: str, size_bytes: int = 0) -> FileReport:
    size = size_bytes or source.size_bytes
    return FileReport(source.shown, status, "none", size_bytes=size, notes=(reason,))


def _replaced(file: _File) -> list[str]:
    """A note on a document whose former version came from elsewhere: perhaps another file was meant."""
    known = file.known
    if known is None or known.path in ("", file.source.path):
        return []
    return [f"version {known.record.version} came from {known.path}"]


def _status(error: DocumentError) -> Status:
    known = get_args(Status)
    return cast(Status, error.status) if error.status in known else "corrupt"


def _report(
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
