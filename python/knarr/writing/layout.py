"""From a parsed document to its named sections and objects: what the catalog stores and the engine indexes.

Sections are walked top-down; each gives its abstract, then its chunks, then its subsections. So the
objects of any section are neighbours, and a scope inside a document is one range of rows.
"""

from __future__ import annotations

import re

from knarr.abstracts.extractive import abstracts, preview
from knarr.catalog.records import Laid, NamedObject, NamedPage, NamedSection
from knarr.documents.chunks import Chunk, chunk, rows_cut
from knarr.documents.sections import Document, Section
from knarr.language.rows import cells_of
from knarr.models.embed.tokens import Tokenizer, count_tokens
from knarr.uris import ABSTRACT_NAME, SiblingNames, component, relative_below

_TITLED = ("markdown", "html", "docx")
_OPENING_CHARS = 400
_STEP_BYTES = 256


def labels(document: Document, name: str) -> tuple[str, ...]:
    """What a question may call a document: its file name in words, and its title when that says something
    else. Formats without a reliable title have their first words stand for it: a contract opens with
    its kind and its parties."""
    words = " ".join(re.split(r"[_\s]+", name)).strip()
    title = document.title if document.format in _TITLED else preview(document.text, _OPENING_CHARS)
    same = re.sub(r"\W+", "", title).casefold() == re.sub(r"\W+", "", words).casefold()
    if same or not title:
        return (words,)
    # A number says nothing to an embedder.
    return (words, title) if re.search(r"[^\W\d_]{2}", words) else (title,)


def lay_out(
    document: Document,
    name: str,
    tokenizer: Tokenizer,
    *,
    chunk_tokens: int,
    abstract_tokens: int,
    preview_chars: int,
) -> Laid:
    """Name every section, cut chunks, write abstracts. `name` is the document's own (decoded) component,
    which its top chunks carry."""
    return _Layout(document, name, tokenizer, chunk_tokens, abstract_tokens, preview_chars).run()


def _pages(document: Document) -> tuple[NamedPage, ...]:
    """The pages with the boxes of their words, packed."""
    packed = {} if document.boxes is None else {page.page: page for page in document.boxes.packed()}
    found = []
    for at, shape in enumerate(document.pages):
        known = packed.get(at)
        words = (known.begin_byte, known.end_byte, known.data) if known is not None else ()
        found.append(NamedPage(at + 1, shape, *words))
    return tuple(found)


def table_line(part: Chunk) -> str:
    """What List says of a chunk that is a table: its caption, which of its rows these are, and its columns."""
    if part.rows is None:
        return ""
    table, count = part.rows.table, len(part.rows.table.row_begins)
    whole = (part.rows.first, part.rows.last) == (1, count)
    rows = f"{count} rows" if whole else f"rows {part.rows.first}–{part.rows.last} of {count}"
    names = [name for line in table.header.splitlines()[-2:-1] for name in cells_of(line) if name]
    columns = f"; columns: {', '.join(names)}" if names else ""
    return f"Table{f' “{table.title}”' if table.title else ''}, {rows}{columns}. "


