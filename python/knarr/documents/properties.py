"""What a file says of itself, as `Document.metadata`: the properties of Office files and Dublin Core."""

from __future__ import annotations

from typing import TYPE_CHECKING

from knarr.documents.sections import MetadataValue
from knarr.documents.xml import local
from knarr.language.plain import shortened

if TYPE_CHECKING:
    from lxml import etree

    from knarr.documents.zip_parts import ZipParts

_MOST_CHARS = 1_000
_MOST_VALUES = 100
_KEYS = {
    "title": "title", "creator": "author", "subject": "subject", "description": "description", "keywords": "keywords",
    "created": "created", "modified": "modified", "lastModifiedBy": "last modified by", "category": "category",
    "language": "language", "publisher": "publisher", "date": "date", "identifier": "identifier", "contributor":
    "contributor", "rights": "rights", "initial-creator": "author", "creation-date": "created", "keyword": "keywords",
}  # fmt: skip


def office_metadata(parts: ZipParts) -> dict[str, MetadataValue]:
    """The core properties of an Office file."""
    root = parts.xml("docProps/core.xml")
    return {} if root is None else dublin_core(root)


def dublin_core(root: etree._Element) -> dict[str, MetadataValue]:
    """The properties that stand directly in an element; several of one kind as a list."""
    found: dict[str, list[str]] = {}
    for element in root:
        key = _KEYS.get(local(element), "")
        text = shortened("".join(element.itertext()), _MOST_CHARS) if key else ""
        values = found.setdefault(key, [])
        if text and text not in values and len(values) < _MOST_VALUES:
            values.append(text)
    found.pop("", None)
    return {key: values[0] if len(values) == 1 else tuple(values) for key, values in found.items() if values}
