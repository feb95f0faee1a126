"""What an error in the middle of a batch means: that a file could not be stored, or that none of the others could be."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from knarr.errors import CatalogError, EmbedderError, FailureKind

MOST_IN_A_ROW = 3
"""Files that fail one after the other before the fault is looked for elsewhere."""

_GONE: frozenset[FailureKind] = frozenset(
    {"unconfigured", "unreachable", "timeout", "unauthorised", "unknown_model", "quota", "busy", "redirect", "missing"}
)  # fmt: skip
_CLOSED = frozenset(
    {
        sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_PROTOCOL,
    }
)  # fmt: skip


class Failures:
    """Counts what fails in a batch. `works` asks the embedder for one vector, and raises when it does not give it."""

    def __init__(self, works: Callable[[], object]) -> None:
        self._works = works
        self._in_a_row = 0

    def went_well(self) -> None:
        """A file was stored, so whatever failed before was the fault of files."""
        self._in_a_row = 0

    def ends(self, error: EmbedderError | CatalogError) -> bool:
        """Whether the next file would fail as well: the embedder or the disk is plainly gone, or several files in a
        row have failed, and so does what nobody can find fault with."""
        self._in_a_row += 1
        if _is_gone(error):
            return True
        if self._in_a_row % MOST_IN_A_ROW:
            return False
        if isinstance(error, CatalogError):
            return True
        try:
            self._works()
        except EmbedderError:
            return True
        return False


def _is_gone(error: EmbedderError | CatalogError) -> bool:
    cause = error.__cause__
    if isinstance(error, EmbedderError):
        return error.kind in _GONE or isinstance(cause, OSError)
    code = getattr(getattr(cause, "orig", cause), "sqlite_errorcode", None)
    return isinstance(cause, OSError) or (code is not None and code & 0xFF in _CLOSED)
