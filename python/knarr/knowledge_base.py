"""`KnowledgeBase`: catalog, engine and embedder behind one facade. Documents in; search, grep, read and ask out.

The verbs of every day are here; the rest are parts, each an object of its own room, which this file only puts
together: `experience`, `checker`, `traces`, `abstracts`, `jobs`, and `library` for agents of your own.
"""

from __future__ import annotations

import logging
import tempfile
import weakref
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Unpack

from knarr.abstracts.maker import AbstractMaker
from knarr.arguments import checked
from knarr.catalog import Catalog
from knarr.config import Settings
from knarr.errors import InvalidArgument, KnarrError
from knarr.experience.experience import Experience
from knarr.experience.seen import SeenExperience
from knarr.history.history import History, SeenHistory
from knarr.index.index import Changing, Index
from knarr.models.configured import ConfiguredChat
from knarr.models.embed import Embedder, load_embedder
from knarr.reading.context import ReadContext
from knarr.reading.past import Past
from knarr.reading.seen import SeenContext, Shared
from knarr.rights.keeper import Keeper
from knarr.rights.rights import Rights, checked_principal
from knarr.rights.tenants import Tenants
from knarr.trace.own import OwnTraces
from knarr.trace.store import Traces
from knarr.types import Principal, Progress
from knarr.uris import SCHEME
from knarr.view import Once, Parts, PrincipalView, Reader, Thresholds
from knarr.writing.writer import DocumentWriter

if TYPE_CHECKING:
    from knarr.agent.asker import Asker
    from knarr.agent.knowledge import KnowledgeLibrary, Learner
    from knarr.care.backup import BackupReport
    from knarr.care.forget import ForgetOptions, ForgetReport
    from knarr.care.reembed import ReembedReport
    from knarr.checker.oversight import Oversight
    from knarr.writing.jobs import Jobs
    from knarr.writing.receipt import AddReport
    from knarr.writing.sync_receipt import SyncReport

_LOG = logging.getLogger("knarr")


