"""`KnowledgeBase`: catalog, engine and embedder behind one facade. Documents in; search, grep, read and ask out.

The verbs of every day are here; the rest are parts, each an object of its own room, which this file only puts
together: `experience`, `checker`, `traces`, `abstracts`, and `library` for agents of your own.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, Unpack

from knarr.abstracts.maker import AbstractMaker
from knarr.arguments import checked
from knarr.catalog import Catalog
from knarr.config import Settings
from knarr.experience.experience import Experience
from knarr.index.index import Changing, Index
from knarr.models.configured import ConfiguredChat
from knarr.models.embed import Embedder, load_embedder
from knarr.reading.boxes import boxes
from knarr.reading.context import ReadContext
from knarr.reading.document import document
from knarr.reading.grep import grep
from knarr.reading.list import list_children
from knarr.reading.read import read
from knarr.reading.search import search
from knarr.trace.store import Traces
from knarr.types import (
    Answer,
    Box,
    Citation,
    EdgeHit,
    GrepResult,
    Hit,
    Kind,
    Listing,
    Match,
    Passage,
    Progress,
    SearchResult,
    StoredDocument,
)
from knarr.uris import SCHEME
from knarr.writing.writer import DocumentWriter

if TYPE_CHECKING:
    from knarr.agent.asker import Asker, AskOptions
    from knarr.agent.knowledge import KnowledgeLibrary
    from knarr.care.backup import BackupReport
    from knarr.care.forget import ForgetOptions, ForgetReport
    from knarr.care.reembed import ReembedReport
    from knarr.checker.oversight import Oversight
    from knarr.writing.receipt import AddReport

_T = TypeVar("_T")


class _Once(Generic[_T]):
    """A value made at its first use, once: agent and checker are imported by processes that ask, only."""

    def __init__(self, make: Callable[[], _T]) -> None:
        self._make = make
        self._made: list[_T] = []
        self._lock = threading.RLock()

    def __call__(self) -> _T:
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]


class KnowledgeBase:
    """A folder that holds a catalog and, beside it, the engine's snapshot. Made by `knarr.open`.

    Safe to use from several threads; reads never wait for an `add`. Close it, or use it as a context
    manager, to leave a fresh snapshot behind; what was acknowledged is safe either way.

    path, embedder, settings: as it was opened
    experience: edges learnt from accepted answers: listed, explained, learnt, taken back; warm-up
    checker:    when an early answer may stand: calibration, rules, report
    traces:     the recorded runs of questions
    abstracts:  abstracts of directories by a chat model
    library:    for an `Agent` of your own
    """

    def __init__(
        self, path: str | Path, embedder: Embedder | None, settings: Settings, *, create: bool
    ) -> None:
        self.path = Path(path)
        self.settings = settings
        catalog = Catalog.open(self.path, create=create)
        try:
            embedder = embedder if embedder is not None else load_embedder(settings)
            catalog.bind_embedder(embedder.id, embedder.dim)
            self._assemble(catalog, embedder)
            self.traces.tend()
        except BaseException:
            catalog.close()
            raise

    def _assemble(self, catalog: Catalog, embedder: Embedder) -> None:
        """Make the parts over a catalog and the embedder that is bound to it."""
        settings = self.settings
        index = Index(catalog, embedder.dim, embedder.id, settings.precision, graph=settings.graph)
        self.embedder = embedder
        self._catalog, self._index = catalog, index
        self._context = context = ReadContext(catalog, index, embedder)
        configured = ConfiguredChat(settings)
        changing = Changing(catalog, context.follow)
        self.abstracts = AbstractMaker(catalog, embedder, settings, configured, changing, context.follow)
        self._writer = DocumentWriter(
            catalog, index, embedder, settings, changing, context.follow, self.abstracts
        )
        self.traces = traces = Traces(catalog, settings.trace_days)
        # These close over parts and not over `self`: a knowledge base that nobody holds is closed at once.
        self._checker = checker = _Once(lambda: _checker(catalog, traces))
        self._library = library = _Once(lambda: _library(context, settings, traces, experience))
        self._asker = asker = _Once(lambda: _asker(library(), configured, checker()))
        self.experience = experience = Experience(context, settings, traces, configured, asker)
        self._finalizer = weakref.finalize(self, _close, index, catalog)

    @property
    def checker(self) -> Oversight:
        """The checker's calibration, rules and report."""
        return self._checker()

    @property
    def library(self) -> KnowledgeLibrary:
        """This knowledge base as an `Agent` sees it: `Agent(kb.library, policy)`."""
        return self._library()

    # ------------------------------------------------------------------ documents in

    @checked
    def add(
        self,
        source: str | Path | Iterable[str | Path],
        into: str = SCHEME,
        *,
        progress: Progress | None = None,
    ) -> AddReport:
        """Read files, folders and addresses into the folder `into`; returns the coverage receipt.

        A folder's subfolders become directories, and so does an archive (ZIP, TAR). An address that begins with
        https:// or http:// is fetched, which is the only time that adding asks the network. Adding again is free for files whose bytes are the
        same, and an update (version + 1) for others. Each document is whole or absent, whatever
        happens. `progress(done_bytes, total_bytes, name)` is called as work goes on.
        Raises InvalidArgument for a missing path or an `into` that lies in a document, CatalogError
        when another process writes. A file that cannot be read is a line of the receipt, not an error.
        """
        return self._writer.add(source, into, progress)

    @checked
    def remove(self, uri: str, *, all: bool = False) -> int:
        """Delete a document or a folder with everything below; returns how many documents were deleted.

        Raises NotFound when there is none, InvalidArgument for a place inside a document, and for `viking://`,
        which is everything, without `all`."""
        return self._writer.remove(uri, all=all)

    @checked
    def move(self, source: str, target: str) -> int:
        """Move or rename a document or folder; returns how many documents moved. Nothing is embedded: the abstract
        of a folder that the move touched is found by those of what it holds, until a later `add` changes it.

        Raises NotFound, AlreadyExists when `target` is taken, InvalidArgument for a place inside a
        document or a folder moved into itself."""
        return self._writer.move(source, target)

    # ------------------------------------------------------------------ the four tools

    def search(
        self,
        query: str,
        scope: str = SCHEME,
        k: int = 10,
        *,
        kinds: Sequence[Kind] | None = ("chunk",),
        offset: int = 0,
        distinct: bool = False,
        gamma: float | None = None,
        question: str | None = None,
        plan: Literal["auto", "exact"] = "auto",
    ) -> SearchResult:
        """The `k` objects below `scope` nearest to `query`.

        Exact in every scope of up to 10,000 objects, and in wider ones with `plan="exact"`; by default a
        wider one finds each of the true `k` with a probability of at least 0.99, in a fraction of the time
        (see `SearchResult.plan`). Pages after the first are always exact; ask for an exact first page too when
        a wide ranking is to be paged through without a gap.

        `kinds` is ("chunk",), ("abstract",) or None for both. With `distinct` equal texts are listed
        once, the others as `copies` of the first: versions of a manual repeat most of their text.

        With `gamma` the result's `edges` are the objects that edges of the hits lead to, within scope and
        kinds. An edge is followed when the cosine of its historical question and `question` (by default the
        query) is at least `gamma`, and the historical one names no number, code or quoted words that this one
        lacks: a vector does not tell the years 2023 and 2024 apart. A hit may be listed there as well.

        Raises NotFound for a scope that does not exist, InvalidArgument for an empty query or k < 1."""
        return search(
            self._context,
            query,
            scope,
            k,
            kinds=kinds,
            offset=offset,
            distinct=distinct,
            gamma=gamma,
            question=question,
            plan=plan,
        )

    def list(self, uri: str = SCHEME, offset: int = 0, limit: int = 100) -> Listing:
        """A page of a directory's children in document order, with the directory's abstract. Raises NotFound."""
        return list_children(self._context, uri, offset, limit)

    def grep(
        self,
        pattern: str,
        scope: str = SCHEME,
        *,
        literal: bool = False,
        ignore_case: bool = False,
        limit: int = 50,
        offset: int = 0,
    ) -> GrepResult:
        """Matches of a regular expression (RE2 syntax, linear time) in the canonical text below `scope`.

        `^` and `$` are line anchors. `\\w`, `\\d`, `\\s`, `[:alpha:]` and the like are classes of
        Unicode, and `\\b` parts their words, so `\\büber\\b` does not match in "darüber". Matches may
        cross chunk and section borders. The result tells matches, no matches and an incomplete search
        apart; a bad pattern raises InvalidArgument or Unsupported, a missing scope NotFound."""
        return grep(
            self._context,
            pattern,
            scope,
            literal=literal,
            ignore_case=ignore_case,
            limit=limit,
            offset=offset,
        )

    def read(self, uri: str, begin_byte: int = 0, max_tokens: int | None = None) -> Passage:
        """The text of a chunk, an abstract, a section or a whole document, from `begin_byte` on.

        Bytes count in the document's canonical text, whatever part of it the URI names (in the abstract for an
        abstract); one before that part is its beginning. With `max_tokens` the text is cut at a token; `next_offset` says where to go on. Raises
        NotFound, and InvalidArgument for a folder above documents."""
        return read(self._context, uri, begin_byte, max_tokens)

    def document(self, uri: str) -> StoredDocument:
        """What is known of the document that a URI names or lies in: its file, version, pages and metadata.

        Raises NotFound."""
        return document(self._context, uri)

    def boxes(
        self,
        place: Hit | EdgeHit | Match | Passage | Citation | str,
        begin_byte: int | None = None,
        end_byte: int | None = None,
    ) -> tuple[Box, ...]:
        """Where something stands on the pages of its document, a box for each line, so that a viewer can mark it.

        `place` is what a tool returned, or the URI of a chunk, a section or a document; `begin_byte` and `end_byte`
        narrow it to a range of the canonical text. Citations of an answer have their boxes already. Empty where the
        document has no pages, is another version than was found, or was last read by an older knarr.
        Costs a look into the catalog and the unpacking of the pages that it touches. Raises NotFound."""
        return boxes(self._context, place, begin_byte, end_byte)

    @checked
    def ask(self, question: str, scope: str = SCHEME, **options: Unpack[AskOptions]) -> Answer:
        """Answer a question from the documents below `scope` (arXiv 2609.11390).

        The options are those of `knarr.AskOptions`: k, mode, policy, budget, shadow, resample. The trace of the
        run is kept under `Answer.trace_id`. A run that reaches a bound of its budget answers from what it has.

        Raises NotFound for a scope that does not exist, InvalidArgument for an empty question or an option that
        is unknown or out of range, ChatError when a model is asked for and none is configured."""
        return self._asker().ask(question, scope, **options)

    @checked
    async def aask(self, question: str, scope: str = SCHEME, **options: Unpack[AskOptions]) -> Answer:
        """`ask` for an event loop, which is never blocked."""
        return await self._asker().aask(question, scope, **options)

    # ------------------------------------------------------------------ care

    @checked
    def backup(self, file: str | Path, *, progress: Progress | None = None) -> BackupReport:
        """Write all that is stored here, tenants included, to one file, while others read and write: the state of
        one moment, with the hash of each part. `knarr.restore` makes a base of it. The file is there whole or not at
        all; one that is another backup is replaced. Raises AlreadyExists for any other, InvalidArgument, StorageError."""
        from knarr.care.backup import backup

        self._catalog.check_open()
        return backup(self.path, file, progress)

    @checked
    def forget(self, **what: Unpack[ForgetOptions]) -> ForgetReport:
        """Delete traces, questions, old versions or vectors, and have what was deleted, now or before, gone from
        the files of this base too. With no option only the latter, which `remove` alone does not do. The options are
        those of `knarr.ForgetOptions`. Backups keep what they hold. Raises NotFound, InvalidArgument, and
        CatalogError when another process writes."""
        from knarr.care.forget import forget

        return forget(self._catalog, self._index, self._context.follow, self.embedder, self.settings, what)

    @checked
    def reembed(self, embedder: Embedder, *, progress: Progress | None = None) -> ReembedReport:
        """Go over to another embedder: see `knarr.reembed`. This handle goes over too; parts that were taken from
        it before say so when they next look for news. Raises CatalogError, EmbedderError."""
        from knarr.care.bases import catalogs
        from knarr.care.reembed import reembed_all

        self._catalog.check_open()
        with catalogs(self.path) as opened:
            report = reembed_all([*opened[:-1], self._catalog], embedder, progress)
        former = self._finalizer
        self._assemble(self._catalog, embedder)
        former.detach()
        self._index.save()
        return report

    def info(self) -> dict[str, Any]:
        """Counts and settings: what is in here, and how it was made."""
        return self._context.info(self.settings.chunk_tokens)

    def refresh(self) -> bool:
        """See what another process has written since; True when there was something."""
        return self._context.follow()

    def close(self) -> None:
        """Write the snapshot and let go of files and locks. Closing twice is fine; every other call on a closed
        one, or on its parts, raises CatalogError."""
        self._finalizer()

    def __enter__(self) -> KnowledgeBase:
        self._catalog.check_open()
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"KnowledgeBase({str(self.path)!r})"


def _checker(catalog: Catalog, traces: Traces) -> Oversight:
    from knarr.checker.oversight import Oversight

    return Oversight(catalog, traces)


def _library(
    context: ReadContext, settings: Settings, traces: Traces, experience: Experience
) -> KnowledgeLibrary:
    from knarr.agent.knowledge import KnowledgeLibrary

    return KnowledgeLibrary(context, settings, traces, experience)


def _asker(library: KnowledgeLibrary, configured: ConfiguredChat, checker: Oversight) -> Asker:
    from knarr.agent.asker import Asker

    return Asker(library, configured, checker)


def _close(index: Index, catalog: Catalog) -> None:
    try:
        index.save()
    finally:
        catalog.close()


@checked
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
