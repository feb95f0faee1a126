"""Documents held against themselves: text, sections, objects and labels say the same, one document at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from knarr.care import embedded
from knarr.care.health import Notes
from knarr.catalog import documents, wholeness
from knarr.catalog.records import DocumentRecord
from knarr.writing.ingest import RECIPE_VERSION

PART = "documents"
_RELAY = "knarr doctor --repair lays the document out anew from its text"
_AGAIN = "add its file again"


def check_document(connection: sa.Connection, record: DocumentRecord, notes: Notes, where: str) -> bool:
    """Whether a document is sound. Notes say what is not, and whether its text is enough to mend it."""
    text = _text(connection, record, notes, where)
    if text is None:
        return False
    data = text.encode("utf-8", "replace")
    sections = documents.sections_of(connection, record.id)
    rows = documents.objects_of(connection, record.id)
    fault = sections_fault(sections, len(data)) or _objects(rows, sections, data)
    if fault:
        notes.add("error", PART, where, fault, _RELAY, mendable=True)
        return False
    broken = wholeness.faults(connection, record.id).get(record.id)
    if broken is not None:
        notes.add("error", PART, where, broken, _AGAIN)
        return False
    if record.recipe.partition(":")[0] != str(RECIPE_VERSION):
        return True  # laid out by an older knarr, in another way
    for one in embedded.of_document(connection, record.id):
        notes.count("texts")
        if not one.sure:
            notes.add("error", PART, where, f"{one.where} is not the text that was embedded", _AGAIN)
            return False
    return True


def _text(connection: sa.Connection, record: DocumentRecord, notes: Notes, where: str) -> str | None:
    try:
        return documents.text_of(connection, record.id)
    except sa.exc.NoResultFound:
        notes.add("error", PART, where, "its text is not there", _AGAIN)
    except (sa.exc.DBAPIError, UnicodeDecodeError, TypeError) as error:
        notes.add("error", PART, where, f"its text cannot be read ({getattr(error, 'orig', error)})", _AGAIN)
    return None


def sections_fault(rows: Sequence[sa.Row[Any]], size: int) -> str:
    """What is wrong with the tree of sections, "" where nothing is."""
    if not rows or [row.ordinal for row in rows] != list(range(len(rows))):
        return "its sections are not all there"
    if rows[0].parent is not None or (rows[0].begin_byte, rows[0].end_byte) != (0, size):
        return "its first section is not the whole text"
    for row in rows[1:]:
        if row.parent is None or not 0 <= row.parent < row.ordinal:
            return f"the section {row.path} lies in none"
        above = rows[row.parent]
        if not above.begin_byte <= row.begin_byte <= row.body_byte <= row.end_byte <= above.end_byte:
            return f"the section {row.path} does not lie in the one above it"
    return ""


def _objects(rows: Sequence[sa.Row[Any]], sections: Sequence[sa.Row[Any]], data: bytes) -> str:
    """What is wrong with the objects: chunks in order are the whole text, each section has an abstract."""
    if not rows or [row.ordinal for row in rows] != list(range(len(rows))):
        return "its chunks and abstracts are not all there"
    at = 0
    abstracts = set()
    for row in rows:
        if not 0 <= row.section < len(sections):
            return f"{row.path} lies in no section"
        if row.kind == "chunk":
            if row.begin_byte != at or row.end_byte < at:
                return f"the chunks do not follow each other at byte {at}"
            at = row.end_byte
            if at < len(data) and data[at] & 0xC0 == 0x80:
                return f"the chunk {row.path} ends inside a character"
        elif row.text is None:
            return f"the abstract {row.path} has no text"
        else:
            abstracts.add(row.section)
    if at != len(data) and data[at:].strip():
        return f"the chunks end at byte {at}, the text at {len(data)}"
    if len(abstracts) != len(sections):
        return "not every section has its abstract"
    return ""
