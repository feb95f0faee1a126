"""OpenDocument to the one document model.

Headings are what the file calls headings, with their outline levels and numbers; notes and comments stand at the end of
their section. What was deleted under tracked changes, tables of contents, hidden text and pictures without a
description are left out and named. Slides and sheets are sections.
"""

from __future__ import annotations

from collections import Counter

from lxml import etree

from knarr.documents.decode import Limits
from knarr.documents.notes import said
from knarr.documents.odf.body import OdfBody
from knarr.documents.odf.sheet import read_sheets
from knarr.documents.odf.slides import write_slides
from knarr.documents.odf.styles import OdfStyles
from knarr.documents.properties import dublin_core
from knarr.documents.sections import Document, MetadataValue
from knarr.documents.sheets.tables import write_sheet
from knarr.documents.writer import MarkdownWriter
from knarr.documents.xml import parse_text
from knarr.documents.zip_parts import ZipParts
from knarr.errors import DocumentError


def parse(data: bytes, name: str, limits: Limits) -> Document:
    """Read an ODT, ODP or ODS file. Raises DocumentError with status "corrupt", "encrypted", "limit" or "no_text"."""
    parts = ZipParts(data, "OpenDocument")
    if b"encryption-data" in (parts.read("META-INF/manifest.xml") or b""):
        raise DocumentError(f"{name}: the file is protected by a password", "encrypted")
    content = parts.loose_xml("content.xml")
    if content is None:
        raise DocumentError("the package has no content.xml")
    styles = OdfStyles.of([parts.loose_xml("styles.xml"), content])
    reading = _Reading(styles, parts)
    if any(path.startswith(("Basic/", "Scripts/")) for path in parts.names):
        reading.notes["macros left out"] += 1
    return reading.document(name, content, parts.loose_xml("meta.xml"))


def parse_flat(data: bytes, name: str, limits: Limits) -> Document:
    """Read a flat file, whose parts are one XML document."""
    root, notes = parse_text(data, name, limits)
    reading = _Reading(OdfStyles.of([root]), None)
    reading.notes.update(dict.fromkeys(notes, 1))
    return reading.document(name, root, root)


class _Reading:
    def __init__(self, styles: OdfStyles, parts: ZipParts | None) -> None:
        self.notes: Counter[str] = Counter()
        self._styles = styles
        self._parts = parts

    def document(self, name: str, content: etree._Element, meta: etree._Element | None) -> Document:
        writer = MarkdownWriter()
        body = content.find("{*}body")
        kind = None if body is None else next((one for one in body if isinstance(one.tag, str)), None)
        if kind is None:
            raise DocumentError(f"{name}: no body in the document")
        metadata = _metadata(meta)
        title = str(metadata.get("title", ""))
        if kind.tag.endswith("}spreadsheet"):
            format, sheets = "ods", read_sheets(kind, self.notes)
            for sheet in sheets:
                if sheet.rows or sheet.after:
                    write_sheet(writer, sheet)
            if not any(sheet.rows or sheet.after for sheet in sheets):
                writer = MarkdownWriter()
        else:
            flow = OdfBody(writer, self._styles, self._object, self.notes)
            if kind.tag.endswith("}presentation"):
                format = "odp"
                write_slides(writer, flow, kind, self._styles)
            else:
                format = "odt"
                flow.read(kind)
            flow.flush()
            title = title or flow.title
        if not writer.size_bytes:
            raise DocumentError(f"{name}: the document holds no text", "no_text")
        return writer.document(format, title, said(self.notes), metadata=metadata)

    def _object(self, path: str) -> etree._Element | None:
        return self._parts.loose_xml(path) if self._parts and self._parts.has(path) else None


def _metadata(meta: etree._Element | None) -> dict[str, MetadataValue]:
    element = None if meta is None else meta.find(".//{*}meta")
    return {} if element is None else dublin_core(element)
