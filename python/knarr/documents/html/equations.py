"""Equations of a page: `<math>`, and the scripts in which MathJax keeps TeX.

KaTeX and MathJax write an equation twice, as MathML and as boxes for the eye; the boxes are marked `aria-hidden`
and are left out where the MathML stands beside them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from knarr.documents.math import latex, mathml
from knarr.documents.math.tree import build

_SCRIPTS = {"math/tex": "$", "math/tex; mode=display": "$$"}
_PICTURED = re.compile(r"\{\\(?:display|text)style\s(.{1,2000})\}", re.DOTALL)
_DOUBLES = frozenset(("katex-html", "mjx-chtml", "mathjax", "mathjax_svg", "mathjax_preview", "mjx-svg"))


def equation(node: LexborNode) -> str:
    """A `<math>` element as LaTeX between dollar signs; "" for one that shows nothing."""
    tree = build(node, _name, _attributes, _parts)
    write = latex.display if mathml.is_display(tree) else latex.inline
    text = mathml.equation(tree)
    return write(text) if text else ""


def script(node: LexborNode) -> str:
    """The equation that a script holds in TeX, between dollar signs; "" for any other script."""
    kind = " ".join((node.attributes.get("type") or "").lower().split())
    marks = _SCRIPTS.get(kind)
    text = (node.text() or "").strip() if marks else ""
    return f"{marks}{text}{marks}" if text else ""


def is_double(node: LexborNode) -> bool:
    """Whether an element shows an equation again that stands beside it as MathML or TeX."""
    classes = (node.attributes.get("class") or "").lower().split()
    if _DOUBLES.isdisjoint(classes):
        return False
    # KaTeX may write no MathML; MathJax always keeps its source.
    return "katex-html" not in classes or (
        node.parent is not None and node.parent.css_first("math") is not None
    )


def pictured(alternative: str) -> str:
    """The alternative text of a picture; of an equation, as MediaWiki writes it, as LaTeX between dollar signs."""
    tex = _PICTURED.fullmatch(alternative.strip())
    return latex.inline(tex[1].strip()) if tex else alternative


def _name(node: LexborNode) -> str:
    return (node.tag or "").rpartition(":")[2].lower()


def _attributes(node: LexborNode) -> dict[str, str]:
    return {key.lower(): value or "" for key, value in node.attributes.items()}


def _parts(node: LexborNode) -> Iterator[LexborNode | str]:
    child = node.first_child
    while child is not None:
        if child.is_text_node:
            yield child.text_content or ""
        elif child.is_element_node:
            yield child
        child = child.next
