"""The job: abstracts by a model for everything in a scope, bottom-up, and for the folders above it.

Documents are opened as calls become free, a few at a time, so that a large library never lies in memory.
In each, leaves are asked about first, a directory as soon as all its parts are told. A document is
written in one transaction when its last directory is; what the model said is in the catalog before that,
so a job that is killed goes on where it stopped. Folders follow, deepest first.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from knarr.abstracting.calls import Calls
from knarr.abstracting.messages import Content
from knarr.abstracting.outline import Node, count, node_asks, only_child, outline
from knarr.abstracting.recall import Recall, folder_asks
from knarr.abstracting.report import AbstractReport
from knarr.abstracting.write import write_document
from knarr.catalog import Catalog, abstracts, documents, folders
from knarr.catalog.records import DocumentRecord
from knarr.config import Settings
from knarr.documents.abstracts import folder_abstract
from knarr.documents.names import SCHEME, parse
from knarr.embed import Embedder
from knarr.errors import ChatError, NotFound
from knarr.folders import above, parts_of, refresh
from knarr.llm import ChatModel, ChatReply, ChatRequest

Progress = Callable[[int, int, str], None]
Changing = Callable[[], AbstractContextManager[None]]

_MOST_FAILURES = 20


class NoChat:
    """Stands for a model in a dry run when none is configured: counts by words, calls nothing."""

    window_tokens = 1 << 20

    def __init__(self, catalog: Catalog) -> None:
        self.name = catalog.get(abstracts.MODEL) or ""

    def count_tokens(self, text: str) -> int:
        return count(text)

    def chat(self, request: ChatRequest) -> ChatReply:
        raise ChatError("no chat model: set KNARR_CHAT_URL to an OpenAI-compatible server")


@dataclass(slots=True)
class _Open:
    """A document being worked on. `pending` counts, per node, the parts that are not told yet."""

    record: DocumentRecord
    nodes: list[Node]
    before: list[str]
    wanted: set[int]
    pending: list[int]
    untold: int
    asked: list[bytes] = field(default_factory=list)
    states: Counter[str] = field(default_factory=Counter)


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
        self._told: dict[str, str] = {}  # in a dry run: what documents and folders would say
        self._states: Counter[str] = Counter()
        self._reasons: Counter[str] = Counter()
        self._failures: list[tuple[str, str]] = []
        self._touched: list[str] = []  # folders with a new abstract that is not written yet
        self._embedded = 0
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
        if not self._dry_run:
            with self._changing(), self._catalog.writing() as connection:
                abstracts.show(connection, self._chat.name)
        opening = iter([record.id for record in chosen])
        self._calls.run(lambda: self._open_next(opening))
        self._folders(places)
        return self._report(scope, time.monotonic() - started)

    # ------------------------------------------------------------------ documents

    def _open_next(self, ids: Iterator[int]) -> bool:
        for document_id in ids:
            with self._catalog.reading() as connection:
                record = documents.find_id(connection, document_id)
                if record is None:
                    continue
                sections = documents.sections_of(connection, document_id)
                objects = documents.objects_of(connection, document_id)
                data = documents.text_of(connection, document_id).encode("utf-8")
            nodes = outline(sections, objects, data)
            wanted = self._inside(record, nodes)
            pending = [len(node.children) for node in nodes]
            work = _Open(record, nodes, [node.text for node in nodes], wanted, pending, len(nodes))
            for at in [at for at, node in enumerate(nodes) if not node.children]:
                self._turn_to(work, at)
            return True
        return False

    def _inside(self, record: DocumentRecord, nodes: list[Node]) -> set[int]:
        """All of a document; of a scope inside it what lies there, and the sections above."""
        if not self._scope.startswith(record.uri + "/"):
            return set(range(len(nodes)))
        path = self._scope[len(record.uri) + 1 :]
        below = {at for at, node in enumerate(nodes) if node.path == path or node.path.startswith(path + "/")}
        if not below:
            raise NotFound(f"{self._scope}: no such section; name a folder, a document or a section")
        lineage = nodes[min(below)].parent
        while lineage is not None:
            below.add(lineage)
            lineage = nodes[lineage].parent
        return below

    def _turn_to(self, work: _Open, at: int) -> None:
        """A node all of whose parts are told."""
        node, child = work.nodes[at], only_child(work.nodes, at)
        if at not in work.wanted:
            self._tell(work, at, "outside", "")
        elif child is not None:
            self._tell(
                work, at, "shared" if child.modelled else "short", child.text if child.modelled else ""
            )
        else:
            self._want(work, at)
        if self._progress is not None and node.parent is None:
            self._progress(self._done, self._total, work.record.uri)

    def _want(self, work: _Open, at: int) -> None:
        directory, ask = node_asks(work.nodes, at, self._settings)
        if ask is None:
            self._tell(work, at, "short", "")
        else:
            work.asked.append(ask.key)
            owner = abstracts.owner(work.record.id)
            self._calls.ask(ask, directory, owner, lambda how, text: self._tell(work, at, how, text))

    def _tell(self, work: _Open, at: int, how: str, text: str) -> None:
        node = work.nodes[at]
        work.states[how] += 1
        self._done += 1
        if how == "fallback":
            self._failed(f"{work.record.uri}/{node.path}".rstrip("/"), text)
        else:
            node.take(text)
        work.untold -= 1
        if node.parent is not None:
            work.pending[node.parent] -= 1
            if work.pending[node.parent] == 0:
                self._turn_to(work, node.parent)
        if work.untold == 0:
            work.untold = -1
            self._close(work)

    def _close(self, work: _Open) -> None:
        changed = [at for at, node in enumerate(work.nodes) if node.text != work.before[at]]
        if self._dry_run:
            self._told[work.record.uri] = work.nodes[0].text
            self._states += work.states
            return
        whole = len(work.wanted) == len(work.nodes)
        asked = work.asked if whole else None
        with self._catalog.reading() as connection:
            same = asked is None or abstracts.used(connection, abstracts.owner(work.record.id)) == set(asked)
        if changed or not same:
            embedded = write_document(
                self._catalog,
                self._embedder,
                self._settings,
                self._changing,
                work.record,
                [work.nodes[at] for at in changed],
                asked,
            )
            if embedded is None:
                self._states["changed"] += len(work.wanted)
                return
            self._embedded += embedded
            self._published()
        self._states += work.states

    # ------------------------------------------------------------------ folders

    def _folders(self, places: list[str]) -> None:
        """Deepest first: those below are told, and stored, before those above are asked about."""
        for depth in sorted({len(parse(uri)) for uri in places}, reverse=True):
            self._refresh(below=depth)
            for uri in [uri for uri in places if len(parse(uri)) == depth]:
                self._folder(uri)
            self._calls.run(lambda: False)
        self._refresh(below=-1)

    def _folder(self, uri: str) -> None:
        with self._catalog.reading() as connection:
            title, parts = parts_of(connection, uri)
            children = [child for child, _ in folders.children(connection, uri)] if self._told else []
            known = folders.get(connection, uri)
        if children:
            told = zip(children, parts, strict=True)
            parts = [(name, self._told.get(child, text)) for child, (name, text) in told]
        ask = folder_asks(title, parts, self._settings)

        def done(how: str, text: str) -> None:
            self._states[how] += 1
            self._done += 1
            if how == "fallback":
                self._failed(uri, text)
            elif text and self._dry_run:
                self._told[uri] = text
            elif text and (known is None or known.text != text):
                self._touched.append(uri)
            if self._progress is not None:
                self._progress(self._done, self._total, uri)

        if ask is None:
            names, texts = [name for name, _ in parts], [text for _, text in parts]
            if children:
                self._told[uri] = folder_abstract(title, names, texts, self._settings.abstract_tokens)
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
        recall = Recall(self._settings, self._chat.name, wanted=True)
        with self._changing():
            with self._catalog.writing() as connection:
                folders.mark_stale(connection, touched)
            found = refresh(self._catalog, self._embedder, self._settings, recall, below=below)
            self._embedded += found
            self._published()

    # ------------------------------------------------------------------ the report

    def _failed(self, uri: str, reason: str) -> None:
        self._reasons[reason] += 1
        if len(self._failures) < _MOST_FAILURES:
            self._failures.append((uri, reason))

    def _report(self, scope: str, seconds: float) -> AbstractReport:
        states = self._states
        return AbstractReport(
            scope,
            self._chat.name,
            made=states["made"],
            cached=states["cached"],
            shared=states["shared"],
            short=states["short"],
            fallback=dict(self._reasons),
            left=states["left"],
            changed=states["changed"],
            sampled=self._calls.sampled,
            usage=self._calls.usage,
            limit=self._limit,
            stopped=self._calls.stopped,
            embedded=self._embedded,
            seconds=seconds,
            dry_run=self._dry_run,
            failures=tuple(self._failures),
        )
