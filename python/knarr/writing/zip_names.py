"""The names of a zip archive's members, in the encoding that they are in.

A name is UTF-8 where its member says so, or has it so in an extra field. Others should be in the code page of the first PC,
but tools write what their system has: UTF-8, or in Japan Shift-JIS. All undeclared names together tell which.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from zipfile import ZipInfo

_UTF8_FLAG = 0x800
_UNICODE_PATH = 0x7075


def zip_names(members: Sequence[ZipInfo]) -> list[str]:
    """The name of each member."""
    raw = [None if one.flag_bits & _UTF8_FLAG else _bytes_of(one) for one in members]
    codec = _codec([name for name in raw if name is not None and not name.isascii()])
    return [
        _shown(one)
        if name is None or name.isascii()
        else _declared(one, name) or name.decode(codec, "replace")
        for one, name in zip(members, raw, strict=True)
    ]


def _shown(member: ZipInfo) -> str:
    """The name as it stands; one with a NUL is shown whole, so that it can be refused."""
    return member.orig_filename if "\0" in member.orig_filename else member.filename


def _bytes_of(member: ZipInfo) -> bytes | None:
    try:
        return _shown(member).encode("cp437")
    except UnicodeEncodeError:
        return None


def _declared(member: ZipInfo, raw: bytes) -> str:
    """The name in the extra field for it, if that was made for this name."""
    extra, at = member.extra, 0
    while at + 4 <= len(extra):
        kind, size = struct.unpack_from("<HH", extra, at)
        field = extra[at + 4 : at + 4 + size]
        if kind == _UNICODE_PATH and len(field) > 5 and field[1:5] == struct.pack("<I", zlib.crc32(raw)):
            return field[5:].decode("utf-8", "replace")
        at += 4 + size
    return ""


def _codec(names: list[bytes]) -> str:
    whole = b"\n".join(names)
    try:
        whole.decode("utf-8")
        return "utf-8"
    except UnicodeDecodeError:
        pass
    try:
        text = whole.decode("cp932")
    except UnicodeDecodeError:
        return "cp437"
    return "cp932" if _is_japanese(text) else "cp437"


def _is_japanese(text: str) -> bool:
    """Whether a reading as Shift-JIS makes sense: with kana, or its signs in rows; a single letter with an accent before
    other letters would be a lone sign."""
    if any("\u3040" <= char <= "\u30ff" for char in text):
        return True
    wide = [char >= "\u2000" and not "\uff61" <= char <= "\uff9f" for char in text]
    alone = sum(
        one and not (at > 0 and wide[at - 1]) and not (at + 1 < len(wide) and wide[at + 1])
        for at, one in enumerate(wide)
    )
    return any(wide) and not alone and not any("\uff61" <= char <= "\uff9f" for char in text)
