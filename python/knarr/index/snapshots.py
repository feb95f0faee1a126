"""The files of the engine's snapshots, beside the catalog: several processes may write and drop them.

A file's name holds the recipe that made it and the position in the catalog's log that it holds. Whoever
writes `NAME` writes `NAME.tmp` first and holds its lock meanwhile.
"""

from __future__ import annotations

import contextlib
import fcntl
import re
import time
from collections.abc import Iterable
from pathlib import Path

from knarr.catalog.records import Position
from knarr.engine import Engine
from knarr.errors import StorageError

_BUSY = "another writer is writing"  # in the engine's message
_DAMAGED_KEPT = 2
_DAMAGED_DAYS = 30
_NAME = re.compile(r"engine-r(\d+)-(\d+)-([0-9a-f]{16})\.snapshot")


def path_of(folder: Path, recipe: int, position: Position) -> Path:
    """Where the snapshot of a position is kept."""
    return folder / f"engine-r{recipe}-{position.seq}-{position.stamp:016x}.snapshot"


def newest_first(folder: Path, recipe: int) -> list[tuple[Position, Path]]:
    """The snapshots of this recipe. Their positions may be of another log, which a backup has replaced."""
    names = ((_NAME.fullmatch(path.name), path) for path in folder.glob("engine-*.snapshot"))
    found = [(match, path) for match, path in names if match and int(match[1]) == recipe]
    return sorted(((Position(int(match[2]), int(match[3], 16)), path) for match, path in found), reverse=True)


def write(engine: Engine, path: Path) -> bool:
    """Write a snapshot; False when another process is writing the same one. Raises StorageError, and leaves no file."""
    try:
        engine.save(path)
    except StorageError as error:
        if _BUSY in str(error):
            return False
        drop([path.with_name(path.name + ".tmp")])
        raise
    return True


def set_aside(path: Path) -> None:
    """Keep a damaged snapshot out of use, for whoever wants to know what happened. Another process may have done so,
    or dropped it."""
    with contextlib.suppress(FileNotFoundError):
        path.replace(path.with_suffix(".damaged"))
    drop_damaged(path.parent)


def drop_damaged(folder: Path) -> None:
    """Drop damaged snapshots but the newest few, and those too when they are old."""
    found = []
    for path in folder.glob("engine-*.damaged"):
        with contextlib.suppress(FileNotFoundError):
            found.append((path.stat().st_mtime, path))
    found.sort(reverse=True)
    oldest = time.time() - _DAMAGED_DAYS * 86_400
    drop(path for at, (mtime, path) in enumerate(found) if at >= _DAMAGED_KEPT or mtime < oldest)


def others(path: Path) -> list[Path]:
    """The snapshots beside this one, of whatever age and recipe, and what killed writers left."""
    beside = path.parent.glob("engine-*.snapshot")
    return [*(other for other in beside if other != path), *path.parent.glob("engine-*.snapshot.tmp")]


def drop(paths: Iterable[Path]) -> None:
    """Remove files, but none that a process is writing."""
    for path in paths:
        if path.suffix != ".tmp" or not _is_locked(path):
            path.unlink(missing_ok=True)


def _is_locked(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False
