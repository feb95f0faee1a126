"""Changes of documents: add, remove and move, each one transaction and then published.

Every change is made by one writer at a time, on top of what other processes have written. After it the engine
takes it up, and the abstracts of the folders that it touched are made anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from knarr.abstracts.maker import AbstractMaker
from knarr.catalog import (
    Catalog,
    abstracts,
    changes,
    documents,
    experience,
    folders,
    pages,
    sources,
    traces,
    vectors,
    versions,
)
from knarr.catalog.versions import Retention
from knarr.config import Settings
from knarr.errors import AlreadyExists, CatalogError, ChatError, EmbedderError, InvalidArgument, NotFound
from knarr.index.index import Changing, Index
from knarr.models.embed import Embedder
from knarr.types import Progress
from knarr.uris import SCHEME, above, canonical, lies_in, moved, place

if TYPE_CHECKING:
    from knarr.writing.receipt import AddReport


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

        with self._changing():
            ingest = Ingest(self._catalog, self._embedder, self._settings, self._published)
            try:
                report = ingest.add(source, into, progress)
            except BaseException:
                # What was stored before is seen. Abstracts of folders wait for the next change: an embedder that
                # has just failed is not asked again.
                self._published()
                raise
            try:
                self._settle()
            except (EmbedderError, CatalogError) as error:
                error.report = report
                raise
        if self._settings.abstracts != "model" or not self._maker.has_model:
            return report
        return self._with_abstracts(report, progress)

    def _with_abstracts(self, report: AddReport, progress: Progress | None) -> AddReport:
        """Abstracts by the model for the documents that are new or changed, and the receipt with their report."""
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
                ids = [record.id for record in removed]
                versions.begin(connection)
                if history:
                    versions.keep(connection, ids, self._retention)
                hashes = vectors.hashes_of(connection, ids)
                traces.remove_of(connection, [*ids, *earlier])
                hashes += experience.forget_documents(connection, ids)
                documents.remove(connection, ids)
                hashes += folders.remove_below(connection, uri)
                abstracts.forget(connection, [abstracts.owner(number) for number in ids])
                vectors.release(connection, hashes)
                pages.release(connection, [record.content_hash for record in removed])
                sources.release_below(connection, uri)
                folders.mark_stale(connection, above(uri))
                seq = changes.append(connection, "remove", uri)
                versions.gone(connection, ids, seq, self._retention)
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
                versions.begin(connection)
                count = documents.move(connection, source, target)
                sources.move_folders(connection, source, target)
                folders.clear(connection, target)
                folders.move(connection, source, target)
                folders.mark_stale(connection, {target, *above(source), *above(target)})
                seq = changes.append(connection, "move", source, target=target)
                versions.stands(connection, [record.id for record in found], seq, self._retention)
            self.settle_unembedded()
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
