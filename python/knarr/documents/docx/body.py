"""A Word part's body as a flat run of paragraphs and tables, in reading order.

Content controls are transparent, and a text box follows the paragraph that it is anchored in. A paragraph whose
mark was deleted goes on in the next one, which gives it its style, as when the change is accepted. A table
is kept as rows of cells; where the layout rule of `tables` says that it only lays out the page, its
paragraphs join the flow, cell after cell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from lxml import etree

from knarr.documents.docx.drawings import chart, diagram
from knarr.documents.docx.numbering import BULLET, Numbering
from knarr.documents.docx.paragraphs import Paragraph, RunReader, Runs
from knarr.documents.docx.styles import BODY_LEVEL, Style, Styles, attribute, child, local, number
from knarr.documents.tables import Cell, TableText, table_text

Block = Paragraph | TableText

_CODE_STYLE = re.compile(
    r"(source ?|program ?)?code( ?block)?|html preformatted|plain ?text|listing|verbatim", re.I
)
_TRANSPARENT = frozenset(("sdt", "sdtContent", "customXml", "smartTag", "ins", "moveTo", "body"))


@dataclass(slots=True)
class BodyReader:
    """Turns elements into blocks, and counts the hidden characters that it leaves out."""

    styles: Styles
    numbering: Numbering
    runs: RunReader
    part: Callable[
        [str], tuple[str, etree._Element | None]
    ]  # the kind and the root of a related part, by its id
    hidden_chars: int = 0
    described: int = 0
    _unended: Runs | None = None  # of a paragraph whose mark was deleted
    _boxes: int = 0  # the text boxes around what is being read

    def blocks(self, parent: etree._Element) -> Iterator[Block]:
        """The blocks below an element that holds paragraphs and tables."""
        for element in parent:
            name = local(element)
            if name == "p":
                yield from self._paragraph(element)
            elif name == "tbl":
                yield from self._end_paragraph()
                yield from self._table(element)
            elif name in _TRANSPARENT:
                yield from self.blocks(element)
            elif name == "AlternateContent":
                yield from self._alternate(element)
        yield from self._end_paragraph()

    def _alternate(self, element: etree._Element) -> Iterator[Block]:
        for option in element:
            if found := list(self.blocks(option)):
                yield from found
                return

    def _paragraph(self, element: etree._Element) -> Iterator[Block]:
        properties = child(element, "pPr")
        style = self.styles.paragraph(attribute(child(properties, "pStyle"), "val"))
        before, self._unended = self._unended, None
        runs = self.runs.read(element, style, before)
        mark = child(properties, "rPr")
        if child(mark, "del") is not None or child(mark, "moveFrom") is not None:
            self._unended = runs
        else:
            yield from self._written(runs, properties, style)

    def _end_paragraph(self) -> Iterator[Block]:
        """A paragraph without a mark that nothing continues ends here."""
        if self._unended is not None:
            runs, self._unended = self._unended, None
            yield from self._written(runs, None, self.styles.paragraph_default)

    def _written(self, runs: Runs, properties: etree._Element | None, style: Style) -> Iterator[Block]:
        self.hidden_chars += runs.hidden
        self.described += runs.described
        look = runs.look()
        code = bool(look.mono) or _CODE_STYLE.fullmatch(style.name) is not None
        text = runs.source() if code and runs.text() else runs.text()
        if text:
            label, depth = self._label(properties, style)
            yield Paragraph(
                text,
                _outline(properties, style),
                label,
                depth,
                look,
                runs.lead_chars(),
                style.name,
                tuple(runs.notes),
                self._boxes > 0,
                code,
            )
        self._boxes += 1
        for box in runs.boxes:
            yield from self.blocks(box)
        self._boxes -= 1
        for id_ in runs.drawn:
            yield from self._drawn(*self.part(id_))

    def _drawn(self, kind: str, root: etree._Element | None) -> Iterator[Block]:
        if root is not None and kind == "chart":
            table = chart(root)
            if table is not None:
                yield table
        elif root is not None and kind == "diagramData":
            yield from (Paragraph(text, label=BULLET) for text in diagram(root))

    def _label(self, properties: etree._Element | None, style: Style) -> tuple[str, int]:
        list_ = child(properties, "numPr")
        id_, depth = style.numbering or ("0", 0)
        if list_ is not None:
            id_ = attribute(child(list_, "numId"), "val", id_)
            own_depth = number(child(list_, "ilvl"))
            depth = depth if own_depth is None else own_depth
        return self.numbering.label(id_, depth), depth

    def _table(self, element: etree._Element) -> Iterator[Block]:
        rows: list[list[Cell]] = []
        flow: list[Block] = []
        above: dict[int, tuple[int, int]] = {}
        heads = 0
        for row in _named(element, "tr"):
            if child(row, "trPr", "del") is not None:
                continue
            if heads == len(rows) and _on(child(row, "trPr", "tblHeader")):
                heads += 1
            cells: list[Cell] = []
            column = number(child(row, "trPr", "gridBefore")) or 0
            if 0 < column <= 64:
                cells.append(Cell("", column))
            for cell in _named(row, "tc"):
                width = max(1, number(child(cell, "tcPr", "gridSpan")) or 1)
                merge = child(cell, "tcPr", "vMerge")
                blocks = list(self.blocks(cell))
                flow.extend(blocks)
                place = above.get(column)
                if merge is not None and attribute(merge, "val") != "restart" and place and not blocks:
                    at, index = place
                    origin = rows[at][index]
                    rows[at][index] = Cell(origin.text, origin.columns, len(rows) - at + 1)
                else:
                    above[column] = (len(rows), len(cells))
                    cells.append(Cell(flat_text(blocks), width))
                column += width
            rows.append(cells)
        table = table_text(rows, max(1, heads))
        if table is None:
            yield from flow
        else:
            yield replace(table, notes=tuple(note for block in flow for note in block.notes))


def _on(switch: etree._Element | None) -> bool:
    return switch is not None and attribute(switch, "val", "1").lower() not in ("0", "false", "off")


def _named(parent: etree._Element, name: str) -> Iterator[etree._Element]:
    """Children of that name, looking through content controls."""
    for element in parent:
        found = local(element)
        if found == name:
            yield element
        elif found in _TRANSPARENT:
            yield from _named(element, name)


def _outline(properties: etree._Element | None, style: Style) -> int | None:
    level = number(child(properties, "outlineLvl"))
    if level is not None:
        return level + 1 if 0 <= level < BODY_LEVEL else None
    return None if style.outline is None else style.outline + 1


def flat_text(blocks: list[Block]) -> str:
    """Blocks as plain text, for a table's cell: nested tables row by row."""
    lines = []
    for block in blocks:
        if isinstance(block, Paragraph):
            lines.append(f"{block.label} {block.text}".strip())
        else:
            head, _, *body = block.text.splitlines()
            lines += [block.title] if block.title else []
            lines += [line.strip("| ").replace("\\|", "|") for line in (head, *body)]
    return "\n".join(lines)
