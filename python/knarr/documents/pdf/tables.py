"""Tables in a PDF: which lines make one, and which of them name its columns.

A PDF knows no tables, only lines that are parted into cells. Rows with figures that follow each other,
with a label line between them here and there, make a table. The lines above the first figures (periods,
column heads, units) are its header, so that a chunk that holds only later rows still says what its
figures mean. How cells come under each other is for `grid`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

FEWEST_ROWS = 3
_FEWEST_HEADS = 3
_MOST_LABELS = 2
_LABEL_CHARS = 90
_HEADER_LINES = 6
_HEADER_CHARS = 400
_LINES_ABOVE = 3
_HEAD_CHARS = 40
_OVER = 20.0
_FIGURE = re.compile(
    r"[$€£¥(\s–—−±+*~≈<>≤≥†‡-]*(?:\d[\d,]*(?:\.\d+)?|\.\d+|\d{1,3}(?:[ .]\d{3})+(?:,\d+)?)"
    r"(?:[–—-](?:\d[\d,]*)?\.?\d+)?[\s%)x*†‡]*"
)
_NO_FIGURE = re.compile(r"[$€£¥\s]*[–—-]+[\s%]*")
_RANGE = re.compile(r"\d{1,4}[–—-]\d{1,4}")
_YEAR = re.compile(r"(19|20)\d\d([–—/-](19|20)?\d\d)?")
_FEWEST_STEPS, _LARGEST_STEP, _LOOKED_AT = 3, 1.0, 12
_STEP = re.compile(r"\d{1,2}(\.\d{1,2})?")
_PERIOD = re.compile(
    r"\b(19|20)\d\d\b|\b[Ee]nded\b|\b(Q[1-4]|FY)\b|\b(January|February|March|April|May|June|July|"
    r"August|September|October|November|December)\b"
)
_SPAN = re.compile(r"\b(years?|months?|weeks?|quarters?|half)\b", re.IGNORECASE)
_UNITS = re.compile(
    r"\b(in|and|of)\s+(\w+\s+){0,3}(thousands|millions|billions|dollars)\b|\bper share\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class TextRow:
    """A line of a page: its cells, and their left and right ends. `under`: the ends of the rules right below it, each
    of which says what columns a head is over."""

    cells: tuple[str, ...]
    places: tuple[tuple[float, float], ...]
    under: tuple[tuple[float, float], ...] = ()

    @property
    def has_figures(self) -> bool:
        """Whether it states figures; years do not count."""
        return len(self.cells) > 1 and (
            any(_states_figures(cell) for cell in self.cells[1:])
            or bool(_FIGURE.fullmatch(self.cells[0]) and not _YEAR.fullmatch(self.cells[0].strip()))
        )

    @property
    def names_periods(self) -> bool:
        """Whether it heads columns: it has years or dates, and no figures."""
        return not self.has_figures and all(_PERIOD.search(cell) for cell in self.cells)

    @property
    def text(self) -> str:
        return "  ".join(self.cells)


@dataclass(frozen=True, slots=True)
class TableLines:
    """Where a table is among the rows: its header from `begin` to `first`, its body from there to `end`."""

    begin: int
    first: int
    end: int


def is_figure(cell: str) -> bool:
    """Whether a cell states a number, or by a dash that there is none."""
    return bool(_NO_FIGURE.fullmatch(cell) or _FIGURE.fullmatch(cell))


def _states_figures(cell: str) -> bool:
    """Whether a cell is a figure, or several that stand close, and not years only."""
    if is_figure(cell):
        return not is_year(cell) and not _RANGE.fullmatch(cell.strip())
    words = cell.split()
    return all(map(is_figure, words)) and not all(map(is_year, words))


def is_year(cell: str) -> bool:
    """Whether a cell is a year, which heads figures and is none."""
    return bool(_YEAR.fullmatch(cell.strip()))


def is_unit(text: str) -> bool:
    """Whether a line says in what the figures below it are counted."""
    return len(text) <= _LABEL_CHARS and bool(_UNITS.search(text))


def is_period(text: str) -> bool:
    """Whether a head says which time its columns are about."""
    return bool(_PERIOD.search(text) or _SPAN.search(text))


def find_tables(rows: Sequence[TextRow], begin: int = 0) -> list[TableLines]:
    """The tables among the lines of one stretch of a page from `begin` on, in order. One without column heads has no header; one
    of fewer rows than `FEWEST_ROWS` is a table only if its heads say so."""
    found: list[TableLines] = []
    start = begin
    while begin < len(rows):
        end = _table_end(rows, begin)
        figures = [at for at in range(begin, end) if rows[at].has_figures]
        if len(figures) > 1 and _counts_columns(rows, begin, figures):
            del figures[0]
        if figures:
            after = found[-1].end if found else start
            table = _table(rows, after, begin, figures[0], figures[-1] + 1)
            if table and (len(figures) >= FEWEST_ROWS or table.first > table.begin):
                found.append(table)
        begin = max(end, begin + 1)
    return found


def goes_on_over_page(rows: Sequence[TextRow]) -> TableLines | None:
    """The rows at the top of a page that may continue the table at the end of the page before: without heads, with
    figures, below few labels."""
    begin = next((at for at, row in enumerate(rows[: _MOST_LABELS + 1]) if len(row.cells) > 1), None)
    if (
        begin is None
        or any(len(row.text) > _LABEL_CHARS for row in rows[:begin])
        or not rows[begin].has_figures
    ):
        return None
    end = _table_end(rows, begin)
    return TableLines(0, 0, next(at + 1 for at in reversed(range(end)) if rows[at].has_figures))


def _counts_columns(rows: Sequence[TextRow], begin: int, figures: Sequence[int]) -> bool:
    """Whether the first of the rows with figures only numbers the columns or gives the steps of a scale ("Grade 1 2 3",
    "1.0 1.5 2.0"): nothing above names them, and the figures below are longer."""
    first = rows[figures[0]]
    at = [at for at, cell in enumerate(first.cells) if at and is_figure(cell)]
    if len(at) < _FEWEST_STEPS or at[-1] - at[0] >= len(at) or is_figure(first.cells[0]):
        return False
    if any(2 * len(row.cells) >= len(first.cells) for row in rows[begin : figures[0]] if len(row.cells) > 1):
        return False
    texts = [first.cells[one].strip() for one in at]
    if not all(map(_STEP.fullmatch, texts)):
        return False
    steps = {round(float(right) - float(left), 3) for left, right in itertools.pairwise(texts)}
    if len(steps) != 1 or not 0 < max(steps) <= _LARGEST_STEP:
        return False
    if max(steps) < _LARGEST_STEP:
        return True
    below = [cell for one in figures[1:_LOOKED_AT] for cell in rows[one].cells[1:] if is_figure(cell)]
    lengths = sorted(sum(map(str.isdigit, cell)) for cell in below)
    return bool(lengths) and lengths[len(lengths) // 2] > len(texts[0].replace(".", ""))


def _table_end(rows: Sequence[TextRow], begin: int) -> int:
    """The end of the run of rows that begins at `begin`, with few label lines between them."""
    if len(rows[begin].cells) == 1:
        return begin
    end, labels = begin + 1, 0
    for at in range(begin + 1, len(rows)):
        if len(rows[at].cells) > 1:
            if rows[end - 1].has_figures and _begins_another(
                rows[at], rows[end - 1], rows[begin], end - begin
            ):
                break
            end, labels = at + 1, 0
        elif labels == _MOST_LABELS or len(rows[at].text) > _LABEL_CHARS:
            break
        else:
            labels += 1
    return end


def _begins_another(row: TextRow, above: TextRow, first: TextRow, count: int) -> bool:
    """Whether a row below the figures of a table, of so many rows from `first`, heads the columns of another one."""
    if row.cells[0] == first.cells[0] and not is_figure(row.cells[0]) and len(row.cells) == len(first.cells):
        return True
    if row.has_figures:
        return False
    if row.names_periods or row.cells[0] == first.cells[0]:
        return True
    periods = sum(bool(_PERIOD.search(cell)) for cell in row.cells)
    right_of_labels = row.places[0][0] > above.places[0][0]
    heads = right_of_labels and (periods > 0 or len(row.cells) >= _FEWEST_HEADS)
    return count >= FEWEST_ROWS and (heads or periods > 1)


def _table(rows: Sequence[TextRow], after: int, begin: int, first: int, end: int) -> TableLines | None:
    for above in reversed(range(max(after, begin - _LINES_ABOVE), begin)):
        if not is_unit(rows[above].text) and not _over_columns(rows[above], rows[begin:end]):
            break
        begin = above
    # Labels between the column heads and the first figures are the table's, not its header's.
    while first > begin and len(rows[first - 1].cells) == 1 and not _UNITS.search(rows[first - 1].text):
        first -= 1
    header = [row.text for row in rows[begin:first]]
    if len(header) > _HEADER_LINES or sum(map(len, header)) > _HEADER_CHARS:
        return None
    return TableLines(begin, first, end)


def _over_columns(row: TextRow, table: Sequence[TextRow]) -> bool:
    """Whether a line above a table heads columns of it: a period right of where the labels begin, or a few words
    right of where the first cell of the line below ends."""
    begin, end = row.places[0]
    sentence = len(row.text) > _LABEL_CHARS or row.text.endswith((":", "."))
    if len(row.cells) > 1 or sentence or end > max(one.places[-1][1] for one in table) + _OVER:
        return False
    left = min(one.places[0][0] for one in table)
    if _PERIOD.search(row.text):
        return begin > left + _OVER
    return len(row.text) <= _HEAD_CHARS and begin > max(left + _OVER, _labels_end(table))


def _labels_end(table: Sequence[TextRow]) -> float:
    """Where the labels of a table usually end."""
    ends = sorted(row.places[0][1] for row in table if row.has_figures)
    return ends[len(ends) // 2] if ends else 0.0
