"""The slides of an ODP file: each a section under its title, with its boxes by position and its notes."""

from __future__ import annotations

import re

from lxml import etree

from knarr.documents.odf.body import OdfBody
from knarr.documents.odf.styles import OdfStyles
from knarr.documents.writer import MarkdownWriter
from knarr.documents.xml import attribute_of, local
from knarr.language.plain import one_line, shortened

_LENGTH = re.compile(r"(-?\d{1,6}(?:\.\d{1,6})?)(cm|mm|in|pt|pc|px)?")
_CENTIMETRES = {"cm": 1.0, "mm": 0.1, "in": 2.54, "pt": 2.54 / 72, "pc": 2.54 / 6, "px": 2.54 / 96}
_FURNITURE = frozenset(("header", "footer", "date-time", "page-number"))


def write_slides(
    writer: MarkdownWriter, body: OdfBody, presentation: etree._Element, styles: OdfStyles
) -> None:
    """All slides, in order."""
    for number, page in enumerate(presentation.iterchildren("{*}page"), 1):
        body.flush()
        writer.turn_to(number - 1)
        shapes = [one for one in page if local(one) not in ("notes", "forms", "animations", "par", "seq")]
        titles = [one for one in shapes if attribute_of(one, "class") == "title"]
        title = next(filter(None, (body.inline.plain(one) for one in titles)), "")
        body.inline.frames.clear()
        hidden = attribute_of(page, "style-name") in styles.hidden_pages
        if hidden:
            body.notes["hidden slides read:"] += 1
        writer.gap()
        shown = shortened(title, 300) or f"Slide {number}"
        writer.heading(1, shown + (" (hidden slide)" if hidden else ""), shown)
        shapes = [one for one in shapes if one not in titles[:1]]
        for shape in sorted(shapes, key=_position):
            if attribute_of(shape, "class") in _FURNITURE:
                continue
            if local(shape) == "frame":
                body.frame(shape)
            else:
                body.block(shape)
        body.flush()
        _notes(writer, body, page)


def _notes(writer: MarkdownWriter, body: OdfBody, page: etree._Element) -> None:
    for notes in page.iterchildren("{*}notes"):
        boxes = [one for one in notes.iter("{*}frame") if attribute_of(one, "class") == "notes"]
        text = one_line(" ".join(body.inline.plain(one) for one in boxes))
        if text:
            writer.gap()
            writer.put(f"Notes: {text}\n")
    body.inline.frames.clear()


def _position(shape: etree._Element) -> tuple[float, float]:
    return round(_centimetres(attribute_of(shape, "y"))), _centimetres(attribute_of(shape, "x"))


def _centimetres(text: str) -> float:
    found = _LENGTH.fullmatch(text.strip())
    return float(found[1]) * _CENTIMETRES[found[2] or "cm"] if found else 0.0
