"""What the database refuses, in words of ours: which of its reasons it is, whether anything is lost, what to do.

A message names the folder, tells locked, read-only, full and damaged apart, and never advises to move or delete
files: a base that is only busy is sound, and of a damaged one `knarr doctor` saves what can be saved.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from knarr.errors import CatalogError, InvalidArgument

_UNDONE = "nothing of this change was stored, and what was stored before is safe"
# By SQLite's primary result code: what it means, and what to do.
_REASONS = {
    sqlite3.SQLITE_BUSY: (
        "the database is locked by another process",
        "its content was not looked at, and nothing was changed. Try again when that process is done",
    ),
    sqlite3.SQLITE_LOCKED: (
        "the database is locked by another connection",
        "its content was not looked at, and nothing was changed. Try again when that one is done",
    ),
    sqlite3.SQLITE_READONLY: (
        "the database cannot be written any more",
        f"{_UNDONE}. Give its folder and files write permission, then open it again",
    ),
    sqlite3.SQLITE_PERM: (
        "access was refused",
        f"{_UNDONE}. Look at the permissions of its folder and files",
    ),
    sqlite3.SQLITE_FULL: ("the disk is full", f"{_UNDONE}. Make room and try again"),
    sqlite3.SQLITE_IOERR: (
        "the operating system could not read or write the database",
        f"{_UNDONE}. Look for a full or failing disk, a quota or a limit on file sizes, then try again",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "the database or its log cannot be opened",
        "its content was not looked at. See that the folder is still there, that its files may be read, and that "
        "this process may open more files",
    ),
    sqlite3.SQLITE_NOMEM: ("memory ran out", f"{_UNDONE}. Try again with more memory"),
}
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_UNREADABLE = ("could not decode to utf-8", "malformed")


def damaged(folder: Path, reason: object) -> CatalogError:
    """The error for a catalog that cannot be trusted any more."""
    return CatalogError(
        f"{folder / 'catalog.sqlite'}: damaged ({reason}). `knarr doctor --kb {folder}` says what can be saved; "
        "leave its files as they are until then"
    )


def is_damage(error: BaseException | None) -> bool:
    """Whether SQLite says that what it read is damaged, and not that it could not read."""
    return _primary(error) in _DAMAGE or any(word in str(error).lower() for word in _UNREADABLE)


def _primary(error: BaseException | None) -> int | None:
    code = getattr(error, "sqlite_errorcode", None)
    return code & 0xFF if isinstance(code, int) else None


def failure(folder: Path, error: BaseException | None) -> CatalogError:
    """The error for what SQLite raised over the catalog in `folder`."""
    primary = _primary(error)
    if is_damage(error):
        return damaged(folder, error)
    if primary in _REASONS:
        reason, advice = _REASONS[primary]
        return CatalogError(f"{folder}: {reason} ({error}); {advice}")
    return CatalogError(f"{folder}: {error}")


@contextmanager
def in_our_words(folder: Path) -> Iterator[None]:
    """What the database, or the library in front of it, refuses is a CatalogError, and an InvalidArgument where a
    value is at fault. Messages keep the database's reason and nothing of the library's: no statement, no link."""
    try:
        yield
    except sa.exc.DBAPIError as error:
        raise failure(folder, error.orig) from error
    except sqlite3.Error as error:
        raise failure(folder, error) from error
    except sa.exc.SQLAlchemyError as error:
        reason = f"{type(error).__name__}: {str(error).partition('(Background')[0]}"
        raise CatalogError(f"{folder}: {reason}") from error
    except json.JSONDecodeError as error:
        raise damaged(folder, f"a stored value is no JSON: {error}") from error
    except (UnicodeEncodeError, OverflowError) as error:
        raise InvalidArgument(f"{folder}: a value that no catalog can hold ({error})") from error
