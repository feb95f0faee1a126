"""Which files an `add` or a `sync` reads: a folder's, in order; those of archives, each in a folder named as the archive;
and what addresses on the web give. Whatever cannot be taken is a line of its own and ends nothing.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

from knarr.arguments import has_utf8
from knarr.errors import InvalidArgument
from knarr.uris import is_web_address, without_credentials
from knarr.writing.archive import Archive, ArchiveError, is_archive
from knarr.writing.files import Batch, Holder, Inside, Root, SourceFile, printable, read_bytes, why
from knarr.writing.ignore import Ignored
from knarr.writing.walk import Links, list_folder, listed_file

_MAX_BYTES = 256 << 20


def find_sources(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    max_bytes: int = _MAX_BYTES,
    ignored: Ignored = Ignored(),  # noqa: B008  a value
    links: Links = "skip",
) -> Batch:
    """Files of a path, a folder (with its subfolders) or several of both, sorted by name within each; a member of an
    archive is a file, and so is an address (http, https), which is fetched here. No file is larger than `max_bytes`,
    nor are all that are fetched.

    What is not read is listed with the reason: hidden and ignored entries, links and special files inside a folder,
    folders that cannot be listed, names that are no UTF-8. Raises InvalidArgument for a path that does not exist, is
    empty or is an address of another kind."""
    if isinstance(paths, (str, os.PathLike)):
        given = [paths]
    elif isinstance(paths, (bytes, bytearray)) or not isinstance(paths, Iterable):
        raise InvalidArgument(f"{paths!r}: expected a path, or several")
    else:
        given = list(paths)
    roots = tuple(
        given_root(path) for path in given
    )  # a wrong path is refused before a large folder is walked
    found: list[SourceFile] = []
    left = max_bytes
    for root in roots:
        if is_web_address(root.path):
            files = [_fetched(root, left)]
            left -= len(files[0].fetched or b"")
        else:
            files = list_folder(root, ignored, links) if root.is_folder else [_given_file(root)]
        found += (one for file in files for one in _unpacked(file, max_bytes))
    return Batch(roots, tuple(found))


def given_paths(paths: object) -> list[str | os.PathLike[str]]:
    """The paths and addresses that a call was given. Raises InvalidArgument for what is none."""
    if isinstance(paths, (str, os.PathLike)):
        return [paths]
    if isinstance(paths, (bytes, bytearray)) or not isinstance(paths, Iterable):
        raise InvalidArgument(f"{paths!r}: expected a path, or several")
    given = list(paths)
    for one in given:
        if not isinstance(one, (str, os.PathLike)):
            raise InvalidArgument(f"{one!r}: expected a path as str or Path")
    return given


def given_root(given: object) -> Root:
    """A path as it was given. Raises InvalidArgument."""
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


def _given_file(root: Root) -> SourceFile:
    try:
        size = Path(root.path).stat().st_size
    except OSError:
        size = 0  # it vanished; reading it says so
    return listed_file(root, (), Path(root.path).name, size)


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
    holder = Holder(source, sum(not member.status for member in members))
    if not members:
        yield replace(source, status="skipped", reason="an archive without files", passed_over=True)
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
