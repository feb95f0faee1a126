"""What a file says of itself, as `Document.metadata`: one vocabulary for all formats that name such things their own way.

title, subtitle, author, contributor, subject, description, keywords, category, language, publisher, identifier, rights,
journal, version; the dates created, modified and date (of publication; of a message, when it was sent); of a message
also from, to, cc, bcc, reply-to, message-id and in-reply-to. Dates are ISO 8601 where they can be told, and else stand as
they are. Several values of one key are a tuple. Pages of the web and front matter keep the names that their authors gave.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from knarr.documents.sections import MetadataValue
from knarr.documents.xml import local
from knarr.language.plain import shortened

if TYPE_CHECKING:
    from lxml import etree

    from knarr.documents.zip_parts import ZipParts

_MOST_CHARS = 1_000
_MOST_VALUES = 100
_PLAIN = (
    "title", "subtitle", "author", "contributor", "subject", "description", "keywords", "category", "language", "publisher",
    "identifier", "rights", "journal", "version", "created", "modified", "date", "from", "to", "cc", "bcc", "reply-to",
    "message-id", "in-reply-to",
)  # fmt: skip
_OTHERS = {
    "creator": "author", "initial-creator": "author", "authors": "author", "keyword": "keywords", "abstract": "description",
    "summary": "description", "comments": "description", "lang": "language", "revdate": "modified", "revnumber": "version",
    "creation-date": "created", "creationdate": "created", "moddate": "modified", "doccomm": "description",
}  # fmt: skip
_KEYS = {**{key: key for key in _PLAIN}, **_OTHERS}
_DATES = ("created", "modified", "date")
_ISO = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.\d{1,9})?(Z|[+-]\d{2}:?\d{2})?)?"
)
_PDF = re.compile(r"D:(\d{4})(\d{2})?(\d{2})?(?:(\d{2})(\d{2})(\d{2})?)?(Z|[+-]\d{2}'?\d{2})?'?")
_WORDS = re.compile(
    r"(?:[^\W\d_]{3,12},?\s)?(?:(\d{1,2})(?:st|nd|rd|th)?\s)?([^\W\d_]{3,9})\.?\s(?:(\d{1,2}),?\s)?(\d{4})"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def properties(stated: Iterable[tuple[str, str]]) -> dict[str, MetadataValue]:
    """Metadata of what a file states, (name, value) by (name, value); names that are not known are left out."""
    found: dict[str, list[str]] = {}
    for name, value in stated:
        key = _KEYS.get(name.lower(), "")
        text = shortened(value, _MOST_CHARS) if key else ""
        if not text:
            continue
        values = found.setdefault(key, [])
        text = iso_date(text) if key in _DATES else text
        if text not in values and len(values) < _MOST_VALUES:
            values.append(text)
    return {key: values[0] if len(values) == 1 else tuple(values) for key, values in found.items()}


def title_of(metadata: dict[str, MetadataValue]) -> str:
    """The first title, "" if none."""
    title = metadata.get("title", "")
    return str(title[0] if isinstance(title, tuple) else title)


def office_metadata(parts: ZipParts) -> dict[str, MetadataValue]:
    """The core properties of an Office file."""
    root = parts.xml("docProps/core.xml")
    return {} if root is None else dublin_core(root)


def dublin_core(root: etree._Element) -> dict[str, MetadataValue]:
    """The properties that stand directly in an element."""
    return properties((local(element), "".join(element.itertext())) for element in root)


def iso_date(text: str) -> str:
    """A date as ISO 8601 has it; the text itself where no date of one meaning is seen (5/6/2024 has two)."""
    text = text.strip()
    if found := _ISO.fullmatch(text):
        day, clock, zone = "-".join(found.groups()[:3]), found[4], found[5] or ""
        if zone and zone != "Z" and ":" not in zone:
            zone = f"{zone[:3]}:{zone[3:]}"
        return f"{day}T{clock}{zone}" if clock else day
    if found := _PDF.fullmatch(text):
        day = "-".join(filter(None, found.groups()[:3]))
        if not found[4]:
            return day
        zone = (found[7] or "").replace("'", "")
        zone = zone if zone in ("", "Z") else f"{zone[:3]}:{zone[3:]}"
        return f"{day}T{found[4]}:{found[5]}:{found[6] or '00'}{zone}"
    if found := _WORDS.fullmatch(text):
        return _day_of(found[4], found[2], found[1] or found[3] or "") or text
    if ":" in text:
        try:
            return parsedate_to_datetime(text).isoformat()
        except (ValueError, TypeError, IndexError, OverflowError):
            return text
    return text


def _day_of(year: str, month: str, day: str) -> str:
    if month[:3].lower() not in _MONTHS:
        return ""
    number = _MONTHS.index(month[:3].lower()) + 1
    try:
        found = date(int(year), number, int(day or "1")).isoformat()
    except ValueError:
        return ""
    return found if day else found[:7]
