"""Preformatted text as it stands: its lines and indentation, its language, and no line numbers."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

from knarr.documents.html.elements import Omission, walk

_LANGUAGE = re.compile(
    r"(?:^|\s)(?:(?:language|lang|highlight-source|highlight)-|brush:\s*)([a-zA-Z][\w+#.-]{0,20})(?=$|\s|;)"
)
_NO_LANGUAGE = frozenset(
    ("default", "none", "text", "plaintext", "plain", "source", "output", "wrapper", "notranslate")
)
_AROUND = 6
_FRAMES = frozenset(("div", "td", "tr", "tbody", "table", "figure"))


def source_text(node: LexborNode, omission: Omission) -> str:
    """The text of a <pre>."""
    source = _Source(omission)
    walk(node, source)
    return "".join(source.pieces)


def language(node: LexborNode) -> str:
    """The language that the classes of a <pre>, of the <code> in it, or of the elements around it name; "" if none."""
    inner = node.css_first("code")
    looked = [inner] if inner is not None else []
    looked.append(node)
    around = node.parent
    while around is not None and around.tag in _FRAMES and len(looked) < 2 + _AROUND:
        looked.append(around)
        around = around.parent
    for element in looked:
        found = _LANGUAGE.search((element.attributes.get("class") or "")[:200])
        if found and found[1].lower() not in _NO_LANGUAGE:
            return found[1].lower()
        named = element.attributes.get("data-lang") or element.attributes.get("data-language") or ""
        if named.isalnum() and len(named) < 20:
            return named.lower()
    return ""


class _Source:
    """A visitor that keeps text as it stands."""

    def __init__(self, omission: Omission) -> None:
        self.pieces: list[str] = []
        self._omission = omission

    def text(self, text: str) -> None:
        self.pieces.append(text)

    def enter(self, node: LexborNode) -> bool:
        if node.tag == "br":
            self.pieces.append("\n")
        return self._omission(node) is None

    def leave(self, node: LexborNode) -> None:
        # Some highlighters make each line a block.
        if node.tag in ("div", "li", "p", "tr") and self.pieces and not self.pieces[-1].endswith("\n"):
            self.pieces.append("\n")
