"""What each class of principals may see at present, kept beside the index and in step with it.

The keeper is told of changes in the same transaction in which the engine takes them up, so that rules, rows and
episodes are those of one state. It notes what was touched; a class takes that up at its next call. A call first
looks whether anybody has written to the catalog, and follows, so a rule holds for the next call of every process.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import sqlalchemy as sa
from pyroaring import BitMap

from knarr.catalog import Catalog, changes, documents, folders, trace_documents
from knarr.catalog.locks import on_fork
from knarr.catalog.records import Change
from knarr.catalog.watch import Watch
from knarr.engine import Engine, RowSet
from knarr.index.index import Index
from knarr.rights.rows import Extent, Surroundings, Touch, VisibleRows
from knarr.rights.rules import ClassKey, RuleSet
from knarr.types import Principal
from knarr.uris import abstract_of, lies_in, moved

_CLASSES = 2_048  # kept, those used last
_TOUCHES = 4_096  # noted; a class that is further behind is made anew
_EXTENTS: dict[str, Extent] = {
    "put": "documents",
    "remove": "documents",
    "move": "documents",
    "rights": "rights",
    "folder": "abstract",
}


class PrincipalClass:
    """Principals that see the same: their rows, and the episodes whose runs were shown nothing else."""

    def __init__(self, rows: VisibleRows, generation: int, at: int) -> None:
        self.rows = rows
        self.generation = generation
        self.at = at  # the number of the touches that are taken up
        self.episodes = BitMap()  # never changed in place either
        self.audiences = RowSet()
        self.documents: set[str] = set()  # some that are known to be seen in this version
        self._documents_of = 0
        self.learnt_at = -1  # of the learnt runs that were looked at anew; -1 before the first look

    @property
    def version(self) -> int:
        """Grows when something that the class may see has changed, and with nothing else."""
        return self.rows.version

    def known_documents(self) -> set[str]:
        """Documents that were found to be seen, to be added to; another set after each change."""
        if self._documents_of != self.version:
            self.documents, self._documents_of = set(), self.version
        return self.documents


@dataclass(frozen=True, slots=True)
class Sight:
    """What a class may see in one state: `rows` of the engine, and the edges of `episodes`, which are the engine's
    `audiences`. `documents` are some that are known to be seen, to be added to."""

    engine: Engine
    epoch: int
    of: PrincipalClass
    rows: RowSet
    audiences: RowSet
    episodes: BitMap
    documents: set[str]
    version: int

    @property
    def edition(self) -> tuple[object, int]:
        """What is seen: the same for all of the class until something that it may see changes."""
        return self.of, self.version


class Keeper:
    """One for each open base. Safe to use from several threads."""

    def __init__(self, catalog: Catalog, index: Index) -> None:
        self._catalog = catalog
        self._index = index
        self._watch = Watch(catalog)
        self._seen: tuple[int, int] | None = None  # the catalog's version that was followed
        self._starting = threading.Lock()
        self._started = False
        # What follows changes under the index's lock alone.
        self._rules = RuleSet()
        self._folders = RowSet()
        self._generation = -1
        self._touches: deque[Touch] = deque(maxlen=_TOUCHES)
        self._touched = 0
        self._lessons: deque[str] = deque(maxlen=_TOUCHES)  # learnt runs to look at anew
        self._learnt = 0
        self._classes: OrderedDict[ClassKey, PrincipalClass] = OrderedDict()
        on_fork(self)

    def after_fork(self) -> None:
        """In a child the index opens an engine of its own, and tells of it."""
        self._starting = threading.Lock()
        self._seen = None

    def close(self) -> None:
        """Let go of the connection that is kept."""
        self._watch.close()

    def follow(self) -> tuple[int, int]:
        """Take up what anybody has written since the last call; returns what changes with every commit."""
        if not self._started:
            with self._starting:
                if not self._started:
                    self._index.tell(self._told)
                    self._started = True
        now = self._watch.version()
        if now != self._seen or not self._index.settled:
            self._index.follow()
            self._seen = now
        return now

    def sight(self, principal: Principal) -> Sight:
        """What a principal may see now."""
        self.follow()
        with self._index.held():
            while True:
                found = self._class(self._rules.key(principal))
                self._take_up_rows(found)
                if self._take_up_lessons(found):
                    break
                self._index.follow()
            return Sight(
                self._index.engine,
                self._index.epoch,
                found,
                found.rows.rows,
                found.audiences,
                found.episodes,
                found.known_documents(),
                found.version,
            )

    def holds(self, sight: Sight) -> bool:
        """Whether the engine is still in the state of a sight."""
        return self._index.epoch == sight.epoch and self._index.engine is sight.engine

    def allows(self, sight: Sight, uri: str) -> bool:
        """Whether the rules of now let a class see a document that stood at a canonical URI. Takes no lock: whoever
        asks looks afterwards whether the sight still `holds`, and makes the call again when the rules have changed."""
        try:
            return self._rules.of_document(sight.of.rows.key, uri).seen
        except (LookupError, RuntimeError):  # they are changing
            return False

    def sees_all(self, principal: Principal, trace_ids: Iterable[str]) -> set[str]:
        """Those of the runs all of whose documents a principal may see now."""
        asked = list(trace_ids)
        self.follow()
        with self._index.held():
            while True:
                with self._catalog.reading() as connection:
                    if changes.last(connection) == self._index.seq:
                        shown = trace_documents.of_each(connection, asked)
                        places = documents.uris_of(connection, sorted(set().union(*shown.values())))
                        break
                self._index.follow()
            key = self._rules.key(principal)
            seen = {number for number, uri in places.items() if self._rules.of_document(key, uri).seen}
        return {one for one in asked if seen.issuperset(shown[one])}

    @contextmanager
    def held(self) -> Iterator[RuleSet]:
        """The rules of the newest state, which nobody changes meanwhile."""
        self.follow()
        with self._index.held():
            yield self._rules

    @property
    def classes(self) -> int:
        """How many classes are kept."""
        return len(self._classes)

    # ------------------------------------------------------------------ following the log

    def _told(self, connection: sa.Connection, news: Sequence[Change] | None) -> None:
        """Called by the index, under its lock."""
        if news is None:  # another engine
            self._rules, self._generation, news = RuleSet(), -1, ()
            self._classes.clear()
            self._touches.clear()
            self._rules.load(connection)
        elif not self._started:
            self._rules.load(connection)
        touches: list[Touch] = []
        for change in news:
            places = self._rules.follow(connection, change)
            if change.kind == "move" and change.target is not None:
                # What was touched before stands elsewhere now.
                touches = [_moved(touch, change.uri, change.target) for touch in touches]
            if change.kind == "experience":
                self._note_lessons([change.uri])
            elif change.kind == "folder":
                touches.append(Touch(change.uri, "abstract"))
            elif change.kind in _EXTENTS:
                touches += [Touch(uri, _EXTENTS[change.kind]) for uri in places]
        self._place_folders(connection, touches)
        for touch in touches:
            if touch.extent != "abstract":
                self._note_lessons(trace_documents.episodes_below(connection, touch.uri))
        self._touches.extend(touches)
        self._touched += len(touches)

    def _note_lessons(self, trace_ids: Sequence[str]) -> None:
        self._lessons.extend(trace_ids)
        self._learnt += len(trace_ids)

    def _place_folders(self, connection: sa.Connection, touches: Sequence[Touch]) -> None:
        """Which rows are abstracts of folders."""
        engine = self._index.engine
        place = self._place()
        if self._generation != engine.generation:
            self._generation = engine.generation
            named = [record.uri for record in folders.all_of(connection)]
            self._folders = RowSet()
        else:
            named = [touch.uri for touch in touches if touch.extent == "abstract"]
        taken = documents.hashes_by_uri(connection, named)  # by documents, whose abstracts are theirs
        for uri in named:
            if uri not in taken:
                self._folders = self._folders | place.rows(abstract_of(uri))

    def _place(self) -> Surroundings:
        return Surroundings(self._index.engine, self._rules, self._folders)

    def _class(self, key: ClassKey) -> PrincipalClass:
        found = self._classes.get(key)
        if found is None:
            rows = VisibleRows(key, self._place())
            found = self._classes[key] = PrincipalClass(rows, self._generation, self._touched)
            if len(self._classes) > _CLASSES:
                self._classes.popitem(last=False)
        self._classes.move_to_end(key)
        return found

    def _take_up_rows(self, one: PrincipalClass) -> None:
        behind = self._touched - one.at
        if behind == 0 and one.generation == self._generation:
            return
        touches = list(self._touches)[max(0, len(self._touches) - behind) :]
        if one.generation != self._generation or behind > len(touches):
            one.rows.renew(self._place(), touches)
        else:
            one.rows.follow(self._place(), touches)
        one.generation, one.at = self._generation, self._touched

    # ------------------------------------------------------------------ episodes

    def _take_up_lessons(self, one: PrincipalClass) -> bool:
        """False when the catalog is ahead of the rules: then these are to follow first."""
        behind = self._learnt - one.learnt_at
        if behind == 0:
            return True
        lessons = list(self._lessons)[max(0, len(self._lessons) - behind) :]
        anew = one.learnt_at < 0 or behind > len(lessons)
        with self._catalog.reading() as connection:
            if changes.last(connection) != self._index.seq:
                return False
            known = trace_documents.episodes_of(connection, None if anew else lessons)
            ids = set().union(*known.values()) if known else set()
            places = documents.uris_of(connection, sorted(ids))
        key = one.rows.key
        seen = {number for number, uri in places.items() if self._rules.of_document(key, uri).seen}
        episodes = BitMap() if anew else one.episodes.copy()
        for episode, shown in known.items():
            if shown and shown <= seen:
                episodes.add(episode)
            else:
                episodes.discard(episode)
        one.episodes, one.audiences = episodes, RowSet(episodes)
        one.learnt_at = self._learnt
        return True


def _moved(touch: Touch, source: str, target: str) -> Touch:
    return replace(touch, uri=moved(touch.uri, source, target)) if lies_in(touch.uri, source) else touch
