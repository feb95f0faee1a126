"""`knarr show`: what is known of a document beside its text, and where a part of it stands on its pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from knarr.cli import page
from knarr.cli.options import (
    DEFAULT_KB,
    AsOfOption,
    AsOption,
    JsonOption,
    KbOption,
    TenantOption,
    open_reader,
    then,
)

if TYPE_CHECKING:
    from knarr.types import StoredDocument


def show(
    uri: Annotated[str, typer.Argument(metavar="URI", help="A document, or a section or chunk of one.")],
    who: AsOption = None,
    tenant: TenantOption = "",
    as_of: AsOfOption = None,
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Say what a document is: its file, version, pages and what it says of itself. With --json also the boxes of the
    words that the URI names, in points on their pages."""
    with open_reader(kb, who, tenant) as base:
        document = base.document(uri, **then(as_of))
        boxes = base.boxes(uri, **then(as_of)) if as_json else ()
    if as_json:
        page.say_json({**page.plain(document), "boxes": page.plain(boxes)})
    else:
        _show(document)


def _show(document: StoredDocument) -> None:
    page.say(page.bold(document.uri))
    facts: dict[str, Any] = {
        "title": document.title,
        "file": document.path,
        "format": document.format,
        "version": document.version,
        "read": document.updated_at,
        "size": page.size(document.size_bytes),
        "sha256": document.content_hash,
        "pages": len(document.pages) or "",
        "status": document.status,
        "without text": ", ".join(map(str, document.missing_pages)),
    }
    _rows({name: value for name, value in facts.items() if value != ""})
    for note in document.notes:
        page.say(page.block(note, "  note  "))
    if document.metadata:
        page.say()
        page.say(page.bold("It says of itself"))
        _rows(dict(document.metadata))


def _rows(facts: dict[str, Any]) -> None:
    names = {name: page.clean_line(name) for name in facts}
    width = max(map(len, names.values()))
    for name, value in facts.items():
        shown = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
        page.say(f"  {page.pad(names[name], width)}  {page.clean_line(shown)}")
