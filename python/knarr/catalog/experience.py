"""Episodes and their edges: what accepted traces taught, inside a caller's transaction.

Who changes what the engine must hold calls `log` in the same transaction; `Index.follow` does the rest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from knarr.catalog import changes, vectors
from knarr.catalog.records import EdgeEnd
from knarr.catalog.schema import documents, edges, episodes

ENDS = ("source", "target")


@dataclass(frozen=True, slots=True)
class Lesson:
    """What the engine needs of an episode; `pairs` are (source, target) URIs of its active edges."""

    question: str
    vector_hash: bytes
    model: str
    summary: str
    expires_at_s: int | None
    pairs: tuple[tuple[str, str], ...]


def text_hash(text: str) -> bytes:
    """Equal for texts that say the same: white space around them does not count."""
    return hashlib.sha256(text.strip().encode("utf-8")).digest()


def question_hash(question: str) -> bytes:
    """The key of a question's vector: asked twice, it has one."""
    return hashlib.sha256(question.encode("utf-8")).digest()


def log(connection: sa.Connection, trace_ids: Iterable[str]) -> None:
    """Have every engine take up what these traces teach now."""
    for trace_id in dict.fromkeys(trace_ids):
        changes.append(connection, "experience", trace_id)


def knows(connection: sa.Connection, trace_id: str) -> bool:
    """Whether this trace was learnt, whatever became of it."""
    query = sa.select(episodes.c.id).where(episodes.c.trace_id == trace_id)
    return connection.execute(query).first() is not None


def has_question(connection: sa.Connection, question: str) -> bool:
    """Whether a trace of exactly this question was learnt, whatever became of it."""
    query = sa.select(episodes.c.id).where(episodes.c.vector_hash == question_hash(question)).limit(1)
    return connection.execute(query).first() is not None


def put(
    connection: sa.Connection, values: Mapping[str, Any], pairs: Iterable[tuple[EdgeEnd, EdgeEnd]]
) -> None:
    """Store an episode with its edges, all of them active; its trace must be new."""
    key = connection.execute(episodes.insert().values(**values)).inserted_primary_key
    assert key is not None
    rows = [
        {"episode_id": int(key[0]), "state": "active", **_columns("source", a), **_columns("target", b)}
        for a, b in pairs
    ]
    if rows:
        connection.execute(edges.insert(), rows)


def _columns(end: str, at: EdgeEnd) -> dict[str, Any]:
    return {
        f"{end}_id": at.document_id,
        f"{end}_path": at.path,
        f"{end}_hash": at.hash,
        f"{end}_version": at.version,
    }


def active_traces(connection: sa.Connection) -> list[str]:
    """The traces that teach at present, in the order of learning."""
    query = sa.select(episodes.c.trace_id).where(episodes.c.state == "active").order_by(episodes.c.id)
    return list(connection.execute(query).scalars())


def active_edges(connection: sa.Connection, trace_id: str) -> Lesson | None:
    """What a trace teaches at present; None when it is unknown or not active."""
    query = sa.select(episodes).where(episodes.c.trace_id == trace_id, episodes.c.state == "active")
    episode = connection.execute(query).first()
    if episode is None:
        return None
    a, b = documents.alias("a"), documents.alias("b")
    found = connection.execute(
        sa.select(a.c.uri, edges.c.source_path, b.c.uri, edges.c.target_path)
        .join(a, a.c.id == edges.c.source_id)
        .join(b, b.c.id == edges.c.target_id)
        .where(edges.c.episode_id == episode.id, edges.c.state == "active")
        .order_by(edges.c.source_id, edges.c.source_path, edges.c.target_id, edges.c.target_path)
    )
    pairs = tuple((f"{source}/{below}", f"{target}/{under}") for source, below, target, under in found)
    return Lesson(
        episode.question,
        episode.vector_hash,
        episode.model,
        episode.summary,
        episode.expires_at_s,
        pairs,
    )


def set_state(connection: sa.Connection, trace_ids: Sequence[str], state: str) -> None:
    """Make episodes "active", "pending" or "quarantined", and log it."""
    connection.execute(episodes.update().where(episodes.c.trace_id.in_(trace_ids)).values(state=state))
    log(connection, trace_ids)


def remove(connection: sa.Connection, trace_ids: Sequence[str]) -> int:
    """Forget episodes with their edges and, where no other asks the same, their questions' vectors.
    Returns how many edges went."""
    of = sa.select(episodes.c.id).where(episodes.c.trace_id.in_(trace_ids))
    gone = connection.execute(sa.select(sa.func.count()).where(edges.c.episode_id.in_(of))).scalar_one()
    hashes = sa.select(episodes.c.vector_hash).where(episodes.c.trace_id.in_(trace_ids))
    keys = list(connection.execute(hashes).scalars())
    connection.execute(edges.delete().where(edges.c.episode_id.in_(of)))
    connection.execute(episodes.delete().where(episodes.c.trace_id.in_(trace_ids)))
    vectors.release(connection, keys)
    log(connection, trace_ids)
    return int(gone)


def reconcile(connection: sa.Connection, document_id: int, chunks: Mapping[str, bytes]) -> None:
    """Hold the edges of a document against its new chunks (path to `text_hash`), and log what changed.

    An end whose text stands where it stood is left alone. Where the same text now stands at exactly one
    path of the document, because a heading above it was renamed or another one came before it, the end
    moves there. Else the edge is stale: it stays for the record and is shown to nobody."""
    places: dict[bytes, list[str]] = {}
    for path, key in chunks.items():
        places.setdefault(key, []).append(path)
    touched = []
    for end in ENDS:
        at = edges.c[f"{end}_id"] == document_id
        query = sa.select(edges, episodes.c.trace_id).join(episodes, episodes.c.id == edges.c.episode_id)
        for row in connection.execute(query.where(at, edges.c.state == "active")).all():
            path, key = row._mapping[f"{end}_path"], row._mapping[f"{end}_hash"]
            if chunks.get(path) == key:
                continue
            found = places.get(key, [])
            if len(found) != 1 or not _rebind(connection, row, end, found[0]):
                connection.execute(edges.update().where(*_same(row)).values(state="stale"))
            touched.append(str(row.trace_id))
    log(connection, touched)


def _rebind(connection: sa.Connection, row: sa.Row[Any], end: str, path: str) -> bool:
    """Give an edge's end another path; False where that would make a loop or an edge that is there."""
    wanted = {**{name: row._mapping[name] for name in _KEY}, f"{end}_path": path}
    loops = (wanted["source_id"], wanted["source_path"]) == (wanted["target_id"], wanted["target_path"])
    taken = sa.select(edges.c.episode_id).where(*(edges.c[name] == wanted[name] for name in _KEY))
    if loops or connection.execute(taken).first() is not None:
        return False
    connection.execute(edges.update().where(*_same(row)).values(**{f"{end}_path": path}))
    return True


_KEY = ("episode_id", "source_id", "source_path", "target_id", "target_path")


def _same(row: sa.Row[Any]) -> list[sa.ColumnElement[bool]]:
    return [edges.c[name] == row._mapping[name] for name in _KEY]
