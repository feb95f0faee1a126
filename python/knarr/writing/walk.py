"""What a folder holds, as files to read: in order, without leaving it, within bounds. Whatever cannot be taken is a line
of its own and ends nothing.

A `.knarrignore` says what is no document, in its folder and below. One that cannot be read closes its folder: nobody
then knows what was to be left out.

A link is told and not followed; where links inside the folder are wanted, what one names is opened by its own path,
step by step and never through a link, so that it cannot lead out however it changes meanwhile. A folder is entered by
a link once, and never from inside itself.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Literal

from knarr.arguments import has_utf8
from knarr.catalog import FILE_NAME as CATALOG_NAME
from knarr.errors import InvalidArgument
from knarr.writing.files import (
    FILE_FLAGS,
    FOLDER_FLAGS,
    Root,
    SourceFile,
    opened,
    opened_below,
    printable,
    read_all,
    root_folder,
    why,
)
from knarr.writing.ignore import IGNORE_NAME, MAX_IGNORE_BYTES, Ignored, Pattern, patterns_in

MAX_DEPTH = 100
"""Levels of folders below a given one. A URI has a bound too, and each open level holds a file descriptor."""

MAX_ENTRIES = 1_000_000
"""Files and folders below a given one."""

Links = Literal["skip", "follow-inside"]
Names = tuple[str, ...]


def list_folder(root: Root, ignored: Ignored, links: Links) -> list[SourceFile]:
    """All files below a folder. Raises InvalidArgument for more than `MAX_ENTRIES`."""
    walk = _Walk(root, links)
    try:
        with root_folder(root) as folder:
            walk.enter(folder, (), (), ignored)
    except OSError as error:
        walk.found.append(SourceFile(root, (), ".", status="unreadable", reason=why(error)))
    return walk.found


class _Walk:
    """`names` are those that lead to a place as it is shown, `real` those without links, both below the root."""

    def __init__(self, root: Root, links: Links) -> None:
        self.found: list[SourceFile] = []
        self._root = root
        self._links = links
        self._entries = 0
        self._inside: list[tuple[int, int]] = []  # the folders that are open, by device and number
        self._linked: set[tuple[int, int]] = set()  # those that a link led into

    def enter(self, folder: int, names: Names, real: Names, ignored: Ignored) -> None:
        """List an open folder. Recursive, as deep as `MAX_DEPTH` allows."""
        self._inside.append(_identity(folder))
        try:
            ignored = ignored.below(len(names), *_own_patterns(folder, names))
            with os.scandir(folder) as entries:
                listed = sorted(entries, key=lambda entry: (_is_folder(entry), entry.name))
            self._entries += len(listed)
            if self._entries > MAX_ENTRIES:
                raise InvalidArgument(
                    f"{printable(self._root.path)}: more than {MAX_ENTRIES:,} files and folders; give its parts, or "
                    f"leave some out by {IGNORE_NAME}"
                )
            for entry in listed:
                self._take(entry, folder, names, real, ignored)
        finally:
            self._inside.pop()

    def _take(
        self, entry: os.DirEntry[str], folder: int, names: Names, real: Names, ignored: Ignored
    ) -> None:
        name = entry.name
        is_link, is_folder = entry.is_symlink(), _is_folder(entry)
        if name.startswith(".") and not name.startswith(".."):
            self._pass_over(names, name, "hidden")
        elif reason := "" if is_link else ignored.why((*names, name), is_folder):
            self._pass_over(names, name, reason)
        elif is_link:
            self._link(names, name, real, ignored)
        elif is_folder:
            self._descend(folder, name, names, real, ignored)
        elif _is_file(entry):
            self._file(names, name, (*real, name) if real != names else (), _size_of(name, folder))
        else:
            self._leave(names, name, "skipped", "not a regular file")

    def _link(self, names: Names, name: str, real: Names, ignored: Ignored) -> None:
        if self._links == "skip":
            reason = ignored.why((*names, name), False)
            if reason:
                self._pass_over(names, name, reason)
            else:
                self._leave(names, name, "skipped", "a link; links inside a folder are not followed")
            return
        target = self._target(real, name)
        if target is None:
            self._leave(names, name, "skipped", "a link that leads out of the folder, or nowhere")
            return
        try:
            with opened_below(self._root, target) as handle:
                found = os.fstat(handle)
                is_folder = stat.S_ISDIR(found.st_mode)
                if reason := ignored.why((*names, name), is_folder):
                    self._pass_over(names, name, reason)
                elif is_folder:
                    self._enter_link(handle, names, name, target, ignored)
                elif stat.S_ISREG(found.st_mode):
                    self._file(names, name, target, found.st_size)
                else:
                    self._leave(names, name, "skipped", "a link to what is no regular file")
        except OSError as error:
            self._leave(names, name, "unreadable", why(error))

    def _target(self, real: Names, name: str) -> Names | None:
        """The names that lead to what a link means, none of them a link or hidden; None outside of the folder."""
        root = Path(self._root.real)
        try:
            below = root.joinpath(*real, name).resolve(strict=True).relative_to(root).parts
        except (OSError, ValueError, RuntimeError):
            return None
        return None if any(part.startswith(".") for part in below) else below

    def _enter_link(self, folder: int, names: Names, name: str, target: Names, ignored: Ignored) -> None:
        identity = _identity(folder)
        if identity in self._inside:
            self._leave(names, name, "skipped", "a link to a folder that it lies in")
        elif identity in self._linked:
            self._leave(names, name, "skipped", "a link to a folder that another link shows already")
        else:
            self._linked.add(identity)
            self._enter_below(folder, names, name, target, ignored)

    def _descend(self, folder: int, name: str, names: Names, real: Names, ignored: Ignored) -> None:
        before = len(self.found)
        try:
            with opened(os.open(name, FOLDER_FLAGS | os.O_NOFOLLOW, dir_fd=folder)) as inner:
                self._enter_below(inner, names, name, (*real, name), ignored)
        except OSError as error:
            del self.found[before:]
            self._leave(names, name, "unreadable", why(error))

    def _enter_below(self, folder: int, names: Names, name: str, real: Names, ignored: Ignored) -> None:
        if reason := _bad_name(name):
            self._leave(names, name, "unreadable", reason)
        elif len(names) >= MAX_DEPTH:
            reason = f"more than {MAX_DEPTH} folders deep; add this folder by itself"
            self._leave(names, name, "limit", reason)
        elif _has_catalog(folder):
            self._leave(names, name, "skipped", "a knowledge base of knarr")
        else:
            self.enter(folder, (*names, name), real, ignored)

    def _file(self, names: Names, name: str, at: Names, size: int) -> None:
        self.found.append(listed_file(self._root, names, name, size, at))

    def _leave(
        self, names: Names, name: str, status: Literal["skipped", "unreadable", "limit"], reason: str
    ) -> None:
        self.found.append(SourceFile(self._root, names, name, status=status, reason=reason))

    def _pass_over(self, names: Names, name: str, reason: str) -> None:
        self.found.append(
            SourceFile(self._root, names, name, status="skipped", reason=reason, passed_over=True)
        )


def listed_file(root: Root, names: Names, name: str, size: int, at: Names = ()) -> SourceFile:
    """A file to read, unless its name cannot be kept."""
    reason = _bad_name(name)
    return SourceFile(root, names, name, size, "unreadable" if reason else "", reason, at=at)


def _own_patterns(folder: int, names: Names) -> tuple[str, tuple[Pattern, ...]]:
    """The name of a folder's own file of patterns, and the patterns. Raises OSError when there is one that cannot be
    read."""
    where = "/".join((*names, IGNORE_NAME))
    try:
        with opened(os.open(IGNORE_NAME, FILE_FLAGS | os.O_NOFOLLOW, dir_fd=folder)) as file:
            data = read_all(file, MAX_IGNORE_BYTES)
        if len(data) > MAX_IGNORE_BYTES:
            raise ValueError(f"more than {MAX_IGNORE_BYTES:,} bytes")
        return where, patterns_in(data)
    except FileNotFoundError:
        return where, ()
    except (OSError, ValueError) as error:
        raise OSError(errno.EINVAL, f"its {IGNORE_NAME} cannot be used ({why(error)})") from None


def _bad_name(name: str) -> str:
    return "" if has_utf8(name) else "its name is not valid UTF-8; rename it"


def _identity(folder: int) -> tuple[int, int]:
    found = os.fstat(folder)
    return found.st_dev, found.st_ino


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file(follow_symlinks=False)
    except OSError:
        return True  # reading it says what is wrong


def _size_of(path: str, folder: int) -> int:
    """For the progress alone; a file that vanished has none."""
    try:
        return os.stat(path, dir_fd=folder, follow_symlinks=False).st_size
    except OSError:
        return 0


def _has_catalog(folder: int) -> bool:
    try:
        return stat.S_ISREG(os.stat(CATALOG_NAME, dir_fd=folder).st_mode)
    except OSError:
        return False
