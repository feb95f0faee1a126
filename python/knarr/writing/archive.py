"""Archives (ZIP, TAR): their members as files, read within bounds and nowhere else.

Nothing is ever unpacked to disk. A member is refused, and named, when its path leaves the archive, when another one
has its path already, when it is a link, encrypted or an archive itself. How many members there are, how large they
grow and all of them together, counts as they are read, whatever the archive declares; a bomb costs a line of the
receipt. An archive is held in memory from the first of its members to the last.
"""

from __future__ import annotations

import gzip
import io
import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from knarr.arguments import has_utf8
from knarr.writing.zip_names import zip_names

MAX_ARCHIVE_MEMBERS = 5_000
_MAX_DEPTH = 50
_MAX_NAME_BYTES = 240
_MAX_RATIO = 200
_LEAST_BYTES = 64 << 20
_CENTRAL_RECORD = b"PK\x01\x02"
_SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz")

MemberStatus = Literal["", "skipped", "unreadable", "limit", "encrypted"]


class ArchiveError(Exception):
    """Why an archive or a member cannot be read; `status` is the receipt's word."""

    def __init__(self, text: str, status: MemberStatus = "unreadable") -> None:
        super().__init__(text)
        self.status: MemberStatus = status


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive: its folders, its name, what it says of its size, where it stands among all members, and why it
    is not read."""

    folders: tuple[str, ...]
    name: str
    size_bytes: int
    at: int
    status: MemberStatus = ""
    reason: str = ""


def is_archive(name: str) -> bool:
    """Whether a file is taken for an archive, by its name."""
    return name.lower().endswith(_SUFFIXES)


class Archive:
    """An archive's members, and their bytes. Raises ArchiveError."""

    def __init__(self, data: bytes, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._left = max(_LEAST_BYTES, _MAX_RATIO * len(data))
        self._zip: zipfile.ZipFile | None = None
        self._tar: tarfile.TarFile | None = None
        self._listed: list[tarfile.TarInfo] = []  # of a tar archive, as far as it was listed
        try:
            if data.startswith(b"PK"):
                if data.count(_CENTRAL_RECORD) > 20 * MAX_ARCHIVE_MEMBERS:
                    raise ArchiveError(f"more than {20 * MAX_ARCHIVE_MEMBERS:,} members", "limit")
                self._zip = zipfile.ZipFile(io.BytesIO(data))
            else:
                self._tar = tarfile.open(fileobj=io.BytesIO(self._plain(data)), mode="r:")  # noqa: SIM115  of bytes
        except _DAMAGE as error:
            raise ArchiveError(f"not a whole archive ({error})") from None

    def members(self) -> list[Member]:
        """All members that are files, in the archive's order; what is not read has its reason."""
        found: list[Member] = []
        seen: set[str] = set()
        try:
            for number, (path, size, kind) in enumerate(self._entries()):
                if number >= MAX_ARCHIVE_MEMBERS:
                    reason = f"only the first {MAX_ARCHIVE_MEMBERS:,} members of an archive are read"
                    found.append(Member((), "…", 0, -1, "limit", reason))
                    break
                if kind != "folder":
                    found.append(_member(path, size, kind, number, seen, self._max_bytes))
        except _DAMAGE as error:
            found.append(
                Member((), "…", 0, -1, "unreadable", f"the archive is damaged from here on ({error})")
            )
        return found

    def read(self, member: Member) -> bytes:
        """The bytes of a member, one more than the bound at most."""
        most = min(self._max_bytes, self._left) + 1
        try:
            if self._zip is not None:
                # Not by its name, which another member may have too.
                with self._zip.open(self._zip.infolist()[member.at]) as file:
                    data = file.read(most)
            else:
                assert self._tar is not None
                while len(self._listed) <= member.at and (one := self._tar.next()) is not None:
                    self._listed.append(one)
                found = self._tar.extractfile(self._listed[member.at])
                data = found.read(most) if found is not None else b""
        except RuntimeError as error:  # what zipfile says of passwords
            status: MemberStatus = "encrypted" if "password" in str(error) else "unreadable"
            raise ArchiveError(str(error), status) from None
        except _DAMAGE as error:
            raise ArchiveError(f"it is damaged ({error})") from None
        if len(data) > self._left:
            raise ArchiveError("the archive grows beyond all measure as it is unpacked", "limit")
        self._left -= len(data)
        return data

    def _entries(self) -> Iterator[tuple[str, int, str]]:
        if self._zip is not None:
            infos = self._zip.infolist()[: MAX_ARCHIVE_MEMBERS + 1]
            for info, path in zip(infos, zip_names(infos), strict=True):
                mode = info.external_attr >> 16
                kind = "folder" if info.is_dir() else "link" if stat.S_ISLNK(mode) else "file"
                kind = "encrypted" if info.flag_bits & 0x1 and kind == "file" else kind
                yield path, info.file_size, kind
        if self._tar is not None:
            self._listed.clear()
            for one in self._tar:
                self._listed.append(one)
                kind = "file" if one.isreg() else "folder" if one.isdir() else "link"
                yield one.name, one.size, kind

    def _plain(self, data: bytes) -> bytes:
        """A tar archive without its compression."""
        if not data.startswith(b"\x1f\x8b"):
            return data
        most = min(self._left, 4 * self._max_bytes)
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            plain = file.read(most + 1)
        if len(plain) > most:
            raise ArchiveError(f"it unpacks to more than {most:,} bytes", "limit")
        return plain


_DAMAGE = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, struct.error, OSError, EOFError, ValueError,
    NotImplementedError, KeyError, IndexError, UnicodeError, OverflowError,
)  # fmt: skip


def _member(path: str, size: int, kind: str, at: int, seen: set[str], max_bytes: int) -> Member:
    path = path.replace("\\", "/")
    parts = path.split("/")
    shown = [part for part in parts if part not in ("", ".")] or ["(no name)"]
    folders, name = tuple(shown[:-1]), shown[-1]

    def refused(status: MemberStatus, reason: str) -> Member:
        # What a member calls itself is shown, but leads nowhere.
        flat = " / ".join(shown)[:_MAX_NAME_BYTES].encode("utf-8", "backslashreplace").decode()
        return Member((), flat.replace("\0", "\\0"), size, at, status, reason)

    if path.startswith("/") or ".." in parts or (len(path) > 1 and path[1] == ":"):
        return refused("unreadable", "its path leads out of the archive")
    if "\0" in path or not has_utf8(path) or any(len(part.encode()) > _MAX_NAME_BYTES for part in shown):
        return refused("unreadable", "its name is not usable")
    if len(folders) > _MAX_DEPTH:
        return refused("limit", f"more than {_MAX_DEPTH} folders deep")
    if "__MACOSX" in folders or any(part.startswith(".") for part in shown):
        return Member(folders, name, size, at, "skipped", "hidden")
    if kind == "link":
        return Member(folders, name, size, at, "skipped", "a link or no regular file")
    if "/".join(shown) in seen:
        return refused("unreadable", "a second member of this path")
    seen.add("/".join(shown))
    if kind == "encrypted":
        return Member(folders, name, size, at, "encrypted", "protected by a password")
    if is_archive(name):
        return Member(folders, name, size, at, "skipped", "an archive in an archive; unpack it first")
    if size > max_bytes:
        return Member(folders, name, size, at, "limit", f"{size:,} bytes, the limit is {max_bytes:,}")
    return Member(folders, name, size, at)