class KnowledgeBase(Reader):
    """A folder that holds a catalog and, beside it, the engine's snapshot. Made by `knarr.open`.

    Safe to use from several threads; reads never wait for an `add`. Close it, or use it as a context
    manager, to leave a fresh snapshot behind; what was acknowledged is safe either way.

    path, embedder, settings: as it was opened
    rights:     who may see what; `as_(principal)` reads as somebody else than the owner, who sees all
    experience: edges learnt from accepted answers: listed, explained, learnt, taken back; warm-up
    checker:    when an early answer may stand: calibration, rules, report
    traces:     the recorded runs of questions
    history:    versions of documents: listed, compared, put back
    abstracts:  abstracts of directories by a chat model
    jobs:       what was asked to be added or kept in step, and how it ended; to be resumed
    library:    for an `Agent` of your own
    """

    def __init__(
        self,
        path: str | Path,
        embedder: Embedder | None,
        settings: Settings,
        *,
        create: bool,
        tenant: str = "",
    ) -> None:
        self.path = Path(path).absolute()
        self.settings = settings
        self._tenant = tenant
        self._tenants: Tenants[KnowledgeBase] = Tenants(self.path)
        catalog = Catalog.open(self.path, create=create, wait_s=settings.wait_s)
        try:
            embedder = embedder if embedder is not None else load_embedder(settings)
            catalog.bind_embedder(embedder.id, embedder.dim)
            self._assemble(catalog, embedder)
            self._traces.tend()
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
        index.tell(context.followed)
        self._past = past = Past(context, settings)
        self._configured = configured = ConfiguredChat(settings)
        changing = Changing(catalog, context.follow)
        self.abstracts = AbstractMaker(catalog, embedder, settings, configured, changing, context.follow)
        self._writer = writer = DocumentWriter(
            catalog, index, embedder, settings, changing, context.follow, self.abstracts
        )
        self._history = History(context, settings, changing, self._writer.settle_unembedded)
        self._traces = traces = Traces(catalog, settings.trace_days)
        # These close over parts and not over `self`: a knowledge base that nobody holds is closed at once.
        self._checker = checker = Once(lambda: _checker(catalog, traces))
        library = Once(lambda: _library(context, settings, traces, experience, past))
        self._jobs = Once(lambda: _jobs(catalog, writer))
        asker = Once(lambda: _asker(library(), configured, checker()))
        self._experience = experience = Experience(context, settings, traces, configured, asker)
        self._owned = Parts(context, past, traces, experience, checker, library, asker, self._history)
        self._keeper = keeper = Keeper(catalog, index)
        self._shared = Shared(settings)
        self.rights = Rights(catalog, keeper)
        self._tenants.renew(
            lambda name, folder: KnowledgeBase(folder, embedder, settings, create=True, tenant=name)
        )
        self._finalizer = weakref.finalize(self, _close, index, catalog, keeper, self._tenants)

    def _parts(self) -> Parts:
        return self._owned

    @property
    def checker(self) -> Oversight:
        """The checker's calibration, rules and report."""
        return self._checker()

    @property
    def jobs(self) -> Jobs:
        """Each `add` and `sync`: its arguments, state and counts."""
        return self._jobs()

    @property
    def history(self) -> History:
        """Versions of documents: listed, compared, put back."""
        return self._history

    @property
    def experience(self) -> Experience:
        """What accepted answers taught: learnt, listed, explained, taken back."""
        return self._experience

    # ------------------------------------------------------------------ readers

    def as_(self, principal: Principal | None) -> Reader:
        """What a principal may read: the verbs of reading, where nothing else exists. None is the owner, who sees all.

        What may not be seen and what does not exist are the same there: in results, counts, abstracts, errors and
        in how soon an answer comes. A change of rights holds from the next call on, whichever process made it. A
        tenant that does not exist reads an empty base."""
        if principal is None:
            return self
        principal = checked_principal(principal)
        if principal.tenant != self._tenant:
            return PrincipalView(principal, self.settings, _TenantParts(self, principal))
        parts = self._parts_of(principal)

        def own(_alive: KnowledgeBase = self) -> Parts:
            return parts

        return PrincipalView(principal, self.settings, own)

    def tenant(self, name: str) -> KnowledgeBase:
        """The owner's handle of a tenant: a base of its own inside this one, made at the first call and closed with
        this base. The unnamed tenant "" is this base."""
        self._catalog.check_open()
        if name == self._tenant:
            return self
        if self._tenant:
            raise InvalidArgument(
                f"{name!r}: this is the base of tenant {self._tenant!r}, which has no tenants"
            )
        return self._tenants.get(name)

    def tenants(self) -> list[str]:
        """The names of the tenants that there are, in order."""
        self._catalog.check_open()
        return [] if self._tenant else self._tenants.names()

    def _parts_of(self, principal: Principal) -> Parts:
        context, past = SeenContext(self._context, self._keeper, principal, self._shared), self._past
        traces = OwnTraces(self._catalog, self._keeper, principal)
        settings, configured, checker = self.settings, self._configured, self._checker
        experience, learner = self._experience.seen_in(context), self._experience
        library = Once(lambda: _library(context, settings, traces, learner, past, principal))
        asker = Once(lambda: _asker(library(), configured, checker()))
        history, seen = SeenHistory(context), SeenExperience(experience)
        return Parts(context, past, traces, seen, lambda: Thresholds(checker), library, asker, history)

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

        What fails on the way is told by the receipt and does not raise: a file that cannot be read or embedded is a
        line of it, and where the embedder or the disk is gone, `error` says so and `unread` what was not tried.
        Nothing that was added before is ever removed: the receipt names what is `gone`, and `sync` removes it.
        Raises InvalidArgument for a missing path or an `into` that lies in a document, CatalogError
        when another process writes.
        """
        return self._writer.add(source, into, progress)

    @checked
    def sync(
        self,
        folder: str | Path,
        into: str = SCHEME,
        *,
        dry_run: bool = False,
        when_unreadable: Literal["keep", "remove"] = "keep",
        links: Literal["skip", "follow-inside"] = "skip",
        ignore: Sequence[str] = (),
        allow_empty: bool = False,
        progress: Progress | None = None,
    ) -> SyncReport:
        """Bring the folder `into` in step with a folder on disk: what is new is added, what changed updated, what has
        another name or place moved, and what is gone removed. Returns the receipt.

        A moved document keeps its id, vectors, edges and history, and nothing of it is embedded. Only documents that
        came from this folder are moved or removed. A sync that was cut off is gone on with by the next one.

        dry_run:          say what would be done, and do nothing
        when_unreadable:  what becomes of a document whose file is there and gives nothing, as when it is empty or
                          damaged; those of a folder that cannot be listed stay in either case
        links:            "follow-inside" reads what links name, as long as that lies in the folder
        ignore:           patterns as in a `.gitignore`, beside those of `.knarrignore` files in the folder
        allow_empty:      remove everything that came from a folder that is empty or missing; without it such a one is
                          refused, since so looks a disk that is not mounted

        Raises as `add` does, and InvalidArgument for what is no folder, or cannot be listed."""
        from knarr.writing.sync import SyncOptions

        options = SyncOptions(dry_run, when_unreadable, links, tuple(ignore), allow_empty)
        return self._writer.sync(folder, into, options, progress)

    @checked
    def remove(self, uri: str, *, all: bool = False, history: bool = True) -> int:
        """Remove a document or a folder with everything below; returns how many documents were removed.

        Nothing of them is found any more, but this does not erase: the last version of each is an earlier version
        from now on, which `as_of` and `history` still reach, within KNARR_HISTORY_VERSIONS and KNARR_HISTORY_DAYS.
        With `history=False` all versions go at once, also of documents that were removed from there before.

        Raises NotFound when there is none, InvalidArgument for a place inside a document, and for `viking://`,
        which is everything, without `all`."""
        return self._writer.remove(uri, all=all, history=history)

    @checked
    def move(self, source: str, target: str) -> int:
        """Move or rename a document or folder; returns how many documents moved. Nothing is embedded: the abstract
        of a folder that the move touched is found by those of what it holds, until a later `add` changes it.

        Raises NotFound, AlreadyExists when `target` is taken, InvalidArgument for a place inside a
        document or a folder moved into itself."""
        return self._writer.move(source, target)

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
        the files of this base too, and with `tenants` from those of its tenants. With no option only the latter, which
        `remove` alone does not do. The options are those of `knarr.ForgetOptions`. Backups keep what they hold. Raises
        NotFound, InvalidArgument, and CatalogError when another process writes."""
        from knarr.care.forget import Base, forget

        self._catalog.check_open()
        inside = [self._tenants.get(name) for name in self.tenants()] if what.get("tenants") else []
        bases = [Base(one._catalog, one._index, one._context.follow) for one in (*inside, self)]
        return forget(bases, self.embedder, self.settings, what)

    @checked
    def reembed(self, embedder: Embedder, *, progress: Progress | None = None) -> ReembedReport:
        """Go over to another embedder, with all tenants: see `knarr.reembed`. This handle goes over too; parts, views and
        tenants that were taken from it before say so when they next look for news. Raises CatalogError, EmbedderError,
        and InvalidArgument for a tenant, which shares the embedder of its base."""
        from knarr.care.bases import catalogs
        from knarr.care.reembed import reembed_all

        self._catalog.check_open()
        if self._tenant:
            raise InvalidArgument(
                f"tenant {self._tenant!r} has the embedder of its base; re-embed the base, which takes it along"
            )
        with catalogs(self.path, self.settings.wait_s) as opened:
            report = reembed_all([*opened[:-1], self._catalog], embedder, progress)
        former = self._finalizer
        self._assemble(self._catalog, embedder)
        former.detach()
        self._index.save()
        return report

    def close(self) -> None:
        """Write the snapshot and let go of files and locks. Closing twice is fine; every other call on a closed
        one, or on its parts, raises CatalogError. A snapshot that cannot be written is a warning in the log `knarr`
        and no error: it is a cache, and all that was acknowledged is in the catalog."""
        self._finalizer()

    def __enter__(self) -> KnowledgeBase:
        self._catalog.check_open()
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"KnowledgeBase({str(self.path)!r})"


