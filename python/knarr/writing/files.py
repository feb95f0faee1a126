"""A file that an `add` or a `sync` reads, and its bytes: never through a link, whatever changes meanwhile.

Listing and reading are minutes apart in a large batch, so a name that was a file may be a link or a pipe by the
time it is opened. Every step below the given path is therefore opened relative to the folder above it and never
through a link, and what was opened is asked what it is.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from knarr.arguments import has_utf8
from knarr.uris import is_web_address
from knarr.writing.archive import Archive, ArchiveError, Member

FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# Without O_NONBLOCK, opening a pipe waits for a writer, perhaps for ever.
FILE_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Root:
    """A path as it was given. `real` is the folder, or the one that the file is in, absolute and without links; of an
    address, the address without the name and password that it may hold;
    `inode` (device, number) tells a folder that was put in its place; `link` whether the path itself is a link,
    which is followed."""

    path: str
    real: str
    is_folder: bool
    inode: tuple[int, int]
    link: bool = False


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read. `folders` are the names between what was asked for and the file; `reason` says why it is
    not read, with the receipt's word for that as `status`. Names are as the file system has them.

    inside:       of a member of an archive, where its bytes are
    fetched:      of an address, what was read there
    at:           of a file that a link names, the names that lead to it
    passed_over:  it is hidden or ignored, and so no part of the folder
    """

    root: Root
    folders: tuple[str, ...]
    name: str
    size_bytes: int = 0
    status: Literal["", "skipped", "unreadable", "limit", "encrypted", "empty"] = ""
    reason: str = ""
    inside: Inside | None = None
    fetched: bytes | None = None
    at: tuple[str, ...] = ()
    passed_over: bool = False

    @property
    def shown(self) -> str:
        """The path below what was given, fit for any output: bytes that are no UTF-8 as `\\xe9`."""
        return printable("/".join([*self.folders, self.name]))

    @property
    def path(self) -> str:
        """The absolute path, fit for the catalog; of an address, the address."""
        if is_web_address(self.root.path) and not self.folders:
            return printable(self.root.real)
        return printable("/".join([self.root.real.rstrip("/"), *self.folders, self.name]))


@dataclass(eq=False, slots=True)
class Inside:
    """A member of an archive. All members of one archive share `holder`, which has the archive open while they are
    read, one after the other."""

    member: Member
    holder: Holder


@dataclass(eq=False, slots=True)
class Holder:
    """Has an archive open from the first of the members to be read to the last, `members` of them."""

    source: SourceFile
    members: int
    done: int = 0
    archive: Archive | None = None

    def read(self, member: Member, max_bytes: int) -> bytes:
        """The bytes of a member. Raises OSError."""
        try:
            if self.archive is None:
                self.archive = Archive(read_bytes(self.source, max_bytes), max_bytes)
            return self.archive.read(member)
        except ArchiveError as error:
            raise OSError(errno.EINVAL, str(error)) from None
        finally:
            self.skip()

    def skip(self) -> None:
        """One member less to read; after the last one all may be read again."""
        self.done += 1
        if self.done >= self.members:
            self.archive, self.done = None, 0


@dataclass(frozen=True, slots=True)
class Batch:
    """What one `add` was given, and all files of it."""

    roots: tuple[Root, ...]
    files: tuple[SourceFile, ...]


def printable(path: str) -> str:
    """A path as text that has a UTF-8 form: other bytes come from the system as lone surrogates."""
    return path if has_utf8(path) else os.fsencode(path).decode("utf-8", "backslashreplace")


def read_bytes(source: SourceFile, max_bytes: int) -> bytes:
    """The file's bytes; more than `max_bytes` of them, but never many more, when it is larger than that, however
    fast it grows. Raises OSError, with a sentence for a reader, when it is no longer a regular file in its
    place."""
    if source.inside is not None:
        return source.inside.holder.read(source.inside.member, max_bytes)
    if source.fetched is not None:
        return source.fetched
    with _source(source) as file:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise OSError(errno.EINVAL, "no longer a regular file")
        return read_all(file, max_bytes)


def read_all(file: int, max_bytes: int) -> bytes:
    """What an open file holds, and no more than a byte beyond the bound."""
    blocks: list[bytes] = []
    left, size = max_bytes + 1, os.fstat(file).st_size
    while left > 0 and (block := os.read(file, min(left, max(_BLOCK_BYTES, size + 1)))):
        blocks.append(block)
        left -= len(block)
    return b"".join(blocks)


@contextmanager
def _source(source: SourceFile) -> Iterator[int]:
    root = source.root
    if root.is_folder:
        with opened_below(root, source.at or (*source.folders, source.name)) as file:
            yield file
    else:
        with opened(os.open(root.path, FILE_FLAGS if root.link else FILE_FLAGS | os.O_NOFOLLOW)) as file:
            yield file


@contextmanager
def opened_below(root: Root, names: tuple[str, ...]) -> Iterator[int]:
    """What some names lead to from a given folder, opened step by step and never through a link."""
    with root_folder(root) as first:
        at = os.dup(first)
        try:
            for number, name in enumerate(names, start=1):
                flags = FOLDER_FLAGS if number < len(names) else FILE_FLAGS
                inner = os.open(name, flags | os.O_NOFOLLOW, dir_fd=at)
                os.close(at)
                at = inner
            yield at
        finally:
            os.close(at)


@contextmanager
def root_folder(root: Root) -> Iterator[int]:
    with opened(os.open(root.path, FOLDER_FLAGS)) as folder:
        found = os.fstat(folder)
        if (found.st_dev, found.st_ino) != root.inode:
            raise OSError(errno.ESTALE, "the folder was replaced by another one meanwhile")
        yield folder


@contextmanager
def opened(handle: int) -> Iterator[int]:
    try:
        yield handle
    finally:
        os.close(handle)


def why(error: Exception) -> str:
    """An error of the operating system as a reason, without the path, which stands beside it."""
    if isinstance(error, OSError) and error.errno in (errno.ELOOP, errno.ENOTDIR):
        return "became a link or another kind of file meanwhile"
    if isinstance(error, FileNotFoundError):
        return "vanished before it was read"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[0].lower() + error.strerror[1:]
    return str(error)
