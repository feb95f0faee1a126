"""Opening the database that holds the tables: what is there is looked at first, and refused before a byte changes.

A new database is made whole beside its place and then renamed to it, under the writer's lock, so that whoever finds
a catalog finds one with all its tables, however many processes make one at once and whenever they are killed.

Durability: write-ahead log, every commit synced before it is acknowledged (`synchronous=FULL`). The log goes back
into the database after each 1,000 pages of it (SQLite's own checkpoint) and when the last handle is closed, and is cut
to 64 MiB where readers held it longer.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa

from knarr.catalog import migrations
from knarr.catalog.failures import in_our_words
from knarr.catalog.locks import GATE, LOCK_NAME, never_freed, on_fork, take
from knarr.catalog.schema import metadata
from knarr.errors import CatalogError

FILE_NAME = "catalog.sqlite"
_NEW_NAME = "catalog.sqlite.new"  # of one that is being made
_BUSY_S = 30.0  # that a short transaction waits for another
_LOG_BYTES = 64 << 20
_MAKING_S = 60.0  # for the process that makes the same base at this moment

# Bytes that are no UTF-8 are damage, which seals find: they must not keep the rest from being read.
_text = functools.partial(str, encoding="utf-8", errors="replace")


class Database:
    """The connections to one catalog. `begin` gives one in a transaction; in a forked child they are made anew."""

    def __init__(self, folder: Path, *, read_only: bool) -> None:
        self._path = folder / FILE_NAME
        self._folder = folder
        self.read_only = read_only
        self._raw: dict[int, sqlite3.Connection] = {}
        self._engine = self._made()
        on_fork(self)

    def _made(self) -> sa.Engine:
        # Without a log nobody is writing; who opens such a file as one that never changes looks again each time.
        pool: dict[str, Any] = {"poolclass": sa.pool.NullPool}
        if not self._is_still():
            pool = {"poolclass": sa.pool.QueuePool, "max_overflow": -1}
        engine = sa.create_engine("sqlite://", creator=self._connect, json_deserializer=_json, **pool)
        sa.event.listen(engine, "begin", _begin)
        sa.event.listen(engine, "close", lambda raw, _record: self._raw.pop(id(raw), None))
        return engine

    def _is_still(self) -> bool:
        return self.read_only and not os.access(self._folder, os.W_OK)

    def _connect(self) -> sqlite3.Connection:
        raw = connect(self._path, "rw" if not self.read_only else "still" if self._is_still() else "ro")
        self._raw[id(raw)] = raw
        return raw

    @contextlib.contextmanager
    def begin(self, *, immediate: bool = False) -> Iterator[sa.Connection]:
        """A transaction: committed at the end, or rolled back by an exception."""
        with GATE.passed():
            pid, engine = os.getpid(), self._engine
            connection = engine.connect().execution_options(immediate=immediate)
            try:
                transaction = connection.begin()
                yield connection
                if pid != os.getpid():
                    raise CatalogError(
                        f"{self._folder}: this process was forked inside a transaction, which is its parent's alone"
                    )
                transaction.commit()
            finally:
                if pid == os.getpid():
                    connection.close()  # which rolls back what was not committed
                else:
                    never_freed(connection)

    def raw_connection(self) -> sa.PoolProxiedConnection:
        """A connection of the driver's own, outside of any transaction."""
        return self._engine.raw_connection()

    def after_fork(self) -> None:
        """In a child: the parent's connections are left alone, not even closed, since that would reach the files that
        both have."""
        for raw in self._raw.values():
            never_freed(raw)
        never_freed(self._engine)
        self._raw = {}
        self._engine = self._made()

    def dispose(self) -> None:
        self._engine.dispose()


