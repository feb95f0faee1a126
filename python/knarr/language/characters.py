"""Characters as people type them, in the canonical text of every format.

A word is found by its letters, so nothing that only serves its look may stand in it: soft hyphens and other marks of
no width or of writing direction go, a ligature or a positional form becomes its letters, a wide Latin letter and a
narrow kana their usual form, and an accent joins its letter (NFC). Joiners that letters need (Persian, Indic scripts, emoji)
stay; between Latin letters they mean nothing.

This is done to the text, once, and to what is searched for, rather than to a second text beside the one that is shown: an
offset then means the same place for Grep, Search and Read, a match is what the reader sees, and the index
needs no second form. The text is as it looked; its bytes are in the file, whose lines these are, one for one.
"""

from __future__ import annotations

import re
import unicodedata

# A soft hyphen at which a line was broken takes the line end along.
_BROKEN = re.compile(r"\u00ad[ \t]*\n[ \t]*(?=[^\W\d_])")
_NO_WIDTH = re.compile(
    "[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]"
    "|(?<=[A-Za-z\u00c0-\u024f])[\u200c\u200d]+(?=[A-Za-z\u00c0-\u024f])"
)


def _compatible(*ranges: tuple[int, int]) -> dict[int, str]:
    return {
        point: unicodedata.normalize("NFKC", chr(point))
        for begin, end in ranges
        for point in range(begin, end)
    }


_FORMS = {
    # Latin, Armenian, Hebrew and Arabic presentation forms, of which only the letters count.
    **_compatible((0xFB00, 0xFB50), (0xFB50, 0xFC00), (0xFC00, 0xFD3E), (0xFD50, 0xFDFD), (0xFE70, 0xFEFD)),
    # Wide digits and Latin letters (not the marks, which part sentences in their script), narrow kana and Hangul,
    # radicals that stand for the ideograph.
    **_compatible((0xFF10, 0xFF1A), (0xFF21, 0xFF3B), (0xFF41, 0xFF5B), (0xFF65, 0xFFDD), (0x2F00, 0x2FD6)),
}  # fmt: skip


def plain_characters(text: str) -> str:
    """The text in plain characters; a word that a soft hyphen parted at a line end is whole again."""
    return text if text.isascii() else plain_lines(_BROKEN.sub("", text))


def plain_lines(text: str) -> str:
    """The text in plain characters, with its lines one for one."""
    return text if text.isascii() else unicodedata.normalize("NFC", _NO_WIDTH.sub("", text).translate(_FORMS))
