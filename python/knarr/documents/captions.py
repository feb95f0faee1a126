"""Captions of tables: how a line looks that names one ("Table 3: Prices by year").

A caption says its kind and its number; what follows is its words. A sentence that begins with the same words goes on
with a verb in small letters ("Table 3 shows …") and is none.
"""

from __future__ import annotations

import re
from dataclasses import replace

from knarr.documents.sections import Document, Table
from knarr.language.plain import one_line

CAPTION_CHARS = 400
_KIND = (
    r"(?:table|tab\.|exhibit|appendix table|tabelle|tableau|tabla|cuadro|tabella|tabela|tabel|tabell|taulukko|"
    r"táblázat|tabulka|tabuľka|таблица|таблиця|πίνακας)"
)
_NUMBER = r"(?:[A-Za-z]{0,3}[-.]?\d{1,4}(?:[-.–]\d{1,4}){0,4}[a-z]?|[IVXLC]{1,7}|[A-H])"
_CAPTION = re.compile(
    rf"(?:{_KIND}\s?{_NUMBER}(?![\w%])|表\s?\d{{1,4}})"
    r"(?:\s*$|\s*[.:：。)\]—–-]+\s*|\s+(?=[^\W_]))(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_PANDOC = re.compile(r"(?:[Tt]able ?)?: +\S")
_MOST_BYTES = 4 * CAPTION_CHARS
_MARKUP = re.compile(r"^[*_>#\s]+")


def is_caption(text: str) -> bool:
    """Whether a text is the caption of a table, or the beginning of one."""
    text = _MARKUP.sub("", text[: CAPTION_CHARS + 1])
    found = _CAPTION.match(text)
    if found is None or len(text) > CAPTION_CHARS:
        return False
    rest = found["rest"]
    parted = text[: found.start("rest")].rstrip()[-1:] in ".:：。)]—–-"
    return parted or not rest[:1].islower()


def captioned(document: Document) -> tuple[Table, ...]:
    """The tables of a document, those without a title with the caption that stands right above them, else right
    below. A table begins at the caption above it, where that is no heading. Cost: a few lines around each table."""
    tables: list[Table] = []
    data = document.data
    for at, table in enumerate(document.tables):
        after = tables[-1].end_byte if tables else 0
        before = document.tables[at + 1].begin_byte if at + 1 < len(document.tables) else len(data)
        if not table.title:
            table = _with_caption(data, table, after, before)
        tables.append(table)
    return tuple(tables)


def _with_caption(data: bytes, table: Table, after: int, before: int) -> Table:
    begin, above = _block_above(data, max(after, table.begin_byte - _MOST_BYTES), table.begin_byte)
    if _is_title(above):
        title = one_line(_MARKUP.sub("", above)).strip("*_ ")
        return replace(table, title=title, begin_byte=table.begin_byte if above.startswith("#") else begin)
    end = min(before, table.end_byte + _MOST_BYTES)
    below, _, rest = data[table.end_byte : end].decode("utf-8", "ignore").strip("\r\n").partition("\n\n")
    # Right above another table it is the caption of that one.
    if (
        _is_title(below)
        and not below.startswith("#")
        and (rest.strip() or end < before or before == len(data))
    ):
        return replace(table, title=one_line(_MARKUP.sub("", below)).strip("*_ "))
    return table


def _block_above(data: bytes, begin: int, end: int) -> tuple[int, str]:
    """The last block of text in a range, and where it begins."""
    text = data[begin:end].rstrip()
    at = max(text.rfind(b"\n\n") + 2 if b"\n\n" in text else 0, 0)
    return begin + at, text[at:].decode("utf-8", "ignore")


def _is_title(text: str) -> bool:
    return is_caption(text) or bool(len(text) <= CAPTION_CHARS and _PANDOC.match(text))
