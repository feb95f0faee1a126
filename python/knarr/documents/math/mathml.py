"""Equations of web pages and of XML (MathML 3, presentation markup) as LaTeX.

An annotation in TeX, which most programs add to what they make, is what the author wrote: it is taken as it is.
Content markup ("apply", "ci") is read through, so that its names and numbers stay.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from knarr.documents.math import latex
from knarr.documents.math.tree import Element

_TEX = frozenset(("application/x-tex", "latex", "tex", "text/x-tex", "application/x-latex"))
_SKIPPED = frozenset(
    ("mphantom", "annotation", "annotation-xml", "maligngroup", "malignmark", "mspace", "none", "mprescripts")
)
_DISPLAY = re.compile(r"^\{\\(?:display|text|script)style\s?(.*)\}$", re.DOTALL)
# Operators that nobody sees: function application, invisible times, separator and plus.
_UNSEEN = re.compile("[\u2061-\u2064\u200b\ufe0e\ufe0f]")
_SPACED = frozenset("=<>≤≥≠≈≡+−±→←⇒⇔∈∉⊂⊆∪∩∧∨")


def equation(math: Element) -> str:
    """LaTeX of a `<math>` element, without marks around it."""
    for element in _annotations(math):
        if element.attributes.get("encoding", "").lower() in _TEX and element.text.strip():
            text = " ".join(element.text.split())
            styled = _DISPLAY.match(text)
            return styled[1].strip() if styled else text
    return _read(math).strip()


def is_display(math: Element) -> bool:
    """Whether an equation stands on a line of its own."""
    return math.attributes.get("display") == "block" or math.attributes.get("mode") == "display"


def _annotations(math: Element) -> list[Element]:
    semantics = math.child("semantics") or next(
        (found for child in math.children if (found := child.child("semantics")) is not None), None
    )
    return (
        [child for child in semantics.children if child.name == "annotation"] if semantics is not None else []
    )


def _read(element: Element) -> str:
    if element.name in _SKIPPED:
        return ""
    rule = _RULES.get(element.name)
    return rule(element) if rule else _row(element)


def _row(element: Element) -> str:
    if not element.children:
        return _sign(element)
    return latex.join(map(_read, element.children))


def _sign(element: Element) -> str:
    text = " ".join(_UNSEEN.sub("", element.text).split())
    if element.name in ("mtext", "ms"):
        return latex.words(element.text) if any(map(str.isalpha, text)) else latex.symbols(text)
    named = element.name == "mi" and len(text) > 1 and text.isascii() and text.isalpha()
    if named or text in latex.FUNCTIONS:
        return f"{latex.function(text)} "
    shown = latex.symbols(text)
    return f" {shown} " if element.name == "mo" and text in _SPACED else shown


def _parts(element: Element) -> list[str]:
    return [_read(child).strip() for child in element.children if child.name]


def _at(parts: list[str], place: int) -> str:
    return parts[place] if place < len(parts) else ""


def _fraction(element: Element) -> str:
    parts = _parts(element)
    thickness = element.attributes.get("linethickness", "")
    write = latex.binomial if re.match(r"0(?:\.0*)?(?:[a-z%]|$)", thickness) else latex.fraction
    return write(_at(parts, 0), _at(parts, 1))


def _square_root(element: Element) -> str:
    return latex.root(_row(element).strip())


def _root(element: Element) -> str:
    parts = _parts(element)
    return latex.root(_at(parts, 0), _at(parts, 1))


def _below(element: Element) -> str:
    parts = _parts(element)
    return latex.scripts(_at(parts, 0), _at(parts, 1))


def _above(element: Element) -> str:
    parts = _parts(element)
    return latex.scripts(_at(parts, 0), "", _at(parts, 1))


def _both(element: Element) -> str:
    parts = _parts(element)
    return latex.scripts(_at(parts, 0), _at(parts, 1), _at(parts, 2))


def _marked(element: Element) -> str:
    """A sign over or under a base: an accent, a limit, or something set above it."""
    parts = _parts(element)
    base, names = _at(parts, 0), [child for child in element.children if child.name]
    mark = names[1].text.strip() if len(names) > 1 and names[1].name == "mo" else ""
    if (len(base) <= 1 and not base.isalnum()) or base.lstrip("\\").strip() in latex.FUNCTIONS:
        above = element.name == "mover"
        return latex.scripts(base, "" if above else _at(parts, 1), _at(parts, 1) if above else "")
    if mark:
        return (latex.over if element.name == "mover" else latex.under)(base, mark)
    return rf"\{'over' if element.name == 'mover' else 'under'}set{{{_at(parts, 1)}}}{{{base}}}"


def _table(element: Element) -> str:
    rows = [child for child in element.children if child.name in ("mtr", "mlabeledtr")]
    cells = [[cell for cell in row.children if cell.name == "mtd"] for row in rows]
    return latex.matrix([[_row(cell).strip() for cell in row] for row in cells])


def _fenced(element: Element) -> str:
    opening, closing = element.attributes.get("open", "("), element.attributes.get("close", ")")
    separators = element.attributes.get("separators", ",").strip()
    return latex.fenced(_parts(element), opening.strip(), closing.strip(), separators[:1])


def _enclosed(element: Element) -> str:
    inside = _row(element).strip()
    kinds = element.attributes.get("notation", "longdiv").split()
    return latex.root(inside) if "radical" in kinds else rf"\boxed{{{inside}}}" if "box" in kinds else inside


def _scripts(element: Element) -> str:
    """A base with pairs of scripts after it and, past `mprescripts`, before it."""
    parts: list[list[str]] = [[]]
    for child in element.children:
        if child.name == "mprescripts":
            parts.append([])
        elif child.name:
            parts[-1].append(_read(child).strip())
    base = _at(parts[0], 0)
    after = [
        latex.scripts("" if at else base, *parts[0][1 + at : 3 + at]) for at in range(0, len(parts[0][1:]), 2)
    ]
    pairs = parts[1] if len(parts) > 1 else []
    before = [latex.scripts("", *pairs[at : at + 2]) for at in range(0, len(pairs), 2)]
    return latex.join([*before, *(after or [base])])


def _action(element: Element) -> str:
    shown = [child for child in element.children if child.name]
    return _read(shown[0]) if shown else ""


_RULES: dict[str, Callable[[Element], str]] = {
    "mfrac": _fraction, "msqrt": _square_root, "mroot": _root, "msub": _below, "msup": _above, "msubsup": _both,
    "munder": _marked, "mover": _marked, "munderover": _both, "mtable": _table, "mfenced": _fenced,
    "menclose": _enclosed, "mmultiscripts": _scripts, "maction": _action, "semantics": _action,
}  # fmt: skip