class _TenantParts:
    """What a principal of a tenant reads: nothing until there is one, in a base that is gone with the view."""

    def __init__(self, base: KnowledgeBase, principal: Principal) -> None:
        self._base = base
        self._principal = principal
        self._empty: KnowledgeBase | None = None
        self._last: tuple[KnowledgeBase, Parts] | None = None

    def __call__(self) -> Parts:
        self._base._catalog.check_open()
        found = None if self._base._tenant else self._base._tenants.find(self._principal.tenant)
        found = found or self._nothing()
        last = self._last
        if last is None or last[0] is not found:
            last = self._last = found, found._parts_of(self._principal)
        return last[1]

    def _nothing(self) -> KnowledgeBase:
        if self._empty is None:
            base, place = self._base, tempfile.TemporaryDirectory(prefix="knarr-")
            folder = Path(place.name) / "empty.kb"
            self._empty = KnowledgeBase(
                folder, base.embedder, base.settings, create=True, tenant=self._principal.tenant
            )
            weakref.finalize(self._empty, place.cleanup)
        return self._empty


def _jobs(catalog: Catalog, writer: DocumentWriter) -> Jobs:
    from knarr.writing.jobs import Jobs

    return Jobs(catalog, writer.run_job)


def _checker(catalog: Catalog, traces: Traces) -> Oversight:
    from knarr.checker.oversight import Oversight

    return Oversight(catalog, traces)


def _library(
    context: ReadContext,
    settings: Settings,
    traces: Traces,
    experience: Learner,
    past: Past,
    asker: Principal | None = None,
) -> KnowledgeLibrary:
    from knarr.agent.knowledge import KnowledgeLibrary

    return KnowledgeLibrary(context, settings, traces, experience, past, asker=asker)


def _asker(library: KnowledgeLibrary, configured: ConfiguredChat, checker: Oversight) -> Asker:
    from knarr.agent.asker import Asker

    return Asker(library, configured, checker)


def _close(index: Index, catalog: Catalog, keeper: Keeper, tenants: Tenants[KnowledgeBase]) -> None:
    try:
        tenants.close()
    finally:
        try:
            keeper.close()
            index.save()
        except (KnarrError, OSError) as error:
            _LOG.warning(
                "%s: no snapshot of the index was written (%s). Nothing is lost: the next opening makes the index from "
                "the catalog, which takes longer",
                catalog.folder,
                error,
            )
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
