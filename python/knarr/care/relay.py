"""Laying a stored document out anew from its text: sections, chunks, abstracts and labels follow from it.

The text stands for itself only as far as something vouches for it: the keys of the vectors, which are hashes of what
was embedded when the file was read. Where a chunk of the new layout has no such key the text may be damaged, and where
an object that is left has no place in it the layout was another: then nothing is changed, and the file has to be added
again.
"""

from __future__ import annotations

import sqlalchemy as sa

from knarr.abstracts.recall import AbstractRecall
from knarr.care.check_documents import sections_fault
from knarr.catalog import abstracts, changes, documents, folders, vectors
from knarr.catalog.records import DocumentRecord, Laid
from knarr.config import Settings
from knarr.documents import parse
from knarr.documents.sections import Document, Section
from knarr.models.embed import Tokenizer
from knarr.uris import above, name_of
from knarr.writing.layout import lay_out


def relay(
    connection: sa.Connection,
    record: DocumentRecord,
    tokenizer: Tokenizer,
    settings: Settings,
    recall: AbstractRecall,
    model: str,
) -> bool:
    """Lay a document out anew as it was laid out before; False where its text is not vouched for."""
    text = documents.text_of(connection, record.id)
    document = _document(connection, record, text)
    laid, asked = _laid(connection, document, record, tokenizer, settings, recall)
    hashes = [part.embedded_hash() for part in laid.objects]
    paths = {part.path for part in laid.objects}
    if any(row.path not in paths for row in documents.objects_of(connection, record.id)):
        return False  # it was laid out in another way
    old = vectors.hashes_of(connection, [record.id])
    vouched = {*old, *vectors.get(connection, hashes, model)}
    if any(
        part.kind == "chunk" and key not in vouched for part, key in zip(laid.objects, hashes, strict=True)
    ):
        return False
    documents.put_laid(connection, record.id, laid, hashes)
    vectors.release(connection, old)
    abstracts.keep(connection, abstracts.owner(record.id), asked)
    folders.mark_stale(connection, above(record.uri))
    changes.append(connection, "put", record.uri, document_id=record.id)
    return True


def _laid(
    connection: sa.Connection,
    document: Document,
    record: DocumentRecord,
    tokenizer: Tokenizer,
    settings: Settings,
    recall: AbstractRecall,
) -> tuple[Laid, list[bytes]]:
    """By the settings with which it was laid out, which its recipe names."""
    sizes = [int(word) for word in record.recipe.split(":")[1:4] if word.isdigit()]
    if len(sizes) != 3:
        sizes = [settings.chunk_tokens, settings.abstract_tokens, settings.preview_chars]
    laid = lay_out(
        document,
        name_of(record.uri),
        tokenizer,
        chunk_tokens=sizes[0],
        abstract_tokens=sizes[1],
        preview_chars=sizes[2],
    )
    return recall.document(connection, laid, document.data, tokenizer)


def _document(connection: sa.Connection, record: DocumentRecord, text: str) -> Document:
    """The document as it was parsed: by its sections where they are sound, else by the headings of its text, which
    is in Markdown."""
    rows = documents.sections_of(connection, record.id)
    named = [row.section for row in documents.objects_of(connection, record.id)]
    if sections_fault(rows, len(text.encode("utf-8"))) or max(named, default=0) >= len(rows):
        found = parse(text.encode("utf-8"), "text.txt" if record.format == "text" else "text.md")
        return Document(record.title, text, found.root, record.format, record.page_begins, found.tables)
    made = [Section(row.title, row.level, row.begin_byte, row.body_byte, row.end_byte) for row in rows]
    for row, section in zip(rows, made, strict=True):
        if row.parent is not None:
            made[row.parent].children.append(section)
    tables = parse(text.encode("utf-8"), "text.md").tables
    return Document(record.title, text, made[0], record.format, record.page_begins, tables)
