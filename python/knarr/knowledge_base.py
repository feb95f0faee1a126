"""`KnowledgeBase`: catalog + engine + embedder. Documents in, four tools out, and `ask` above them."""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from knarr.cards import Card, Cards
from knarr.catalog import Catalog, changes, documents, folders, traces, vectors
from knarr.config import Settings
from knarr.documents.names import canonical
from knarr.embed import Embedder, count_tokens, load_embedder
from knarr.errors import AlreadyExists, InvalidArgument, NotFound
from knarr.folders import above
from knarr.folders import refresh as refresh_folders
from knarr.index import Index
from knarr.ingest import Ingest, Progress
from knarr.report import AddReport
from knarr.types import (
    Answer,
    Entry,
    GrepResult,
    Hit,
    Kind,
    Listing,
    Match,
    Passage,
    Provenance,
    SearchResult,
)

if TYPE_CHECKING:
    from knarr.agent import Agent, Policy
    from knarr.trace import Trace

_ROOT = "viking://"
_QUERIES_KEPT = 1024
# A first guess of how many bytes hold a token; reading is then cut by counted tokens.
_BYTES_PER_TOKEN = 16


class KnowledgeBase:
    """A folder that holds a catalog and, beside it, the engine's snapshot. Made by `knarr.open`.

    Safe to use from several threads; reads never wait for an `add`. Close it, or use it as a context
    manager, to leave a fresh snapshot behind; what was acknowledged is safe either way.
    """

    def __init__(
        self, path: str | Path, embedder: Embedder | None, settings: Settings, *, create: bool
    ) -> None:
        self.path = Path(path)
        self.settings = settings
        self._catalog = Catalog.open(self.path, create=create)
        try:
            self.embedder: Embedder = embedder if embedder is not None else load_embedder(settings)
            self._catalog.bind_embedder(self.embedder.id, self.embedder.dim)
            self._index = Index(self._catalog, self.embedder.dim, self.embedder.id)
        except BaseException:
            self._catalog.close()
            raise
        self._cards = Cards(self._catalog)
        self._queries: OrderedDict[str, npt.NDArray[np.float32]] = OrderedDict()
        self._agent: Agent | None = None
        self._lock = threading.Lock()
        self._writing = threading.RLock()
        self._finalizer = weakref.finalize(self, _close, self._index, self._catalog)

    # ------------------------------------------------------------------ documents in

    def add(
        self,
        source: str | Path | Iterable[str | Path],
        into: str = _ROOT,
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
            ingest = Ingest(self._catalog, self.embedder, self.settings, self._follow)
            report = ingest.add(source, into, progress)
            changed = [file.uri for file in report.files if file.change in ("added", "updated")]
            self._settle(folder for uri in changed for folder in above(uri))
        return report

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
                vectors.release(connection, hashes)
                changes.append(connection, "remove", uri)
            self._settle(above(uri))
        return len(gone)

    def move(self, source: str, target: str) -> int:
        """Move or rename a document or folder; returns how many documents moved. Nothing is embedded.

        Raises NotFound, AlreadyExists when `target` is taken, InvalidArgument for a place inside a
        document or a folder moved into itself."""
        source, target = canonical(source), canonical(target)
        if source == _ROOT or target == _ROOT:
            raise InvalidArgument(f"{_ROOT} itself cannot be moved or replaced; name a folder or document")
        if (target + "/").startswith(source + "/"):
            raise InvalidArgument(f"{target} lies in {source}: a folder cannot be moved into itself")
        with self._changing():
            with self._catalog.writing() as connection:
                if not documents.under(connection, source):
                    self._refuse(source)
                if documents.under(connection, target):
                    raise AlreadyExists(f"{target} exists; remove it first or choose another name")
                owner = documents.owning(connection, target)
                if owner is not None:
                    raise InvalidArgument(
                        f"{target} lies in the document {owner.uri}; name a folder above documents"
                    )
                moved = documents.move(connection, source, target)
                folders.move(connection, source, target)
                changes.append(connection, "move", source, target=target)
            self._settle([target, *above(source), *above(target)])
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

    def _settle(self, touched: Iterable[str]) -> None:
        """After a change: publish it, then bring the abstracts of the folders it touched up to date."""
        self._follow()
        refresh_folders(self._catalog, self.embedder, self.settings, touched)
        self._follow()

    def _follow(self) -> None:
        if self._index.follow():
            self._cards.clear()

    def refresh(self) -> bool:
        """See what another process has written since; True when there was something."""
        with self._writing:
            before = self._index.seq
            self._follow()
            return self._index.seq != before

    # ------------------------------------------------------------------ the four tools

    def search(
        self,
        query: str,
        scope: str = _ROOT,
        k: int = 10,
        *,
        kinds: Sequence[Kind] | None = ("chunk",),
        offset: int = 0,
    ) -> SearchResult:
        """The `k` objects below `scope` nearest to `query`, exact in every scope.

        `kinds` is ("chunk",), ("abstract",) or None for both. Raises NotFound for a scope that does
        not exist, InvalidArgument for an empty query or k < 1."""
        scope = canonical(scope)
        vector = self.embed_query(query)
        hits = self._index.engine.search(vector, scope, k, None, kinds, offset=offset)
        found = zip(hits.uris, hits.scores, hits.kinds, hits.previews, hits.documents, strict=True)
        return SearchResult(
            query=query,
            scope=scope,
            hits=tuple(
                Hit(uri, float(score), kind, preview, self._provenance(uri, document))
                for uri, score, kind, preview, document in found
            ),
            plan=hits.plan,
            rows_allowed=hits.rows_allowed,
        )

    def _provenance(self, uri: str, document: str) -> Provenance:
        if document:
            return self._cards.of(document).provenance(uri)
        # The abstract of a folder above documents.
        return Provenance(uri.rsplit("/", 1)[0], 0, (), (1, 1), None)

    def list(self, uri: str = _ROOT, offset: int = 0, limit: int = 100) -> Listing:
        """A page of a directory's children in document order, with the directory's abstract."""
        uri = canonical(uri)
        page = self._index.engine.list(uri, offset, limit)
        entries = tuple(
            Entry(entry.uri, entry.name, entry.is_directory, entry.rows, entry.preview)
            for entry in page.entries
        )
        end = offset + len(entries)
        return Listing(
            uri=uri if uri == _ROOT else uri + "/",
            abstract=self._abstract(uri),
            entries=entries,
            total=page.total,
            next_offset=end if end < page.total else None,
        )

    def _abstract(self, uri: str) -> str:
        target = f"{uri.rstrip('/') if uri != _ROOT else 'viking:/'}/.abstract.md"
        try:
            return self._index.engine.read(target).text
        except NotFound:
            return ""

    def grep(
        self,
        pattern: str,
        scope: str = _ROOT,
        *,
        literal: bool = False,
        ignore_case: bool = False,
        limit: int = 50,
        offset: int = 0,
    ) -> GrepResult:
        """Matches of a regular expression (RE2 syntax, linear time) in the canonical text below `scope`.

        `^` and `$` are line anchors. Matches may cross chunk and section borders. The result tells
        matches, no matches and an incomplete search apart; a bad pattern raises InvalidArgument or
        Unsupported, a missing scope NotFound."""
        scope = canonical(scope)
        found = self._index.engine.grep(
            pattern, scope, literal=literal, ignore_case=ignore_case, limit=limit, offset=offset
        )
        return GrepResult(
            pattern=pattern,
            scope=scope,
            outcome=found.outcome,
            matches=tuple(self._match(match) for match in found.matches),
            total=found.total,
            next_offset=found.next_offset,
            note=found.note,
        )

    def _match(self, match: Any) -> Match:
        card = self._cards.of(match.document)
        return Match(
            uri=match.uri,
            uris=tuple(match.uris),
            line=match.line,
            column=match.column,
            begin_byte=match.begin_byte,
            end_byte=match.end_byte,
            excerpt=match.excerpt,
            document=card.record.uri,
            section=card.provenance(match.uri).section,
            page=card.page_at(match.begin_byte),
        )

    def read(self, uri: str, begin_byte: int = 0, max_tokens: int | None = None) -> Passage:
        """The text of a chunk, an abstract, a section or a whole document, from `begin_byte` on.

        With `max_tokens` the text is cut at a token; `next_offset` says where to go on. Raises
        NotFound, and InvalidArgument for a folder above documents."""
        uri = canonical(uri)
        card = self._card(uri)
        bound = None if max_tokens is None else max(64, max_tokens * _BYTES_PER_TOKEN)
        span = self._index.engine.read(uri, begin_byte, bound)
        text, end = span.text, span.end_byte
        if max_tokens is not None:
            text = self._cut(text, max_tokens)
            end = span.begin_byte + len(text.encode("utf-8"))
        return self._passage(uri, card, span, text, end)

    def _cut(self, text: str, max_tokens: int) -> str:
        begins = self.embedder.tokenizer.token_begins(text)
        if len(begins) <= max_tokens:
            return text
        return text[: max(1, int(begins[max(1, max_tokens)]))]

    def _passage(self, uri: str, card: Card, span: Any, text: str, end: int) -> Passage:
        source = card.provenance(uri)
        if not uri.endswith(".abstract.md"):
            first = span.base_byte + span.begin_byte
            lines = (span.line_begin, span.line_begin + text.rstrip("\n").count("\n"))
            pages = card.pages(first, first + len(text.encode("utf-8")))
            source = Provenance(source.document, source.version, source.section, lines, pages)
        return Passage(
            uri=uri,
            text=text,
            source=source,
            begin_byte=span.begin_byte,
            end_byte=end,
            total_bytes=span.total_bytes,
            next_offset=end if end < span.total_bytes else None,
            uris=tuple(span.uris),
        )

    def _card(self, uri: str) -> Card:
        with self._catalog.reading() as connection:
            owner = documents.owning(connection, uri)
        if owner is not None:
            return self._cards.of(owner.uri)
        if self._index.engine.exists(uri):
            raise InvalidArgument(f"{uri} is a folder of documents: list it, or read one of its documents")
        raise NotFound(f"{uri}: no such document, section or object")

    # ------------------------------------------------------------------ questions

    def ask(
        self,
        question: str,
        scope: str = _ROOT,
        k: int = 10,
        rounds: int = 15,
        *,
        policy: Policy | None = None,
        max_tokens: int | None = None,
        timeout_s: float | None = None,
    ) -> Answer:
        """Answer a question from the documents below `scope` by Algorithm 1 (arXiv 2609.11390).

        Without `policy` the extractive one is used: it needs no model and answers by quoting. Ends
        after at most `rounds` rounds, `max_tokens` shown tokens or `timeout_s` seconds. The trace of
        the run is stored under `Answer.trace_id`."""
        from knarr.agent import Agent

        if policy is not None:
            agent = Agent(self, policy=policy)
        else:
            with self._lock:
                agent = self._agent = self._agent or Agent(self)
        return agent.ask(
            question, scope=scope, k=k, rounds=rounds, max_tokens=max_tokens, timeout_s=timeout_s
        )

    def store_trace(self, trace: Trace) -> None:
        """Keep the record of a run."""
        import json

        record = json.dumps(trace.to_json(), ensure_ascii=False)
        with self._catalog.writing() as connection:
            traces.put(connection, trace.id, trace.created_at, trace.question, trace.status, record)

    def trace(self, trace_id: str) -> Trace:
        """The recorded run of a question; the beginning of its id is enough. Raises NotFound."""
        import json

        from knarr.trace import Trace

        with self._catalog.reading() as connection:
            record = traces.get(connection, trace_id)
        if record is None:
            raise NotFound(f"{trace_id!r}: no trace has this id, or several begin so")
        return Trace.from_json(json.loads(record))

    def traces(self, limit: int = 20) -> list[tuple[str, str, str, str]]:  # type: ignore[valid-type]
        """`(id, created_at, question, status)` of the newest traces."""
        with self._catalog.reading() as connection:
            return traces.recent(connection, limit)

    # ------------------------------------------------------------------ the rest

    def embed_query(self, query: str) -> npt.NDArray[np.float32]:
        """The unit vector of a query; the last ones asked for are kept."""
        if not query.strip():
            raise InvalidArgument("the query is empty: expected words to search for")
        with self._lock:
            vector = self._queries.get(query)
            if vector is not None:
                self._queries.move_to_end(query)
                return vector
        vector = self.embedder.embed([query])[0]
        with self._lock:
            self._queries[query] = vector
            if len(self._queries) > _QUERIES_KEPT:
                self._queries.popitem(last=False)
        return vector

    def count_tokens(self, text: str) -> int:
        """Tokens of a text as the embedder counts them."""
        return count_tokens(self.embedder.tokenizer, text)

    def info(self) -> dict[str, Any]:
        """Counts and settings: what is in here, and how it was made."""
        with self._catalog.reading() as connection:
            totals = documents.totals(connection)
            seq = changes.last(connection)
        return {
            "path": str(self.path),
            **totals,
            "embedder": self.embedder.id,
            "dim": self.embedder.dim,
            "chunk_tokens": self.settings.chunk_tokens,
            "seq": seq,
            "engine": self._index.engine.stats(),
            **({"note": self._index.note} if self._index.note else {}),
        }

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
    index.save()
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
