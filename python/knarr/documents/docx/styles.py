"""Word's styles, resolved along their `basedOn` chains.

A style says only how it differs from the style that it is based on, so every property is looked for
along that chain, from the farthest ancestor to the style itself; the nearest one that states it wins.
Whether a style makes headings follows from the outline level that it has or inherits, whatever it is
called, since companies rename styles and translate them. The built-in names `heading 1` … `heading 9`,
which Word writes in English in every language, give a level where no number is written. Outline level
9 is body text. A chain that is longer than any author's, or closed in a circle, is cut off.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from lxml import etree

from knarr.documents.symbols import symbol_font

NAMESPACES = (
    "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}",
    "{http://purl.oclc.org/ooxml/wordprocessingml/main}",
)
BODY_LEVEL = 9
_MAX_CHAIN = 32
_BUILT_IN = re.compile(r"heading ([1-9])", re.IGNORECASE)
_MONO = re.compile(
    r"courier|consol|\bmono|mono\b|menlo|monaco|inconsolata|source code|fira code|cascadia|typewriter|terminal",
    re.IGNORECASE,
)
_OFF = ("0", "false", "off", "none")


def local(element: etree._Element) -> str:
    """An element's name without its namespace; "" for a comment or an instruction."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def child(element: etree._Element | None, *names: str) -> etree._Element | None:
    """The first child of that name, then its first child of the next name, and so on."""
    for name in names:
        if element is None:
            return None
        element = next(element.iterchildren(f"{{*}}{name}"), None)
    return element


def attribute(element: etree._Element | None, name: str, default: str = "") -> str:
    """A Word attribute, in either of the two namespaces Word has used."""
    if element is None:
        return default
    for namespace in NAMESPACES:
        value = element.get(namespace + name)
        if value is not None:
            return str(value)
    return default


def number(element: etree._Element | None, name: str = "val") -> int | None:
    """A whole-number attribute; None when absent or unreadable."""
    try:
        return int(attribute(element, name))
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Look:
    """How text looks. None means not stated here, so inherited. Sizes are in half-points; `font` is the symbol
    font that it is in, "" for any other; `mono` that its letters are equally wide."""

    size: int | None = None
    bold: bool | None = None
    caps: bool | None = None
    underline: bool | None = None
    hidden: bool | None = None
    font: str | None = None
    mono: bool | None = None
    raised: bool | None = None

    def over(self, base: Look) -> Look:
        """This look, with the base's values where it states none."""
        return Look(
            base.size if self.size is None else self.size,
            base.bold if self.bold is None else self.bold,
            base.caps if self.caps is None else self.caps,
            base.underline if self.underline is None else self.underline,
            base.hidden if self.hidden is None else self.hidden,
            base.font if self.font is None else self.font,
            base.mono if self.mono is None else self.mono,
            base.raised if self.raised is None else self.raised,
        )


def look_of(properties: etree._Element | None) -> Look:
    """The look that a `w:rPr` element sets."""
    if properties is None or not len(properties):
        return Look()
    found: dict[str, etree._Element] = {local(element): element for element in properties}
    return Look(
        number(found.get("sz")),
        _switch(found.get("b")),
        _switch(found.get("caps")),
        _switch(found.get("u")),
        _switch(found.get("vanish")),
        symbol_font(font) if (font := _font(found.get("rFonts"))) else None,
        bool(_MONO.search(font)) if font else None,
        None if "vertAlign" not in found else attribute(found["vertAlign"], "val") == "superscript",
    )


def _font(fonts: etree._Element | None) -> str:
    return attribute(fonts, "ascii") or attribute(fonts, "hAnsi")


def _switch(element: etree._Element | None) -> bool | None:
    return None if element is None else attribute(element, "val", "1").lower() not in _OFF


@dataclass(frozen=True, slots=True)
class Style:
    """A style with everything that it inherits. `outline` is 0 to 8, or None for body text; `numbering`
    is the list that it belongs to, as (numId, level)."""

    name: str = ""
    outline: int | None = None
    look: Look = Look()
    numbering: tuple[str, int] | None = None


class Styles:
    """All styles of a document, by id. Unknown ids mean the default paragraph style."""

    def __init__(self, root: etree._Element | None) -> None:
        self._raw: dict[str, etree._Element] = {}
        self._resolved: dict[str, Style] = {}
        self._characters: dict[str, Look] = {}
        self._default = Style(look=look_of(child(root, "docDefaults", "rPrDefault", "rPr")))
        default_id = None
        for element in () if root is None else root.iterchildren("{*}style"):
            id_ = attribute(element, "styleId")
            self._raw[id_] = element
            if attribute(element, "type") == "paragraph" and attribute(element, "default") in ("1", "true"):
                default_id = id_
        self.paragraph_default = self._default
        if default_id is not None:
            self.paragraph_default = self.paragraph(default_id)

    def paragraph(self, id_: str) -> Style:
        """The paragraph style of this id."""
        if not id_ or id_ not in self._raw:
            return self.paragraph_default
        if id_ not in self._resolved:
            style = self._default
            for element in reversed(self._chain(id_)):
                style = _extend(style, element)
            self._resolved[id_] = style
        return self._resolved[id_]

    def character(self, id_: str) -> Look:
        """The look a character style adds."""
        if id_ not in self._characters:
            look = Look()
            for element in reversed(self._chain(id_)):
                look = look_of(child(element, "rPr")).over(look)
            self._characters[id_] = look
        return self._characters[id_]

    def _chain(self, id_: str) -> list[etree._Element]:
        chain: list[etree._Element] = []
        while id_ in self._raw and len(chain) < _MAX_CHAIN and self._raw[id_] not in chain:
            chain.append(self._raw[id_])
            id_ = attribute(child(chain[-1], "basedOn"), "val")
        return chain


def _extend(base: Style, element: etree._Element) -> Style:
    properties = child(element, "pPr")
    name = attribute(child(element, "name"), "val")
    outline = base.outline
    if built_in := _BUILT_IN.fullmatch(name):
        outline = int(built_in[1]) - 1
    level = number(child(properties, "outlineLvl"))
    if level is not None:
        outline = level if 0 <= level < BODY_LEVEL else None
    numbering = base.numbering
    list_ = child(properties, "numPr")
    if list_ is not None:
        id_ = attribute(child(list_, "numId"), "val", numbering[0] if numbering else "0")
        depth = number(child(list_, "ilvl"))
        numbering = (id_, (numbering[1] if numbering else 0) if depth is None else depth)
    return replace(
        base,
        name=name,
        outline=outline,
        look=look_of(child(element, "rPr")).over(base.look),
        numbering=numbering,
    )
