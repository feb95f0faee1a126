"""Characters as people type them, in the canonical text of formats whose source is no text itself.

A word is found by its letters, so nothing that only serves its look may stand in it: soft hyphens and other marks of
no width go, a ligature becomes its letters, and an accent joins its letter (NFC). Joiners that letters need (Persian,
Indic scripts, emoji) stay.
"""

from __future__ import annotations

import re
import unicodedata

# A soft hyphen at which a line was broken takes the line end along.
_NO_WIDTH = re.compile(r"\u00ad[ \t]*\n[ \t]*(?=[^\W\d_])|[\u00ad\u200b\u2060\ufeff]")
# Latin, Armenian, Hebrew and Arabic presentation forms, of which only the letters count.
_LIGATURES = {
    point: unicodedata.normalize("NFKC", chr(point))
    for begin, end in ((0xFB00, 0xFB50), (0xFB50, 0xFC00), (0xFE70, 0xFEFD))
    for point in range(begin, end)
}


def plain_characters(text: str) -> str:
    """The text without marks of no width, its ligatures as letters, in NFC."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _NO_WIDTH.sub("", text).translate(_LIGATURES))
