"""Plain text: the source is the canonical text, line for line; sections by labels and headings.

Numbered clauses come first: `clause_marks` finds labels, and `clause_sequence` keeps those that follow
each other. Exhibits and schedules begin a numbering of their own. Headings without numbers
(`plain_headings`) count before the first clause, in exhibits without clauses, inside the items of a
report, and in texts that have no clauses at all. Tables of contents and page noise make no sections.
A text without structure is one section.

A form feed starts a page. It is dropped at the start or end of a line and becomes a space inside a
line, so that lines keep their numbers and ``^`` finds them; nothing else is changed. The structure of
lines after `Limits.text_lines` is not read: what is known of a line takes ten times its own room.
"""

from __future__ import annotations

from knarr.documents.decode import Limits, decode
from knarr.documents.line_ends import whole_words
from knarr.documents.plain_tables import plain_tables
from knarr.documents.sections import Document, Heading, byte_offsets, section_tree
from knarr.documents.text.outline import Outline

_MAX_PAGES = 100_000


def parse(data: bytes, name: str, limits: Limits) -> Document:
    """Read a plain text file. Raises DocumentError as `decode` does."""
    decoded = decode(data, name, limits=limits)
    whole, mended = whole_words(decoded.text)
    text, pages = _pages(whole)
    head = _first_lines(text, limits.text_lines)
    outline = Outline(head, [page for page in pages if page <= len(head)])
    notes = (*decoded.notes, *mended)
    if len(head) < len(text):
        count = text.count("\n") + 1
        notes = (*notes, f"headings were read in the first {limits.text_lines:,} of {count:,} lines")
    found = outline.headings()
    if outline.margin_numbers:
        for one in found:
            one.begin = text.rfind("\n", 0, one.begin) + 1
        notes = (
            *notes,
            f"numbers in the margin of {outline.margin_numbers:,} lines: kept, but no part of titles",
        )
    offsets = [*pages, *(at for one in found for at in (one.begin, one.body)), len(text)]
    bytes_at = byte_offsets(text, offsets)
    headings = [Heading(s.title, s.level, bytes_at[s.begin], bytes_at[s.body]) for s in found]
    return Document(
        title=outline.title,
        text=text,
        root=section_tree(outline.title, bytes_at[len(text)], headings),
        format="text",
        page_begins=tuple(bytes_at[page] for page in pages),
        tables=plain_tables(head),
        notes=notes,
    )


def _pages(text: str) -> tuple[str, list[int]]:
    """The text without form feeds, and where its pages begin (in characters); [] without any."""
    if "\f" not in text:
        return text, []
    first, *rest = text.split("\f")
    pieces, pages, size = [first], [0], len(first)
    for piece in rest:
        if pieces[-1] and piece and not pieces[-1].endswith("\n") and not piece.startswith("\n"):
            pieces.append(" ")
            size += 1
        if len(pages) < _MAX_PAGES:
            pages.append(size)
        pieces.append(piece)
        size += len(piece)
    return "".join(pieces), pages


def _first_lines(text: str, most: int) -> str:
    """The text's first lines, with their line ends."""
    lines = text.split("\n", most)
    return text[: len(text) - len(lines[most])] if len(lines) > most else text
