"""Word's equations (Office Math Markup Language, ECMA-376 part 1, section 22.1) as LaTeX.

Each construct has a rule that names its parts; whatever has none is read through, part after part, so that no
text is lost. Deleted text is left out, inserted text stays.
"""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree

from knarr.documents.math import latex
from knarr.documents.math.tree import Element, from_lxml

_SKIPPED = frozenset(("del", "moveFrom", "rPr", "ctrlPr", "oMathParaPr", "annotationRef", "argPr", "delText"))


def equation(element: etree._Element) -> str:
    """LaTeX of an `m:oMath` or `m:oMathPara`; several equations of a paragraph stand one after the other."""
    return _read(from_lxml(element))


def _read(element: Element) -> str:
    if element.name in _SKIPPED or (element.name.endswith("Pr") and element.name != "sPre"):
        return ""
    rule = _RULES.get(element.name)
    return rule(element) if rule else _through(element)


def _through(element: Element) -> str:
    if not element.children:
        return latex.symbols(element.text) if element.name in ("t", "") else ""
    return latex.join(map(_read, element.children))


def _part(element: Element, name: str) -> str:
    found = element.child(name)
    return _read(found) if found is not None else ""


def _setting(element: Element, name: str, default: str = "") -> str:
    """The value of a property in an element's own `…Pr`."""
    for child in element.children:
        if child.name == f"{element.name}Pr" and (found := child.child(name)) is not None:
            return found.attributes.get("val", "")
    return default


def _is_on(element: Element, name: str) -> bool:
    return _setting(element, name, "0").lower() in ("1", "on", "true", "")


def _run(element: Element) -> str:
    texts = [child.text for child in element.children if child.name == "t"]
    properties = element.child("rPr")
    plain = properties is not None and (mark := properties.child("nor")) is not None
    if plain and mark is not None and mark.attributes.get("val", "1") not in ("0", "off", "false"):
        text = "".join(texts)
        return latex.words(text) if any(map(str.isalpha, text)) else latex.symbols(text)
    return latex.symbols("".join(texts)) if texts else latex.join(map(_read, element.children))


def _fraction(element: Element) -> str:
    above, below = _part(element, "num"), _part(element, "den")
    kind = _setting(element, "type")
    if kind == "noBar":
        return latex.binomial(above, below)
    if kind == "lin":
        return f"{_grouped(above)}/{_grouped(below)}"
    return latex.fraction(above, below)


def _grouped(piece: str) -> str:
    return piece if piece.isalnum() else f"({piece})"


def _radical(element: Element) -> str:
    degree = "" if _is_on(element, "degHide") else _part(element, "deg")
    return latex.root(_part(element, "e"), degree)


def _scripts(element: Element) -> str:
    return latex.scripts(_part(element, "e"), _part(element, "sub"), _part(element, "sup"))


def _before(element: Element) -> str:
    return latex.join([latex.scripts("", _part(element, "sub"), _part(element, "sup")), _part(element, "e")])


def _nary(element: Element) -> str:
    sign = latex.scripts(_setting(element, "chr", "∫") or "∫", _part(element, "sub"), _part(element, "sup"))
    return latex.join([sign, " ", _part(element, "e")])


def _delimiter(element: Element) -> str:
    parts = [_read(child) for child in element.children if child.name == "e"]
    opening, closing = _setting(element, "begChr", "("), _setting(element, "endChr", ")")
    return latex.fenced(parts, opening, closing, latex.symbols(_setting(element, "sepChr", "|")))


def _matrix(element: Element) -> str:
    rows = [child for child in element.children if child.name == "mr"]
    return latex.matrix([[_read(cell) for cell in row.children if cell.name == "e"] for row in rows])


def _lines(element: Element) -> str:
    return latex.matrix([[_read(child)] for child in element.children if child.name == "e"])


def _function(element: Element) -> str:
    name = _part(element, "fName")
    bare = name.removeprefix(r"\text{").removesuffix("}") if name.startswith(r"\text{") else name
    shown = latex.function(bare) if bare.isalpha() and bare.isascii() and len(bare) > 1 else name
    return latex.join([shown, " ", _part(element, "e")])


def _accent(element: Element) -> str:
    return latex.over(_part(element, "e"), _setting(element, "chr", "\u0302"))


def _bar(element: Element) -> str:
    line = latex.over if _setting(element, "pos", "bot") == "top" else latex.under
    return line(_part(element, "e"), "\u0305")


def _brace(element: Element) -> str:
    line = latex.over if _setting(element, "pos", "bot") == "top" else latex.under
    return line(_part(element, "e"), _setting(element, "chr", "⏟"))


def _limit(element: Element) -> str:
    base, limit = _part(element, "e"), _part(element, "lim")
    base = latex.function(base) if base in latex.FUNCTIONS else base
    marked = base.startswith(("\\underbrace", "\\overbrace", "\\lim", "\\max", "\\min", "\\sup", "\\inf"))
    below = element.name == "limLow"
    if marked:
        return base + (f"_{{{limit}}}" if below else f"^{{{limit}}}")
    return rf"\{'under' if below else 'over'}set{{{limit}}}{{{base}}}"


_RULES: dict[str, Callable[[Element], str]] = {
    "r": _run, "f": _fraction, "rad": _radical, "sSub": _scripts, "sSup": _scripts, "sSubSup": _scripts,
    "sPre": _before, "nary": _nary, "d": _delimiter, "m": _matrix, "eqArr": _lines, "func": _function,
    "acc": _accent, "bar": _bar, "groupChr": _brace, "limLow": _limit, "limUpp": _limit,
}  # fmt: skip
