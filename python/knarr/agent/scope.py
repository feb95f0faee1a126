"""Scope resolution: which documents a question means, how surely, and whether to look wider too.

A document is *named* when the question is put to it ("Based on X: …") and the words of X stand in its name,
title or first lines, clearly more of them than in any other's. Only then is the search held inside it. A dotted
version that documents of the product have holds the search in the same way: what other versions say is no
answer. A document is *hinted at* when most of its name stands in the question. Then the search inside runs
beside the wide one, so that a wrong hint costs tokens and no evidence.

Words weigh by their inverse document frequency over names and first lines (see `scope_index`), so that a shared
word such as "agreement" decides nothing. A question costs one look-up per word, whatever the size of the
library.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from knarr.agent.mentions import read_mentions
from knarr.agent.scope_index import NameIndex, ScopeEntry
from knarr.language.words import GENERIC, Version, forms, meets, proper_forms, proper_runs, versions
from knarr.uris import SCHEME, within

NAMED = 0.72  # share of a mention's words, by weight, that its document must have
MARGIN = 0.06  # by which it must lead the next document
HINTED = 0.6  # share of a name that must stand in the question
HINTED_BY_NAME = 0.3  # the same when a word that few names have is among it
HINT_MARGIN = 0.75  # of the best hint's share, below which another is dropped
_MOST = 4
_MOST_HINTS = 3


@dataclass(frozen=True, slots=True)
class Candidate:
    """A scope the question may mean. `reason`: "named", "version" or "hinted"."""

    uri: str
    confidence: float
    reason: str


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a question was taken to mean.

    core:        what is asked, without the words that name documents
    asked:       the whole question, without instructions on the answer's form
    candidates:  the scopes, in order of confidence; none when the question names nothing known
    wide:        whether the whole scope should be searched too
    words:       the words that named a document
    """

    core: str
    asked: str
    candidates: tuple[Candidate, ...] = ()
    wide: bool = True
    words: tuple[str, ...] = ()

    def hint(self) -> str:
        """The candidates for a model, on marked lines, since names are document text; "" when there are
        none."""
        if not self.candidates:
            return ""
        listed = "\n".join(f"> {candidate.uri}" for candidate in self.candidates)
        return f"The question {'may mean' if self.wide else 'seems to mean'}:\n{listed}"


