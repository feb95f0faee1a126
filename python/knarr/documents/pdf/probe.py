"""Where the words of a page stand and how they look, as PDFium tells it of single characters.

Part of the worker process (see `child`). A page has a thousand words, and each question costs a microsecond or
three, so few are asked: of each word, where its first character begins and its last one ends; of each text object, which
is what a file draws in one go, a line or a word, how it is turned, its size and its font; of each font, its look.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any

import pypdfium2.raw as pdfium

from knarr.documents.pdf import calls, fonts

# Writing that slopes by less is upright.
_UPRIGHT = 0.05
_STRAIGHT = (0.0, (1.0, 0.0), (0.0, 1.0), 1.0)
_DOUBLE = ctypes.sizeof(ctypes.c_double)


class Probe:
    """Asks PDFium about characters of one page; holds the buffers it answers into."""

    def __init__(self, text_page: Any) -> None:
        self._page = calls.address(text_page)
        self._handle = text_page
        self._box, self._begin, self._turn = (
            (ctypes.c_double * 4)(),
            (ctypes.c_double * 2)(),
            pdfium.FS_MATRIX(),
        )
        box, begin = ctypes.addressof(self._box), ctypes.addressof(self._begin)
        # Left, right, bottom and top of a character; where it begins on its base line.
        self._box_at = [box + at * _DOUBLE for at in range(4)]
        self._begin_at = [begin, begin + _DOUBLE]
        self._turn_at = ctypes.addressof(self._turn)
        # Of the text object that was asked about last.
        self._object: int | None = None
        self._angle, self._along, self._up, self._scale = _STRAIGHT
        self._size = self._shown_size = 0.0
        self._look = (0, 0)
        self._fonts: dict[int, tuple[int, int]] = {}
        self._looks: dict[tuple[bytes, int], tuple[int, int]] = {}
        self._drawn: dict[int, float] = {}

    def word(self, text: str, first: int) -> list[Any]:
        """The word from character `first` on, as a message has it (see `words.read_words`)."""
        found = calls.text_object(self._page, first)
        if found is None or found != self._object:
            self._enter(found, first)
        size = self._shown_size if self._size >= fonts.SMALLEST_SIZE else round(self._drawn_size(first), 1)
        place = self._place(first, first + len(text) - 1)
        turned = (self._angle,) if self._angle else ()
        return [text, *place, size, *self._look, *turned]

    def _enter(self, found: int | None, at: int) -> None:
        """Learns what is the same in all of a text object, of which `at` is a character."""
        self._object = found
        self._angle, self._along, self._up, self._scale = self._turned(at)
        self._size = calls.font_size(self._page, at) * self._scale
        self._shown_size = round(self._size, 1)
        font = calls.font(found) if found else None
        look = self._fonts.get(font) if font else None
        if look is None:
            look = self._look_of(at)
            if font:
                self._fonts[font] = look
        self._look = look

    def _turned(self, at: int) -> tuple[float, tuple[float, float], tuple[float, float], float]:
        """How the writing is turned at a character, the directions along it and up from it, and how it is scaled."""
        if not calls.matrix(self._page, at, self._turn_at):
            return _STRAIGHT
        along, up = (self._turn.a, self._turn.b), (self._turn.c, self._turn.d)
        width, height = math.hypot(*along), math.hypot(*up)
        if not (width and height) or (along[0] > 0 and abs(along[1]) < _UPRIGHT * width):
            return *_STRAIGHT[:3], height or 1.0
        angle = round(math.atan2(along[1], along[0]), 4)
        return angle, (along[0] / width, along[1] / width), (up[0] / height, up[1] / height), height

    def _place(self, first: int, last: int) -> tuple[float, float, float]:
        """Left end, right end and base line of the word from character `first` to `last`."""
        calls.origin(self._page, first, *self._begin_at)
        x, y = self._begin
        left, right = self._ends(last)
        start, base = x, y
        if self._angle:
            start = x * self._along[0] + y * self._along[1]
            base = x * self._up[0] + y * self._up[1]
        if right < start:
            # Written from right to left.
            start, right = left, self._ends(first)[1]
        elif first == last and not self._angle:
            start = min(start, left)
        return round(start, 1), round(right, 1), round(base, 1)

    def _ends(self, at: int) -> tuple[float, float]:
        """Where a character begins and ends, along the direction of writing."""
        calls.char_box(self._page, at, *self._box_at)
        left, right, bottom, top = self._box
        if not self._angle:
            return (left, right) if left <= right else (right, left)
        ends = [x * self._along[0] + y * self._along[1] for x in (left, right) for y in (bottom, top)]
        return min(ends), max(ends)

    def _look_of(self, at: int) -> tuple[int, int]:
        """Whether a character is bold, and whether it is italic."""
        name, flags = ctypes.create_string_buffer(256), ctypes.c_int()
        written = pdfium.FPDFText_GetFontInfo(self._handle, at, name, 256, ctypes.byref(flags))
        key = (name.value if 0 < written <= 256 else b"", flags.value)
        if key not in self._looks:
            weight = pdfium.FPDFText_GetFontWeight(self._handle, at)
            bold, italic = fonts.look(key[0].decode("utf-8", "replace"), key[1], weight)
            self._looks[key] = (int(bold), int(italic))
        return self._looks[key]

    def _drawn_size(self, at: int) -> float:
        """The size of a character as it is drawn, by the first letter of its font that is asked about."""
        font = (calls.font(self._object) if self._object else None) or 0
        if font not in self._drawn:
            char = chr(min(pdfium.FPDFText_GetUnicode(self._handle, at), 0x10FFFF))
            calls.char_box(self._page, at, *self._box_at)
            size = max(fonts.SMALLEST_SIZE, fonts.drawn_size(char, self._box[3] - self._box[2]))
            if not (font and char.isalpha()):
                return size
            self._drawn[font] = size
        return self._drawn[font]
