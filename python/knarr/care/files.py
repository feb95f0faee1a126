"""Files written durably, hashed in passing, and the ends of what processes left that were killed."""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Protocol

PIECE = 1 << 20


class Writes(Protocol):
    """What takes bytes."""

    def write(self, data: bytes, /) -> object: ...


def copy(source: BinaryIO, target: Writes | None, passed: Callable[[int], object] = int) -> tuple[str, int]:
    """Copy to the end, a piece at a time; returns SHA-256 and length. Without a target it is read only."""
    digest, size = hashlib.sha256(), 0
    while piece := source.read(PIECE):
        digest.update(piece)
        size += len(piece)
        if target is not None:
            target.write(piece)
        passed(len(piece))
    return digest.hexdigest(), size


def sync(path: Path) -> None:
    """Have a file, or a folder's entries, on the disk before going on."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def take(handle: int) -> bool:
    """Be the one that works at this open file or folder, until it is closed or the process ends."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
