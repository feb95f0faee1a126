"""The shapes of a slide in reading order: what each says, whatever drew it.

Shapes are kept in the order in which they were drawn. Readers go from top to bottom and, within a row, from left to
right; so are shapes sorted here, the shapes of a group at the place of the group. A shape without a position
inherits its layout's and keeps its place among its neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from knarr.documents.raised import marked, written
from knarr.documents.tables import Cell
from knarr.documents.xml import attribute_of, local
from knarr.language.plain import one_line

_MAX_INDENT = 8
_MAX_SPAN = 1_000
EMPTY_WORDS = frozenset(("picture", "image", "photo", "grafik", "bild"))
"""What programs write where the author described nothing."""
_ROW_EMU = 230_000  # a quarter of an inch: tops that differ by less stand in one row


@dataclass(slots=True)
class Shape:
    """kind: "text", "picture", "table" or "frame" (what is drawn from another part, named by `relation`);
    said: the description that the author gave; placeholder: the kind of box of the layout, "" for none."""

    kind: str
    text: str = ""
    rows: list[list[Cell]] = field(default_factory=list)
    said: str = ""
    placeholder: str = ""
    relation: str = ""
    hidden: bool = False
    top: int | None = None
    left: int = 0


def shapes_of(root: etree._Element) -> list[Shape]:
    """All shapes of a slide or of its notes, in reading order."""
    tree = root.find(".//{*}spTree")
    return [] if tree is None else _ordered(_group(tree))


def _group(tree: etree._Element) -> list[list[Shape]]:
    """The shapes directly in a group, each with those below it, so that a group stays together."""
    found: list[list[Shape]] = []
    for element in _children(tree):
        kind = local(element)
        if kind == "grpSp":
            inner = _ordered(_group(element))
            place = _place(element)
            if inner:
                top, left = (place[0], place[1]) if place else (inner[0].top, inner[0].left)
                for shape in inner:
                    shape.top, shape.left = top, left
                found.append(inner)
        elif kind in ("sp", "cxnSp", "pic", "graphicFrame"):
            found.append([_shape(element, kind)])
    return found


def _children(tree: etree._Element) -> Iterator[etree._Element]:
    for element in tree:
        if local(element) == "AlternateContent":
            chosen = next((one for one in element if local(one) == "Choice" and len(one)), None)
            yield from () if chosen is None else chosen
        else:
            yield element


def _ordered(groups: list[list[Shape]]) -> list[Shape]:
    placed = [group for group in groups if group[0].top is not None]
    loose = [group for group in groups if group[0].top is None]
    rows: list[list[list[Shape]]] = []
    for group in sorted(placed, key=lambda one: one[0].top or 0):
        if rows and (group[0].top or 0) - (rows[-1][0][0].top or 0) < _ROW_EMU:
            rows[-1].append(group)
        else:
            rows.append([group])
    found = [shape for group in loose for shape in group]
    for row in rows:
        found += [shape for group in sorted(row, key=lambda one: one[0].left) for shape in group]
    return found


def _shape(element: etree._Element, kind: str) -> Shape:
    names = next(element.iter("{*}cNvPr"), None)
    placeholder = next(element.iter("{*}ph"), None)
    place = _place(element)
    shape = Shape("text")
    if names is not None:
        said = one_line(names.get("descr", "") or (names.get("title", "") if kind == "pic" else ""))
        shape.said = "" if said.lower() in EMPTY_WORDS else said
        shape.hidden = names.get("hidden") in ("1", "true")
    if placeholder is not None:
        shape.placeholder = placeholder.get("type", "obj")
    if place:
        shape.top, shape.left = place
    if kind == "pic":
        shape.kind = "picture"
    elif kind == "graphicFrame":
        _frame(element, shape)
    for body in element.iterchildren("{*}txBody"):
        shape.text = paragraphs(body, bullets=shape.placeholder in ("body", "obj", "subTitle"))
    return shape


def _frame(element: etree._Element, shape: Shape) -> None:
    table = next(element.iter("{*}tbl"), None)
    if table is not None:
        shape.kind = "table"
        shape.rows = [_row(row) for row in table.iterchildren("{*}tr")]
        return
    shape.kind = "frame"
    for data in element.iter("{*}graphicData"):
        for inner in data:
            shape.relation = attribute_of(inner, "dm") or attribute_of(inner, "id")
            shape.relation = shape.relation or "?"


def _row(row: etree._Element) -> list[Cell]:
    cells = []
    for cell in row.iterchildren("{*}tc"):
        if cell.get("hMerge") in ("1", "true") or cell.get("vMerge") in ("1", "true"):
            continue
        body = cell.find("{*}txBody")
        text = "" if body is None else paragraphs(body, bullets=False)
        cells.append(Cell(text, _span(cell.get("gridSpan")), _span(cell.get("rowSpan"))))
    return cells


def _span(text: str | None) -> int:
    return max(1, min(int(text), _MAX_SPAN)) if text and text.isdecimal() and len(text) < 6 else 1


def paragraphs(body: etree._Element, *, bullets: bool) -> str:
    """The paragraphs of a text body, a line each; those that the slide shows with bullets or numbers as items."""
    lines: list[str] = []
    counts: dict[int, int] = {}
    found = [(one, _runs(one)) for one in body.iterchildren("{*}p")]
    several = sum(bool(text.strip()) for _, text in found) > 1
    for paragraph, text in found:
        properties = paragraph.find("{*}pPr")
        level, marks = 0, set()
        if properties is not None:
            depth = properties.get("lvl", "0")
            level = min(int(depth), _MAX_INDENT) if depth.isdecimal() and len(depth) < 3 else 0
            marks = {local(one) for one in properties}
        text = text.strip()
        if not text:
            continue
        indent = "  " * level
        counts = {at: count for at, count in counts.items() if at <= level}
        if "buAutoNum" in marks:
            start = properties.find("{*}buAutoNum").get("startAt", "1") if properties is not None else "1"
            first = int(start) if start.isdecimal() and len(start) < 6 else 1
            counts[level] = max(counts.get(level, 0) + 1, first)
            mark = f"{counts[level]}. "
        else:
            counts.pop(level, None)
            shown = marks & {"buChar", "buBlip"} or (bullets and several and "buNone" not in marks) or level
            mark = "- " if shown else ""
        lines.append(indent + mark + text.replace("\n", f"\n{indent}{' ' * len(mark)}"))
    return "\n".join(lines)


def _runs(paragraph: etree._Element) -> str:
    parts = []
    for element in paragraph.iter():
        kind = local(element)
        if kind == "t":
            parts.append(_run(element))
        elif kind == "br":
            parts.append("\n")
        elif kind == "tab":
            parts.append(" ")
    lines = written("".join(parts)).replace("\v", "\n").replace("\x0b", "\n").split("\n")
    return "\n".join(one_line(line) for line in lines)


def _run(text: etree._Element) -> str:
    """The text of a run; raised where its base line is above that of the others."""
    run = text.getparent()
    properties = None if run is None else run.find("{*}rPr")
    up = "" if properties is None else properties.get("baseline", "")
    return marked(text.text or "") if up.strip("0%.").isdecimal() else text.text or ""


def _place(element: etree._Element) -> tuple[int, int] | None:
    for properties in element:
        if local(properties) in ("spPr", "grpSpPr"):
            offset = properties.find("{*}xfrm/{*}off")
        elif local(properties) == "xfrm":
            offset = properties.find("{*}off")
        else:
            continue
        if offset is not None:
            return _emu(offset.get("y")), _emu(offset.get("x"))
    return None


def _emu(text: str | None) -> int:
    text = (text or "").strip()
    digits = text.removeprefix("-")
    return int(text) if digits.isdecimal() and len(digits) < 12 else 0
