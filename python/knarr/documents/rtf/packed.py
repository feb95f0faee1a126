"""RTF as Outlook packs it into messages: LZFu, a dictionary of 4 KiB that begins with common words ([MS-OXRTFCP])."""

from __future__ import annotations

import struct

_PACKED, _PLAIN = 0x75465A4C, 0x414C454D
_COMMON = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans "
    b"SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
_WINDOW = 4096
_MAX_RATIO = 9  # one reference of two bytes and its bit give 17 bytes at most


def unpacked_rtf(data: bytes) -> bytes:
    """The RTF; b"" for what is not packed like that."""
    if len(data) < 16:
        return b""
    kind = struct.unpack_from("<I", data, 8)[0]
    if kind == _PLAIN:
        return data[16:]
    if kind != _PACKED:
        return b""
    window = bytearray(_COMMON.ljust(_WINDOW, b"\0"))
    at, place, out = 16, len(_COMMON), bytearray()
    most = _MAX_RATIO * len(data)
    while at < len(data) and len(out) <= most:
        control = data[at]
        at += 1
        for bit in range(8):
            if at >= len(data):
                return bytes(out)
            if not control >> bit & 1:
                window[place] = data[at]
                out.append(data[at])
                place = (place + 1) % _WINDOW
                at += 1
                continue
            if at + 1 >= len(data):
                return bytes(out)
            reference = data[at] << 8 | data[at + 1]
            at += 2
            source, length = reference >> 4, (reference & 15) + 2
            if source == place:
                return bytes(out)
            for step in range(length):
                byte = window[(source + step) % _WINDOW]
                window[place] = byte
                out.append(byte)
                place = (place + 1) % _WINDOW
    return bytes(out)
