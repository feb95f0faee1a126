"""The native engine over a catalog: built from it, following its log, kept beside it as a snapshot.

The snapshot is a cache of the log up to a position; what the log holds beyond it is applied on top. A file
whose position the log has not, or that fails its checks, is rebuilt from the catalog. A large file's
pages are checked when they are needed: Corruption then names the file, which can be deleted.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa

from knarr.catalog import (
    Catalog,
    changes,
    documents,
    embedders,
    experience,
    folders,
    vectors,
    wholeness,
)
from knarr.catalog.experience import Lesson
from knarr.catalog.failures import is_damage
from knarr.catalog.locks import never_freed, on_fork
from knarr.catalog.records import Change, DocumentRecord, Position
from knarr.engine import Engine, Precision
from knarr.errors import (
    AlreadyExists,
    CatalogError,
    Corruption,
    InvalidArgument,
    KnarrError,
    NotFound,
    StorageError,
    Unsupported,
)
from knarr.index import snapshots
from knarr.index.damage import SetAside
from knarr.uris import SCHEME, abstract_of, below, lies_in, moved

# An object's vector leans towards that of its document's names, since questions often say which document they
# mean, and chunks seldom name it. On the development questions of six document sets this weight raised the
# evidence recall of ten hits on four (from 0.37 to 0.87 at most), and cost 0.07 on one whose documents
# are versions of each other. A document of one chunk says its name in that chunk already.
LABEL_WEIGHT = 0.8
# Raised when documents are indexed, or snapshots written, in another way: snapshots of an older recipe are not
# used.
RECIPE = 3

# Smaller snapshots are checked whole when they are opened, in a tenth of a second, and made anew when they are
# damaged. Of larger ones a page is checked before its first use.
_WHOLE_BYTES = 512 << 20

_LESSONS = 500  # whose vectors are read at once
_LOG_KEPT = 10_000  # changes for processes that lag behind; they are pruned when twice as many are not needed
_DEAD_SHARE = 0.5  # of the engine's rows, from which their memory is given back


class Changing:
    """Hands out the right to change documents: `with changing(): ...`.

    The holder is the only one among all threads and processes, and begins from what others have written. The
    same thread may take it again while it holds it. Raises CatalogError when another process has it."""

    def __init__(self, catalog: Catalog, follow: Callable[[], object]) -> None:
        self._catalog = catalog
        self._follow = follow

    @contextmanager
    def __call__(self) -> Iterator[None]:
        with self._catalog.exclusive():
            self._follow()
            yield


Follower = Callable[[sa.Connection, Sequence[Change] | None], None]
_NOT_DOCUMENTS = ("experience", "rights", embedders.CHANGE, changes.WIPE)


class Index:
    """`engine` answers reads, and `follow` may be called, from any thread. `documents_seq` is the number of the
    newest change of documents that the engine holds; changes of experience and of rights leave it as it is.

    epoch:   grows before the engine begins to change
    settled: whether the engine, and all that follows it, hold one state of the catalog
    """

    def __init__(
        self,
        catalog: Catalog,
        dim: int,
        model: str,
        precision: Precision = "float32",
        *,
        graph: bool = False,
    ) -> None:
        self._catalog = catalog
        self._model = model
        self._own = embedders.identity(model, dim)
        self._precision = precision
        self._saved: Position | None = None
        self._saved_graph = 0
        self._waiting_traces: dict[str, None]  # traces whose edges are published last
        self._waiting_folders: dict[str, None]  # folders whose abstracts are, too
        self._untold: list[Change] = []  # of which the followers were not told yet
        self._is_anew = False  # whether the engine is another one than they were told of
        self._followers: list[Follower] = []
        self.epoch = 0
        self.settled = True
        self._engine: Engine
        self._lock = threading.RLock()
        self._aside = SetAside(catalog)
        self._dim, self._graph = dim, graph
        self._is_forked = False
        self.note = ""
        self._open()
        on_fork(self)

    def _open(self) -> None:
        self._waiting_traces, self._waiting_folders = {}, {}
        self._engine, self._position = self._load()
        self.documents_seq = self.seq
        with self._catalog.reading() as connection:
            self._hide(connection)
        self.follow()
        if self._graph:
            self._engine.keep_graph()

    @property
    def engine(self) -> Engine:
        """The engine that answers. A forked child opens its own: other threads of the parent may have been in the
        middle of changing the one that both have."""
        if self._is_forked:
            with self._lock:
                if self._is_forked:
                    self._is_forked = False
                    self.epoch, self._is_anew = self.epoch + 1, True
                    self._open()
        return self._engine

    def after_fork(self) -> None:
        """In a child, see `engine`."""
        never_freed(self._engine)
        self._lock = threading.RLock()
        self._saved = None
        self._is_forked = True

    @property
    def seq(self) -> int:
        """The number of the newest change that the engine holds."""
        return self._position.seq

    def follow(self) -> bool:
        """Apply what the log holds beyond `seq`; True when there was something.

        Edges that changed are removed before the documents are brought up to date, and published after: the
        catalog gives them for its newest state, which the engine reaches only then. So no reader meets an edge
        whose text has changed. Abstracts of folders are published last too, under the URI that the folder has
        in the newest state: when it changed, that name may have been another folder's, or nobody's. Those that may
        quote what is gone are hidden before anything else, and shown again when they were made anew.

        Where the log cannot be followed, because it was pruned or is damaged, the engine is built anew. Raises
        CatalogError, and stays as it is, once the base has gone over to another embedder."""
        with self._lock, self._catalog.reading() as connection:
            engine = self.engine
            news = changes.since(connection, self.seq)
            if news is None or any(change.kind == embedders.CHANGE for change in news):
                self._check_bound(connection)
            if news is None:
                self.epoch, self.settled = self.epoch + 1, False
                self._engine, self._position = self._rebuild(connection)
                self.documents_seq = self.seq
                self._is_anew = True
                self._tell(connection)
                return True
            if news:
                self.epoch, self.settled = self.epoch + 1, False
                self._hide(connection)
            self._waiting_traces |= {change.uri: None for change in news if change.kind == "experience"}
            for trace_id in self._waiting_traces:
                engine.remove_edges(trace=trace_id)
            for change in news:
                if change.kind not in _NOT_DOCUMENTS:
                    self._apply(connection, change)
                    self.documents_seq = change.seq
                self._position = change.position
                self._untold.append(change)
            for uri in self._waiting_folders:
                publish_folder(engine, connection, uri, self._model)
            self._waiting_folders = {}
            publish_edges(engine, connection, list(self._waiting_traces), self._model)
            self._waiting_traces = {}
            if news:
                self._hide(connection)
                engine.compact(_DEAD_SHARE)
            self._tell(connection)
        self._aside.keep()
        return bool(news)

    def _tell(self, connection: sa.Connection) -> None:
        for follower in self._followers:
            follower(connection, None if self._is_anew else self._untold)
        self._untold, self._is_anew = [], False
        self.settled = True

    def tell(self, follower: Follower) -> None:
        """From now on `follower` is called in each `follow`, with a view of the catalog of the state that the engine
        has just come to, and the changes since it was called last: none before the first time, and None where the
        engine was made anew meanwhile."""
        with self._lock:
            self._followers.append(follower)
            try:
                self.follow()
            except BaseException:
                self._followers.remove(follower)
                raise

    @contextmanager
    def held(self) -> Iterator[None]:
        """Nobody changes the engine or what follows it meanwhile."""
        with self._lock:
            yield

    def notes(self) -> dict[str, Any]:
        """What `info` says of damage: documents that were set aside, and what became of a snapshot."""
        with self._catalog.reading() as connection:
            damaged = self._aside.listed(connection)
        return {**({"damaged": damaged} if damaged else {}), **({"note": self.note} if self.note else {})}

    def save(self) -> None:
        """Write a snapshot of the present state and drop older ones, and what killed writers left; then forget the
        changes that no snapshot needs. Raises StorageError when it cannot be written, which loses nothing."""
        if self._catalog.read_only or self._is_forked:
            return
        with self._lock:
            position, folder = self._position, self._catalog.folder
            if self._waiting_traces or self._waiting_folders or position.seq == 0 or position.stamp is None:
                return
            graph_rows = self.engine.graph_rows
            is_saved = self._saved == position and self._saved_graph == graph_rows
            path = snapshots.path_of(folder, RECIPE, position)
            kept = snapshots.newest_first(folder, RECIPE)
            try:
                if not is_saved and not snapshots.write(self.engine, path):
                    return
            except Corruption as error:  # in a page of the one that was opened
                for _, damaged in kept:
                    self._set_aside(damaged, error)
                return
            older = [other for at, other in kept if at.seq < position.seq]
            snapshots.drop(older if is_saved else snapshots.others(path))
            snapshots.drop_damaged(folder)
            self._saved = position
            self._saved_graph = graph_rows
            self._prune()

    def _prune(self) -> None:
        """Forget changes that neither a snapshot nor, in all likelihood, another process has still to follow."""
        positions = [at.seq for at, _ in snapshots.newest_first(self._catalog.folder, RECIPE)]
        with self._catalog.reading() as connection:
            last, first = changes.last(connection), changes.first(connection)
        below = min([last - _LOG_KEPT, *positions])
        if below - first >= _LOG_KEPT:
            with self._catalog.writing() as connection:
                changes.prune(connection, below)

    def rewrite(self) -> None:
        """Give back what removed rows held, write a snapshot without it in place of all others, and forget the log
        below it: who lags behind builds its engine anew. The writer's lock must be held."""
        with self._lock:
            self.engine.compact()
            self._saved = None
            self.save()
            with self._catalog.writing() as connection:
                changes.prune(connection, self.seq)

    def _set_aside(self, path: Path, error: Exception) -> None:
        why = f"({error}); the index is rebuilt from the catalog"
        if self._catalog.read_only:
            self.note = f"{path.name} is damaged {why}"
            return
        try:
            snapshots.set_aside(path)
            self.note = f"{path.name} was set aside {why}"
        except OSError as refused:
            self.note = f"{path.name} is damaged and cannot be set aside ({refused.strerror}) {why}"

    def _load(self) -> tuple[Engine, Position]:
        with self._catalog.reading() as connection:
            self._check_bound(connection)
            self._aside.load(connection, self._model, whole=False)
            for position, path in snapshots.newest_first(self._catalog.folder, RECIPE):
                if not changes.holds(connection, position):
                    continue
                if position.seq < embedders.last_change(connection):  # its vectors are another embedder's
                    continue
                try:
                    check_all = path.stat().st_size <= _WHOLE_BYTES
                    engine = Engine.load(path, self._precision, check_all=check_all)
                except (InvalidArgument, FileNotFoundError):  # of another precision; dropped meanwhile
                    continue
                except (Corruption, StorageError, Unsupported) as error:
                    self._set_aside(path, error)
                    continue
                if engine.dim == self._dim:
                    self._saved = position
                    for uri in self._aside.uris(connection):
                        _drop(engine, uri)
                    return engine, position
            return self._rebuild(connection)

    def _rebuild(self, connection: sa.Connection) -> tuple[Engine, Position]:
        """An engine of all that the catalog has, in the transaction that reads its position: no move must be applied
        twice."""
        engine = Engine(self._dim, self._precision)
        position = changes.position(connection)
        self._aside.load(connection, self._model, whole=True)
        for document_id in documents.all_ids(connection):
            record = documents.find_id(connection, document_id)
            if record is not None:
                self._publish(engine, connection, record, record.uri)
        for folder in folders.all_of(connection):
            publish_folder(engine, connection, folder.uri, self._model)
        publish_edges(engine, connection, experience.active_traces(connection), self._model)
        for uri in folders.hidden(connection):
            _drop(engine, abstract_of(uri))
        return engine, position

    def _publish(self, engine: Engine, connection: sa.Connection, record: DocumentRecord, uri: str) -> None:
        """Index a document, unless it is damaged: then it is set aside, and nothing else."""
        if record.id not in self._aside:
            try:
                publish(engine, connection, record, uri, self._model)
                return
            except (KnarrError, sa.exc.DBAPIError, ValueError, TypeError, LookupError) as error:
                if isinstance(error, sa.exc.DBAPIError) and not is_damage(error.orig):
                    raise
                self._aside.put(record.id, str(error.orig if isinstance(error, sa.exc.DBAPIError) else error))
        _drop(engine, uri)

    def _hide(self, connection: sa.Connection) -> None:
        for uri in folders.hidden(connection):
            _drop(self._engine, abstract_of(uri))

    def _check_bound(self, connection: sa.Connection) -> None:
        embedders.check_bound(connection, self._catalog.folder, self._own)

    def _apply(self, connection: sa.Connection, change: Change) -> None:
        if change.kind == "folder":
            _drop(self.engine, abstract_of(change.uri))
            self._waiting_folders[change.uri] = None
            return
        if change.kind == "put" and change.document_id is not None:
            # A document that was changed again, moved or removed later in the log is published here with its
            # newest text under the URI it had then; the later changes do the rest.
            record = documents.find_id(connection, change.document_id)
            if record is not None:
                self._forget_folders(change.uri)
                if not wholeness.is_damaged(connection, record.id):
                    self._aside.take_back(record.id)  # it was added again
                self._publish(self.engine, connection, record, change.uri)
            return
        try:
            if change.kind == "remove":
                self._forget_folders(change.uri)
                self.engine.remove(change.uri)
            elif change.kind == "move" and change.target is not None:
                self._move(change.uri, change.target)
        except NotFound:
            pass  # the subtree held only documents that a later change removes

    def _move(self, source: str, target: str) -> None:
        self._forget_folders(target)
        self._waiting_folders = {
            moved(uri, source, target) if lies_in(uri, source) else uri: None for uri in self._waiting_folders
        }
        try:
            self.engine.move(source, target)
        except AlreadyExists:  # no document, or it could not have been moved: an abstract that a kill left
            self.engine.remove(target)
            self.engine.move(source, target)

    def _forget_folders(self, uri: str) -> None:
        """Drop the waiting abstracts of folders at this URI: they would hide those of a document that takes the
        place."""
        self._waiting_folders = {folder: None for folder in self._waiting_folders if not lies_in(folder, uri)}


