"""The sheets of an ODS file. Its cells keep what they show as text, so no number format need be understood."""

from __future__ import annotations

from collections import Counter

from lxml import etree

from knarr.documents.sheets.tables import MAX_SHEET_CELLS, SheetTable, put
from knarr.documents.xml import attribute_of, local
from knarr.language.plain import one_line, shortened

_MOST_COPIES = 1_000  # of a cell or row with text that the file says is repeated


def read_sheets(spreadsheet: etree._Element, notes: Counter[str]) -> list[SheetTable]:
    """All sheets, in order."""
    hidden = {
        attribute_of(style, "name")
        for style in spreadsheet.getroottree().getroot().iter("{*}style")
        if any(attribute_of(one, "display") == "false" for one in style.iterchildren("{*}table-properties"))
    }
    reader = _Sheets(notes)
    found = []
    for element in spreadsheet.iterchildren("{*}table"):
        sheet = SheetTable(
            one_line(attribute_of(element, "name")) or "Sheet",
            hidden=attribute_of(element, "style-name") in hidden,
        )
        reader.read(element, sheet)
        if sheet.hidden:
            notes[f"hidden sheet read: {shortened(sheet.name, 40)}"] += 1
        found.append(sheet)
    return found


class _Sheets:
    def __init__(self, notes: Counter[str]) -> None:
        self._notes = notes
        self._left = MAX_SHEET_CELLS

    def read(self, table: etree._Element, sheet: SheetTable) -> None:
        row = 0
        for element in table.iter("{*}table-row", "{*}shapes"):
            if local(element) == "shapes":
                self._shapes(element, sheet)
                continue
            times = _times(element, "number-rows-repeated")
            filled = self._row(element, row, sheet)
            if attribute_of(element, "visibility") in ("collapse", "filter") and filled:
                self._notes[f"hidden rows read on {shortened(sheet.name, 40)}:"] += 1
            for copy in range(1, min(times, _MOST_COPIES) if filled else 1):
                self._row(element, row + copy, sheet)
            row += times

    def _row(self, element: etree._Element, row: int, sheet: SheetTable) -> bool:
        column, filled = 0, False
        for cell in element:
            kind = local(cell)
            if kind not in ("table-cell", "covered-table-cell"):
                continue
            times = _times(cell, "number-columns-repeated")
            text = self._text(cell, sheet) if len(cell) else ""
            if text and kind == "table-cell":
                filled = True
                for copy in range(min(times, _MOST_COPIES)):
                    if self._left <= 0:
                        self._notes[f"only the first {MAX_SHEET_CELLS:,} cells were read"] = 1
                        return filled
                    self._left -= 1
                    put(sheet.rows, row, column + copy, text)
                across, down = _times(cell, "number-columns-spanned"), _times(cell, "number-rows-spanned")
                if across > 1 or down > 1:
                    sheet.merged.append((row, column, row + down - 1, column + across - 1))
            column += times
        return filled

    def _text(self, cell: etree._Element, sheet: SheetTable) -> str:
        lines = []
        for child in cell:
            kind = local(child)
            if kind == "p":
                lines.append(_shown(child))
            elif kind == "annotation":
                text = one_line(" ".join(_shown(one) for one in child.iter("{*}p")))
                if text:
                    sheet.after.append(f"Comment: {shortened(text, 2_000)}")
            elif kind in ("frame", "g", "custom-shape"):
                self._shape(child, sheet)
        return " ".join(lines)

    def _shapes(self, shapes: etree._Element, sheet: SheetTable) -> None:
        for shape in shapes:
            self._shape(shape, sheet)

    def _shape(self, shape: etree._Element, sheet: SheetTable) -> None:
        said = [one_line("".join(one.itertext())) for one in shape.iter("{*}title", "{*}desc")]
        text = one_line(" ".join(_shown(one) for one in shape.iter("{*}p")))
        for line in dict.fromkeys(filter(None, (*said, text))):
            sheet.after.append(line)
        if any(True for _ in shape.iter("{*}object")):
            self._notes["charts and embedded objects left out:"] += 1
        elif any(True for _ in shape.iter("{*}image")):
            self._notes["pictures left out:"] += 1


def _shown(paragraph: etree._Element) -> str:
    parts = [paragraph.text or ""]
    for element in paragraph.iterdescendants():
        if local(element) in ("s", "tab", "line-break"):
            parts.append(" ")
        elif local(element) != "annotation":
            parts.append(element.text or "")
        parts.append(element.tail or "")
    return "".join(parts)


def _times(element: etree._Element, name: str) -> int:
    text = attribute_of(element, name, "1")
    return max(1, int(text)) if text.isdecimal() and len(text) < 8 else 1
