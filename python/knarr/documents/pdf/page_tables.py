"""The tables of a document's pages, each in place of its lines.

This comes before headings are looked for, so that a bold group of rows is no heading and the caption of a table
stays with it. Tables whose cells are drawn are there already (see `ruled`); here are those that only places
show. A table that goes on over the end of a page is one on each, with the heads of the first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from knarr.documents.captions import CAPTION_CHARS, is_caption
from knarr.documents.pdf.grid import PlacedTable, placed_table
from knarr.documents.pdf.lines import Line, TableLine
from knarr.documents.pdf.ruling import PageRule
from knarr.documents.pdf.strips import parted, text_row
from knarr.documents.pdf.tables import TableLines, TextRow, find_tables, goes_on_over_page, is_unit

_DASHES = re.compile(r"[-=_–—\s]{8,}")
_LABELS_BETWEEN, _WORDS_BETWEEN, _LABEL_CHARS = 5, 2, 90
_CAPTION_LINES = 5
_CAPTION_STEP, _LINE_STEP = 3.0, 1.6


def with_tables(pages: Sequence[Sequence[Line]], rules: Sequence[Sequence[PageRule]]) -> list[list[Line]]:
    """The lines of each page, those that make a table as one `TableLine`, captions in it. `rules`: the lines that
    each page draws from left to right."""
    tables = _Tables()
    return [tables.page(lines, drawn) for lines, drawn in zip(pages, rules, strict=True)]


class _Tables:
    """Page after page; what the last table was that the end of a page cuts."""

    def __init__(self) -> None:
        self._ruled: TableLine | None = None
        self._placed: PlacedTable | None = None
        self._rules: Sequence[PageRule] = ()

    def page(self, lines: Sequence[Line], rules: Sequence[PageRule]) -> list[Line]:
        """The lines of the next page. One without lines cuts no table."""
        if not lines:
            return []
        self._rules = rules
        written: list[Line] = []
        begin = 0
        for at in [at for at, line in enumerate(lines) if isinstance(line, TableLine)] + [len(lines)]:
            written += self._stretch(lines[begin:at], first=begin == 0)
            if at < len(lines):
                written.append(self._drawn(lines[at], first=_few_words(written)))
            begin = at + 1
        tables = [at for at, line in enumerate(written) if isinstance(line, TableLine)]
        last = written[tables[-1]] if tables and _few_words(written[tables[-1] + 1 :]) else None
        self._ruled = last if isinstance(last, TableLine) and last.ruled else None
        return _titled(written)

    def _drawn(self, line: Line, *, first: bool) -> Line:
        assert isinstance(line, TableLine)
        before = self._ruled.ruled if first and self._ruled else None
        below = line.ruled.below(before) if before and line.ruled else None
        self._placed = None
        return replace(line, table=below.text, ruled=below) if below else line

    def _stretch(self, lines: Sequence[Line], *, first: bool) -> list[Line]:
        """Lines between tables that are drawn. A caption ends what is above it, and is no head of what is below."""
        before, self._placed = (self._placed if first else None), None
        written: list[Line] = []
        begin = 0
        for caption in [*_captions(lines), range(len(lines), len(lines))]:
            if caption.start > begin:
                written += self._between(lines[begin : caption.start], before if begin == 0 else None)
            written += lines[caption.start : caption.stop]
            if caption:
                self._placed = None
            begin = caption.stop
        return written

    def _between(self, lines: Sequence[Line], before: PlacedTable | None) -> list[Line]:
        """Lines between captions."""
        lines = _without_dashes(lines)
        rows = [text_row(line) for line in lines]
        written: list[Line] = []
        done = 0
        self._placed = None
        if before is not None and (table := goes_on_over_page(rows)):
            placed = placed_table((), parted((), lines[: table.end])[1], before)
            if placed is not None:
                written.append(_table_line(lines[: table.end], placed, continued=True))
                self._placed, done = placed, table.end
        for tables in _groups(rows, find_tables(rows, done)):
            for table, placed in self._placed_tables(lines, tables):
                written += [*lines[done : table.begin], _table_line(lines[table.begin : table.end], placed)]
                done, self._placed = table.end, placed
        if done < len(lines):
            self._placed = None
        return [*written, *lines[done:]]

    def _placed_tables(
        self, lines: Sequence[Line], tables: Sequence[TableLines]
    ) -> list[tuple[TableLines, PlacedTable]]:
        """Tables as one where places allow that, else each for itself; those without columns are left out."""
        whole = replace(tables[0], end=tables[-1].end)
        found = []
        for table in (whole, *(tables if len(tables) > 1 else ())):
            header, body = lines[table.begin : table.first], lines[table.first : table.end]
            placed = placed_table(*parted(header, body, self._rules))
            if placed is not None:
                found.append((table, placed))
                if table is whole:
                    break
        return found


def _groups(rows: Sequence[TextRow], tables: Sequence[TableLines]) -> list[list[TableLines]]:
    """Tables that may be one: below the first, with few labels between them, those without heads of their own."""
    groups: list[list[TableLines]] = []
    for table in tables:
        last = groups[-1][-1] if groups else None
        between = rows[last.end : table.begin] if last else ()
        if (
            last
            and table.first == table.begin
            and len(between) <= _LABELS_BETWEEN
            and all(len(row.text) <= _LABEL_CHARS for row in between)
        ):
            groups[-1].append(table)
        else:
            groups.append([table])
    return groups


def _without_dashes(lines: Sequence[Line]) -> Sequence[Line]:
    """The lines without those that only rule off others, where rows of cells are beside them."""
    if not any(_DASHES.fullmatch(line.text) for line in lines):
        return lines
    return [
        line
        for at, line in enumerate(lines)
        if not (
            _DASHES.fullmatch(line.text) and any(near.cells > 1 for near in lines[max(0, at - 2) : at + 3])
        )
    ]


def _captions(lines: Sequence[Line]) -> list[range]:
    """The captions among the lines: each with the lines below it that look like it and begin where it does or are as
    much in the middle."""
    found: list[range] = []
    at = 0
    while at < len(lines):
        begin = at
        at += 1
        if lines[begin].cells > 2 or not is_caption(lines[begin].text):
            continue
        while at < len(lines) and at - begin < _CAPTION_LINES and _same_caption(lines[at - 1], lines[at]):
            at += 1
        found.append(range(begin, at))
    return found


def _same_caption(above: Line, line: Line) -> bool:
    if line.cells > 1 or isinstance(line, TableLine) or is_unit(line.text) or is_caption(line.text):
        return False
    step = above.y - line.y
    alike = (
        abs(above.size - line.size) < 0.3 and above.bold == line.bold and 0 < step <= _LINE_STEP * above.size
    )
    centred = abs(above.x0 + above.x1 - line.x0 - line.x1) < 2 * line.size
    return alike and (centred or abs(above.x0 - line.x0) < 2 * line.size or line.x0 > above.x0 > line.x0 - 80)


def _few_words(lines: Sequence[Line]) -> bool:
    """Whether lines are no more than what may stand between two parts of a table: a remark, a page's number."""
    return len(lines) <= _WORDS_BETWEEN and all(
        len(line.text) <= _LABEL_CHARS and not isinstance(line, TableLine) for line in lines
    )