def _drop(engine: Engine, uri: str) -> None:
    if engine.exists(uri):
        engine.remove(uri)


def publish(engine: Engine, connection: sa.Connection, record: DocumentRecord, uri: str, model: str) -> None:
    """Index a stored document under `uri`, replacing what is there."""
    rows = documents.objects_of(connection, record.id)
    rows = documents.objects_of(connection, record.id)
    labels = documents.labels_of(connection, record.id)
    if rows:
        publish_rows(engine, connection, uri, rows, labels, documents.text_of(connection, record.id), model)


def publish_rows(
    engine: Engine,
    connection: sa.Connection,
    uri: str,
    rows: Sequence[Any],
    labels: Sequence[Any],
    text: str,
    model: str,
) -> None:
    """Index a document under `uri` by the rows of its objects and labels, and its text; replaces what is there."""
    data = text.encode("utf-8")
    engine.add(
        [below(uri, row.path) for row in rows],
        matrix_of(connection, uri, rows, labels, model),
        [_text(row, data) for row in rows],
        [row.kind for row in rows],
        document=uri,
        replace=True,
        previews=[row.preview for row in rows],
    )


def matrix_of(
    connection: sa.Connection, uri: str, rows: Sequence[Any], labels: Sequence[Any], model: str
) -> vectors.Vector:
    """The vectors by which a document's objects are found, one a row. Raises CatalogError where one is missing."""
    stored = vectors.get(connection, [row.vector_hash for row in [*rows, *labels]], model)
    try:
        matrix = np.stack([stored[row.vector_hash] for row in rows])
        if sum(row.kind == "chunk" for row in rows) > 1:
            label = np.sum([stored[row.vector_hash] for row in labels], axis=0)
            matrix = matrix + LABEL_WEIGHT * label / np.linalg.norm(label)
    except KeyError:
        raise CatalogError(
            f"{uri}: a vector is missing from the catalog; `knarr doctor --repair` embeds it again"
        ) from None
    return np.ascontiguousarray(matrix, dtype=np.float32)


