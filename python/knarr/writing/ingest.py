"""The write path: read, parse, lay out, embed, commit, publish.

A document is one transaction: whole or absent. Vectors are stored as they are computed, so that work
paid for survives a kill; they are found again by content. What did not change costs nothing: a file
of the same bytes is recognised by its hash, a chunk of the same text by its own.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

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
from knarr.catalog.sources import KnownFile, StandingVersion
from knarr.catalog.vectors import Vector
from knarr.catalog.versions import Retention
from knarr.config import Settings
from knarr.documents import parse
from knarr.documents.ocr import PageReader, installed
from knarr.documents.sections import Document
from knarr.errors import CatalogError, DocumentError, EmbedderError, InvalidArgument
from knarr.models.embed import Embedder, embed_checked
from knarr.models.embed.parallel import available_cores
from knarr.types import Progress
from knarr.uris import above, place
from knarr.writing.failures import Failures
from knarr.writing.files import Batch, SourceFile, read_bytes, why
from knarr.writing.jobs import JobLog
from knarr.writing.layout import lay_out
from knarr.writing.metadata import kept
from knarr.writing.outcomes import (
    Taken,
    contained,
    gone_files,
    left_out,
    status_of,
    stored_report,
    with_progress,
)
from knarr.writing.places import Places
from knarr.writing.receipt import AddReport, Change, FileReport, GoneFile, Status
from knarr.writing.sources import find_sources
from knarr.writing.walk import Names

# Grows when parsing, naming, chunking or the embedded text change, so that a later knarr lays the
# same bytes out anew instead of calling them unchanged.
RECIPE_VERSION = 3
# What a file whose pages OCR reads has cost, of all that it will, when they are read.
_OCR_SHARE = 0.95
# Texts embedded between two writes: enough for every core, few enough that a kill loses seconds of work.
_EMBED_BATCH = max(32, 8 * available_cores())


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
        self,
        paths: Sequence[str | os.PathLike[str]],
        into: str,
        progress: Progress | None = None,
        log: JobLog | None = None,
    ) -> AddReport:
        """Read everything, one document at a time. See `KnowledgeBase.add`."""
        started = time.monotonic()
        into = place(into)
        self.refuse_inside_document(into)
        batch = find_sources(paths, self._settings.max_file_bytes)
        places = Places(into, batch)
        taken = self.take(batch, places, progress, log)
        gone: tuple[GoneFile, ...] = ()
        if not taken.unread:
            with self._catalog.reading() as connection:
                gone = gone_files(connection, places, taken.reports)
        return AddReport(
            into,
            tuple(taken.reports),
            time.monotonic() - started,
            taken.embedding_s,
            gone=gone,
            unread=taken.unread,
            error=taken.error,
        )

    def take(
        self,
        batch: Batch,
        places: Places,
        progress: Progress | None,
        log: JobLog | None = None,
        digests: Mapping[Names, str] | None = None,
    ) -> Taken:
        """Store the files of a batch that are new or changed, whatever becomes of the others. A file whose bytes are
        known by a digest already is read only when it is not the document that it was.

        What an embedder or the catalog refuses is a failure of its file; where the next ones would fail as well they
        are not tried."""
        taken = Taken()
        failures = Failures(lambda: embed_checked(self._embedder, ["a word"], "nothing was stored"))
        try:
            for source, advance in with_progress(batch.files, progress):
                digest = (digests or {}).get((*source.folders, source.name), "")
                try:
                    report = self._add_file(source, places, advance, taken, digest)
                    if report.change in ("added", "updated"):
                        failures.went_well()
                except (EmbedderError, CatalogError) as error:
                    report = self._failed(source, str(error), places)
                    taken.note(error, failures.ends(error))
                taken.reports.append(report)
                if log is not None:
                    log.count(report.change if report.ready else report.status)
                if taken.error:
                    break
            taken.unread = tuple(source.shown for source in batch.files[len(taken.reports) :])
            self._note_places(places, taken)
        finally:
            if self._ocr is not None:
                self._ocr.close()
        return taken

    def _failed(self, source: SourceFile, reason: str, places: Places) -> FileReport:
        try:
            with self._catalog.reading() as connection:
                standing = places.standing(connection, source)
        except CatalogError:
            standing = None
        return left_out(source, "failed", reason, standing)

    def _note_places(self, places: Places, taken: Taken) -> None:
        """Note where unchanged files are now."""
        unwritten = places.take_unwritten()
        if not unwritten:
            return
        try:
            with self._catalog.writing() as connection:
                sources.put(connection, unwritten)
        except CatalogError as error:
            taken.note(error, True)

    def refuse_inside_document(self, into: str) -> None:
        """Raises InvalidArgument for a place that lies in a document."""
        with self._catalog.reading() as connection:
            owner = documents.owning(connection, into)
        if owner is not None:
            raise InvalidArgument(f"{into}: lies in the document {owner.uri}; name a folder above documents")

    def _add_file(
        self,
        source: SourceFile,
        places: Places,
        advance: Callable[[float], None],
        taken: Taken,
        digest: str = "",
    ) -> FileReport:
        if source.status:
            return self._left_out(source, source.status, source.reason, places)
        most = self._settings.max_file_bytes
        if digest and (report := self._met(source, places, digest)[0]) is not None:
            if source.inside is not None:
                source.inside.holder.skip()
            return report
        try:
            data = read_bytes(source, most) if source.size_bytes <= most else b""
        except OSError as error:
            return self._left_out(source, "unreadable", why(error), places)
        size = max(source.size_bytes, len(data))
        if size > most:
            reason = f"{size} bytes, the limit is {most} (KNARR_MAX_FILE_BYTES)"
            return self._left_out(source, "limit", reason, places, size)
        digest = hashlib.sha256(data).hexdigest()
        report, folder, known = self._met(source, places, digest)
        if report is not None:
            return report
        file = _File(source, folder, known, digest, len(data))
        try:
            with contained():
                document, advance = self._parse(data, source.name, advance)
            if known is not None and self._gives_the_same(known.record, document, digest):
                with self._catalog.reading() as connection:
                    places.unchanged(known, source, folder)
                    return self._unchanged(connection, source, known.record)
            return self._store(file, document, places, advance, taken)
        except DocumentError as error:
            reason = str(error).removeprefix(f"{source.name}: ")  # the name stands beside it
            standing = None if known is None else StandingVersion(known.record.uri, known.record.version)
            return left_out(source, status_of(error), reason, standing, len(data))

    def _left_out(
        self, source: SourceFile, status: Status, reason: str, places: Places, size_bytes: int = 0
    ) -> FileReport:
        with self._catalog.reading() as connection:
            standing = None if source.passed_over else places.standing(connection, source)
        return left_out(source, status, reason, standing, size_bytes)

    def _met(
        self, source: SourceFile, places: Places, digest: str
    ) -> tuple[FileReport | None, str, KnownFile | None]:
        """The report of a file whose document holds these bytes already, if it does; its folder, and the document."""
        with self._catalog.reading() as connection:
            folder = places.folder(connection, source)
            known = places.known(connection, source, folder, digest)
            if (
                known is None
                or known.record.content_hash != digest
                or not self._is_current(known.record)
                or wholeness.is_damaged(connection, known.record.id)
            ):
                return None, folder, known
            places.unchanged(known, source, folder)
            return self._unchanged(connection, source, known.record), folder, known

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
        taken: Taken,
    ) -> FileReport:
        source, known = file.source, file.known.record if file.known else None
        with self._catalog.reading() as connection, contained():
            name, uri, renamed = places.name(connection, source, file.folder, known)
            laid, asked = self._lay_out(connection, document, name)
            claimed = (known.id, known.version + 1) if known else versions.claim(connection, uri)
        number, version = claimed
        hashes = [part.embedded_hash() for part in laid.objects]
        began = time.monotonic()
        try:
            missing, fresh = self._embed_missing(laid, hashes, advance)
        finally:
            taken.embedding_s += time.monotonic() - began
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
        with contained():
            self._commit(file, places, values, number, document.text, laid, hashes, fresh, asked)
        places.settled(number, source)
        self._published()
        change: Change = "updated" if known else "added"
        reused = sum(key not in missing for key in hashes)
        notes = (*notes, *_replaced(file))
        return stored_report(
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
            folders.mark_stale(connection, above(str(values["uri"])), quotes_gone=bool(known))
            places.stored(connection, document_id, file.source, file.folder)
            seq = changes.append(connection, "put", str(values["uri"]), document_id=document_id)
            versions.stands(connection, [document_id], seq, self._retention)


def _replaced(file: _File) -> list[str]:
    """A note on a document whose former version came from elsewhere: perhaps another file was meant."""
    known = file.known
    if known is None or known.path in ("", file.source.path):
        return []
    return [f"version {known.record.version} came from {known.path}"]
