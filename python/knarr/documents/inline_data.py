"""Files written into a text as `data:` URIs: named, but no part of the text.

A picture as base64 is thousands of tokens that nobody searches for; it would fill chunks and drown what stands
beside it. Its address keeps the kind (`![pic](data:image/png)`), so that the text still says what is there and what
it is called. Lines keep their numbers. Short addresses, such as examples in a manual, stay as they are.
"""

from __future__ import annotations

import re

_LEAST_CHARS = 200
_PAYLOAD = re.compile(
    rf"(?P<address>\bdata:(?:[\w.+-]{{1,60}}/[\w.+-]{{1,80}})?)(?:;[\w.=+-]{{1,80}}){{0,5}},"
    rf"[^\s\"'`<>()\[\]\\|]{{{_LEAST_CHARS},}}(?P<more>(?:\n[ \t]{{0,8}}[A-Za-z0-9+/=]{{40,}})*"
    rf"(?:\n[ \t]{{0,8}}[A-Za-z0-9+/]{{0,80}}={{0,2}}(?=[\"'>)]))?)",
    re.IGNORECASE | re.ASCII,
)


def without_payloads(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with the bodies of long `data:` URIs left out, and a note that says so, if there were any."""
    found, left_out = 0, 0
    if "data:" not in text and "DATA:" not in text:
        return text, ()

    def named(match: re.Match[str]) -> str:
        nonlocal found, left_out
        found += 1
        shown = match["address"] + "\n" * match["more"].count("\n")
        left_out += len(match[0]) - len(shown)
        return shown

    text = _PAYLOAD.sub(named, text)
    if not found:
        return text, ()
    return text, (f"files written into the text, named and left out: {found:,} ({left_out:,} characters)",)
