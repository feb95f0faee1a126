"""Tables in a PDF: which lines make one, and which of them name its columns.

A PDF knows no tables, only lines that are parted into cells. Rows with figures that follow each other,
with a label line between them here and there, make a table. The lines above the first figures (periods,
column heads, units) are its header, so that a chunk that holds only later rows still says what its
figures mean.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from knarr.documents.sections import Table

_FEWEST_ROWS = 3
_MOST_LABELS = 2
_LABEL_CHARS = 90
_HEADER_LINES = 6
_HEADER_CHARS = 400
_FIGURE = re.compile(r"[$€£¥(\s–—-]*\d[\d,]*(\.\d+)?[\s%)x]*")
_NO_FIGURE = re.compile(r"[$€£¥\s]*[–—-]+[\s%]*")
_YEAR = re.compile(r"(19|20)\d\d")
_PERIOD = re.compile(
    r"\b(19|20)\d\d\b|\bended\b|\b(Q[1-4]|FY)\b|\b(January|February|March|April|May|June|July|"
    r"August|September|October|November|December)\b"
)
_UNITS = re.compile(
    r"\b(in|and|of)\s+(\w+\s+){0,3}(thousands|millions|billions|dollars)\b|\bper share\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class TextRow:
    """A line of the canonical text: its byte range and its cells."""

    begin_byte: int
    end_byte: int
    cells: tuple[str, ...]

    @property
    def has_figures(self) -> bool:
        """Whether it states figures; years do not count."""
        return any(
            _NO_FIGURE.fullmatch(cell) or (_FIGURE.fullmatch(cell) and not _YEAR.fullmatch(cell.strip()))
            for cell in self.cells[1:]
        ) or (len(self.cells) > 1 and bool(_FIGURE.fullmatch(self.cells[0])) and not self._all_years)

    @property
    def _all_years(self) -> bool:
        return all(_YEAR.fullmatch(cell.strip()) for cell in self.cells)

    @property
    def names_periods(self) -> bool:
        """Whether it heads columns: it has years or dates, and no figures."""
        return not self.has_figures and all(_PERIOD.search(cell) for cell in self.cells)

    @property
    def text(self) -> str:
        return "  ".join(self.cells)


def find_tables(rows: list[TextRow]) -> list[Table]:
    """The tables among the lines of one stretch of a page, in order."""
    found: list[Table] = []
    begin = 0
    while begin < len(rows):
        end = _table_end(rows, begin)
        figures = [at for at in range(begin, end) if rows[at].has_figures]
        if len(figures) >= _FEWEST_ROWS and (table := _table(rows, begin, figures[0], figures[-1] + 1)):
            found.append(table)
        begin = max(end, begin + 1)
    return found


def _table_end(rows: list[TextRow], begin: int) -> int:
    """The end of the run of rows that begins at `begin`, with few label lines between them."""
    if len(rows[begin].cells) == 1:
        return begin
    end, labels = begin + 1, 0
    for at in range(begin + 1, len(rows)):
        if len(rows[at].cells) > 1:
            if rows[at].names_periods and rows[at - 1].has_figures:
                break
            end, labels = at + 1, 0
        elif labels == _MOST_LABELS or len(rows[at].text) > _LABEL_CHARS:
            break
        else:
            labels += 1
    return end


def _table(rows: list[TextRow], begin: int, first: int, end: int) -> Table | None:
    for above in reversed(range(max(0, begin - 2), begin)):
        if not _UNITS.search(rows[above].text) or len(rows[above].text) > _LABEL_CHARS:
            break
        begin = above
    # Labels between the column heads and the first figures are the table's, not its header's.
    while first > begin and len(rows[first - 1].cells) == 1 and not _UNITS.search(rows[first - 1].text):
        first -= 1
    header = [row.text for row in rows[begin:first]]
    if not header or len(header) > _HEADER_LINES or sum(map(len, header)) > _HEADER_CHARS:
        return None
    places = tuple(row.begin_byte for row in rows[first:end])
    return Table(rows[begin].begin_byte, rows[end - 1].end_byte, "\n".join(header) + "\n", places)
