"""What a drawing in a Word document says: the description of a picture, the data of a chart, the words of a diagram."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from lxml import etree

from knarr.documents.charts import chart_table, chart_title
from knarr.documents.docx.styles import local
from knarr.documents.tables import TableText
from knarr.language.plain import one_line

MAX_DESCRIPTION_CHARS = 2_000
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_STRICT = "{http://purl.oclc.org/ooxml/officeDocument/relationships}"
# What Word's own recogniser puts after its guess, and names that cameras and programs give.
_GENERATED = re.compile(
    r"[\s.]*(?:Description automatically generated.*|AI-generated content may be incorrect\.?)$",
    re.IGNORECASE,
)
_FILE_NAME = re.compile(
    r"\S*\.(?:png|jpe?g|gif|bmp|emf|wmf|tiff?|svg|webp)|(?:image|img|picture)[ _-]?\d*", re.I
)
_WORD = re.compile(r"[^\W\d_]{2}")
# The attribute that names the part with the drawing's content.
_LINKS = {"chart": "id", "relIds": "dm"}


def description(element: etree._Element) -> str:
    """The alternative text of a picture or shape, "" where nobody wrote one. The element is one that may have it:
    DrawingML's `docPr` or VML's `shape`."""
    written = (
        element.get("descr") or element.get("title") if local(element) == "docPr" else element.get("alt")
    )
    text = _GENERATED.sub("", one_line(written or ""))[:MAX_DESCRIPTION_CHARS]
    return text if _WORD.search(text) and not _FILE_NAME.fullmatch(text) else ""


def drawn_part(element: etree._Element) -> str:
    """The relation id of the chart or diagram that an element shows; "" for any other element."""
    key = _LINKS.get(local(element), "")
    return (element.get(_RELATION + key) or element.get(_STRICT + key) or "") if key else ""


def chart(root: etree._Element) -> TableText | None:
    """A chart's data as a table; None where it has no values."""
    table, title = chart_table(root), chart_title(root)
    return None if table is None else replace(table, title=f"Chart: {title}" if title else "Chart")


def diagram(root: etree._Element) -> Iterator[str]:
    """The words of a diagram (SmartArt), point by point."""
    for point in root.iter("{*}pt"):
        paragraphs = (
            "".join(node.text or "" for node in one.iter("{*}t")) for one in point.iterfind("{*}t/{*}p")
        )
        text = one_line(" ".join(paragraphs))
        if text:
            yield text
