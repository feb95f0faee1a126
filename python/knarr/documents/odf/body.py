"""The blocks of an OpenDocument text or slide: headings, paragraphs, lists, tables, frames."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Callable

from lxml import etree

from knarr.documents.charts import chart_title
from knarr.documents.html.blocks import BlockWriter
from knarr.documents.odf.inline import InlineReader
from knarr.documents.odf.styles import DEEPEST_LIST, Counters, OdfStyles
from knarr.documents.tables import Cell, table_text
from knarr.documents.writer import MarkdownWriter
from knarr.documents.xml import attribute_of, local
from knarr.language.plain import one_line

Part = Callable[[str], "etree._Element | None"]

_MAX_SPAN = 1_000
_MAX_CELL_COPIES = 20
_GROUPS = frozenset((
    "section", "index-body", "illustration-index", "table-index", "object-index", "user-index", "alphabetical-index",
    "bibliography", "text-box", "g", "custom-shape", "rect", "ellipse", "shape", "numbered-paragraph", "page", "a",
    "polygon", "path", "circle", "caption", "index-title",
))  # fmt: skip


class OdfBody:
    """Writes blocks in document order. `part` gives the content of an embedded object."""

    def __init__(self, writer: MarkdownWriter, styles: OdfStyles, part: Part, notes: Counter[str]) -> None:
        self.inline = InlineReader(styles, notes)
        self.title = ""
        self.notes = notes
        self._writer = writer
        self._blocks = BlockWriter(writer)
        self._styles = styles
        self._part = part
        self._outline = Counters()
        self._lists: dict[str, Counters] = {}

    def read(self, element: etree._Element) -> None:
        """Write everything in an element."""
        for child in element:
            self.block(child)

    def block(self, element: etree._Element) -> None:
        kind = local(element)
        if kind == "h":
            self._heading(element)
        elif kind == "p":
            self._paragraph(element)
        elif kind == "list":
            self._list(element, 1, "")
        elif kind == "table":
            self._table(element)
        elif kind in ("frame", "object", "object-ole"):
            self.frame(element)
        elif kind == "table-of-content":
            self.notes["tables of contents left out:"] += 1
        elif kind == "tracked-changes":
            deleted = sum(1 for _ in element.iter("{*}deletion"))
            if deleted:
                self.notes["deletions under tracked changes left out:"] += deleted
        elif kind in _GROUPS:
            if attribute_of(element, "display") == "none":
                self.notes["hidden sections left out:"] += 1
            else:
                self.read(element)

    def flush(self) -> None:
        """End the open paragraph and write the notes of the section."""
        self._blocks.flush()
        if self.inline.footnotes:
            self._writer.gap()
            self._writer.put("".join(f"{text}\n" for text in self.inline.footnotes))
            self.inline.footnotes.clear()

    def say(self, text: str) -> None:
        """A paragraph."""
        lines = text.split("\n")
        for at, line in enumerate(lines):
            self._blocks.inline(line)
            if at + 1 < len(lines):
                self._blocks.line_break()
        self._blocks.flush()

    def _heading(self, element: etree._Element) -> None:
        level = attribute_of(element, "outline-level", "1")
        depth = int(level) if level.isdecimal() and 0 < len(level) < 3 else 1
        self._titled(element, max(1, depth))

    def _titled(self, element: etree._Element, level: int) -> None:
        text = one_line(self.inline.text(element))
        frames = self._take_frames()
        if text:
            number = self._outline.next(level, self._styles.outline)
            before = self.inline.footnotes[:]
            self.inline.footnotes.clear()
            own = [note for note in before if f"{note.partition(']')[0]}]" in text]
            self.inline.footnotes += [note for note in before if note not in own]
            self.flush()
            self.inline.footnotes += own
            self._blocks.inline(f"{number} {text}" if number and not text.startswith(number) else text)
            self._blocks.heading(level)
        self._frames(frames)

    def _paragraph(self, element: etree._Element) -> None:
        style = attribute_of(element, "style-name")
        if self._styles.is_hidden(style):
            self.notes["characters of hidden text left out:"] += len("".join(element.itertext()))
            return
        level = self._styles.level(style)
        if level:
            self._titled(element, level)
            return
        text = self.inline.text(element)
        frames = self._take_frames()
        if text and not self.title and "Title" in self._styles.chain(style):
            self.title = one_line(text)
        self.say(text)
        self._frames(frames)

    def _list(self, element: etree._Element, depth: int, style: str) -> None:
        style = attribute_of(element, "style-name") or style
        key = style or attribute_of(element, "id")
        counters = self._lists.setdefault(key, Counters())
        goes_on = attribute_of(element, "continue-numbering") == "true" or attribute_of(
            element, "continue-list"
        )
        if depth == 1 and not goes_on:
            counters = self._lists[key] = Counters()
        levels = {at: self._styles.list_level(style, at) for at in range(1, min(depth, DEEPEST_LIST) + 1)}
        for item in element:
            if local(item) not in ("list-item", "list-header"):
                continue
            number = ""
            first = local(item[0]) if len(item) else ""
            if local(item) == "list-item" and first != "list":
                start = attribute_of(item, "start-value")
                number = counters.next(
                    depth, levels, int(start) if start.isdecimal() and len(start) < 7 else None
                )
            if first == "h":
                self.read(item)
                continue
            mark = f"{number} " if number else "- "
            if first and first != "list":
                self._blocks.open_container(mark, " " * len(mark))
            for child in item:
                if local(child) == "list":
                    self._list(child, depth + 1, style)
                else:
                    self.block(child)
            if first and first != "list":
                self._blocks.close_container()
        if depth == 1:
            self._blocks.end_list()

    def _table(self, element: etree._Element) -> None:
        rows: list[list[Cell]] = []
        heads = self._rows(element, rows)
        frames = self._take_frames()
        found = table_text(rows, max(1, heads))
        if found is not None:
            self._blocks.table(found)
        else:
            self._blocks.flush()
            for row in element.iter("{*}table-row"):
                for cell in row.iterchildren("{*}table-cell"):
                    if not _in_inner_table(cell, element):
                        self.read(cell)
            self.inline.frames.clear()
            return
        self._frames(frames)

    def _rows(self, element: etree._Element, rows: list[list[Cell]]) -> int:
        heads = 0
        for child in element:
            kind = local(child)
            if kind == "table-header-rows":
                self._rows(child, rows)
                heads = len(rows)
            elif kind in ("table-rows", "table-row-group"):
                self._rows(child, rows)
            elif kind == "table-row":
                rows.append(
                    [cell for one in child.iterchildren("{*}table-cell") for cell in self._cells(one)]
                )
        return heads

    def _cells(self, cell: etree._Element) -> list[Cell]:
        text = self.inline.plain(cell)
        spans = [
            min(int(value), _MAX_SPAN) if value.isdecimal() and len(value) < 7 else 1
            for value in (
                attribute_of(cell, "number-columns-spanned", "1"),
                attribute_of(cell, "number-rows-spanned", "1"),
            )
        ]
        times = attribute_of(cell, "number-columns-repeated", "1")
        copies = min(int(times), _MAX_CELL_COPIES) if times.isdecimal() and len(times) < 7 else 1
        return [Cell(text, max(1, spans[0]), max(1, spans[1]))] * copies

    def _take_frames(self) -> list[etree._Element]:
        found = self.inline.frames[:]
        self.inline.frames.clear()
        return found

    def _frames(self, frames: list[etree._Element]) -> None:
        for frame in frames:
            self.frame(frame)

    def frame(self, frame: etree._Element) -> None:
        """A picture by its description, a box by its text, a table, a formula or a chart."""
        said = [one_line("".join(one.itertext())) for one in frame if local(one) in ("title", "desc")]
        kinds = {local(child) for child in frame}
        if "image" in kinds and not kinds & {"object", "text-box", "table"}:
            self.notes["pictures left out:"] += 1
        if text := " – ".join(dict.fromkeys(filter(None, said))):
            self.say(text)
        for child in frame:
            kind = local(child)
            if kind in ("object", "object-ole"):
                self._object(child)
            elif kind not in ("title", "desc", "image"):
                self.block(child)

    def _object(self, element: etree._Element) -> None:
        inner = element.find("{*}math")
        if inner is None:
            path = attribute_of(element, "href").removeprefix("./")
            root = self._part(posixpath.join(path, "content.xml")) if path else element
            inner = root
        if inner is None:
            self.notes["embedded objects left out:"] += 1
            return
        formula = next((one for one in inner.iter("{*}annotation")), None)
        if local(inner) == "math" or formula is not None:
            self.say(f"`{one_line(''.join((inner if formula is None else formula).itertext()))}`")
            return
        chart = next(inner.iter("{*}chart"), None)
        if chart is None:
            self.notes["embedded objects left out:"] += 1
            return
        title = next(
            (one_line("".join(one.itertext())) for one in chart.iter("{*}title")), chart_title(chart)
        )
        self.say(f"Chart: {title}" if title else "Chart")
        for table in chart.iter("{*}table"):
            self._table(table)


def _in_inner_table(cell: etree._Element, table: etree._Element) -> bool:
    above = cell.getparent()
    while above is not None and above is not table:
        if local(above) == "table":
            return True
        above = above.getparent()
    return False
