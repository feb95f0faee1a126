"""The job: abstracts by a model for everything in a scope, bottom-up, and for the folders above it.

Documents are opened as calls become free, a few at a time, so that a large library never lies in memory.
In each, leaves are asked about first, a directory as soon as all its parts have their abstracts. A document is
written in one transaction when its last directory is; what the model said is in the catalog before that,
so a job that is killed goes on where it stopped. Folders follow, deepest first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager

from knarr.abstracts.calls import Calls
from knarr.abstracts.extractive import folder_abstract
from knarr.abstracts.folders import parts_of, refresh
from knarr.abstracts.messages import Content
from knarr.abstracts.outline import node_asks, only_child
from knarr.abstracts.recall import AbstractRecall, folder_asks
from knarr.abstracts.report import AbstractReport
from knarr.abstracts.work import Tally, Work
from knarr.abstracts.write import write_document
from knarr.catalog import Catalog, abstracts, documents, folders
from knarr.config import Settings
from knarr.errors import NotFound
from knarr.models.chat import ChatModel
from knarr.models.embed import Embedder
from knarr.types import Progress
from knarr.uris import SCHEME, above, components

Changing = Callable[[], AbstractContextManager[None]]


class Job:
    """One run over one scope. `changing` lets it change documents for a moment, `published` is called
    after each change."""

    def __init__(
        self,
        catalog: Catalog,
        embedder: Embedder,
        settings: Settings,
        chat: ChatModel,
        changing: Changing,
        published: Callable[[], object],
        *,
        limit: int,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> None:
        self._catalog = catalog
        self._embedder = embedder
        self._settings = settings
        self._chat = chat
        self._changing = changing
        self._published = published
        self._limit = limit
        self._dry_run = dry_run
        self._progress = progress
        self._calls = Calls(catalog, chat, settings, limit, dry_run=dry_run)
        self._planned: dict[str, str] = {}  # in a dry run: what documents and folders would say
        self._tally = Tally()
        self._touched: list[str] = []  # folders with a new abstract that is not written yet
        self._done = self._total = 0
        self._scope = SCHEME

    def run(self, scope: str, among: Collection[str] | None = None) -> AbstractReport:
        """Everything at and below `scope` (canonical), or of the documents `among` only, and the folders
        above. Raises NotFound when there is nothing."""
        started = time.monotonic()
        self._scope = scope
        with self._catalog.reading() as connection:
            records = documents.under(connection, scope)
            owner = documents.owning(connection, scope) if not records else None
            chosen = [owner] if owner is not None else records
            if among is not None:
                chosen = [record for record in chosen if record.uri in among]
            if not chosen and among is None:
                raise NotFound(f"{scope}: no documents there")
            self._total = documents.sections_in(connection, [record.id for record in chosen])
        places = sorted({uri for record in chosen for uri in above(record.uri)})
        self._total += len(places)
        if not self._dry_run and self._catalog.get(abstracts.MODEL) != self._chat.name:
            with self._changing(), self._catalog.writing() as connection:
                abstracts.show(connection, self._chat.name)
        opening = iter([record.id for record in chosen])
        self._calls.run(lambda: self._open_next(opening))
        self._folders(places)
        seconds = time.monotonic() - started
        return self._tally.report(
            scope, self._chat.name, self._calls, limit=self._limit, seconds=seconds, dry_run=self._dry_run
        )

    # ------------------------------------------------------------------ documents

    def _open_next(self, ids: Iterator[int]) -> bool:
        for document_id in ids:
            with self._catalog.reading() as connection:
                work = Work.open(connection, document_id, self._scope)
            if work is not None:
                for at in work.leaves():
                    self._turn_to(work, at)
                return True
        return False

    def _turn_to(self, work: Work, at: int) -> None:
        """A node all of whose parts have their abstracts."""
        node, child = work.nodes[at], only_child(work.nodes, at)
        if at not in work.wanted:
            self._tell(work, at, "outside", "")
        elif child is not None:
            # What became of the only part became of this one too.
            how, text = work.became[node.children[0]]
            shared = "shared" if child.modelled else how
            self._tell(work, at, shared, child.text if child.modelled else text)
        else:
            self._want(work, at)
        if self._progress is not None and node.parent is None:
            self._progress(self._done, self._total, work.record.uri)

    def _want(self, work: Work, at: int) -> None:
        directory, ask = node_asks(work.nodes, at, self._settings)
        if ask is None:
            self._tell(work, at, "short", "")
        else:
            work.asked.append(ask.key)
            owner = abstracts.owner(work.record.id)
            self._calls.ask(ask, directory, owner, lambda how, text: self._tell(work, at, how, text))

    def _tell(self, work: Work, at: int, how: str, text: str) -> None:
        node = work.nodes[at]
        work.states[how] += 1
        work.became[at] = (how, text)
        self._done += 1
        if how == "fallback":
            self._tally.failed(work.uri(node), text)
        else:
            node.take(text)
        work.unfinished -= 1
        if node.parent is not None:
            work.pending[node.parent] -= 1
            if work.pending[node.parent] == 0:
                self._turn_to(work, node.parent)
        if work.unfinished == 0:
            work.unfinished = -1
            self._close(work)

    def _close(self, work: Work) -> None:
        """Every section of a document has its abstract: write them, if any is new."""
        whole = len(work.wanted) == len(work.nodes)
        asked = work.asked if whole else None
        changed = work.changed()
        if self._dry_run:
            self._planned[work.record.uri] = work.nodes[0].text
        elif changed or not self._same(work.record.id, asked):
            embedded = write_document(
                self._catalog, self._embedder, self._settings, self._changing, work.record, changed, asked
            )
            if embedded is None:
                self._tally.states["changed"] += len(work.wanted)
                return
            self._tally.embedded += embedded
            self._published()
        self._tally.states += work.states

    def _same(self, document_id: int, asked: list[bytes] | None) -> bool:
        if asked is None:
            return True
        with self._catalog.reading() as connection:
            return abstracts.used(connection, abstracts.owner(document_id)) == set(asked)

    # ------------------------------------------------------------------ folders

    def _folders(self, places: list[str]) -> None:
        """Deepest first: a folder is asked about after the abstracts of the folders below it were stored."""
        for depth in sorted({len(components(uri)) for uri in places}, reverse=True):
            self._refresh(below=depth)
            for uri in [uri for uri in places if len(components(uri)) == depth]:
                self._folder(uri)
            self._calls.run(lambda: False)
        self._refresh(below=-1)

    def _folder(self, uri: str) -> None:
        with self._catalog.reading() as connection:
            title, parts = parts_of(connection, uri)
            children = [child for child, _ in folders.children(connection, uri)] if self._planned else []
            known = folders.get(connection, uri)
        if children:
            named = zip(children, parts, strict=True)
            parts = [(name, self._planned.get(child, text)) for child, (name, text) in named]
        ask = folder_asks(title, parts, self._settings)

        def done(how: str, text: str) -> None:
            self._tally.states[how] += 1
            self._done += 1
            if how == "fallback":
                self._tally.failed(uri, text)
            elif text and self._dry_run:
                self._planned[uri] = text
            elif text and (known is None or known.text != text):
                self._touched.append(uri)
            if self._progress is not None:
                self._progress(self._done, self._total, uri)

        if ask is None:
            names, texts = [name for name, _ in parts], [text for _, text in parts]
            if children:
                self._planned[uri] = folder_abstract(title, names, texts, self._settings.abstract_tokens)
            done("short", "")
        else:
            self._calls.ask(ask, Content(title, (), tuple(parts)), uri, done)

    def _refresh(self, below: int) -> None:
        """Write the folders with new abstracts, or new contents."""
        if self._dry_run:
            return
        touched, self._touched = self._touched, []
        with self._catalog.reading() as connection:
            if not touched and not folders.stale(connection):
                return
        recall = AbstractRecall(self._settings, self._chat.name, wanted=True)
        with self._changing():
            with self._catalog.writing() as connection:
                folders.mark_stale(connection, touched, quotes_gone=False)
            found = refresh(self._catalog, self._embedder, self._settings, recall, below=below)
            self._tally.embedded += found
            self._published()
