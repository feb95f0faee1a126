"""Who may change documents: one thread of one process at a time, whichever handle it uses.

`writer.lock` is taken from the operating system, which drops it when the process ends, however it ends. It belongs
to an open file, so that two handles of one process would shut each other out: they share one `WriterTurn`, and wait for
each other as threads do. A forked child has the parent's open files, and must let go of them without unlocking.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from knarr.errors import CatalogError

LOCK_NAME = "writer.lock"
_BUSY = (errno.EWOULDBLOCK, errno.EACCES)
_GATE_S = 30.0
_FIRST_NAP_S, _LONGEST_NAP_S = 0.005, 0.1


class WriterTurn:
    """The turn to change the base in one folder, shared by the handles of this process. It may be taken again by the
    thread that has it."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._depth = 0
        self._handle: int | None = None
        self._pid = os.getpid()

    @contextmanager
    def taken(self, folder: Path, wait_s: float) -> Iterator[None]:
        """Have the turn: this process's threads are waited for, another process for `wait_s` seconds. Raises
        CatalogError when that one still has it."""
        pid = os.getpid()
        with self._lock:
            if self._depth == 0:
                self._handle = take(folder, wait_s)
            self._depth += 1
            try:
                yield
            finally:
                if pid == os.getpid():  # else a fork in between has let go of everything
                    self._depth -= 1
                    if self._depth == 0 and self._handle is not None:
                        os.close(self._handle)
                        self._handle = None

    def after_fork(self) -> None:
        """In the child: its parent goes on having the turn, alone."""
        if self._handle is not None:
            os.close(self._handle)  # closed, not unlocked: the lock is the parent's
        self._lock, self._depth, self._handle = threading.RLock(), 0, None


_TURNS: weakref.WeakValueDictionary[tuple[int, int], WriterTurn] = weakref.WeakValueDictionary()
_TURNS_LOCK = threading.Lock()


def turn_of(folder: Path) -> WriterTurn:
    """The one turn of this process for the base in `folder`, by whatever path it was reached."""
    stat = folder.stat()
    with _TURNS_LOCK:
        turn = _TURNS.get((stat.st_dev, stat.st_ino))
        if turn is None:
            turn = _TURNS[(stat.st_dev, stat.st_ino)] = WriterTurn()
            on_fork(turn)
        return turn


def take(folder: Path, wait_s: float) -> int:
    """Lock the base in `folder`; returns the open file, which holds the lock until it is closed.

    Raises CatalogError when another process holds it for longer than `wait_s`, or it cannot be made."""
    path = folder / LOCK_NAME
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise CatalogError(
            f"{path}: cannot be opened ({error.strerror}), so nothing was changed. See that the folder is there, that "
            "it may be written and that its disk has room"
        ) from error
    until, nap = time.monotonic() + wait_s, _FIRST_NAP_S
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return handle
        except OSError as error:
            left = until - time.monotonic()
            if error.errno not in _BUSY or left <= 0:
                os.close(handle)
                raise _refusal(folder, path, error, wait_s) from None
        time.sleep(min(nap, max(left, 0.001)))
        nap = min(2 * nap, _LONGEST_NAP_S)


def _refusal(folder: Path, path: Path, error: OSError, wait_s: float) -> CatalogError:
    if error.errno not in _BUSY:
        return CatalogError(f"{path}: cannot be locked ({error.strerror}), so nothing was changed")
    waited = f", after {wait_s:g} seconds," if wait_s > 0 else ""
    return CatalogError(
        f"{folder}: another process is changing it{waited} and nothing was changed; wait for it to end, or stop it, "
        "and try again (KNARR_WAIT_S waits that many seconds)"
    )


# --- forks -----------------------------------------------------------------------------------------


class Forked(Protocol):
    """What has something that a child process must not use."""

    def after_fork(self) -> None: ...


class ForkGate:
    """Open to all threads, and shut while one of them forks: a thread inside the database may hold a lock of its
    library, which a child would have for ever. Entered once for a transaction, at about a microsecond."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside: dict[int, int] = {}
        self._is_shut = False

    @contextmanager
    def passed(self) -> Iterator[None]:
        """Be inside. A thread that is inside may enter again."""
        me = threading.get_ident()
        with self._changed:
            while self._is_shut and me not in self._inside:
                self._changed.wait()
            self._inside[me] = self._inside.get(me, 0) + 1
        try:
            yield
        finally:
            with self._changed:
                self._inside[me] -= 1
                if not self._inside[me]:
                    del self._inside[me]
                    self._changed.notify_all()

    def shut(self) -> None:
        """Let nobody in, and wait until all others are out, if that is not for too long."""
        me = threading.get_ident()
        with self._changed:
            self._is_shut = True
            self._changed.wait_for(lambda: not self._inside.keys() - {me}, _GATE_S)

    def open(self) -> None:
        """In the parent, after the fork."""
        with self._changed:
            self._is_shut = False
            self._changed.notify_all()

    def after_fork(self) -> None:
        """In the child, which has one thread."""
        me = threading.get_ident()
        self._changed, self._is_shut = threading.Condition(), False
        self._inside = {me: self._inside[me]} if me in self._inside else {}


GATE = ForkGate()
_FORKED: weakref.WeakSet[Forked] = weakref.WeakSet()


def on_fork(one: Forked) -> None:
    """Have `after_fork` called in each child process, for as long as `one` lives."""
    _FORKED.add(one)


def never_freed(value: object) -> None:
    """Keep a value of the parent's in a child, to the end of the process: its end would reach what the two share."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(value))


def _in_child() -> None:
    global _TURNS_LOCK
    _TURNS_LOCK = threading.Lock()
    GATE.after_fork()
    for one in list(_FORKED):
        one.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=GATE.shut, after_in_parent=GATE.open, after_in_child=_in_child)
