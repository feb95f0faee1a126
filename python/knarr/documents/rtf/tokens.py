"""The tokens of RTF, and the characters of its fonts.

RTF is ASCII: braces group, a control word begins with a backslash, everything else is text. A byte beyond ASCII is
written `\\'e9` in the code page of its font, and several in a row may be one character; `\\u8217` is a character by its
number, followed by as many stand-ins for old readers as `\\uc` says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

TOKEN = re.compile(
    r"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?|\\'(?P<byte>[0-9a-fA-F]{2})|\\(?P<sign>.)|(?P<brace>[{}])|"
    r"(?P<text>[^\\{}\r\n]+)|[\r\n]+",
    re.DOTALL,
)

_CHARSETS = {
    0: "cp1252", 1: "", 2: "symbol", 77: "mac_roman", 78: "cp932", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030",
    136: "big5hkscs", 161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257",
    204: "cp1251", 222: "cp874", 238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
_PAGES = {10000: "mac_roman", 65001: "utf-8", 936: "gb18030", 950: "big5hkscs", 932: "cp932", 949: "cp949"}

WORDS = {
    "tab": "\t", "line": "\n", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "bullet": "•",
    "endash": "–", "emdash": "—", "enspace": " ", "emspace": " ", "qmspace": " ", "softline": "\n", "lbr": "\n",
}  # fmt: skip
"""Control words that are characters."""
SIGNS = {"~": " ", "_": "-", "-": "", "\\": "\\", "{": "{", "}": "}"}

Token = tuple[str, str, int | None]


def tokens(text: str) -> Iterator[Token]:
    """(kind, value, number): kinds are `word`, `byte`, `sign`, `brace`, `text`, and `skip` for bytes of pictures."""
    at = 0
    while found := TOKEN.match(text, at):
        at = found.end()
        kind = found.lastgroup
        if kind in ("word", "number"):
            number = int(found["number"]) if found["number"] else None
            if found["word"] == "bin":
                at = min(len(text), at + max(0, number or 0))
                continue
            yield "word", found["word"], number
        elif kind:
            yield kind, found[kind], None
        elif at >= len(text):
            return


def code_page(number: int) -> str:
    """Python's codec for a code page."""
    name = _PAGES.get(number, f"cp{number}")
    try:
        b"".decode(name)
        "a".encode(name)
    except LookupError:
        return "cp1252"
    return name


def charset(number: int) -> str:
    """Python's codec for the charset of a font, "" for the document's own, "symbol" for a font of symbols."""
    return _CHARSETS.get(number, "")
