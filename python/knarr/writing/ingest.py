"""The write path: read, parse, lay out, embed, commit, publish.

A document is one transaction: whole or absent. Vectors are stored as they are computed, so that work
paid for survives a kill; they are found again by content. What did not change costs nothing: a file
of the same bytes is recognised by its hash, a chunk of the same text by its own.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import cast, get_args

import sqlalchemy as sa

from knarr.abstracts.recall import AbstractRecall
from knarr.catalog import Catalog, abstracts, changes, documents, folders, vectors
from knarr.catalog.records import DocumentRecord, Laid
from knarr.catalog.vectors import Vector
from knarr.config import Settings
from knarr.documents import parse
from knarr.documents.sections import Document
from knarr.errors import DocumentError, InvalidArgument
from knarr.models.embed import Embedder, embed_checked
from knarr.models.embed.parallel import available_cores
from knarr.types import Progress
from knarr.uris import above, component, encode, join, name_of, numbered, place
from knarr.writing.layout import lay_out
from knarr.writing.receipt import AddReport, Change, FileReport, Status
from knarr.writing.sources import SourceFile, find_sources

# Grows when parsing, naming, chunking or the embedded text change, so that a later knarr lays the
# same bytes out anew instead of calling them unchanged.
_RECIPE_VERSION = 1
# Texts embedded between two writes: enough for every core, few enough that a kill loses seconds of work.
_EMBED_BATCH = max(32, 8 * available_cores())


@dataclass(slots=True)
class _Clock:
    """Seconds spent embedding, apart from the rest."""

    embedding: float = 0.0


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
            f"{_RECIPE_VERSION}:{settings.chunk_tokens}:{settings.abstract_tokens}:{settings.preview_chars}"
        )

    def add(
        self, paths: str | Path | Iterable[str | Path], into: str, progress: Progress | None = None
    ) -> AddReport:
        """Read everything, one document at a time. See `KnowledgeBase.add`."""
        started = time.monotonic()
        into = place(into)
        self._refuse_inside_document(into)
        sources = find_sources(paths)
        sizes = [0 if source.skip else source.path.stat().st_size for source in sources]
        total, done, clock = sum(sizes), 0, _Clock()
        reports = []
        for source, size in zip(sources, sizes, strict=True):

            def advance(
                share: float, source: SourceFile = source, done: int = done, size: int = size
            ) -> None:
                if progress is not None:
                    progress(done + int(size * share), total, source.shown)

            advance(0.0)
            reports.append(self._add_file(source, into, advance, clock))
            advance(1.0)
            done += size
        return AddReport(into, tuple(reports), time.monotonic() - started, clock.embedding)

    def _refuse_inside_document(self, into: str) -> None:
        with self._catalog.reading() as connection:
            owner = documents.owning(connection, into)
        if owner is not None:
            raise InvalidArgument(f"{into}: lies in the document {owner.uri}; name a folder above documents")

    def _add_file(
        self, source: SourceFile, into: str, advance: Callable[[float], None], clock: _Clock
    ) -> FileReport:
        if source.skip:
            return FileReport(source.shown, "skipped", "none", notes=(source.skip,))
        size = source.path.stat().st_size
        if size > self._settings.max_file_bytes:
            note = f"{size} bytes, the limit is {self._settings.max_file_bytes} (KNARR_MAX_FILE_BYTES)"
            return FileReport(source.shown, "limit", "none", size_bytes=size, notes=(note,))
        try:
            data = source.path.read_bytes()
        except OSError as error:
            return FileReport(source.shown, "corrupt", "none", size_bytes=size, notes=(f"{error.strerror}",))
        digest = hashlib.sha256(data).hexdigest()
        with self._catalog.reading() as connection:
            folder = self._folder(connection, into, source.folders)
            known = documents.find_by_source(connection, folder, source.path.name)
            if known is not None and (known.content_hash, known.recipe) == (digest, self._recipe):
                return self._unchanged(connection, source, known)
        try:
            document = parse(data, source.path.name)
        except DocumentError as error:
            return FileReport(source.shown, _status(error), "none", size_bytes=size, notes=(str(error),))
        return self._store(source, document, folder, known, digest, size, advance, clock)

    def _folder(self, connection: sa.Connection, into: str, names: Sequence[str]) -> str:
        """The URI of the folder for a file, stepping aside (`~2`) where a document has the name."""
        at = into
        for name in names:
            at = _free(at, component(name), lambda uri: documents.find(connection, uri) is None)
        return at

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
        source: SourceFile,
        document: Document,
        folder: str,
        known: DocumentRecord | None,
        digest: str,
        size: int,
        advance: Callable[[float], None],
        clock: _Clock,
    ) -> FileReport:
        name, uri, notes = self._name(source, folder, known, document.notes)
        laid = lay_out(
            document,
            name,
            self._embedder.tokenizer,
            chunk_tokens=self._settings.chunk_tokens,
            abstract_tokens=self._settings.abstract_tokens,
            preview_chars=self._settings.preview_chars,
        )
        notes = (*notes, *laid.notes)
        with self._catalog.reading() as connection:
            laid, asked = self._recall.document(connection, laid, document.data, self._embedder.tokenizer)
        hashes = [part.embedded_hash() for part in laid.objects]
        began = time.monotonic()
        missing, fresh = self._embed_missing(laid, hashes, advance)
        clock.embedding += time.monotonic() - began
        version = known.version + 1 if known else 1
        values = {
            "uri": uri,
            "folder": folder,
            "file_name": source.path.name,
            "title": document.title,
            "format": document.format,
            "version": version,
            "content_hash": digest,
            "recipe": self._recipe,
            "status": document.status,
            "size_bytes": size,
            "page_begins": list(document.page_begins),
            "missing_pages": list(document.missing_pages),
            "notes": list(notes),
            "updated_at": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        if known is not None:
            values["id"] = known.id
        self._commit(values, document.text, laid, hashes, fresh, asked)
        self._published()
        change: Change = "updated" if known else "added"
        reused = sum(key not in missing for key in hashes)
        return _report(source, document, laid, uri, version, size, change, len(missing), reused, notes)

    def _name(
        self, source: SourceFile, folder: str, known: DocumentRecord | None, notes: tuple[str, ...]
    ) -> tuple[str, str, tuple[str, ...]]:
        """The document's component and URI: the old ones, or a free name from the file's."""
        if known is not None:
            return component(source.path.stem), known.uri, notes
        wanted = component(source.path.stem)
        with self._catalog.reading() as connection:
            uri = _free(folder, wanted, lambda uri: not documents.under(connection, uri))
        if name_of(uri) != wanted:
            notes = (*notes, f"named {encode(name_of(uri))}: {encode(wanted)} is taken")
        return wanted, uri, notes

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
        values: dict[str, object],
        text: str,
        laid: Laid,
        hashes: list[bytes],
        fresh: dict[bytes, Vector],
        asked: list[bytes],
    ) -> None:
        with self._catalog.writing() as connection:
            known = values.get("id")
            old = vectors.hashes_of(connection, [known]) if isinstance(known, int) else []
            vectors.put(connection, fresh, self._embedder.id)
            document_id = documents.put(connection, values, text, laid, hashes)
            vectors.release(connection, old)
            abstracts.keep(connection, abstracts.owner(document_id), asked)
            if known is None:
                folders.clear(connection, str(values["uri"]))
            folders.mark_stale(connection, above(str(values["uri"])))
            changes.append(connection, "put", str(values["uri"]), document_id=document_id)


def _status(error: DocumentError) -> Status:
    known = get_args(Status)
    return cast(Status, error.status) if error.status in known else "corrupt"


def _free(folder: str, name: str, usable: Callable[[str], bool]) -> str:
    """`folder/name`, or with the first of `~2`, `~3`, … that is usable."""
    places = (join(folder, numbered(name, number)) for number in count(1))
    return next(uri for uri in places if usable(uri))


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
