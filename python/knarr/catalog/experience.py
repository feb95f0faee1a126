"""Episodes and their edges: what accepted traces taught, inside a caller's transaction.

Who changes what the engine must hold calls `log` in the same transaction; `Index.follow` does the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from knarr.catalog import changes, traces, vectors
from knarr.catalog.batches import batches
from knarr.catalog.records import EdgeEnd
from knarr.catalog.schema import documents, edges, episodes, trace_documents
from knarr.language.plain import text_key
from knarr.uris import below

ENDS = ("source", "target")


@dataclass(frozen=True, slots=True)
class Lesson:
    """What the engine needs of an episode, whose number is its `audience`: who may see all that its run was shown.
    `pairs` are (source, target) URIs of its active edges."""

    question: str
    vector_hash: bytes
    model: str
    summary: str
    expires_at_s: int | None
    pairs: tuple[tuple[str, str], ...]
    audience: int


def text_hash(text: str) -> bytes:
    """Equal for texts that say the same: white space around them does not count."""
    return text_key(text.strip())


def log(connection: sa.Connection, trace_ids: Iterable[str]) -> None:
    """Have every engine take up what these traces teach now."""
    changes.append_all(connection, "experience", list(dict.fromkeys(trace_ids)))


def knows(connection: sa.Connection, trace_id: str) -> bool:
    """Whether this trace was learnt, whatever became of it."""
    query = sa.select(episodes.c.id).where(episodes.c.trace_id == trace_id)
    return connection.execute(query).first() is not None


def has_question(connection: sa.Connection, question: str) -> bool:
    """Whether a trace of exactly this question was learnt, whatever became of it."""
    query = sa.select(episodes.c.id).where(episodes.c.question == question).limit(1)
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


def lessons(connection: sa.Connection, trace_ids: Sequence[str]) -> Iterator[tuple[str, Lesson]]:
    """The lessons of the active traces among these, in the order given."""
    for batch in batches(trace_ids):
        query = sa.select(episodes).where(episodes.c.trace_id.in_(batch), episodes.c.state == "active")
        found = {row.trace_id: row for row in connection.execute(query)}
        pairs: dict[int, list[tuple[str, str]]] = {}
        ids = [row.id for row in found.values()]
        for episode, source, source_path, target, target_path in connection.execute(
            _PAIRS.where(edges.c.episode_id.in_(ids))
        ):
            pairs.setdefault(episode, []).append((below(source, source_path), below(target, target_path)))
        for trace_id in batch:
            if trace_id in found:
                yield trace_id, _lesson(found[trace_id], pairs.get(found[trace_id].id, []))


_A, _B = documents.alias("a"), documents.alias("b")
_PAIRS = (
    sa.select(edges.c.episode_id, _A.c.uri, edges.c.source_path, _B.c.uri, edges.c.target_path)
    .join(_A, _A.c.id == edges.c.source_id)
    .join(_B, _B.c.id == edges.c.target_id)
    .where(edges.c.state == "active")
    .order_by(
        edges.c.episode_id, edges.c.source_id, edges.c.source_path, edges.c.target_id, edges.c.target_path
    )
)


def _lesson(row: sa.Row[Any], pairs: Iterable[tuple[str, str]]) -> Lesson:
    return Lesson(
        row.core, row.vector_hash, row.model, row.summary, row.expires_at_s, tuple(pairs), int(row.id)
    )


def set_state(connection: sa.Connection, trace_ids: Sequence[str], state: str) -> None:
    """Make episodes "active", "pending" or "quarantined", and log it."""
    for part in batches(trace_ids):
        named = episodes.c.trace_id.in_(part)
        connection.execute(episodes.update().where(named).values(state=state))
    log(connection, trace_ids)


def remove(connection: sa.Connection, trace_ids: Sequence[str]) -> int:
    """Forget episodes with their edges and, where no other asks the same, their questions' vectors.
    Returns how many edges went."""
    removed = 0
    keys: list[bytes] = []
    for part in batches(trace_ids):
        named = episodes.c.trace_id.in_(part)
        of = edges.c.episode_id.in_(sa.select(episodes.c.id).where(named))
        removed += connection.execute(sa.select(sa.func.count()).select_from(edges).where(of)).scalar_one()
        keys += connection.execute(sa.select(episodes.c.vector_hash).where(named)).scalars()
        connection.execute(edges.delete().where(of))
        connection.execute(episodes.delete().where(named))
    vectors.release(connection, keys)
    traces.forget_shown(connection, trace_ids)
    log(connection, trace_ids)
    return removed


def forget_documents(connection: sa.Connection, ids: Sequence[int]) -> list[bytes]:
    """Before documents go: forget the episodes that have edges with them, or were shown them, and keep no edge. Their
    questions may be made of the documents' words. The others lose their summaries, which name what led there. Edges
    go with their documents. Returns the keys of the questions' vectors."""
    touched: dict[int, str] = {}
    for part in batches(ids):
        ends = sa.or_(edges.c.source_id.in_(part), edges.c.target_id.in_(part))
        query = sa.select(episodes.c.id, episodes.c.trace_id).join(edges, edges.c.episode_id == episodes.c.id)
        touched |= {int(key): str(trace) for key, trace in connection.execute(query.where(ends).distinct())}
        told = sa.select(episodes.c.id, episodes.c.trace_id).join(
            trace_documents, trace_documents.c.trace_id == episodes.c.trace_id
        )
        shown = told.where(trace_documents.c.document_id.in_(part)).distinct()
        touched |= {int(key): str(trace) for key, trace in connection.execute(shown)}
        connection.execute(edges.delete().where(ends))
    keys: list[bytes] = []
    for some in batches(list(touched)):
        connection.execute(episodes.update().where(episodes.c.id.in_(some)).values(summary=""))
        teaching = sa.select(edges.c.episode_id).where(edges.c.episode_id.in_(some))
        empty = sa.and_(episodes.c.id.in_(some), episodes.c.id.not_in(teaching))
        keys += connection.execute(sa.select(episodes.c.vector_hash).where(empty)).scalars()
        connection.execute(episodes.delete().where(empty))
    traces.forget_shown(connection, list(touched.values()))
    log(connection, touched.values())
    return keys


