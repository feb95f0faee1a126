"""The engine and its snapshots, held against the catalog: the same objects, texts, previews, vectors and edges.

It is what an open base would search: the newest snapshot that the log vouches for, with the rest of the log applied.
Each object is asked for by its own vector in its own place, so a row whose vector is another's shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import sqlalchemy as sa

from knarr.care.health import Notes
from knarr.catalog import Catalog, changes, documents, embedders, experience, folders, vectors
from knarr.catalog.records import DocumentRecord
from knarr.engine import Engine, Precision
from knarr.errors import Corruption, EngineError, KnarrError, StorageError, Unsupported
from knarr.index import snapshots
from knarr.index.index import RECIPE, Index, matrix_of
from knarr.uris import abstract_of, below

PART = "index"
_REBUILD = "knarr doctor --repair builds the index anew from the catalog"
_LEAST_COSINE = {"float32": 0.9999, "bfloat16": 0.999, "int8": 0.99}


@dataclass(frozen=True, slots=True)
class _Expected:
    uri: str
    text: str
    preview: str
    vector: vectors.Vector


def check_files(catalog: Catalog, notes: Notes) -> None:
    """Snapshots are whole, and of this log; what killed or careful processes left is named."""
    for position, path in snapshots.newest_first(catalog.folder, RECIPE):
        with catalog.reading() as connection:
            holds = changes.holds(connection, position)
        if not holds:
            what = "a snapshot of another log, as a restored catalog has; it is not used"
            notes.add("warning", PART, path.name, what, "knarr doctor --repair removes it", mendable=True)
            continue
        try:
            Engine.load(path, check_all=True)
        except (Corruption, StorageError, Unsupported) as error:
            notes.add(
                "warning",
                PART,
                path.name,
                f"a damaged snapshot ({error}); it is not used",
                _REBUILD,
                mendable=True,
            )
        except FileNotFoundError:
            continue  # dropped meanwhile
        notes.count("snapshots")
    for path in sorted(catalog.folder.glob("*.damaged")):
        what = "a snapshot that was set aside; it holds texts, and nothing reads it"
        notes.add("warning", "files", path.name, what, "knarr doctor --repair removes it", mendable=True)


def check_index(
    catalog: Catalog, precision: Precision, notes: Notes, passed: Callable[[str], object]
) -> None:
    """What an open base searches is what the catalog says. `passed` is called with each document's URI."""
    with catalog.reading() as connection:
        own = embedders.bound(connection)
    if own is None:
        return
    model, dim = embedders.parted(own)
    try:
        index = Index(catalog, dim, model, precision)
    except KnarrError as error:
        notes.add(
            "error", PART, "", f"the index cannot be made ({error})", "see what is wrong with the catalog"
        )
        return
    engine, total = index.engine, 0
    least = _LEAST_COSINE[engine.precision]
    with catalog.reading() as connection:
        for document_id in documents.all_ids(connection):
            record = documents.find_id(connection, document_id)
            if record is None:
                continue
            expected = list(_of_document(connection, record, model))
            total += len(expected)
            _compare(engine, expected, least, record.uri, notes)
            passed(record.uri)
        in_folders = list(_of_folders(connection, model))
        _compare(engine, in_folders, least, "", notes)
        total += len(in_folders)
        _check_edges(engine, connection, model, notes)
    if len(engine) != total:
        what = f"it holds {len(engine)} objects, the catalog {total}"
        notes.add("error", PART, "", what, _REBUILD, mendable=True)


def _of_document(connection: sa.Connection, record: DocumentRecord, model: str) -> Iterator[_Expected]:
    rows = documents.objects_of(connection, record.id)
    try:
        matrix = matrix_of(connection, record.uri, rows, documents.labels_of(connection, record.id), model)
        data = documents.text_of(connection, record.id).encode("utf-8")
    except (KnarrError, sa.exc.SQLAlchemyError, ValueError):
        return  # told by the checks of documents and vectors
    for row, vector in zip(rows, matrix, strict=True):
        text = (
            str(row.text)
            if row.text is not None
            else data[row.begin_byte : row.end_byte].decode("utf-8", "replace")
        )
        yield _Expected(below(record.uri, row.path), text, row.preview, vector)


def _of_folders(connection: sa.Connection, model: str) -> Iterator[_Expected]:
    for record in folders.all_of(connection):
        stored = vectors.get(connection, [record.vector_hash], model)
        if record.vector_hash in stored:
            yield _Expected(abstract_of(record.uri), record.text, record.preview, stored[record.vector_hash])


def _compare(engine: Engine, expected: list[_Expected], least: float, where: str, notes: Notes) -> None:
    notes.count("objects", len(expected))
    for one in expected:
        fault = _fault(engine, one, least)
        if fault:
            notes.add("error", PART, where or one.uri, f"{one.uri}: {fault}", _REBUILD, mendable=True)
            return


def _fault(engine: Engine, one: _Expected, least: float) -> str:
    """How an object of the engine differs from what it should be; "" where it does not."""
    if not engine.exists(one.uri):
        return "it is not in the index"
    try:
        if engine.read(one.uri).text != one.text:
            return "the index has another text"
        hits = engine.search(np.ascontiguousarray(one.vector), scope=one.uri, k=1)
    except EngineError as error:
        return f"the index cannot read it ({error})"
    if not len(hits.uris) or float(hits.scores[0]) < least:
        return "the index has another vector"
    return ""


def _check_edges(engine: Engine, connection: sa.Connection, model: str, notes: Notes) -> None:
    """The engine holds an edge for each pair that an active trace teaches."""
    taught: set[tuple[str, str, str]] = set()
    for trace_id, lesson in experience.lessons(connection, experience.active_traces(connection)):
        if lesson.model == model and vectors.get(connection, [lesson.vector_hash], model):
            taught |= {(source, target, trace_id) for source, target in lesson.pairs}
    held: set[tuple[str, str, str]] = set()
    at = 0
    while page := engine.edges(at, 1_000):
        held |= {(edge.source, edge.target, edge.trace) for edge in page}
        at += len(page)
    notes.count("edges", len(held))
    if held != taught:
        what = f"of {len(taught)} edges it has {len(held & taught)}, and {len(held - taught)} that nothing teaches"
        notes.add("error", PART, "", what, _REBUILD, mendable=True)
