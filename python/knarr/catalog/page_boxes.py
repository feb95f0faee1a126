"""The pages of documents: their shapes, and the places of their words as they were packed. Read for the few quotes that
somebody wants to see, never by a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

import sqlalchemy as sa

from knarr.catalog.records import NamedPage
from knarr.catalog.schema import pages
from knarr.types import PageShape


def rows_of(document_id: int, listed: Sequence[NamedPage]) -> list[dict[str, Any]]:
    """The pages of a document as rows of the table."""
    return [
        {
            "document_id": document_id,
            "number": page.number,
            "shape": list(astuple(page.shape)),
            "begin_byte": page.begin_byte,
            "end_byte": page.end_byte,
            "boxes": page.boxes,
        }
        for page in listed
    ]


def shapes(connection: sa.Connection, document_id: int) -> tuple[PageShape, ...]:
    """The shape of each page, in order; none where an older knarr read the document."""
    query = sa.select(pages.c.shape).where(pages.c.document_id == document_id).order_by(pages.c.number)
    return tuple(PageShape(*shape) for shape in connection.execute(query).scalars())


def touching(connection: sa.Connection, document_id: int, begin_byte: int, end_byte: int) -> list[NamedPage]:
    """The pages with words in a range of the text, in order."""
    query = (
        sa.select(pages)
        .where(
            pages.c.document_id == document_id, pages.c.begin_byte < end_byte, pages.c.end_byte > begin_byte
        )
        .order_by(pages.c.number)
    )
    return [
        NamedPage(row.number, PageShape(*row.shape), row.begin_byte, row.end_byte, row.boxes)
        for row in connection.execute(query)
    ]
