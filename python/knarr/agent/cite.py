"""From quotes to citations: each quote is looked up in the object it names, then placed or dropped with its
fault."""

from __future__ import annotations

import re
from collections.abc import Sequence

from knarr.agent.excerpts import lines_of, pages_of
from knarr.agent.library import Library
from knarr.agent.values import Excerpt, Quote
from knarr.errors import KnarrError
from knarr.language.citations import bare, fault_of, locate
from knarr.trace.record import DroppedCitation
from knarr.types import Citation, Passage
from knarr.uris import ABSTRACT_NAME, name_of, within

_MOST = 32
_LOOKUP_WORDS = 12


class Citer:
    """Checks the quotes of one run against the library, within the run's scope."""

    def __init__(self, library: Library, scope: str, shown: Sequence[Excerpt]) -> None:
        self._library = library
        self._scope = scope
        self._shown = shown

    def check(self, quotes: Sequence[Quote]) -> tuple[tuple[Citation, ...], tuple[DroppedCitation, ...]]:
        """The citations that hold and the quotes that do not, both in the order given, equal ones once."""
        kept: list[Citation] = []
        dropped: list[DroppedCitation] = []
        for quote in list(dict.fromkeys(quotes))[:_MOST]:
            found = self._one(Quote(quote.uri, bare(quote.text)))
            if isinstance(found, Citation):
                kept.append(found)
            else:
                dropped.append(found)
        return tuple(kept), tuple(dropped)

    def _one(self, quote: Quote) -> Citation | DroppedCitation:
        passage = self._read(quote.uri)
        source = passage.text if passage is not None else ""
        others = [piece.text for piece in self._shown if piece.uri != quote.uri]
        fault = fault_of(quote.text, source, others)
        if fault == "not_found" and self._stands_elsewhere(quote):
            fault = "misattributed"
        place = locate(quote.text, source) if passage is not None and not fault else None
        if passage is None or place is None:
            return DroppedCitation(quote.uri, quote.text, fault or "not_found")
        return self._placed(quote, passage, *place)

    def _placed(self, quote: Quote, passage: Passage, begin: int, end: int) -> Citation:
        lines = lines_of(passage, begin, end)
        pages = pages_of(self._library, passage, begin, end)
        return Citation(quote.uri, passage.text[begin:end], lines, pages, passage.source.document)

    def _read(self, uri: str) -> Passage | None:
        """The text that a quote may come from; None where there is none. An abstract describes documents in
        words of its own, or of a model's, so it is evidence for nothing."""
        try:
            abstract = name_of(uri) == ABSTRACT_NAME
            return self._library.read(uri) if within(uri, self._scope) and not abstract else None
        except (KnarrError, ValueError):
            return None

    def _stands_elsewhere(self, quote: Quote) -> bool:
        """Whether the quote's first words stand anywhere in the run's scope. Costs one Grep."""
        pattern = r"\s+".join(re.escape(word) for word in quote.text.split()[:_LOOKUP_WORDS])
        try:
            return self._library.grep(pattern, self._scope, limit=1).total > 0
        except (KnarrError, ValueError):
            return False
