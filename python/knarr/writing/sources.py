"""Which files an `add` reads, and their bytes: a folder's, in order, without leaving it whatever changes meanwhile;
those of archives, each in a folder named as the archive; and what addresses on the web give.

Listing and reading are minutes apart in a large batch, so a name that was a file may be a link or a pipe by the
time it is opened. Every step below the given path is therefore opened relative to the folder above it and never
through a link, and what was opened is asked what it is. Whatever cannot be taken is a line of its own and ends
nothing.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from knarr.arguments import has_utf8
from knarr.catalog import FILE_NAME as CATALOG_NAME
from knarr.errors import InvalidArgument
from knarr.uris import is_web_address, without_credentials
from knarr.writing.archive import Archive, ArchiveError, Member, is_archive

_MAX_BYTES = 256 << 20

MAX_DEPTH = 100
"""Levels of folders below a given one. A URI has a bound too, and each open level holds a file descriptor."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# Without O_NONBLOCK, opening a pipe waits for a writer, perhaps for ever.
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
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

    inside:   of a member of an archive, where its bytes are
    fetched:  of an address, what was read there
    """

    root: Root
    folders: tuple[str, ...]
    name: str
    size_bytes: int = 0
    status: Literal["", "skipped", "unreadable", "limit", "encrypted", "empty"] = ""
    reason: str = ""
    inside: Inside | None = None
    fetched: bytes | None = None

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
    holder: _Holder


@dataclass(eq=False, slots=True)
class _Holder:
    source: SourceFile
    left: int = 0
    archive: Archive | None = None

    def read(self, member: Member, max_bytes: int) -> bytes:
        try:
            if self.archive is None:
                self.archive = Archive(read_bytes(self.source, max_bytes), max_bytes)
            return self.archive.read(member)
        except ArchiveError as error:
            raise OSError(errno.EINVAL, str(error)) from None
        finally:
            self.left -= 1
            if self.left <= 0:
                self.archive = None


@dataclass(frozen=True, slots=True)
class Batch:
    """What one `add` was given, and all files of it."""

    roots: tuple[Root, ...]
    files: tuple[SourceFile, ...]


def printable(path: str) -> str:
    """A path as text that has a UTF-8 form: other bytes come from the system as lone surrogates."""
    return path if has_utf8(path) else os.fsencode(path).decode("utf-8", "backslashreplace")


def find_sources(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], max_bytes: int = _MAX_BYTES
) -> Batch:
    """Files of a path, a folder (with its subfolders) or several of both, sorted by name within each; a member of an
    archive is a file, and so is an address (http, https), which is fetched here. No file is larger than `max_bytes`,
    nor are all that are fetched.

    What is not read is listed with the reason: hidden entries, links and special files inside a folder, folders
    that cannot be listed, names that are no UTF-8. Raises InvalidArgument for a path that does not exist, is
    empty or is an address of another kind."""
    if isinstance(paths, (str, os.PathLike)):
        given = [paths]
    elif isinstance(paths, (bytes, bytearray)) or not isinstance(paths, Iterable):
        raise InvalidArgument(f"{paths!r}: expected a path, or several")
    else:
        given = list(paths)
    roots = tuple(_root(path) for path in given)  # a wrong path is refused before a large folder is walked
    found: list[SourceFile] = []
    left = max_bytes
    for root in roots:
        if is_web_address(root.path):
            files = [_fetched(root, left)]
            left -= len(files[0].fetched or b"")
        else:
            files = _expand(root)
        found += (one for file in files for one in _unpacked(file, max_bytes))
    return Batch(roots, tuple(found))


def _root(given: object) -> Root:
    path = os.fspath(given) if isinstance(given, (str, os.PathLike)) else None
    if not isinstance(path, str):
        raise InvalidArgument(f"{given!r}: expected a path as str or Path")
    if "://" in path and not isinstance(given, Path):
        if not is_web_address(path) or not has_utf8(path):
            raise InvalidArgument(
                f"{path!r}: expected a file, a folder, or an address that begins with https://"
            )
        return Root(path, without_credentials(path), False, (0, 0))
    if not path:
        raise InvalidArgument("'' is not a path: name a file or folder (`.` is this one)")
    try:
        found = Path(path).stat()
        link = stat.S_ISLNK(os.lstat(path).st_mode)
        is_folder = stat.S_ISDIR(found.st_mode)
        real = Path(path).resolve() if is_folder else Path(path).parent.resolve()
    except (FileNotFoundError, NotADirectoryError):
        raise InvalidArgument(f"{printable(path)}: no such file or folder") from None
    except (OSError, ValueError) as error:
        raise InvalidArgument(f"{path!r} is not a usable path: {why(error)}") from None
    if not is_folder and not stat.S_ISREG(found.st_mode):
        raise InvalidArgument(f"{printable(path)}: expected a regular file or a folder")
    return Root(path, str(real), is_folder, (found.st_dev, found.st_ino), link)


def _expand(root: Root) -> list[SourceFile]:
    if not root.is_folder:
        return [_file(root, (), Path(root.path).name, _size_of(root.path))]
    found: list[SourceFile] = []
    try:
        with _root_folder(root) as folder:
            _walk(root, folder, (), found)
    except OSError as error:
        found.append(SourceFile(root, (), ".", status="unreadable", reason=why(error)))
    return found


def _fetched(root: Root, max_bytes: int) -> SourceFile:
    """What an address gives; why it gives nothing."""
    from knarr.writing.fetch import FetchError, fetch

    try:
        found = fetch(root.path, max_bytes)
    except FetchError as error:
        status = "limit" if error.status == "limit" else "empty" if error.status == "empty" else "unreadable"
        return SourceFile(root, (), root.real, status=status, reason=str(error))  # type: ignore[arg-type]
    return SourceFile(root, (), found.name, len(found.data), fetched=found.data)


def _unpacked(source: SourceFile, max_bytes: int) -> Iterator[SourceFile]:
    """The members of an archive; any other file as it is."""
    if source.status or not is_archive(source.name) or source.size_bytes > max_bytes:
        yield source
        return
    try:
        members = Archive(read_bytes(source, max_bytes), max_bytes).members()
    except (ArchiveError, OSError) as error:
        status: Literal["limit", "unreadable"] = (
            "limit" if isinstance(error, ArchiveError) and error.status == "limit" else "unreadable"
        )
        yield replace(source, status=status, reason=why(error))
        return
    holder = _Holder(source, sum(not member.status for member in members))
    if not members:
        yield replace(source, status="skipped", reason="an archive without files")
    for member in members:
        yield SourceFile(
            source.root,
            (*source.folders, source.name, *member.folders),
            member.name,
            member.size_bytes,
            member.status,
            member.reason,
            None if member.status else Inside(member, holder),
        )


def _walk(root: Root, folder: int, names: tuple[str, ...], found: list[SourceFile]) -> None:
    """List an open folder. Recursive, as deep as `MAX_DEPTH` allows."""
    with os.scandir(folder) as entries:
        listed = sorted(entries, key=lambda entry: (_is_folder(entry), entry.name))
    for entry in listed:
        name = entry.name
        if name.startswith(".") and not name.startswith(".."):
            found.append(SourceFile(root, names, name, status="skipped", reason="hidden"))
        elif entry.is_symlink():
            reason = "a link; links inside a folder are not followed"
            found.append(SourceFile(root, names, name, status="skipped", reason=reason))
        elif _is_folder(entry):
            _descend(root, folder, names, name, found)
        elif _is_file(entry):
            found.append(_file(root, names, name, _size_of(name, folder)))
        else:
            found.append(SourceFile(root, names, name, status="skipped", reason="not a regular file"))


def _descend(root: Root, folder: int, names: tuple[str, ...], name: str, found: list[SourceFile]) -> None:
    here = SourceFile(root, names, name, status="unreadable", reason=_bad_name(name))
    if here.reason:
        found.append(here)
        return
    if len(names) >= MAX_DEPTH:
        reason = f"more than {MAX_DEPTH} folders deep; add this folder by itself"
        found.append(SourceFile(root, names, name, status="limit", reason=reason))
        return
    before = len(found)
    try:
        with _opened(os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)) as inner:
            if _has_catalog(inner):
                found.append(
                    SourceFile(root, names, name, status="skipped", reason="a knowledge base of knarr")
                )
            else:
                _walk(root, inner, (*names, name), found)
    except OSError as error:
        del found[before:]
        found.append(SourceFile(root, names, name, status="unreadable", reason=why(error)))


def read_bytes(source: SourceFile, max_bytes: int) -> bytes:
    """The file's bytes; more than `max_bytes` of them, but never many more, when it is larger than that, however
    fast it grows. Raises OSError, with a sentence for a reader, when it is no longer a regular file in its
    place."""
    if source.inside is not None:
        return source.inside.holder.read(source.inside.member, max_bytes)
    if source.fetched is not None:
        return source.fetched
    with _source(source) as file:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "no longer a regular file")
        blocks: list[bytes] = []
        left = max_bytes + 1
        while left > 0 and (block := os.read(file, min(left, max(_BLOCK_BYTES, found.st_size + 1)))):
            blocks.append(block)
            left -= len(block)
    return b"".join(blocks)


@contextmanager
def _source(source: SourceFile) -> Iterator[int]:
    root = source.root
    if not root.is_folder:
        with _opened(os.open(root.path, _FILE if root.link else _FILE | os.O_NOFOLLOW)) as file:
            yield file
        return
    with _root_folder(root) as first:
        at = os.dup(first)
        try:
            for name in source.folders:
                inner = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=at)
                os.close(at)
                at = inner
            with _opened(os.open(source.name, _FILE | os.O_NOFOLLOW, dir_fd=at)) as file:
                yield file
        finally:
            os.close(at)


@contextmanager
def _root_folder(root: Root) -> Iterator[int]:
    with _opened(os.open(root.path, _FOLDER)) as folder:
        found = os.fstat(folder)
        if (found.st_dev, found.st_ino) != root.inode:
            raise OSError(errno.ESTALE, "the folder was replaced by another one meanwhile")
        yield folder


@contextmanager
def _opened(handle: int) -> Iterator[int]:
    try:
        yield handle
    finally:
        os.close(handle)


def _file(root: Root, names: tuple[str, ...], name: str, size: int) -> SourceFile:
    reason = _bad_name(name)
    return SourceFile(root, names, name, size, "unreadable" if reason else "", reason)


def _bad_name(name: str) -> str:
    return "" if has_utf8(name) else "its name is not valid UTF-8; rename it"


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


def _size_of(path: str, folder: int | None = None) -> int:
    """For the progress alone; a file that vanished has none."""
    try:
        return os.stat(path, dir_fd=folder, follow_symlinks=folder is None).st_size
    except OSError:
        return 0


def _has_catalog(folder: int) -> bool:
    try:
        return stat.S_ISREG(os.stat(CATALOG_NAME, dir_fd=folder).st_mode)
    except OSError:
        return False


def why(error: Exception) -> str:
    """An error of the operating system as a reason, without the path, which stands beside it."""
    if isinstance(error, OSError) and error.errno in (errno.ELOOP, errno.ENOTDIR):
        return "became a link or another kind of file meanwhile"
    if isinstance(error, FileNotFoundError):
        return "vanished before it was read"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[0].lower() + error.strerror[1:]
    return str(error)
