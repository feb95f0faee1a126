"""The source of a page made plain for an HTML parser: XHTML's empty elements, prefixes and marked sections, and shadow roots.

An HTML parser takes ``<title/>`` for a title that never ends, and the page with it. A page that says it is XHTML means
an empty element. A shadow root that the page declares is shown in place of its host, so it is read there. Cost: linear.
"""

from __future__ import annotations

import html
import re

_XHTML = re.compile(
    r"\s*<\?xml\b|<!DOCTYPE[^<>]{0,200}\bXHTML\b|<html\b[^<>]{0,1000}\bxmlns\s*=", re.IGNORECASE
)
_HEAD_CHARS = 4_000
_MOST_PREFIXES = 8
_EMPTY = re.compile(r"""<([a-zA-Z][a-zA-Z0-9:._-]{0,40})((?:\s(?:[^<>"']|"[^"<]*"|'[^'<]*')*)?)/>""")
_SUBSET = re.compile(r"(<!DOCTYPE[^<>\[]{0,1000})\[", re.IGNORECASE)
_SUBSET_END = re.compile(r"\]\s{0,100}>")
_PREFIX = re.compile(r"\bxmlns:([A-Za-z_][\w.-]{0,20})\s*=\s*[\"']http://www\.w3\.org/1999/xhtml[\"']")
_VOID = frozenset({
    "area", "base", "basefont", "br", "col", "embed", "frame", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
})  # fmt: skip
_MARKED, _MARKED_END = "<![CDATA[", "]]>"
_SHADOW = re.compile(r"<template(?=[^<>]*\sshadowroot(?:mode)?\b)", re.IGNORECASE)


def plain_source(page: str, name: str) -> str:
    """The page as an HTML parser should see it."""
    if name.lower().endswith(".xhtml") or _XHTML.search(page[:_HEAD_CHARS]):
        page = with_ends(_without_prefix(_without_marks(_without_subset(page))))
    return _SHADOW.sub("<shadow-root", page)


def with_ends(page: str) -> str:
    """The page with an end for each element that ends where it begins."""
    return _EMPTY.sub(_ended, page)


def _ended(match: re.Match[str]) -> str:
    name, attributes = match[1], match[2]
    return match[0] if name.lower() in _VOID else f"<{name}{attributes}></{name}>"


def _without_subset(page: str) -> str:
    """The page without the declarations inside its document type, which an HTML parser would show."""
    begin = _SUBSET.search(page[:_HEAD_CHARS])
    end = _SUBSET_END.search(page, begin.end()) if begin else None
    return f"{page[: begin.end() - 1]}>{page[end.end() :]}" if begin and end else page


def _without_prefix(page: str) -> str:
    """The page with the plain names of elements that stand under a prefix for XHTML."""
    prefixes = "|".join(re.escape(prefix) for prefix in sorted(set(_PREFIX.findall(page)))[:_MOST_PREFIXES])
    return re.sub(rf"<(/?)(?:{prefixes}):(?=[a-zA-Z])", r"<\1", page) if prefixes else page


def _without_marks(page: str) -> str:
    """Marked sections as the text that they are; one that never ends stays as it is."""
    pieces, at = [], 0
    while (begin := page.find(_MARKED, at)) >= 0:
        end = page.find(_MARKED_END, begin)
        if end < 0:
            break
        pieces += [page[at:begin], html.escape(page[begin + len(_MARKED) : end], quote=False)]
        at = end + len(_MARKED_END)
    return "".join((*pieces, page[at:]))