class _Layout:
    def __init__(
        self,
        document: Document,
        name: str,
        tokenizer: Tokenizer,
        chunk_tokens: int,
        abstract_tokens: int,
        chars: int,
    ) -> None:
        self._document = document
        self._chars = chars
        self._tokenizer = tokenizer
        self._sections = list(document.root.walk())
        self._abstracts = abstracts(document, abstract_tokens)
        self._chunks: dict[int, list[Chunk]] = {}
        parts = chunk(document, tokenizer, chunk_tokens)
        cut = rows_cut(document, parts)
        self._notes = (f"table rows longer than {chunk_tokens:,} tokens, cut: {cut:,}",) if cut else ()
        for part in parts:
            self._chunks.setdefault(id(part.section), []).append(part)
        self._names = {id(document.root): name}
        self._claims: dict[int, SiblingNames] = {}
        self._paths = {id(document.root): ""}

    def run(self) -> Laid:
        index = {id(section): at for at, section in enumerate(self._sections)}
        parents: dict[int, int] = {}
        named: list[NamedSection] = []
        objects: list[NamedObject] = []
        for at, section in enumerate(self._sections):
            claims = SiblingNames({ABSTRACT_NAME})
            objects.extend(self._objects(at, section, claims))
            for child in section.children:
                own = claims.claim(component(child.title))
                self._names[id(child)] = own
                self._paths[id(child)] = relative_below(self._paths[id(section)], own)
                parents[id(child)] = index[id(section)]
            named.append(self._named(section, parents.get(id(section))))
        own = self._names[id(self._document.root)]
        words = labels(self._document, own)
        return Laid(tuple(named), tuple(objects), words, self._notes, _pages(self._document))

    def _named(self, section: Section, parent: int | None) -> NamedSection:
        return NamedSection(
            title=section.title,
            level=section.level,
            path=self._paths[id(section)],
            parent=parent,
            begin_byte=section.begin_byte,
            body_byte=section.body_byte,
            end_byte=section.end_byte,
            begin_line=self._document.line_at(section.begin_byte),
            end_line=self._last_line(section.begin_byte, section.end_byte),
        )

    def _objects(self, at: int, section: Section, claims: SiblingNames) -> list[NamedObject]:
        chunks = [self._chunk(at, part, claims) for part in self._chunks.get(id(section), [])]
        abstract = self._abstract(at, section, chunks)
        return [abstract, *chunks]

    def _chunk(self, at: int, part: Chunk, claims: SiblingNames) -> NamedObject:
        text = self._document.data[part.begin_byte : part.end_byte].decode("utf-8")
        name = claims.claim_chunk(self._names[id(part.section)], part.number)
        shown = f"{part.header}\n{text}" if part.header else text
        return NamedObject(
            kind="chunk",
            path=relative_below(self._paths[id(part.section)], name),
            section=at,
            begin_byte=part.begin_byte,
            end_byte=part.end_byte,
            begin_line=self._document.line_at(part.begin_byte),
            end_line=self._last_line(part.begin_byte, part.end_byte),
            tokens=part.tokens,
            header=part.header,
            preview=preview(table_line(part) + self._previewed(part, text), self._chars),
            text=text,
            # The first chunk of a section begins with its heading; the others get it here.
            embedded=shown.strip() if part.number == 1 else f"{part.section.title}\n{shown.strip()}",
        )

    def _previewed(self, part: Chunk, text: str) -> str:
        """A chunk without the headings at its beginning, which its URI already names, and with its table's
        columns."""
        body = self._document.data[max(part.begin_byte, part.section.body_byte) : part.end_byte].decode(
            "utf-8"
        )
        shown = body if body.strip() else text
        return f"{part.header}\n{shown}" if part.header else shown

    def _abstract(self, at: int, section: Section, chunks: list[NamedObject]) -> NamedObject:
        text = self._abstracts[at]
        # The abstract of a leaf with one chunk stands for that chunk: one vector serves both.
        alone = not section.children and len(chunks) == 1
        return NamedObject(
            kind="abstract",
            path=relative_below(self._paths[id(section)], ABSTRACT_NAME),
            section=at,
            begin_byte=section.begin_byte,
            end_byte=section.end_byte,
            begin_line=self._document.line_at(section.begin_byte),
            end_line=self._last_line(section.begin_byte, section.end_byte),
            tokens=count_tokens(self._tokenizer, text),
            header="",
            preview=preview(text, self._chars),
            text=text,
            embedded=chunks[0].embedded if alone else text,
        )

    def _last_line(self, begin: int, end: int) -> int:
        """The line of the last character that is not white space; a section's last line has text."""
        data, last = self._document.data, end
        # In steps, since a section may be the whole text, and its parents end where it does.
        while last > begin:
            body = data[max(begin, last - _STEP_BYTES) : last].rstrip()
            last = max(begin, last - _STEP_BYTES) + len(body)
            if body:
                break
        return self._document.line_at(max(begin, last - 1))
