"""The lines that a page draws: rules, borders of cells, edges of shaded boxes. They tell where cells end.

Part of the worker process (see `child`). A thin filled box is a line, a larger box gives its four edges; curves and
slanting lines are none. Places are in points along the direction of writing, as those of words are: on a page whose
text is written sideways they are turned with it.

Cost: a few calls for each path object. A drawing of thousands of paths is no table: what is read of a page, and
of a file, is bounded.
"""

import ctypes
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pypdfium2.raw as pdfium

from knarr.documents.pdf import calls

MAX_OBJECTS = 20_000
MAX_RULES = 4_000
MAX_FILE_RULES = 400_000
MAX_DEPTH = 4
_MAX_SEGMENTS = 400
_SAMPLED_CHARS = 40
_THIN, _STRAIGHT, _SHORTEST = 2.5, 1.0, 3.0

Box = tuple[float, float, float, float]
Matrix = tuple[float, float, float, float, float, float]
_PLAIN: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


class Rules:
    """Reads the rules of page after page of one file."""

    def __init__(self) -> None:
        self._left = MAX_FILE_RULES

    def read(self, page: Any, text_page: Any) -> list[float]:
        """The rules of a page: left, bottom, right and top end of each, one after the other."""
        if not text_page or self._left <= 0:
            return []
        turn = _turned(text_page)
        rules: dict[Box, None] = {}
        for seen, (path, matrix) in enumerate(_paths(page)):
            for box in _lines_of(path, matrix):
                rules[_turn(box, turn)] = None
            if seen > MAX_OBJECTS or len(rules) > min(MAX_RULES, self._left):
                return []
        self._left -= len(rules)
        return [value for box in rules for value in box]


def _paths(page: Any) -> Iterator[tuple[int, Matrix]]:
    """The path objects of a page and of the forms on it, and the matrix of what they are in."""
    stack: list[tuple[int, Matrix, int]] = []
    left = 2 * MAX_OBJECTS  # forms may draw forms
    on = calls.address(page)
    for at in range(min(pdfium.FPDFPage_CountObjects(page), MAX_OBJECTS)):
        stack.append((calls.page_object(on, at), _PLAIN, 0))
        while stack and left:
            left -= 1
            found, matrix, depth = stack.pop()
            kind = calls.object_kind(found)
            if kind == pdfium.FPDF_PAGEOBJ_PATH:
                yield found, matrix
            elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth < MAX_DEPTH:
                inner = _times(_matrix(found), matrix)
                count = min(calls.form_objects(found), left)
                stack += [(calls.form_object(found, one), inner, depth + 1) for one in range(count)]


def _matrix(found: int) -> Matrix:
    matrix = pdfium.FS_MATRIX()
    if not calls.object_matrix(found, ctypes.addressof(matrix)):
        return _PLAIN
    return (matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f)


def _times(one: Matrix, other: Matrix) -> Matrix:
    a, b, c, d, e, f = one
    g, h, i, j, k, m = other
    return (a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m)


def _lines_of(path: int, around: Matrix) -> Iterator[Box]:
    """The straight lines of a path that is drawn, and the edges of its boxes."""
    mode, stroke = ctypes.c_int(), ctypes.c_int()
    calls.draw_mode(path, ctypes.addressof(mode), ctypes.addressof(stroke))
    stroked = bool(stroke.value)
    if not stroked and not mode.value:
        return
    matrix = _times(_matrix(path), around)
    for points in _parts(path, matrix):
        xs, ys = [x for x, _ in points], [y for _, y in points]
        left, bottom, right, top = min(xs), min(ys), max(xs), max(ys)
        if min(right - left, top - bottom) <= _THIN:
            yield from _kept((left, bottom, right, top))
        elif not stroked and len(points) not in (4, 5):
            continue
        else:
            for (x0, y0), (x1, y1) in zip(points, points[1:] + points[:1] * (not stroked), strict=False):
                if min(abs(x0 - x1), abs(y0 - y1)) <= _STRAIGHT:
                    yield from _kept((min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)))


def _kept(box: Box) -> Iterator[Box]:
    left, bottom, right, top = box
    if max(right - left, top - bottom) >= _SHORTEST and all(map(math.isfinite, box)):
        yield round(left, 1), round(bottom, 1), round(right, 1), round(top, 1)


def _parts(path: int, matrix: Matrix) -> Iterator[list[tuple[float, float]]]:
    """The corners of each connected part of a path; a part with a curve is left out."""
    a, b, c, d, e, f = matrix
    corner = (ctypes.c_float * 2)()
    x_at = ctypes.addressof(corner)
    y_at = x_at + ctypes.sizeof(ctypes.c_float)
    points: list[tuple[float, float]] = []
    curved = False
    for at in range(min(calls.segments(path), _MAX_SEGMENTS)):
        segment = calls.segment(path, at)
        kind = calls.segment_kind(segment)
        if kind == pdfium.FPDF_SEGMENT_MOVETO:
            if len(points) > 1 and not curved:
                yield points
            points, curved = [], False
        elif curved or kind != pdfium.FPDF_SEGMENT_LINETO:
            curved = True
            continue
        calls.segment_point(segment, x_at, y_at)
        x, y = corner
        points.append((a * x + c * y + e, b * x + d * y + f))
        if calls.segment_closes(segment) and len(points) > 2:
            points.append(points[0])
    if len(points) > 1 and not curved:
        yield points


def _turned(text_page: Any) -> int:
    """The quarter turns by which most text of the page is written sideways, as PDFium measures: clockwise."""
    count = pdfium.FPDFText_CountChars(text_page)
    step = max(1, count // _SAMPLED_CHARS)
    turns = Counter(
        round(max(0.0, pdfium.FPDFText_GetCharAngle(text_page, at)) / (math.pi / 2)) % 4
        for at in range(0, count, step)
    )
    return turns.most_common(1)[0][0] if turns else 0


def _turn(box: Box, turns: int) -> Box:
    left, bottom, right, top = box
    if turns == 1:
        return -top, left, -bottom, right
    if turns == 2:
        return -right, -top, -left, -bottom
    if turns == 3:
        return bottom, -right, top, -left
    return box
