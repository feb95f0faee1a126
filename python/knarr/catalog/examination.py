"""Looking at a catalog before it is opened: foreign, newer, emptied or damaged ones are refused as they are.

The file is read without locks and without a log (`immutable`), so that nothing beside it is made or changed. Where
that cannot tell, because what matters is still in the log, it is read with its log, which changes neither.
"""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from knarr.catalog.failures import damaged, failure
from knarr.catalog.migrations import check_version
from knarr.catalog.opening import FILE_NAME, connect
from knarr.catalog.schema import APPLICATION_ID
from knarr.errors import CatalogError

# Catalogs up to this size are checked whole at each opening, at about 4 ms a megabyte. In larger ones damage is met
# by what needs the place, and `knarr doctor` looks at all of it.
WHOLE_BYTES = 32 << 20

_TABLES = {"meta", "documents", "texts", "changes"}  # that every catalog has had
_FINDINGS = 3


def examine(folder: Path, *, whole: bool = True) -> bool:
    """Look at the catalog in `folder`; False when it is an empty one, which nothing was ever written to.

    whole: check the structure of one that is small enough for it
    Raises CatalogError for anything that is no sound catalog of this knarr or an older one."""
    path = folder / FILE_NAME
    if not path.is_file():
        raise CatalogError(
            f"{path}: expected a file, found something else; this is no knowledge base of knarr"
        )
    log = path.with_name(f"{path.name}-wal")
    has_log = log.exists() and log.stat().st_size > 0
    if path.stat().st_size == 0 and not has_log:
        return False
    try:
        with contextlib.closing(connect(path, "alone")) as raw:
            is_filled = _identify(raw, folder)
            if not has_log:
                if whole and is_filled:
                    _check_whole(raw, folder)
                return is_filled
    except sqlite3.Error as error:
        if not has_log or _is_no_database(error):
            raise _refusal(folder, error) from error
    # Tables may be in the log only, and a checkpoint that was cut short is mended by it.
    try:
        with contextlib.closing(connect(path, "ro")) as raw:
            is_filled = _identify(raw, folder)
            if whole and is_filled:
                _check_whole(raw, folder)
    except sqlite3.Error as error:
        raise _refusal(folder, error) from error
    return is_filled


def structure(raw: sqlite3.Connection) -> list[str]:
    """What SQLite finds wrong with its pages, tables and indexes; empty for a sound file."""
    found = [str(row[0]) for row in raw.execute(f"PRAGMA integrity_check({_FINDINGS})")]
    found = [line for whole in found for line in whole.splitlines() if not line.startswith("*** in database")]
    return [] if found == ["ok"] else found


def _identify(raw: sqlite3.Connection, folder: Path) -> bool:
    """Refuse what is not ours or too new; False for a database without tables."""
    path = folder / FILE_NAME
    mark = int(raw.execute("PRAGMA application_id").fetchone()[0])
    if mark not in (0, APPLICATION_ID):
        raise CatalogError(
            f"{path}: a database of another application (its application_id is {mark & 0xFFFFFFFF:#010x}), which "
            "was left as it is; name another folder"
        )
    tables = {str(row[0]) for row in raw.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    if not tables:
        if mark == APPLICATION_ID:
            raise damaged(folder, "its tables are gone")
        return False
    if not tables >= _TABLES:
        if mark == APPLICATION_ID or _has_snapshot(folder):
            raise damaged(folder, f"it lacks the tables {', '.join(sorted(_TABLES - tables))}")
        raise CatalogError(
            f"{path}: a database of another application (its tables are not those of a catalog), which was left as "
            "it is; name another folder"
        )
    check_version(_version(raw), folder)
    return True


def _version(raw: sqlite3.Connection) -> str | None:
    row = raw.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
    return None if row is None else str(row[0])


def _check_whole(raw: sqlite3.Connection, folder: Path) -> None:
    size = sum(
        path.stat().st_size for path in (folder / FILE_NAME, folder / f"{FILE_NAME}-wal") if path.exists()
    )
    if size > WHOLE_BYTES:
        return
    found = structure(raw)
    if found:
        raise damaged(folder, "; ".join(found))


def _is_no_database(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_NOTADB


def _refusal(folder: Path, error: sqlite3.Error) -> CatalogError:
    if _is_no_database(error) and not _has_snapshot(folder):
        return CatalogError(
            f"{folder / FILE_NAME}: not a catalog of knarr ({error}), and left as it is. When it was one, "
            f"`knarr doctor --kb {folder}` says what can be saved; otherwise name another folder"
        )
    return failure(folder, error)


def _has_snapshot(folder: Path) -> bool:
    return any(folder.glob("engine-*"))
