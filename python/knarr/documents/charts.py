"""Charts of Office files: title, series and the values that the file keeps of them.

What a chart shows is in the slide or sheet only as a drawing, but its figures are kept in the file.
"""

from __future__ import annotations

from lxml import etree

from knarr.documents.sheets.numbers import plain, shown
from knarr.documents.tables import TableText, pipe_text
from knarr.documents.xml import local
from knarr.language.plain import one_line, shortened

_MAX_POINTS = 2_000
_MAX_SERIES = 50
_NAME_CHARS = 200


def chart_text(chart: etree._Element, *, with_values: bool) -> str:
    """The chart in a line: its kind, title and the names of its series."""
    kind = next((local(one) for one in chart.iter() if local(one).endswith("Chart")), "chart")
    words = kind.removesuffix("Chart").replace("3D", " 3D")
    title = chart_title(chart)
    names = [name for name in (_name(one) for one in _series(chart)) if name]
    said = f"Chart ({words.strip() or 'other'})" + (f": {title}" if title else "")
    return said if with_values or not names else f"{said} (series: {', '.join(names)})"


def chart_title(chart: etree._Element) -> str:
    title = chart.find(".//{*}chart/{*}title")
    return "" if title is None else shortened(" ".join(_texts(title)), _NAME_CHARS)


def chart_table(chart: etree._Element) -> TableText | None:
    """The chart's figures, a row for each category; None when the file keeps none."""
    series = _series(chart)
    categories: dict[int, str] = {}
    columns: list[tuple[str, dict[int, str]]] = []
    for at, one in enumerate(series, 1):
        for name in ("cat", "xVal"):
            for axis in one.iterchildren("{*}" + name):
                for number, text in _points(axis).items():
                    categories.setdefault(number, text)
        for name in ("val", "yVal"):
            columns += [
                (_name(one) or f"series {at}", _points(values)) for values in one.iterchildren("{*}" + name)
            ]
    numbers = sorted({number for _, values in columns for number in values})
    if not numbers:
        return None
    head = ["", *(name for name, _ in columns)]
    rows = [
        [categories.get(number, str(number + 1)), *(values.get(number, "") for _, values in columns)]
        for number in numbers
    ]
    return pipe_text([head, *rows])


def _series(chart: etree._Element) -> list[etree._Element]:
    return list(chart.iter("{*}ser"))[:_MAX_SERIES]


def _name(series: etree._Element) -> str:
    for text in series.iterchildren("{*}tx"):
        return shortened(" ".join(_texts(text)), _NAME_CHARS)
    return ""


def _texts(element: etree._Element) -> list[str]:
    return [one_line(one.text) for one in element.iter("{*}t", "{*}v") if one.text and one.text.strip()]


def _points(axis: etree._Element) -> dict[int, str]:
    code = next((one.text or "" for one in axis.iter("{*}formatCode")), "")
    found: dict[int, str] = {}
    for level in axis.iter("{*}strCache", "{*}numCache", "{*}numLit", "{*}strLit", "{*}lvl"):
        for point in level.iterchildren("{*}pt"):
            number, value = point.get("idx", ""), point.find("{*}v")
            if not number.isdecimal() or len(number) > 6 or value is None or len(found) >= _MAX_POINTS:
                continue
            text = one_line(_shown(value.text or "", code))
            before = found.get(int(number))
            # Levels of categories come from the inside out.
            found[int(number)] = text if before is None else f"{text} {before}"
    return found


def _shown(text: str, code: str) -> str:
    try:
        number = float(text)
    except ValueError:
        return text
    return shown(number, code) if code and code != "General" else plain(number)
