"""What historical questions are made from: the chunks that say something, and how people call their documents.

Left out are tables of contents, reference lists, signature pages, lists of links, sections with hardly a word,
and, of equal chunks (versions of a manual repeat most of their text), all but the first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from knarr.catalog import documents
from knarr.catalog.experience import text_hash
from knarr.catalog.records import DocumentRecord
from knarr.experience.warm_up.naming import called
from knarr.language.markup import running_text
from knarr.language.passages import sentences
from knarr.uris import below, lies_in

_LEAST_WORDS = 8
_HEAD_CHARS = 3000
_IDLE_HEADING = re.compile(
    r"(?:table of )?contents|index|references(?: cited)?|bibliography|works cited|further reading|external links|see also"
    r"|acknowledge?ments?|signatures?|license|copyright(?: notice)?|exhibit index|list of (?:tables|figures|exhibits)",
    re.IGNORECASE,
)
_SIGNED = re.compile(r"in witness whereof|/s/|^\s*(?:by|name|title):\s*_*\s*$", re.IGNORECASE | re.MULTILINE)
_ENTRY = re.compile(
    r"(?:\.{3,}|\t|\s{2,})\s*(?:\d{1,4}|[ivxl]{1,6})\s*$|^\s*(?:[-*]\s*)?\[[^\]]{1,120}\]\s*[:(]\s*\S+\s*\)?$"
)
_CITED = re.compile(r"\((?:19|20)\d\d[a-z]?\)|\bet al\b|\bdoi\b|\bpp?\.\s*\d|\bVol\.", re.IGNORECASE)
_HEADING = re.compile(r"^#{1,6}\s")
_NUMBERED = re.compile(
    r"^\s*(?:(?:section|article)\s+)?(?:\d+(?:\.\d+)+\.?|\d+[.)]|\([a-zA-Z0-9]{1,4}\))[\s.:–—-]+",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class Material:
    """A chunk to ask about.

    uri:      its own; `document`: that of its document
    called:   how people call the document
    titles:   of its section, from the document's top heading down
    text:     without its headings
    words:    how many it has
    """

    uri: str
    document: str
    called: str
    titles: tuple[str, ...]
    text: str = field(repr=False)
    words: int

    def sentences(self) -> Iterator[str]:
        """Its sentences, list items and table rows, each on one line; all but rows without markup."""
        heading = " ".join(self.titles[-1].split()) if self.titles else ""
        for part in sentences(self.text):
            flat = " ".join(part.text.split())
            if heading and flat.startswith(heading) and len(flat) > len(heading):
                flat = flat[len(heading) :]  # the heading of a clause stands on its first line
            yield flat if flat.startswith("|") else _NUMBERED.sub("", running_text(flat))


@dataclass(frozen=True, slots=True)
class DocumentMaterial:
    """A document's chunks that say something; `known_small` are words that it also writes without a capital."""

    document: str
    called: str
    chunks: tuple[Material, ...]
    known_small: frozenset[str] = field(repr=False, default=frozenset())


def document_materials(connection: sa.Connection, scope: str) -> Iterator[DocumentMaterial]:
    """The documents at or below `scope`, in the order of adding; those with nothing to ask about are left out."""
    records = documents.under(connection, scope) or _inside(connection, scope)
    titled = Counter(" ".join(record.title.split()) for record in records)
    seen: set[bytes] = set()
    for record in records:
        text = documents.text_of(connection, record.id)
        unique = titled[" ".join(record.title.split())] == 1
        source = _material(connection, record, text, scope, called(record, text[:_HEAD_CHARS], unique), seen)
        if source.chunks:
            yield source


def _inside(connection: sa.Connection, scope: str) -> list[DocumentRecord]:
    """The document that a scope inside a document lies in."""
    owner = documents.owning(connection, scope)
    return [owner] if owner is not None else []


def _material(
    connection: sa.Connection, record: DocumentRecord, text: str, scope: str, name: str, seen: set[bytes]
) -> DocumentMaterial:
    data = text.encode("utf-8")
    titles = _titles(documents.sections_of(connection, record.id))
    found = []
    for row in documents.objects_of(connection, record.id):
        uri = below(record.uri, row.path)
        if row.kind != "chunk" or not lies_in(uri, scope):
            continue
        body = data[row.begin_byte : row.end_byte].decode("utf-8")
        path = titles[row.section]
        own = without_headings(body, path)
        words = len(_WORD.findall(own))
        key = text_hash(body)
        if words >= _LEAST_WORDS and key not in seen and tells(own, path):
            seen.add(key)
            found.append(Material(uri, record.uri, name, path, own, words))
    small = frozenset(word for word in _WORD.findall(text) if word.islower())
    return DocumentMaterial(record.uri, name, tuple(found), small)


def _titles(rows: list[sa.Row[Any]]) -> dict[int, tuple[str, ...]]:
    found: dict[int, tuple[str, ...]] = {}
    for row in rows:
        above = found[row.parent] if row.parent is not None else ()
        found[row.ordinal] = (*above, row.title) if row.title else above
    return found


def without_headings(body: str, titles: tuple[str, ...]) -> str:
    """Without headings, whether they are marked or stand on lines of their own."""
    own = {_bare(title) for title in titles}
    kept = [line for line in body.splitlines() if not _HEADING.match(line) and _bare(line) not in own]
    return "\n".join(kept).strip()


def _bare(line: str) -> str:
    return " ".join(line.split()).lower().rstrip(":")


def tells(text: str, titles: tuple[str, ...]) -> bool:
    """Whether a text without headings is worth a question."""
    if any(_IDLE_HEADING.fullmatch(title.strip(" :.#0123456789")) for title in titles[-2:]):
        return False
    if _SIGNED.search(text):
        return False
    lines = [line for line in text.splitlines() if line.strip()]
    entries = sum(1 for line in lines if _ENTRY.search(line.rstrip()))
    cited = sum(1 for line in lines if len(_CITED.findall(line)) >= 2)
    return entries * 2 < len(lines) and cited * 2 < len(lines)