def open_database(folder: Path, *, read_only: bool) -> Database:
    """The database in `folder`, which `examination` found fit, brought up to this knarr's schema.

    Raises CatalogError."""
    with in_our_words(folder):
        database = Database(folder, read_only=read_only)
        try:
            with database.begin() as connection:
                old = migrations.check(connection, folder)
            if old and read_only:
                raise CatalogError(
                    f"{folder}: made by an older knarr, whose tables lack something. Open it once where it can be "
                    "written, for example a copy of it"
                )
            if old:
                with database.begin(immediate=True) as connection:
                    migrations.upgrade(connection, folder)
        except BaseException:
            database.dispose()
            raise
    return database


def make(folder: Path, is_filled: Callable[[], bool]) -> None:
    """Make an empty catalog in `folder`, unless another process has just done so, which `is_filled` says. Raises
    CatalogError."""
    path, new = folder / FILE_NAME, folder / _NEW_NAME
    handle = take(folder, _MAKING_S)
    try:
        if is_filled():
            return
        _drop_new(new)
        with in_our_words(folder):
            engine = sa.create_engine(
                "sqlite://", creator=lambda: connect(new, "rwc"), poolclass=sa.pool.NullPool
            )
            sa.event.listen(engine, "begin", _begin)
            with engine.begin() as connection:
                metadata.create_all(connection)
                migrations.mark_new(connection)
            # Closed by now, which wrote the log back and removed it: nothing is beside the file when it is renamed.
            if new.with_name(f"{new.name}-wal").exists():
                raise CatalogError(f"{new}: cannot be made, since another process has opened it; try again")
        for name in (f"{FILE_NAME}-wal", f"{FILE_NAME}-shm"):  # of an empty one that was killed
            (folder / name).unlink(missing_ok=True)
        new.replace(path)
        _sync(folder)
    except OSError as error:
        if isinstance(error, CatalogError):
            raise
        raise CatalogError(f"{path}: cannot be made ({error.strerror})") from error
    finally:
        with contextlib.suppress(OSError):
            _drop_new(new)
        os.close(handle)


def is_there(path: Path) -> bool:
    """Whether there is a catalog, or something in its place. Raises CatalogError when that cannot be told."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise CatalogError(f"{path}: cannot be looked at ({error.strerror}); see its permissions") from error
    return True


def left_by_making(folder: Path) -> set[str]:
    """The names that a process may leave in an empty folder when it is killed while it makes a catalog."""
    return {LOCK_NAME, _NEW_NAME, f"{_NEW_NAME}-journal", f"{_NEW_NAME}-wal", f"{_NEW_NAME}-shm"}


def connect(path: Path, how: str) -> sqlite3.Connection:
    """A connection to the file at `path`, whatever characters that has.

    how: "rw", "ro"; "rwc" makes the file; "still" reads it as one that never changes when it has no log, which
         needs no other file; "alone" so whether it has one or not, which takes no lock and touches nothing"""
    mode = how
    if how in ("still", "alone"):
        log = path.with_name(f"{path.name}-wal")
        still = how == "alone" or not log.exists() or log.stat().st_size == 0
        mode = "ro&immutable=1" if still else "ro"
    address = f"file:{quote(os.fsencode(path.absolute()))}?mode={mode}"
    raw = sqlite3.connect(address, uri=True, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        raw.text_factory = _text
        raw.execute("PRAGMA foreign_keys=ON").close()
        if how in ("rw", "rwc"):
            raw.execute("PRAGMA journal_mode=WAL").close()
            raw.execute(f"PRAGMA journal_size_limit={_LOG_BYTES}").close()
            raw.execute("PRAGMA synchronous=FULL").close()
    except BaseException:
        raw.close()
        raise
    return raw


def _json(text: str) -> Any:
    """A stored JSON value; None where it is damaged, which the seal of its document tells."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def _begin(connection: sa.Connection) -> None:
    # A transaction that will write says so at once: one that began by reading could not be made to wait.
    immediate = connection.get_execution_options().get("immediate", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def _drop_new(new: Path) -> None:
    for suffix in ("", "-journal", "-wal", "-shm"):
        new.with_name(new.name + suffix).unlink(missing_ok=True)


def _sync(folder: Path) -> None:
    """Have the new name survive a power cut, where the file system can say so."""
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)