class ScopeIndex:
    """Resolves questions against one state of a namespace. Immutable; any thread may use it."""

    def __init__(self, entries: Iterable[ScopeEntry]) -> None:
        self._names = NameIndex.build(entries)

    def __len__(self) -> int:
        return len(self._names.known)

    @property
    def entries(self) -> tuple[ScopeEntry, ...]:
        """What is indexed, in the order of the namespace."""
        return tuple(known.entry for known in self._names.known)

    def resolve(self, question: str, scope: str = SCHEME) -> Resolution:
        """Which documents under `scope` the question means."""
        asking = read_mentions(question)
        for mention in asking.mentions:
            found = self._named(mention.words, question, scope)
            if found:
                wide = not (mention.explicit and found[0].confidence >= NAMED)
                return Resolution(asking.core, asking.whole, tuple(found), wide, (mention.words,))
        asked = self._asked_versions(question, scope)
        if asked:
            exact = all(len(version) > 1 for version in versions(question, named=True))
            return Resolution(
                asking.whole,
                asking.whole,
                tuple(asked),
                not exact,
                tuple(candidate.uri for candidate in asked),
            )
        return Resolution(asking.whole, asking.whole, tuple(self._hinted(question, scope)), True)

    def named_in(self, text: str, scope: str = SCHEME) -> tuple[str, ...]:
        """The documents under `scope` whose names stand as capitalised words in a text, in the order of the
        text."""
        found: dict[int, None] = {}
        for run in proper_runs(text):
            asked = forms(run)
            met = {
                number
                for form in asked
                for number in self._names.by_name(form)
                if self._inside(number, scope)
            }
            named = [
                n for n in met if self._names.name_share(n, asked) >= NAMED and self._names.naming(n, asked)
            ]
            found.update(dict.fromkeys(sorted(named, key=lambda n: -self._names.name_share(n, asked))[:2]))
        return tuple(self._names.known[number].entry.uri for number in found)

    def _inside(self, number: int, scope: str) -> bool:
        return scope == SCHEME or within(self._names.known[number].entry.uri, scope)

    def _named(self, mention: str, question: str, scope: str) -> list[Candidate]:
        """The documents whose name or head has the mention's words; none when too many are equally good."""
        scores = {n: share for n, share in self._names.coverage(mention).items() if self._inside(n, scope)}
        if not scores:
            return []
        asked = forms(mention)
        ranked = sorted(
            scores, key=lambda n: (-self._lifted(n, scores[n], asked), self._names.known[n].entry.uri)
        )
        best = self._lifted(ranked[0], scores[ranked[0]], asked)
        near = [n for n in ranked if best - self._lifted(n, scores[n], asked) < MARGIN]
        if scores[ranked[0]] < NAMED or len(near) > _MOST:
            return []
        near = self._of_version(near, question) or near
        return [Candidate(self._names.known[n].entry.uri, min(1.0, scores[n]), "named") for n in near]

    def _lifted(self, number: int, share: float, asked: set[str]) -> float:
        """The share, lowered by what the document's own name says beside the mention."""
        return share * (0.75 + 0.25 * self._names.name_share(number, asked))

    def _of_version(self, numbers: list[int], question: str) -> list[int]:
        wanted = versions(question, named=True)
        return [n for n in numbers if any(meets(w, v) for w in wanted for v in self._names.known[n].versions)]

    def _asked_versions(self, question: str, scope: str) -> list[Candidate]:
        """Documents of a version that the question asks for, best name first."""
        wanted = versions(question, named=True)
        if not wanted:
            return []
        asked = forms(question)
        found = [
            (self._names.name_share(n, asked), n)
            for n, known in enumerate(self._names.known)
            if self._inside(n, scope) and _one_meets(wanted, known.versions)
        ]
        found = [(share, n) for share, n in found if self._shares_a_name(n, asked)]
        found.sort(key=lambda pair: (-pair[0], self._names.known[pair[1]].entry.uri))
        return [
            Candidate(self._names.known[n].entry.uri, 0.6 + 0.3 * share, "version")
            for share, n in found[:_MOST]
        ]

    def _shares_a_name(self, number: int, asked: set[str]) -> bool:
        """Whether a word of the name (not a number) stands in the question."""
        return any(
            word.whole in asked and not word.whole[0].isdigit() and word.whole not in GENERIC
            for word in self._names.known[number].name_words
        )

    def _hinted(self, question: str, scope: str) -> list[Candidate]:
        """Documents most of whose name stands in the question."""
        asked = self._names.with_beginnings(forms(question), question)
        proper = self._names.with_beginnings(proper_forms(question), question)
        met = {
            number for form in asked for number in self._names.by_name(form) if self._inside(number, scope)
        }
        scored = [(self._names.name_share(n, asked), n) for n in met]
        kept = [
            (share, n)
            for share, n in scored
            if (share >= HINTED and self._names.words_met(n, asked) > 1)
            or (
                share >= HINTED_BY_NAME
                and self._names.naming(n, proper)
                and self._names.letter_share(n, proper) >= HINTED
            )
        ]
        best = max((share for share, _ in kept), default=0.0)
        kept = [(share, n) for share, n in kept if share >= HINT_MARGIN * best]
        kept.sort(key=lambda pair: (-pair[0], self._names.known[pair[1]].entry.uri))
        return [
            Candidate(self._names.known[n].entry.uri, 0.8 * share, "hinted")
            for share, n in kept[:_MOST_HINTS]
        ]


def _one_meets(wanted: list[Version], have: tuple[Version, ...]) -> bool:
    return any(meets(one, version) for one in wanted for version in have)


@dataclass(frozen=True, slots=True)
class Names:
    """An index held to one scope: what a policy may ask of the namespace without a tool call."""

    index: ScopeIndex
    scope: str

    def resolve(self, question: str) -> Resolution:
        """See `ScopeIndex.resolve`."""
        return self.index.resolve(question, self.scope)

    def named_in(self, text: str) -> tuple[str, ...]:
        """See `ScopeIndex.named_in`."""
        return self.index.named_in(text, self.scope)
