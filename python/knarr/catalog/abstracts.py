"""Abstracts that chat models made, by what they were asked for + model + prompt.

An entry lives as long as something in the catalog still has that content: `uses` says who. Owners are
documents (by id) and folders (by URI). An entry without a text records that the model gave none, and why.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from knarr.catalog.batches import batches
from knarr.catalog.schema import abstract_uses, meta, model_abstracts
from knarr.catalog.seals import is_whole, seal

MODEL = "abstract_model"  # in `meta`: the model whose abstracts are shown


@dataclass(frozen=True, slots=True)
class Made:
    """What a model gave: a text, or no text and the reason. `tokens` is what it cost."""

    text: str
    reason: str = ""
    tokens: int = 0


def owner(document_id: int) -> str:
    """The owner's name of a document; a folder's is its URI."""
    return str(document_id)


def get(connection: sa.Connection, key: bytes, model: str, prompt: str) -> Made | None:
    """What was made for this content, if anything was."""
    table = model_abstracts
    query = sa.select(table.c.text, table.c.reason, table.c.tokens, table.c.crc).where(
        table.c.key == key, table.c.model == model, table.c.prompt == prompt
    )
    row = connection.execute(query).first()
    if row is None or not is_whole(row.crc, key, model, prompt, row.text, row.reason):
        return None  # a damaged one is asked for again
    return Made(row.text, row.reason, row.tokens)


def put(connection: sa.Connection, key: bytes, model: str, prompt: str, made: Made, user: str) -> None:
    """Keep what was made, used by the owner `user`."""
    values = {"key": key, "model": model, "prompt": prompt}
    table = model_abstracts
    same = sa.and_(table.c.key == key, table.c.model == model, table.c.prompt == prompt)
    connection.execute(table.delete().where(same))
    connection.execute(
        table.insert().values(
            **values,
            text=made.text,
            reason=made.reason,
            tokens=made.tokens,
            crc=seal(key, model, prompt, made.text, made.reason),
        )
    )
    _use(connection, user, [key])


def keep(connection: sa.Connection, user: str, keys: Sequence[bytes]) -> None:
    """Say all that an owner's content now asks for; entries that nobody asks for any more are deleted."""
    old = _used(connection, [user])
    if set(old) == set(keys):
        return
    connection.execute(abstract_uses.delete().where(abstract_uses.c.owner == user))
    _use(connection, user, keys)
    _release(connection, [key for key in old if key not in set(keys)])


def forget(connection: sa.Connection, users: Sequence[str]) -> None:
    """Forget removed owners, and the texts that only they asked for."""
    for part in batches(users):
        old = _used(connection, part)
        connection.execute(abstract_uses.delete().where(abstract_uses.c.owner.in_(part)))
        _release(connection, old)


def used(connection: sa.Connection, user: str) -> set[bytes]:
    """All that an owner's content asks for."""
    return set(_used(connection, [user]))


def show(connection: sa.Connection, model: str) -> None:
    """From now on this model's abstracts are the ones to recall."""
    connection.execute(meta.delete().where(meta.c.key == MODEL))
    connection.execute(meta.insert().values(key=MODEL, value=model))


def rename(connection: sa.Connection, old: str, new: str) -> None:
    """A folder that moved."""
    connection.execute(abstract_uses.delete().where(abstract_uses.c.owner == new))
    connection.execute(abstract_uses.update().where(abstract_uses.c.owner == old).values(owner=new))


def any_made(connection: sa.Connection) -> bool:
    """Whether there is anything to look for."""
    return connection.execute(sa.select(abstract_uses.c.key).limit(1)).first() is not None


def _use(connection: sa.Connection, user: str, keys: Iterable[bytes]) -> None:
    rows = [{"owner": user, "key": key} for key in dict.fromkeys(keys)]
    if rows:
        connection.execute(abstract_uses.insert().prefix_with("OR IGNORE", dialect="sqlite"), rows)


def _used(connection: sa.Connection, users: Sequence[str]) -> list[bytes]:
    query = sa.select(abstract_uses.c.key).where(abstract_uses.c.owner.in_(users)).distinct()
    return list(connection.execute(query).scalars())


def _release(connection: sa.Connection, keys: Sequence[bytes]) -> None:
    for part in batches(keys):
        used = sa.select(abstract_uses.c.key).where(abstract_uses.c.key.in_(part))
        connection.execute(
            model_abstracts.delete().where(
                model_abstracts.c.key.in_(part), model_abstracts.c.key.not_in(used)
            )
        )
