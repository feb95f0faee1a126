"""The data of a chart (DrawingML, ECMA-376 part 1, section 21.2) as rows: a chart is a table that somebody drew.

A file keeps the last values beside the drawing, so nothing is computed: a row for each category, a column for each
series. Dates, which are stored as days, are written as dates.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator

from lxml import etree

from knarr.language.plain import one_line

MAX_SERIES, MAX_POINTS = 64, 10_000
_EPOCH = datetime.date(1899, 12, 30)
_LAST_DAY = 2_958_465  # the end of the year 9999
_DATE = re.compile(r"y|d{1,4}[^\w]*m|m[^\w]*d", re.IGNORECASE)


def chart_rows(root: etree._Element) -> tuple[str, list[list[str]]]:
    """The chart's title, "" without one, and its rows; the first holds the names of the series. No rows for a chart
    without stored values."""
    series = list(root.iterfind(".//{*}ser"))[:MAX_SERIES]
    columns = [_points(_first(one, "val", "yVal")) for one in series]
    labels: dict[int, str] = {}
    for one in series:
        for at, label in _points(_first(one, "cat", "xVal")).items():
            labels.setdefault(at, label)
    places = sorted({at for column in columns for at in column})[:MAX_POINTS]
    if not places:
        return _title(root), []
    names = [_text(_first(one, "tx")) or f"Series {number}" for number, one in enumerate(series, 1)]
    rows = [["", *names]]
    rows += [[labels.get(at, str(at + 1)), *(column.get(at, "") for column in columns)] for at in places]
    return _title(root), rows


def _title(root: etree._Element) -> str:
    return _text(root.find("./{*}chart/{*}title"))


def _first(parent: etree._Element, *names: str) -> etree._Element | None:
    return next((found for name in names if (found := parent.find(f"{{*}}{name}")) is not None), None)


def _text(element: etree._Element | None) -> str:
    """All words below an element: those written in it, else those of its cache."""
    if element is None:
        return ""
    written = [node.text or "" for node in element.iter("{*}t")]
    return one_line(" ".join(written or [node.text or "" for node in element.iter("{*}v")]))


def _points(element: etree._Element | None) -> dict[int, str]:
    """The values of a cache by their place; labels of several levels are joined, the outer one first."""
    found: dict[int, str] = {}
    if element is None:
        return found
    shape = element.find(".//{*}formatCode")
    dated = (
        shape is not None and _DATE.search(re.sub(r'\[[^\]]*\]|"[^"]*"', "", shape.text or "")) is not None
    )
    levels = list(element.iter("{*}lvl"))
    for level in reversed(levels) if levels else (element,):
        for at, value in _level(level):
            found[at] = f"{found[at]} {value}" if levels and at in found else value
    return {at: _date(value) for at, value in found.items()} if dated else found


def _level(parent: etree._Element) -> Iterator[tuple[int, str]]:
    for point in parent.iter("{*}pt"):
        index = point.get("idx", "")
        if index.isdecimal() and len(index) < 8:
            yield int(index), _text(point)


def _date(value: str) -> str:
    try:
        days = int(float(value))
    except (ValueError, OverflowError):
        return value
    return (_EPOCH + datetime.timedelta(days)).isoformat() if 0 < days <= _LAST_DAY else value