def _table_line(lines: Sequence[Line], placed: PlacedTable, *, continued: bool = False) -> TableLine:
    first = lines[0]
    x0, x1 = min(line.x0 for line in lines), max(line.x1 for line in lines)
    text = " ".join(line.text for line in lines)
    units = () if continued else placed.units
    return TableLine(
        text, 2, x0, x1, first.y, first.size, False, False, first.page, ((x0, x1),),
        table=placed.text, units=units, parts=tuple(lines),
    )  # fmt: skip


def _titled(lines: Sequence[Line]) -> list[Line]:
    """The lines with captions in their tables: the one above a table, else the one below it."""
    written: list[Line] = []
    for line in lines:
        if isinstance(line, TableLine) and (above := _caption_above(written, line)):
            parts = (*written[-above:], *line.parts)
            line = replace(line, title=_joined(written[-above:]), y=written[-above].y, parts=parts)
            del written[-above:]
        written.append(line)
    titled: list[Line] = []
    at = 0
    while at < len(written):
        line = written[at]
        at += 1
        if isinstance(line, TableLine) and not line.title and (below := _caption_below(written, at)):
            caption = written[at : at + below]
            line = replace(line, title=_joined(caption), parts=(*caption, *line.parts))
            at += below
        titled.append(line)
    return titled


def _caption_above(lines: Sequence[Line], table: TableLine) -> int:
    """How many of the last lines are the caption of a table that comes next; 0 where there is none."""
    below: Line = table
    chars = 0
    for count, line in enumerate(reversed(lines[-_CAPTION_LINES:]), 1):
        chars += len(line.text)
        apart = line.y - below.y > _CAPTION_STEP * max(line.size, below.size)
        if isinstance(line, TableLine) or line.cells > 2 or chars > CAPTION_CHARS or (apart and count > 1):
            return 0
        if is_caption(line.text):
            return count
        below = line
    return 0


def _caption_below(lines: Sequence[Line], at: int) -> int:
    """How many lines from `at` are a caption below a table; 0 where there is none."""
    if at >= len(lines) or lines[at].cells > 2 or not is_caption(lines[at].text):
        return 0
    count, chars = 1, len(lines[at].text)
    while at + count < len(lines) and count < _CAPTION_LINES:
        above, line = lines[at + count - 1], lines[at + count]
        chars += len(line.text)
        step = above.y - line.y
        alike = abs(above.size - line.size) < 0.3 and 0 < step <= _LINE_STEP * above.size
        if not alike or isinstance(line, TableLine) or above.text.endswith(".") or chars > CAPTION_CHARS:
            break
        count += 1
    return count


def _joined(lines: Sequence[Line]) -> str:
    """The words of a caption; a hyphen at the end of a line stays one."""
    text = ""
    for line in lines:
        text += line.text if not text or text.endswith("\xad") else f" {line.text}"
    return " ".join(text.replace("\xad", "-").split())
