"""Glyphs that PDFium finds in no font.

A font that is neither in the file nor on the machine is replaced by another one. Where that has no glyph for a
character, as fonts of Latin letters have none for Chinese, PDFium gives neither a letter nor a shape: the text would be
gone without a word. What tells is a run of text objects without extent, each as far from the last as a wide character
is. Spaces that are drawn alone have no extent either, but they are narrower, and no three of them stand in a row.

Part of the worker process (see `child`). Cost: a sample of the page's objects, and all of them where that shows any.
"""

from __future__ import annotations

import ctypes
from typing import Any

import pypdfium2.raw as pdfium

_SAMPLE = 48
_FEWEST_IN_SAMPLE = 2
_MOST_OBJECTS = 100_000
_RUN = 3
_NARROW, _WIDE = 0.7, 3.0  # of the font's size: how far the next glyph of a run is
_SAME_LINE = 0.5
_NO_EXTENT = 0.01

_Place = tuple[float, float, float]


def unfound_glyphs(page: Any) -> list[Any]:
    """How many glyphs of a page stand in a row of at least three that no font has, and the name of the font that they
    want; empty when there are none."""
    count = min(pdfium.FPDFPage_CountObjects(page), _MOST_OBJECTS)
    step = max(1, count // _SAMPLE)
    sampled = sum(_unfound(page, at) is not None for at in range(0, count, step))
    if sampled < _FEWEST_IN_SAMPLE:
        return []
    total = length = wanted = 0
    last: _Place | None = None
    for at in range(count + 1):
        place = _unfound(page, at) if at < count else None
        if place is None or last is None or not _follows(place, last):
            if length >= _RUN:
                total, wanted = total + length, at - 1
            length = 0
        length += place is not None
        last = place
    return [total, _font_name(page, wanted)] if total else []


def _font_name(page: Any, at: int) -> str:
    name = ctypes.create_string_buffer(128)
    font = pdfium.FPDFTextObj_GetFont(pdfium.FPDFPage_GetObject(page, at))
    written = pdfium.FPDFFont_GetBaseFontName(font, name, 128) if font else 0
    return name.value.decode("utf-8", "replace") if 0 < written <= 128 else ""


def _follows(place: _Place, last: _Place) -> bool:
    em = last[2]
    return abs(place[1] - last[1]) <= _SAME_LINE * em and _NARROW * em <= place[0] - last[0] <= _WIDE * em


def _unfound(page: Any, at: int) -> _Place | None:
    """Where a text object without extent begins, and its size, when its font is not in the file."""
    found = pdfium.FPDFPage_GetObject(page, at)
    if pdfium.FPDFPageObj_GetType(found) != pdfium.FPDF_PAGEOBJ_TEXT:
        return None
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    pdfium.FPDFPageObj_GetBounds(found, left, bottom, right, top)
    if right.value - left.value > _NO_EXTENT or top.value - bottom.value > _NO_EXTENT:
        return None
    font = pdfium.FPDFTextObj_GetFont(found)
    if not font or pdfium.FPDFFont_GetIsEmbedded(font) == 1:
        return None
    turn, size = pdfium.FS_MATRIX(), ctypes.c_float()
    pdfium.FPDFPageObj_GetMatrix(found, turn)
    pdfium.FPDFTextObj_GetFontSize(found, size)
    return turn.e, turn.f, size.value * max(abs(turn.a), abs(turn.b)) or 1.0