def publish_folder(engine: Engine, connection: sa.Connection, uri: str, model: str) -> None:
    """Index the abstract of a folder above documents, or drop it with the folder when it has none."""
    record = folders.get(connection, uri)
    target = abstract_of(uri)
    if engine.exists(target):
        engine.remove(target)
    if record is None:
        if uri != SCHEME and engine.exists(uri) and engine.count(uri) == 0:
            engine.remove(uri)
        return
    stored = vectors.get(connection, [record.vector_hash], model)
    if record.vector_hash in stored:
        matrix = np.ascontiguousarray(stored[record.vector_hash][np.newaxis, :], dtype=np.float32)
        engine.add([target], matrix, [record.text], ["abstract"], previews=[record.preview])


def publish_edges(engine: Engine, connection: sa.Connection, trace_ids: Sequence[str], model: str) -> None:
    """Index the active edges of traces, where the embedder is the one that made their questions' vectors."""
    for begin in range(0, len(trace_ids), _LESSONS):
        lessons = list(experience.lessons(connection, trace_ids[begin : begin + _LESSONS]))
        stored = vectors.get(connection, [lesson.vector_hash for _, lesson in lessons], model)
        for trace_id, lesson in lessons:
            if lesson.model == model and lesson.vector_hash in stored:
                _publish_lesson(engine, trace_id, lesson, stored[lesson.vector_hash])


def _publish_lesson(engine: Engine, trace_id: str, lesson: Lesson, vector: vectors.Vector) -> None:
    pairs = [pair for pair in lesson.pairs if engine.exists(pair[0]) and engine.exists(pair[1])]
    engine.add_edges(
        [source for source, _ in pairs],
        [target for _, target in pairs],
        lesson.question,
        np.ascontiguousarray(vector, dtype=np.float32),
        trace=trace_id,
        summary=lesson.summary,
        expires_at=lesson.expires_at_s,
        audience=lesson.audience,
    )


def _text(row: Any, data: bytes) -> str:
    if row.text is not None:
        return str(row.text)
    return data[row.begin_byte : row.end_byte].decode("utf-8")
