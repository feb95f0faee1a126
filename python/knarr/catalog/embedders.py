"""Which embedder a catalog's vectors are by, and changing it.

Vectors are stored by content and model, so those of several models lie side by side; one is bound, and the engine
holds its vectors alone. A change of it is a line of the log, of the kind "embedder": engines that follow the log learn
of it there, and snapshots from before it are not used. What was calibrated for an embedder is set aside with it.
"""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from knarr.catalog import changes, facts
from knarr.catalog.schema import changes as log
from knarr.catalog.schema import episodes, vectors
from knarr.errors import CatalogError
from knarr.uris import SCHEME

CHANGE = "embedder"  # the kind of the change
_BOUND = "embedder"
_BEFORE = "embedder_before"
_OWN = (
    "gamma",
    "checker_calibration:",
)  # what is measured with the vectors of one embedder, by its beginning
_ASIDE = "aside:"


def identity(model: str, dim: int) -> str:
    """The name under which an embedder is bound."""
    return f"{model} ({dim} wide)"


def parted(identity: str) -> tuple[str, int]:
    """The model and the width of an identity. Raises ValueError for anything else."""
    model, _, width = identity.removesuffix(" wide)").rpartition(" (")
    return model, int(width)


def bound(connection: sa.Connection) -> str | None:
    """The identity of the embedder whose vectors are used; None before the first."""
    return facts.get(connection, _BOUND)


def before(connection: sa.Connection) -> str | None:
    """The embedder that was bound before the last change of it."""
    return facts.get(connection, _BEFORE)


def check_bound(connection: sa.Connection, folder: Path, own: str) -> None:
    """Raises CatalogError where the base has gone over to another embedder since it was opened."""
    now = bound(connection)
    if now is not None and now != own:
        raise CatalogError(
            f"{folder}: has gone over to the embedder {now} since it was opened with {own}; open it again with "
            "the new one (KNARR_EMBEDDER), or undo the change with `knarr reembed --undo`"
        )


def bind(connection: sa.Connection, new: str) -> None:
    """From this transaction on the vectors of another embedder are used, and what was calibrated for it."""
    old = bound(connection)
    if old == new:
        return
    if old is not None:
        for prefix in _OWN:
            for key, value in facts.beginning(connection, prefix).items():
                facts.put(connection, f"{_ASIDE}{old}:{key}", value)
                facts.remove(connection, key)
        facts.put(connection, _BEFORE, old)
    own = f"{_ASIDE}{new}:"
    for key, value in facts.beginning(connection, own).items():
        facts.put(connection, key.removeprefix(own), value)
        facts.remove(connection, key)
    facts.put(connection, _BOUND, new)
    connection.execute(episodes.update().values(model=parted(new)[0]))
    changes.append(connection, CHANGE, SCHEME)


def last_change(connection: sa.Connection) -> int:
    """The number of the change that bound the present embedder in place of another; 0 where none did."""
    query = sa.select(sa.func.max(log.c.seq)).where(log.c.kind == CHANGE)
    return int(connection.execute(query).scalar() or 0)


def models(connection: sa.Connection) -> dict[str, int]:
    """How many vectors there are of each model."""
    query = sa.select(vectors.c.model, sa.func.count()).group_by(vectors.c.model).order_by(vectors.c.model)
    return {str(model): int(n) for model, n in connection.execute(query)}


def forget(connection: sa.Connection, model: str) -> int:
    """Delete the vectors of a model that is not bound, and what was calibrated for it; returns how many."""
    for key in facts.beginning(connection, f"{_ASIDE}{model} ("):
        facts.remove(connection, key)
    old = before(connection)
    if old is not None and parted(old)[0] == model:
        facts.remove(connection, _BEFORE)
    return connection.execute(vectors.delete().where(vectors.c.model == model)).rowcount
