"""`KnowledgeBase`: catalog + engine + embedder. Documents in, four tools out, and `ask` above them."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from knarr.catalog import Catalog, abstracts, changes, documents, folders, vectors
from knarr.config import Settings
from knarr.errors import AlreadyExists, ChatError, InvalidArgument, NotFound
from knarr.experience.warmup import Warming
from knarr.index.index import Index
from knarr.models.embed import Embedder, load_embedder
from knarr.uris import SCHEME, above, canonical, place

if TYPE_CHECKING:
    from knarr.abstracts.job import Job
    from knarr.abstracts.report import AbstractReport
    from knarr.models.chat import ChatModel
    from knarr.writing.ingest import Progress
    from knarr.writing.receipt import AddReport


class KnowledgeBase(Warming):
    """A folder that holds a catalog and, beside it, the engine's snapshot. Made by `knarr.open`.

    Safe to use from several threads; reads never wait for an `add`. Close it, or use it as a context
    manager, to leave a fresh snapshot behind; what was acknowledged is safe either way.
    """

    def __init__(
        self, path: str | Path, embedder: Embedder | None, settings: Settings, *, create: bool
    ) -> None:
        self.path = Path(path)
        catalog = Catalog.open(self.path, create=create)
        try:
            embedder = embedder if embedder is not None else load_embedder(settings)
            catalog.bind_embedder(embedder.id, embedder.dim)
            index = Index(catalog, embedder.dim, embedder.id, settings.precision, graph=settings.graph)
            super().__init__(catalog, index, embedder, settings)
        except BaseException:
            catalog.close()
            raise
        self._writing = threading.RLock()
        self._finalizer = weakref.finalize(self, _close, self._index, self._catalog)

    # ------------------------------------------------------------------ documents in

    def add(
        self,
        source: str | Path | Iterable[str | Path],
        into: str = SCHEME,
        *,
        progress: Progress | None = None,
    ) -> AddReport:
        """Read files and folders into the folder `into`; returns the coverage receipt.

        A folder's subfolders become directories. Adding again is free for files whose bytes are the
        same, and an update (version + 1) for others. Each document is whole or absent, whatever
        happens. `progress(done_bytes, total_bytes, name)` is called as work goes on.
        Raises InvalidArgument for a missing path or an `into` that lies in a document, CatalogError
        when another process writes. A file that cannot be read is a line of the receipt, not an error.
        """
        with self._changing():
            from knarr.writing.ingest import Ingest

            ingest = Ingest(self._catalog, self.embedder, self.settings, self._follow)
            try:
                report = ingest.add(source, into, progress)
            finally:
                self._settle()
        if self.settings.abstracts != "model" or not self.settings.chat_url.strip():
            return report
        return self._with_abstracts(report, progress)

    def _with_abstracts(self, report: AddReport, progress: Progress | None) -> AddReport:
        """End an `add` with abstracts by the model, of the documents that came or changed."""
        fresh = [file.uri for file in report.files if file.change in ("added", "updated")]
        if not fresh:
            return report
        size = report.total("size_bytes")

        def advance(done: int, total: int, _uri: str) -> None:
            if progress is not None:
                progress(size, size, f"abstracts, {done} of {total}")

        try:
            job = self._abstract_job(self.chat_model(), None, False, advance)
            told = job.run(SCHEME, set(fresh))
        except ChatError as error:
            from knarr.abstracts.report import AbstractReport

            # The documents are in; their own sentences stand until a model can be asked.
            told = AbstractReport(SCHEME, "", left=report.total("sections"), stopped=str(error))
        return replace(report, abstracts=told)

    def make_abstracts(
        self,
        scope: str = SCHEME,
        *,
        chat: ChatModel | None = None,
        max_tokens: int | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> AbstractReport:
        """Let a chat model write the abstracts of everything at and below `scope`, and of the folders above.

        Bottom-up, a few calls at a time, within `max_tokens` for prompts and replies (the settings' bound
        without it, 0 for none). What was made before of the same content costs nothing; what is made is
        stored at once, so a job that ended early goes on where it stopped. Directories without a model's
        abstract keep the extractive one. With `dry_run` nothing is called or changed, and the report
        estimates; a document or folder can be searched all the while. `progress(done, total, uri)` counts
        directories. `chat` is the model of the settings when not given.

        Raises NotFound for a scope without documents, ChatError when no model is configured, CatalogError
        when another process changes documents at the moment that a document is to be written."""
        if chat is None and not (dry_run and not self.settings.chat_url.strip()):
            chat = self.chat_model()
        return self._abstract_job(chat, max_tokens, dry_run, progress).run(canonical(scope))

    def _abstract_job(
        self, chat: ChatModel | None, max_tokens: int | None, dry_run: bool, progress: Progress | None
    ) -> Job:
        from knarr.abstracts.calls import NoChat
        from knarr.abstracts.job import Job

        return Job(
            self._catalog,
            self.embedder,
            self.settings,
            chat if chat is not None else NoChat(self._catalog),
            self._changing,
            self._follow,
            limit=self.settings.abstract_job_tokens if max_tokens is None else max_tokens,
            dry_run=dry_run,
            progress=progress,
        )

    def remove(self, uri: str) -> int:
        """Delete a document or a folder with everything below; returns how many documents went.

        Raises NotFound when there is none, InvalidArgument for a place inside a document."""
        uri = canonical(uri)
        with self._changing():
            with self._catalog.writing() as connection:
                gone = documents.under(connection, uri)
                if not gone:
                    self._refuse(uri)
                ids = [record.id for record in gone]
                hashes = vectors.hashes_of(connection, ids)
                documents.remove(connection, ids)
                hashes += folders.remove_below(connection, uri)
                abstracts.forget(connection, [abstracts.owner(number) for number in ids])
                vectors.release(connection, hashes)
                folders.mark_stale(connection, above(uri))
                changes.append(connection, "remove", uri)
            self._settle()
        return len(gone)

    def move(self, source: str, target: str) -> int:
        """Move or rename a document or folder; returns how many documents moved. Nothing is embedded.

        Raises NotFound, AlreadyExists when `target` is taken, InvalidArgument for a place inside a
        document or a folder moved into itself."""
        source, target = canonical(source), place(target)
        if source == SCHEME or target == SCHEME:
            raise InvalidArgument(f"{SCHEME} itself cannot be moved or replaced; name a folder or document")
        if (target + "/").startswith(source + "/"):
            raise InvalidArgument(f"{target} lies in {source}: a folder cannot be moved into itself")
        with self._changing():
            with self._catalog.writing() as connection:
                found = documents.under(connection, source)
                if not found:
                    self._refuse(source)
                longest = max(found, key=lambda record: len(record.uri)).uri
                place(target + longest[len(source) :])
                if documents.under(connection, target):
                    raise AlreadyExists(f"{target} exists; remove it first or choose another name")
                owner = documents.owning(connection, target)
                if owner is not None:
                    raise InvalidArgument(
                        f"{target} lies in the document {owner.uri}; name a folder above documents"
                    )
                moved = documents.move(connection, source, target)
                folders.clear(connection, target)
                folders.move(connection, source, target)
                folders.mark_stale(connection, {target, *above(source), *above(target)})
                changes.append(connection, "move", source, target=target)
            self._settle()
        return moved

    def _refuse(self, uri: str) -> None:
        with self._catalog.reading() as connection:
            owner = documents.owning(connection, uri)
        if owner is not None and self._index.engine.exists(uri):
            raise InvalidArgument(
                f"{uri} is a part of the document {owner.uri}; name the document or a folder"
            )
        raise NotFound(f"{uri}: no such document or folder")

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """One change at a time, on top of what other processes have written."""
        with self._writing, self._catalog.exclusive():
            self._follow()
            yield

    def _settle(self) -> None:
        """After a change: publish it, then bring the abstracts of the folders it touched up to date."""
        from knarr.abstracts.folders import refresh

        self._follow()
        refresh(self._catalog, self.embedder, self.settings)
        self._follow()

    def refresh(self) -> bool:
        """See what another process has written since; True when there was something."""
        return self._follow()

    # ------------------------------------------------------------------ the rest

    def close(self) -> None:
        """Write the snapshot and let go of files and locks. Closing twice is fine."""
        self._finalizer()

    def __enter__(self) -> KnowledgeBase:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"KnowledgeBase({str(self.path)!r})"


def _close(index: Index, catalog: Catalog) -> None:
    try:
        index.save()
    finally:
        catalog.close()


def open(
    path: str | Path,
    *,
    embedder: Embedder | None = None,
    create: bool = True,
    settings: Settings | None = None,
) -> KnowledgeBase:
    """Open the knowledge base in folder `path`; with `create`, make it when it is not there.

    `embedder` overrides the one that the settings name. Raises CatalogError when the folder holds
    something else or was made with another embedder, EmbedderError when no model is installed."""
    return KnowledgeBase(path, embedder, settings or Settings(), create=create)
