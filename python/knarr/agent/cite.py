"""From what a draft cites to citations: a number is looked up among the passages that were shown, a quote in the
object it names; each is placed, or dropped with its fault.

A citation is a sentence or a table row. Where a draft cites more than a handful, those that fit its text best are
given and the others folded away: ten whole passages under one sentence are no evidence for anything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from knarr.agent.excerpts import bytes_of, lines_of, pages_of
from knarr.agent.fitting import best_part, fit, part_with, share_of
from knarr.agent.library import HasBoxes, Library
from knarr.agent.numbers import plain_numbers
from knarr.agent.values import Cite, Draft, Excerpt, Quote
from knarr.errors import InvalidArgument, NotFound
from knarr.language.citations import bare, fault_of, locate
from knarr.trace.record import DroppedCitation
from knarr.types import Citation, Passage
from knarr.uris import ABSTRACT_NAME, name_of, within

MOST_GIVEN = 6
_MOST = 32
_LOOKUP_WORDS = 12
_LONG_CHARS = 700  # a longer quote is a passage, of which a sentence is cited
_SAME_WORDS = 0.5  # of the words that a number came with, at least this share stands in what is cited

_Key = tuple[str, str, int]  # the URI, text and version of a citation


@dataclass(frozen=True, slots=True)
class Cited:
    """What became of a draft's citations.

    kept:     those that hold, at most MOST_GIVEN
    dropped:  those that do not
    folded:   those that hold too, and fit the answer less
    places:   by the number that a passage was cited by, its place in `kept`, from 1
    """

    kept: tuple[Citation, ...] = ()
    dropped: tuple[DroppedCitation, ...] = ()
    folded: tuple[Citation, ...] = ()
    places: dict[int, int] = field(default_factory=dict)


def with_boxes(library: Library, citations: Sequence[Citation]) -> tuple[Citation, ...]:
    """Citations with the places where they stand on their pages, as far as the library knows them."""
    if not isinstance(library, HasBoxes):
        return tuple(citations)
    return tuple(replace(one, boxes=library.boxes(one)) if one.pages else one for one in citations)


class Citer:
    """Checks the citations of one run against the library, within the run's scope."""

    def __init__(self, library: Library, scope: str, shown: Sequence[Excerpt], question: str = "") -> None:
        self._library = library
        self._scope = scope
        self._shown = shown
        self._question = question
        self._numbered = {piece.number: piece for piece in shown if piece.number}

    def check(self, draft: Draft) -> Cited:
        """The citations that hold and those that do not, both in the order given, equal ones once."""
        kept: dict[_Key, Citation] = {}
        dropped: list[DroppedCitation] = []
        numbers: dict[int, _Key] = {}
        listed: list[Quote | Cite] = [*draft.quotes, *draft.cites]
        for wanted in list(dict.fromkeys(listed))[:_MOST]:
            found = (
                self._quoted(wanted, draft) if isinstance(wanted, Quote) else self._numbered_by(wanted, draft)
            )
            if isinstance(found, DroppedCitation):
                dropped.append(found)
                continue
            key = (found.uri, found.text, found.version)
            kept.setdefault(key, found)
            if isinstance(wanted, Cite):
                numbers.setdefault(wanted.number, key)
        given = self._ranked(list(kept), draft)
        places = {number: given.index(key) + 1 for number, key in numbers.items() if key in given}
        rest = tuple(one for key, one in kept.items() if key not in given)
        return Cited(tuple(kept[key] for key in given), tuple(dropped), rest, places)

    def placed(self, piece: Excerpt, begin: int, end: int) -> Citation:
        """A part of a passage that was shown, as a citation."""
        first = piece.source.lines[0] + piece.text.count("\n", 0, begin)
        last = first + piece.text.count("\n", begin, end)
        text, source = piece.text[begin:end], piece.source
        at = piece.begin_byte + len(piece.text[:begin].encode("utf-8"))
        return Citation(
            piece.uri,
            text,
            (first, last),
            self._pages(piece, text),
            source.document,
            source.version,
            (at, at + len(text.encode("utf-8"))),
        )

    def _ranked(self, keys: list[_Key], draft: Draft) -> list[_Key]:
        """All when they are few, else those that fit best, in the order given."""
        if len(keys) <= MOST_GIVEN:
            return keys
        best = sorted(keys, key=lambda key: -fit(key[1], draft.text, self._question))[:MOST_GIVEN]
        return [key for key in keys if key in best]

    # ------------------------------------------------------------------ by number

    def _numbered_by(self, cite: Cite, draft: Draft) -> Citation | DroppedCitation:
        piece, words = self._numbered.get(cite.number), bare(plain_numbers(cite.words))
        if piece is None:
            return DroppedCitation("", f"[{cite.number}] {words}".strip(), "unshown")
        if not self._citable(piece.uri):
            return DroppedCitation(piece.uri, words or f"[{cite.number}]", "not_found")
        span = part_with(piece.text, words) if words else None
        if span is None:
            span = best_part(piece.text, words or draft.text, self._question if not words else draft.text)
        if span is None or (words and share_of(words, piece.text[slice(*span)]) < _SAME_WORDS):
            return DroppedCitation(piece.uri, words or f"[{cite.number}]", "not_found")
        return self.placed(piece, *span)

    def _pages(self, piece: Excerpt, text: str) -> tuple[int, int] | None:
        """The pages of a part; the source is read only where the passage spans several."""
        span = piece.source.pages
        if span is None or span[0] == span[1]:
            return span
        passage = self._read(piece.uri)
        place = locate(text, passage.text) if passage is not None else None
        return span if passage is None or place is None else pages_of(self._library, passage, *place)

    # ------------------------------------------------------------------ by quote

    def _quoted(self, given: Quote, draft: Draft) -> Citation | DroppedCitation:
        quote = Quote(given.uri, bare(given.text))
        passage = self._read(quote.uri)
        source = passage.text if passage is not None else ""
        fault = self._fault(quote, source)
        if fault and plain_numbers(quote.text) != quote.text:
            quote = Quote(quote.uri, plain_numbers(quote.text))
            fault = self._fault(quote, source)
        if fault == "not_found" and self._stands_elsewhere(quote):
            fault = "misattributed"
        place = locate(quote.text, source) if passage is not None and not fault else None
        if passage is None or place is None:
            return DroppedCitation(quote.uri, quote.text, fault or "not_found")
        return self._of_passage(quote, passage, *self._narrowed(source, place, draft))

    def _fault(self, quote: Quote, source: str) -> str:
        return fault_of(quote.text, source, [one.text for one in self._shown if one.uri != quote.uri])

    def _narrowed(self, source: str, place: tuple[int, int], draft: Draft) -> tuple[int, int]:
        begin, end = place
        span = best_part(source[begin:end], draft.text, self._question) if end - begin > _LONG_CHARS else None
        return place if span is None else (begin + span[0], begin + span[1])

    def _of_passage(self, quote: Quote, passage: Passage, begin: int, end: int) -> Citation:
        lines = lines_of(passage, begin, end)
        pages, source = pages_of(self._library, passage, begin, end), passage.source
        text, span = passage.text[begin:end], bytes_of(passage, begin, end)
        return Citation(quote.uri, text, lines, pages, source.document, source.version, span)

    def _read(self, uri: str) -> Passage | None:
        """The text that a quote may come from; None where there is none."""
        try:
            return self._library.read(uri) if self._citable(uri) else None
        except (NotFound, InvalidArgument):
            return None

    def _citable(self, uri: str) -> bool:
        """Whether it lies in the run's scope and is no abstract: that describes documents in words of its own,
        or of a model's, so it is evidence for nothing."""
        try:
            return within(uri, self._scope) and name_of(uri) != ABSTRACT_NAME
        except (InvalidArgument, ValueError):
            return False

    def _stands_elsewhere(self, quote: Quote) -> bool:
        """Whether the quote's first words stand anywhere in the run's scope. Costs one Grep."""
        pattern = r"\s+".join(re.escape(word) for word in quote.text.split()[:_LOOKUP_WORDS])
        try:
            return self._library.grep(pattern, self._scope, limit=1).total > 0
        except (NotFound, InvalidArgument, ValueError):
            return False