def reconcile(connection: sa.Connection, document_id: int, chunks: Mapping[str, bytes]) -> None:
    """Hold the edges of a document against its new chunks (path to `text_hash`), and log what changed.

    An end whose text stands where it stood is left alone. Where the same text now stands at exactly one
    path of the document, because a heading above it was renamed or another one came before it, the end
    moves there. Else the edge is stale: it stays for the record and is shown to nobody."""
    places: dict[bytes, list[str]] = {}
    for path, key in chunks.items():
        places.setdefault(key, []).append(path)
    touched: dict[str, None] = {}
    for end in ENDS:
        known = (edges.c[f"{end}_id"] == document_id, edges.c.state == "active")
        query = sa.select(edges.c[f"{end}_path"], edges.c[f"{end}_hash"]).where(*known).distinct()
        for path, key in connection.execute(query).all():
            if chunks.get(path) == key:
                continue
            at = (*known, edges.c[f"{end}_path"] == path, edges.c[f"{end}_hash"] == key)
            taught = sa.select(episodes.c.trace_id).join(edges, edges.c.episode_id == episodes.c.id)
            touched |= dict.fromkeys(connection.execute(taught.where(*at).distinct()).scalars())
            found = places.get(key, [])
            if len(found) == 1:
                _rebind(connection, at, end, document_id, found[0])
            else:
                connection.execute(edges.update().where(*at).values(state="stale"))
    log(connection, touched)


def _rebind(
    connection: sa.Connection, at: Sequence[sa.ColumnElement[bool]], end: str, document_id: int, path: str
) -> None:
    """Give the ends of edges another path; edges that would become loops or equal existing ones become
    stale."""
    other = "target" if end == "source" else "source"
    there = edges.alias()
    loops = sa.and_(edges.c[f"{other}_id"] == document_id, edges.c[f"{other}_path"] == path)
    taken = sa.exists().where(
        there.c.episode_id == edges.c.episode_id,
        there.c[f"{end}_id"] == document_id,
        there.c[f"{end}_path"] == path,
        there.c[f"{other}_id"] == edges.c[f"{other}_id"],
        there.c[f"{other}_path"] == edges.c[f"{other}_path"],
    )
    connection.execute(edges.update().where(*at, sa.or_(loops, taken)).values(state="stale"))
    connection.execute(edges.update().where(*at).values(**{f"{end}_path": path}))
