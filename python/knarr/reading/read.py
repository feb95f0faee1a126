"""The read side of a knowledge base: Search, List, Grep and Read, each one call into the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from knarr.catalog import documents
from knarr.engine import TextSpan
from knarr.errors import InvalidArgument, NotFound
from knarr.reading.cards import Card
from knarr.reading.search import Searching, consistent
from knarr.types import Entry, GrepResult, Listing, Match, Passage, Provenance
from knarr.uris import ABSTRACT_NAME, SCHEME, abstract_of, canonical

# Guesses of how many bytes hold a token: one that nearly always suffices, and one that does where words
# are long. Reading is then cut by counted tokens.
_BYTES_PER_TOKEN = (6, 16)


class Reading(Searching):
    """The four tools. Safe to call from several threads; never waits for a write."""

    @consistent
    def list(self, uri: str = SCHEME, offset: int = 0, limit: int = 100) -> Listing:
        """A page of a directory's children in document order, with the directory's abstract."""
        uri = canonical(uri)
        page = self._index.engine.list(uri, offset, limit)
        card = self._card_or_none(uri)
        sources: Sequence[Provenance | None]
        if card is not None:
            sources = [card.provenance(entry.uri.rstrip("/")) for entry in page.entries]
        else:
            named = ["" if entry.kind else canonical(entry.uri) for entry in page.entries]
            roots = self._cards.roots([name for name in named if name])
            sources = [roots.get(name) for name in named]
        entries = tuple(
            Entry(entry.uri, entry.name, entry.is_directory, entry.rows, entry.preview, source)
            for entry, source in zip(page.entries, sources, strict=True)
        )
        end = offset + len(entries)
        return Listing(
            uri=uri if uri == SCHEME else uri + "/",
            abstract=self._abstract(uri),
            entries=entries,
            total=page.total,
            next_offset=end if end < page.total else None,
        )

    def _abstract(self, uri: str) -> str:
        try:
            return self._index.engine.read(abstract_of(uri)).text
        except NotFound:
            return ""

    @consistent
    def grep(
        self,
        pattern: str,
        scope: str = SCHEME,
        *,
        literal: bool = False,
        ignore_case: bool = False,
        limit: int = 50,
        offset: int = 0,
    ) -> GrepResult:
        """Matches of a regular expression (RE2 syntax, linear time) in the canonical text below `scope`.

        `^` and `$` are line anchors. Matches may cross chunk and section borders. The result tells
        matches, no matches and an incomplete search apart; a bad pattern raises InvalidArgument or
        Unsupported, a missing scope NotFound."""
        scope = canonical(scope)
        found = self._index.engine.grep(
            pattern, scope, literal=literal, ignore_case=ignore_case, limit=limit, offset=offset
        )
        return GrepResult(
            pattern=pattern,
            scope=scope,
            outcome=found.outcome,
            matches=tuple(self._match(match) for match in found.matches),
            total=found.total,
            next_offset=found.next_offset,
            note=found.note,
        )

    def _match(self, match: Any) -> Match:
        card = self._cards.of(match.document)
        return Match(
            uri=match.uri,
            uris=tuple(match.uris),
            line=match.line,
            column=match.column,
            begin_byte=match.begin_byte,
            end_byte=match.end_byte,
            excerpt=match.excerpt,
            document=card.record.uri,
            section=card.provenance(match.uri).section,
            page=card.page_at(match.begin_byte),
            version=card.record.version,
        )

    @consistent
    def read(self, uri: str, begin_byte: int = 0, max_tokens: int | None = None) -> Passage:
        """The text of a chunk, an abstract, a section or a whole document, from `begin_byte` on.

        With `max_tokens` the text is cut at a token; `next_offset` says where to go on. Raises
        NotFound, and InvalidArgument for a folder above documents."""
        uri = canonical(uri)
        card = self._card_or_none(uri)
        if card is None and not uri.endswith(f"/{ABSTRACT_NAME}"):
            raise self._no_text(uri)
        if max_tokens is None:
            span = self._index.engine.read(uri, begin_byte)
            return self._passage(uri, card, span, span.text, span.end_byte)
        span, text = self._cut(uri, begin_byte, max_tokens)
        return self._passage(uri, card, span, text, span.begin_byte + len(text.encode("utf-8")))

    def _cut(self, uri: str, begin_byte: int, max_tokens: int) -> tuple[TextSpan, str]:
        """A piece of the text, and its first `max_tokens` tokens."""
        for bytes_per_token in _BYTES_PER_TOKEN:
            span = self._index.engine.read(uri, begin_byte, max(64, max_tokens * bytes_per_token))
            begins = self.embedder.tokenizer.token_begins(span.text)
            if len(begins) > max_tokens:
                cut = max(1, int(begins[max(1, max_tokens)]))
                # The piece may end within a word, whose tokens are others than those of all of it.
                if span.next_offset is None or any(map(str.isspace, span.text[cut:])):
                    return span, span.text[:cut]
            elif span.next_offset is None:
                break
        return span, span.text if len(begins) <= max_tokens else span.text[:cut]

    def _passage(self, uri: str, card: Card | None, span: Any, text: str, end: int) -> Passage:
        source = self._provenance(uri, "") if card is None else card.provenance(uri)
        if card is not None and not uri.endswith(f"/{ABSTRACT_NAME}"):
            first = span.base_byte + span.begin_byte
            lines = (span.line_begin, span.line_begin + text.rstrip("\n").count("\n"))
            pages = card.pages(first, first + len(text.encode("utf-8")))
            source = Provenance(source.document, source.version, source.section, lines, pages)
        return Passage(
            uri=uri,
            text=text,
            source=source,
            begin_byte=span.begin_byte,
            end_byte=end,
            total_bytes=span.total_bytes,
            next_offset=end if end < span.total_bytes else None,
            uris=tuple(span.uris),
        )

    def _no_text(self, uri: str) -> InvalidArgument | NotFound:
        if self._index.engine.exists(uri):
            return InvalidArgument(f"{uri} is a folder of documents: list it, or read one of its documents")
        return NotFound(f"{uri}: no such document, section or object")

    def _card_or_none(self, uri: str) -> Card | None:
        """The card of the document that this URI names or lies in; None above documents."""
        card = self._cards.holding(uri)
        if card is not None:
            return card
        with self._catalog.reading() as connection:
            owner = documents.owning(connection, uri)
        return None if owner is None else self._cards.of(owner.uri)
