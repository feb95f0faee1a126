"""How the body of a PDF looks around a page, and where a line is on its page.

A heading stands out from the body by contrast, so the body must be known where the heading is: parts of a
document may be set in another size. Its look is that of the prose on the page and its neighbours, or of the whole
document where these hold little text. Where a page holds prose of several sizes, as notes below the text, the body is
the largest that much of it has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from knarr.documents.pdf.lines import Line
from knarr.documents.pdf.paragraphs import leading

_NEAR_PAGES = 2
_NEAR_CHARS = 1500
_NEAR_LINES = 24
_MUCH = 0.25
_LEADING = 1.5
_TABLE_LEADING = 2.0
_WIDER = 1.4
_SPACE = 1.25


class BodyLook:
    """The size and weight of most prose, near each page, and the usual distance of its lines."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.leading = leading(lines)
        self._sizes: dict[int, Counter[float]] = {}
        self._bold: dict[int, list[int]] = {}
        for line in lines:
            prose = len(line.text) if line.cells == 1 and len(line.text) >= 40 else 1
            self._sizes.setdefault(line.page, Counter())[line.size] += prose
            bold = self._bold.setdefault(line.page, [0, 0])
            bold[line.bold] += prose
        self._cache: dict[int, tuple[float, bool]] = {}
        self._all = self._over(self._sizes)

    def size_on(self, page: int) -> float:
        """The size of most prose on this page and the pages beside it."""
        return self._on(page)[0]

    def bold_on(self, page: int) -> bool:
        """Whether most prose is bold there, so that bold is no contrast."""
        return self._on(page)[1]

    def _on(self, page: int) -> tuple[float, bool]:
        if page not in self._cache:
            near = [
                other for other in range(page - _NEAR_PAGES, page + _NEAR_PAGES + 1) if other in self._sizes
            ]
            enough = sum(sum(self._sizes[other].values()) for other in near) >= _NEAR_CHARS
            self._cache[page] = self._over(near) if enough else self._all
        return self._cache[page]

    def _over(self, pages: Iterable[int]) -> tuple[float, bool]:
        sizes: Counter[float] = Counter()
        plain, bold = 0, 0
        for page in pages:
            sizes.update(self._sizes[page])
            plain, bold = plain + self._bold[page][0], bold + self._bold[page][1]
        much = _MUCH * sizes.total()
        return max(
            (size for size, chars in sizes.items() if chars >= much), default=_most(sizes)
        ), bold > plain


def _most(sizes: Counter[float]) -> float:
    return sizes.most_common(1)[0][0] if sizes else 0.0


def apart(lines: Sequence[Line], at: int, usual: float) -> bool:
    """Whether there is more space above a line than between the lines of a paragraph, or a page or column begins."""
    line, above = lines[at], lines[at - 1] if at else None
    if above is None or above.page != line.page or above.y <= line.y:
        return True
    return above.y - line.y > _SPACE * usual * max(min(above.size, line.size), 1.0)


def stands_aside(lines: Sequence[Line], at: int) -> bool:
    """Whether a line is neither at the left edge of its page's text nor in the middle."""
    left, right = edges(lines, at)
    return lines[at].x0 - left > 0.15 * (right - left) and off_centre(lines, at)


def off_centre(lines: Sequence[Line], at: int) -> bool:
    """Whether a line is not in the middle of its page's text."""
    left, right = edges(lines, at)
    return abs((lines[at].x0 + lines[at].x1) - (left + right)) > 0.1 * (right - left)


def edges(lines: Sequence[Line], at: int) -> tuple[float, float]:
    """The left and right end of the text around a line, in its column: of the lines over and under it, without
    those that are much wider than most, as a title over two columns is."""
    line = lines[at]
    near = [
        other
        for other in lines[max(0, at - _NEAR_LINES) : at + _NEAR_LINES]
        if other is line or (other.page == line.page and other.x0 <= line.x1 and other.x1 >= line.x0)
    ]
    widths = sorted(other.x1 - other.x0 for other in near)
    most = max(_WIDER * widths[len(widths) // 2], line.x1 - line.x0)
    column = [other for other in near if other.x1 - other.x0 <= most]
    return min(other.x0 for other in column), max(other.x1 for other in column)


def close(above: Line, below: Line) -> bool:
    """Whether two lines are as near as rows of one table are."""
    return above.page == below.page and 0 <= above.y - below.y <= _TABLE_LEADING * max(above.size, below.size)


def alike(above: Line, below: Line) -> bool:
    """Whether two neighbouring lines look the same."""
    same = (above.page, above.bold, above.italic, above.cells) == (below.page, below.bold, below.italic, 1)
    return same and abs(above.size - below.size) < 0.3 and 0 < above.y - below.y <= _LEADING * above.size


def wraps(lines: Sequence[Line], at: int) -> bool:
    """Whether a line ends because its page is full, so that the next one may continue it: it reaches as
    far to the right as text goes on its page, or it is centred above another line."""
    line, below = lines[at], lines[at + 1]
    right = edges(lines, at)[1]
    first_word = (below.x1 - below.x0) * len(below.text.split()[0]) / max(1, len(below.text))
    if line.x1 + first_word >= right - 2 * line.size:
        return True
    centred = abs((line.x0 + line.x1) - (below.x0 + below.x1)) < 2 * line.size
    return centred and abs(line.x0 - below.x0) > line.size
