"""Keeping documents in step with a folder on disk: what is there is compared with what is stored of it, and the base
follows.

First all moves, in one transaction; then what is new or changed, a document at a time, as `add` does; then what is
gone. Each document is whole or absent at every moment, and a sync that was cut off anywhere is gone on with by the
next one, which compares again. What is gone goes last, since its vectors may serve what came.

Only documents that came from the folder are ever moved or removed: those whose file lay below it, in the folder that
their URI says. Nothing is removed for what could not be looked at.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Literal

import sqlalchemy as sa

from knarr.catalog import Catalog, documents, sources
from knarr.catalog.sources import StoredFile
from knarr.catalog.versions import Retention
from knarr.config import Settings
from knarr.errors import InvalidArgument
from knarr.types import Progress
from knarr.uris import above, component, join, place
from knarr.writing.changing import remove_below
from knarr.writing.files import Batch, Root, SourceFile, printable, read_bytes
from knarr.writing.ignore import Ignored, patterns_of
from knarr.writing.ingest import Ingest
from knarr.writing.jobs import JobLog
from knarr.writing.places import Places
from knarr.writing.plan import KnownDocument, Names, Plan, compare
from knarr.writing.receipt import Change, FileReport, GoneFile
from knarr.writing.relocate import has_other_suffix, release_empty, relocate
from knarr.writing.sources import find_sources, given_root
from knarr.writing.sync_receipt import MovedFile, RemovedFile, SyncReport
from knarr.writing.walk import Links

WhenUnreadable = Literal["keep", "remove"]

MANY = 100
"""Documents from one folder that must not all go because it is empty: so looks a disk that is not mounted."""

_REMOVED_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """See `KnowledgeBase.sync`."""

    dry_run: bool = False
    when_unreadable: WhenUnreadable = "keep"
    links: Links = "skip"
    ignore: tuple[str, ...] = ()
    allow_empty: bool = False


class _DryRun(Exception):
    pass


class Sync:
    """One sync. `published` is called after each change, `settled` after the moves, which embed nothing."""

    def __init__(
        self,
        catalog: Catalog,
        settings: Settings,
        ingest: Ingest,
        settled: Callable[[], object],
        options: SyncOptions,
    ) -> None:
        self._catalog = catalog
        self._max_bytes = settings.max_file_bytes
        self._retention = Retention(settings.history_versions, settings.history_days)
        self._ingest = ingest
        self._settled = settled
        self._options = options

    def run(self, folder: str | Path, into: str, progress: Progress | None, log: JobLog | None) -> SyncReport:
        """Compare, and bring into step. Raises InvalidArgument before anything is changed."""
        started = time.monotonic()
        into = place(into)
        self._ingest.refuse_inside_document(into)
        state = self._look(folder, into)
        moved = self._move(state)
        doing = self._foretell(state) if self._options.dry_run else self._carry_out(state, progress, log)
        was = {one.uri for one in moved}
        return SyncReport(
            into,
            tuple(
                replace(f, change="moved") if f.change == "unchanged" and f.uri in was else f
                for f in doing.files
            ),
            time.monotonic() - started,
            doing.embedding_s,
            gone=tuple(doing.gone),
            unread=doing.unread,
            error=doing.error,
            folder=printable(state.root.real),
            moved=tuple(moved),
            removed=tuple(RemovedFile(one.uri, one.path, reason) for one, reason in doing.removed),
            dry_run=self._options.dry_run,
        )

    def _carry_out(self, state: _State, progress: Progress | None, log: JobLog | None) -> _Doing:
        """Store what is new or changed, and remove what is gone. Where something ended the storing, what is gone stays
        until all that is there is stored."""
        removed = self._in_the_way(state)
        self._remove(state, removed)
        places = Places(state.into, state.batch)
        taken = self._ingest.take(state.batch, places, progress, log, state.digests)
        kept = dict(self._kept(state))
        other = "kept: it was put there by other means"
        if taken.error:
            other = "kept until all files are stored"
        else:
            went = {one.id for one, _ in removed}  # numbers that new documents may have by now
            rest = [pair for pair in self._doomed(state, taken.reports) if pair[0].id not in went]
            self._remove(state, rest)
            removed += rest
        with self._catalog.reading() as connection:
            gone = [GoneFile(uri, path, why=kept.get(uri, other)) for path, uri in places.gone(connection)]
        files = _without_what_went(taken.reports, {one.uri for one, _ in removed})
        return _Doing(files, removed, gone, taken.error, taken.unread, taken.embedding_s)

    # -- looking -----------------------------------------------------------------------------------------

    def _look(self, folder: str | Path, into: str) -> _State:
        root, batch = self._list(folder)
        with self._catalog.reading() as connection:
            stored = _came_from(connection, root, into)
        digests: dict[Names, str] = {}
        closed: list[Names] = []
        files: dict[Names, SourceFile] = {}
        for source in batch.files:
            names = (*source.folders, source.name)
            if source.passed_over:
                continue
            files[names] = source
            digest = "" if source.status else self._digest(source)
            if digest:
                digests[names] = digest
            else:
                closed.append(names)
        if stored and not digests and not self._options.allow_empty:
            raise InvalidArgument(
                f"{printable(str(folder))}: no file there can be read, and {len(stored)} documents are stored from it; "
                "nothing was changed. Is its disk there? allow_empty=True (--allow-empty) removes them"
            )
        known = [KnownDocument(one.id, names, one.content_hash) for one, names in stored]
        plan = compare(known, digests, closed)
        return _State(root, into, batch, {one.id: one for one, _ in stored}, files, digests, plan)

    def _list(self, folder: str | Path) -> tuple[Root, Batch]:
        path = Path(folder)
        if self._options.allow_empty and not os.path.lexists(path):
            root = Root(str(path), str(path.resolve()), True, (0, 0))
            return root, Batch((root,), ())
        if not os.path.lexists(path):
            raise InvalidArgument(
                f"{printable(str(folder))}: no such folder, so nothing was changed. Is its disk there? "
                "allow_empty=True (--allow-empty) removes what came from it"
            )
        root = given_root(path)
        if not root.is_folder:
            raise InvalidArgument(f"{printable(str(folder))}: expected a folder; `add` reads single files")
        ignored = Ignored(given=patterns_of(self._options.ignore))
        batch = find_sources(path, self._max_bytes, ignored, self._options.links)
        if len(batch.files) == 1 and batch.files[0].name == ".":
            raise InvalidArgument(
                f"{printable(str(folder))}: cannot be listed ({batch.files[0].reason}); nothing was changed"
            )
        return batch.roots[0], batch

    def _digest(self, source: SourceFile) -> str:
        """Of the bytes that a file has now; "" where it has none to give."""
        try:
            data = read_bytes(source, self._max_bytes) if source.size_bytes <= self._max_bytes else b""
        except OSError:
            return ""
        return hashlib.sha256(data).hexdigest() if 0 < len(data) <= self._max_bytes else ""

    # -- moving ------------------------------------------------------------------------------------------

    def _move(self, state: _State) -> list[MovedFile]:
        """All moves at once; a dry run takes them back."""
        stored = state.stored
        if all(state.files[names].path == stored[number].path for number, names in state.plan.at.items()):
            return []
        went: dict[int, tuple[str, str]] = {}
        with suppress(_DryRun), self._catalog.writing() as connection:
            places = Places(state.into, state.batch)
            went = relocate(connection, state.into, places, state.plan, stored, state.files, self._retention)
            state.now = {number: documents.uri_of(connection, number) for number in state.plan.gone}
            if self._options.dry_run:
                raise _DryRun
        if not self._options.dry_run:
            self._settled()
        moved = []
        for number, (was, uri) in went.items():
            state.stored[number] = replace(stored[number], uri=uri)
            file = state.files[state.plan.at[number]]
            if uri != was:
                moved.append(MovedFile(uri, was, file.shown))
        return sorted(moved, key=lambda one: one.path)

    # -- removing ----------------------------------------------------------------------------------------

    def _in_the_way(self, state: _State) -> list[tuple[StoredFile, str]]:
        """What is gone and has the place of what came, such as `a.md` that became a folder `a`: it goes first."""
        taken = set(state.plan.at.values())
        wanted = {_plain_uri(state.into, names) for names in state.digests if names not in taken}
        crossed = wanted.union(*(above(uri) for uri in wanted))
        doomed = self._doomed(state, ())
        return [one for one in doomed if one[0].uri in crossed or wanted.intersection(above(one[0].uri))]

    def _doomed(self, state: _State, reports: Iterable[FileReport]) -> list[tuple[StoredFile, str]]:
        """The documents to remove, each with the reason."""
        reasons = {source.path: source.reason for source in state.batch.files if source.passed_over}
        kept = dict(self._kept(state))
        gone = [state.stored[number] for number in sorted(state.plan.gone)]
        found = [(one, _reason(one.path, reasons)) for one in gone if one.uri not in kept]
        return found + (self._unreadable(state, reports) if self._options.when_unreadable == "remove" else [])

    def _kept(self, state: _State) -> Iterator[tuple[str, str]]:
        """The documents that stay although their file is gone, by URI, each with the reason."""
        emptied = set() if self._options.allow_empty else self._emptied(state)
        for number in state.plan.gone if emptied else ():
            one = state.stored[number]
            if any(str(folder) in emptied for folder in PurePosixPath(one.path).parents):
                yield (
                    one.uri,
                    f"kept: its folder is empty, and {MANY} files or more were there; is its disk there?",
                )

    def _emptied(self, state: _State) -> set[str]:
        """Folders that are there and empty although many documents came from them."""
        lost: Counter[str] = Counter()
        for number in state.plan.gone:
            lost.update(map(str, PurePosixPath(state.stored[number].path).parents))
        found = set()
        for folder, count in lost.items():
            if count >= MANY and folder.startswith(f"{state.root.real}/"):
                with suppress(OSError), os.scandir(folder) as entries:
                    if next(entries, None) is None:
                        found.add(folder)
        return found

    def _unreadable(self, state: _State, reports: Iterable[FileReport]) -> list[tuple[StoredFile, str]]:
        """Documents whose file is there and gives nothing; not those of a folder or archive that cannot be listed."""
        by_path = {source.path: source for source in state.batch.files}
        said = {report.path: report for report in reports if not report.ready and report.status != "failed"}
        found = []
        for one in state.stored.values():
            source = by_path.get(one.path)
            report = said.get(source.shown) if source is not None else None
            if report is not None and one.id not in state.plan.gone:
                found.append((one, f"its file is {report.status}: {report.notes[0] if report.notes else ''}"))
        return found

    def _remove(self, state: _State, removed: list[tuple[StoredFile, str]]) -> None:
        for begin in range(0, len(removed), _REMOVED_AT_ONCE):
            some = removed[begin : begin + _REMOVED_AT_ONCE]
            with self._catalog.writing() as connection:
                for one, _ in some:
                    record = documents.find_id(connection, one.id)
                    if record is not None and record.uri == state.now.get(one.id, one.uri):
                        remove_below(connection, record.uri, [record], self._retention)
                release_empty(connection, state.into, [one.folder for one, _ in some])

    # -- foretelling -------------------------------------------------------------------------------------

    def _foretell(self, state: _State) -> _Doing:
        """What would become of each file, without reading what it says."""
        by_names = {names: state.stored[number] for number, names in state.plan.at.items()}
        files = []
        for source in state.batch.files:
            names = (*source.folders, source.name)
            digest, one = state.digests.get(names, ""), by_names.get(names)
            if not digest:
                notes = (source.reason or "it is empty, too large, or cannot be read",)
                files.append(FileReport(source.shown, source.status or "unreadable", "none", notes=notes))
                continue
            is_same = (
                one is not None and one.content_hash == digest and not has_other_suffix(one.name, source.name)
            )
            change: Change = "added" if one is None else "unchanged" if is_same else "updated"
            uri = one.uri if one is not None else ""
            files.append(FileReport(source.shown, "ok", change, uri, size_bytes=source.size_bytes))
        paths = {one.uri: one.path for one in state.stored.values()}
        gone = [GoneFile(uri, paths[uri], why=reason) for uri, reason in self._kept(state)]
        return _Doing(files, self._doomed(state, files), gone)


@dataclass(slots=True)
class _Doing:
    """What was done, or would be."""

    files: list[FileReport]
    removed: list[tuple[StoredFile, str]]
    gone: list[GoneFile]
    error: str = ""
    unread: tuple[str, ...] = ()
    embedding_s: float = 0.0


@dataclass(slots=True)
class _State:
    """A folder, and what is stored of it. `now` has the URIs of documents without a file, where a folder that was
    renamed took them along."""

    root: Root
    into: str
    batch: Batch
    stored: dict[int, StoredFile]
    files: dict[Names, SourceFile]
    digests: dict[Names, str]
    plan: Plan
    now: dict[int, str] = field(default_factory=dict)


def _came_from(connection: sa.Connection, root: Root, into: str) -> list[tuple[StoredFile, Names]]:
    """The documents that came from a folder, each with the names of its file below it. One that was moved to another
    folder by hand, or added there by itself, is not among them."""
    real = printable(root.real).rstrip("/")
    folders: dict[Names, str | None] = {}
    found: dict[Names, StoredFile] = {}
    for one in sources.below_path(connection, real, into):
        names = tuple(one.path[len(real) + 1 :].split("/"))
        if names[:-1] not in folders:
            folders[names[:-1]] = sources.folder_at(connection, into, names[:-1])
        if one.folder == folders[names[:-1]]:
            found.setdefault(names, one)
    return [(one, names) for names, one in found.items()]


def _without_what_went(reports: list[FileReport], removed: set[str]) -> list[FileReport]:
    """Reports that do not say of a document that it stands when it was removed."""
    return [
        replace(one, stands="", version=0, notes=one.notes[:1]) if one.stands in removed else one
        for one in reports
    ]


def _plain_uri(into: str, names: Names) -> str:
    """Where a file would stand if nothing else did."""
    return join(into, *(component(name) for name in names[:-1]), component(Path(names[-1]).stem))


def _reason(path: str, passed_over: Mapping[str, str]) -> str:
    """Why a file is no part of its folder any more."""
    for one in (path, *map(str, PurePosixPath(path).parents)):
        if one in passed_over:
            return passed_over[one]
    return "its file is gone"
