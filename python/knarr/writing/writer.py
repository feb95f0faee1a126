"""Changes of documents: add, remove and move, each one transaction and then published.

Every change is made by one writer at a time, on top of what other processes have written. After it the engine
takes it up, and the abstracts of the folders that it touched are made anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from knarr.abstracts.maker import AbstractMaker
from knarr.catalog import Catalog, documents, traces, versions
from knarr.catalog.versions import Retention
from knarr.config import Settings
from knarr.errors import AlreadyExists, CatalogError, ChatError, EmbedderError, InvalidArgument, NotFound
from knarr.index.index import Changing, Index
from knarr.models.embed import Embedder
from knarr.types import Progress
from knarr.uris import SCHEME, canonical, is_web_address, lies_in, moved, place
from knarr.writing.changing import move_below, remove_below

if TYPE_CHECKING:
    from knarr.writing.jobs import JobLog
    from knarr.writing.receipt import AddReport
    from knarr.writing.sync import SyncOptions
    from knarr.writing.sync_receipt import SyncReport

_Report = TypeVar("_Report", bound="AddReport")


class DocumentWriter:
    """Changes the documents of a catalog.

    changing:   the right to change documents, for one thread and process at a time
    published:  called after each committed document, so that the engine takes it up
    maker:      writes abstracts after an `add`, where the settings ask for those of a chat model
    """

    def __init__(
        self,
        catalog: Catalog,
        index: Index,
        embedder: Embedder,
        settings: Settings,
        changing: Changing,
        published: Callable[[], object],
        maker: AbstractMaker,
    ) -> None:
        self._catalog = catalog
        self._index = index
        self._embedder = embedder
        self._settings = settings
        self._changing = changing
        self._published = published
        self._maker = maker
        self._retention = Retention(settings.history_versions, settings.history_days)

    def add(
        self, source: str | Path | Iterable[str | Path], into: str, progress: Progress | None
    ) -> AddReport:
        """See `KnowledgeBase.add`."""
        from knarr.writing.ingest import Ingest
        from knarr.writing.sources import given_paths

        given = given_paths(source)
        paths = [str(one) if is_web_address(str(one)) else Path(one) for one in given]
        with self._changing(), self._job("add", {"paths": paths, "into": into}) as log:
            ingest = Ingest(self._catalog, self._embedder, self._settings, self._published)
            report = ingest.add(given, into, progress, log)
            report = replace(report, job=log.id, error=report.error or self._settle_after(report))
            log.end_with(report)
        return self._with_abstracts(report, progress)

    def sync(
        self, folder: str | Path, into: str, options: SyncOptions, progress: Progress | None
    ) -> SyncReport:
        """See `KnowledgeBase.sync`."""
        from knarr.writing.ingest import Ingest
        from knarr.writing.sync import Sync

        def sync() -> Sync:
            ingest = Ingest(self._catalog, self._embedder, self._settings, self._published)
            return Sync(self._catalog, self._settings, ingest, lambda: self._settle(embed=False), options)

        if options.dry_run:
            return sync().run(folder, into, None, None)
        arguments = {"folder": Path(folder), "into": into, **asdict(options)}
        with self._changing(), self._job("sync", arguments) as log:
            report = sync().run(folder, into, progress, log)
            report = replace(report, job=log.id, error=report.error or self._settle_after(report))
            log.end_with(report)
        return self._with_abstracts(report, progress)

    def run_job(
        self, kind: str, arguments: Mapping[str, Any], progress: Progress | None
    ) -> AddReport | SyncReport:
        """Do again what a job was asked to do."""
        from knarr.writing.sync import SyncOptions

        given = dict(arguments)
        into = given.pop("into")
        if kind == "add":
            return self.add(given["paths"], into, progress)
        folder = given.pop("folder")
        return self.sync(folder, into, SyncOptions(**{**given, "ignore": tuple(given["ignore"])}), progress)

    @contextmanager
    def _job(self, kind: str, arguments: dict[str, Any]) -> Iterator[JobLog]:
        """Write down what begins. However it ends, what was stored is seen."""
        from knarr.writing.jobs import JobLog

        log = JobLog(self._catalog, kind, arguments)
        try:
            yield log
        except InvalidArgument:
            log.drop()
            raise
        except BaseException as error:
            log.end("interrupted" if isinstance(error, KeyboardInterrupt) else "failed", str(error))
            self._published()
            raise

    def _settle_after(self, report: AddReport) -> str:
        """Bring the abstracts of folders up to date, unless the batch was ended: an embedder that has just failed is
        not asked again. Returns what went wrong; they are then made with the next change."""
        try:
            if report.error:
                self._published()
            else:
                self._settle()
        except (EmbedderError, CatalogError) as error:
            return str(error)
        return ""

    def _with_abstracts(self, report: _Report, progress: Progress | None) -> _Report:
        """Where a model is to write them, abstracts for the documents that are new or changed, and the receipt with
        their report."""
        if self._settings.abstracts != "model" or not self._maker.has_model:
            return report
        fresh = {file.uri for file in report.files if file.change in ("added", "updated")}
        if not fresh:
            return report
        size = report.total("size_bytes")

        def advance(done: int, total: int, _uri: str) -> None:
            if progress is not None:
                progress(size, size, f"abstracts, {done} of {total}")

        try:
            made = self._maker.make_for(fresh, advance)
        except ChatError as error:
            from knarr.abstracts.report import AbstractReport

            # The documents are added; their extractive abstracts stand until a model can be asked.
            made = AbstractReport(SCHEME, "", left=report.total("sections"), stopped=str(error))
        return replace(report, abstracts=made)

    def remove(self, uri: str, *, all: bool = False, history: bool = True) -> int:
        """See `KnowledgeBase.remove`."""
        uri = canonical(uri)
        if uri == SCHEME and not all:
            raise InvalidArgument(
                f"{SCHEME} is everything in this knowledge base; all=True (on the command line --all) removes it"
            )
        with self._changing():
            with self._catalog.writing() as connection:
                removed = documents.under(connection, uri)
                earlier = [] if history else versions.ids_below(connection, uri)
                if not removed and not earlier:
                    self._refuse(uri)
                traces.remove_of(connection, earlier)
                remove_below(connection, uri, removed, self._retention, history=history)
                if not history:
                    versions.prune(connection, documents=earlier)
            self._settle()
        return len(removed or earlier)

    def move(self, source: str, target: str) -> int:
        """See `KnowledgeBase.move`."""
        source, target = canonical(source), place(target)
        if source == SCHEME or target == SCHEME:
            raise InvalidArgument(f"{SCHEME} itself cannot be moved or replaced; name a folder or document")
        if lies_in(target, source):
            raise InvalidArgument(f"{target} lies in {source}: a folder cannot be moved into itself")
        with self._changing():
            with self._catalog.writing() as connection:
                found = documents.under(connection, source)
                if not found:
                    self._refuse(source)
                longest = max(found, key=lambda record: len(record.uri)).uri
                place(moved(longest, source, target))
                if documents.under(connection, target):
                    raise AlreadyExists(f"{target} exists; remove it first or choose another name")
                owner = documents.owning(connection, target)
                if owner is not None:
                    raise InvalidArgument(
                        f"{target} lies in the document {owner.uri}; name a folder above documents"
                    )
                count = move_below(connection, source, target, self._retention)
            self._settle(embed=False)
        return count

    def _refuse(self, uri: str) -> NoReturn:
        """Say why there is nothing to change at this URI."""
        with self._catalog.reading() as connection:
            owner = documents.owning(connection, uri)
        if owner is not None and self._index.engine.exists(uri):
            raise InvalidArgument(
                f"{uri} is a part of the document {owner.uri}; name the document or a folder"
            )
        raise NotFound(f"{uri}: no such document or folder")

    def settle_unembedded(self) -> None:
        """After a change for which nothing is embedded: publish it, and bring the abstracts of folders up to date."""
        self._settle(embed=False)

    def _settle(self, *, embed: bool = True) -> None:
        """After a change: publish it, then bring the abstracts of the folders that it touched up to date."""
        from knarr.abstracts.folders import refresh

        self._published()
        refresh(self._catalog, self._embedder, self._settings, embed=embed)
        self._published()
