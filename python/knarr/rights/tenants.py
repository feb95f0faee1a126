"""Tenants: each is a base of its own, in a folder of its own inside the base.

Its catalog, index, traces, experience and vectors are its own, so nothing can cross, neither by a result nor by how
soon it comes. Looking makes nothing: a folder is made when the owner asks for the tenant's handle.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from knarr.arguments import has_utf8, shown
from knarr.catalog import FILE_NAME
from knarr.errors import InvalidArgument

FOLDER = "tenants"
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-_")
_ESCAPED = re.compile(rb"=([0-9a-f]{2})")
_MOST_BYTES = 240  # of a file's name; 255 is what file systems hold


class Closes(Protocol):
    """What is open until it is closed."""

    def close(self) -> None: ...


_Base = TypeVar("_Base", bound=Closes)


def folder_name(tenant: str) -> str:
    """The name of a tenant's folder: lower-case ASCII letters, digits, `-` and `_` stand for themselves, all else is
    escaped, so that no two names meet on any file system, and none is a path. Raises InvalidArgument."""
    if not isinstance(tenant, str) or not tenant or not has_utf8(tenant):
        raise InvalidArgument(
            f"tenant: expected a name, not empty and with a UTF-8 form, got {shown(tenant)}"
        )
    name = "".join(chr(byte) if byte in _PLAIN else f"={byte:02x}" for byte in tenant.encode())
    if len(name) > _MOST_BYTES:
        raise InvalidArgument(
            f"tenant {shown(tenant)}: its folder's name takes {len(name)} bytes, at most {_MOST_BYTES} are possible"
        )
    return name


def tenant_name(folder: str) -> str | None:
    """The tenant whose folder has this name, None where none has."""
    try:
        name = _ESCAPED.sub(lambda found: bytes.fromhex(found[1].decode()), folder.encode()).decode()
        return name if folder_name(name) == folder else None
    except (UnicodeError, InvalidArgument):
        return None


class Tenants(Generic[_Base]):
    """The tenants of one base, opened when they are first used and closed with it. Thread-safe."""

    def __init__(self, base: Path) -> None:
        self._folder = base / FOLDER
        self._open_base: Callable[[str, Path], _Base]
        self._opened: dict[str, _Base] = {}
        self._former: list[_Base] = []
        self._lock = threading.Lock()

    def renew(self, open_base: Callable[[str, Path], _Base]) -> None:
        """From now on tenants are opened so. Those that were opened before are closed with the base."""
        with self._lock:
            self._former += self._opened.values()
            self._open_base, self._opened = open_base, {}

    def names(self) -> list[str]:
        """The tenants that there are, in order."""
        if not self._folder.is_dir():
            return []
        there = (path for path in self._folder.iterdir() if (path / FILE_NAME).is_file())
        return sorted(name for path in there if (name := tenant_name(path.name)) is not None)

    def find(self, name: str) -> _Base | None:
        """The base of a tenant, None where there is none."""
        folder = folder_name(name)
        with self._lock:
            if folder in self._opened:
                return self._opened[folder]
        return self.get(name) if (self._folder / folder / FILE_NAME).is_file() else None

    def get(self, name: str) -> _Base:
        """The base of a tenant, made where there is none."""
        folder = folder_name(name)
        with self._lock:
            if folder not in self._opened:
                self._opened[folder] = self._open_base(name, self._folder / folder)
            return self._opened[folder]

    def close(self) -> None:
        """Close those that were opened; all of them, whatever happens."""
        with self._lock:
            opened, self._opened, self._former = [*self._former, *self._opened.values()], {}, []
        _close_all(opened)


def _close_all(opened: list[_Base]) -> None:
    if opened:
        try:
            opened.pop().close()
        finally:
            _close_all(opened)
