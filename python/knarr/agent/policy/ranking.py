"""Which sentences of the passages shown may answer, best first.

For each part of the question, the sentences and table rows of the shown pieces are ordered by the cross-encoder
(by words in common without one), with some weight on the passage they stand in. Left out is what cannot be an answer
however alike it looks: what is about something that the question excludes or about the counterpart of what it asks for
(see `checker/focus.py`), another year's figures, questions, and texts that give orders to a model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from knarr.agent.scope import Names
from knarr.agent.values import Excerpt
from knarr.checker.constraints import Need, needs
from knarr.checker.evidence import Ground, about_excluded, exclusions, has
from knarr.checker.focus import astray
from knarr.language.instructions import addresses_model, paragraphs_with_orders
from knarr.language.lexical import bm25
from knarr.language.passages import Part, sentences
from knarr.language.plain import one_line
from knarr.language.question import parts
from knarr.language.question_type import question_type
from knarr.language.rows import is_row
from knarr.language.sentences import leans_back
from knarr.language.words import words
from knarr.models.rerank import Reranker
from knarr.uris import name_of, without_slash

_READ = 14  # sentences read by the cross-encoder, per part of the question
_MEANT = 1.5  # for a document that the part of the question names
_FITS = 2.5  # for a date where one was asked for, or a number
_PINNED = 2.5  # for the names and identifiers of the question
_PASSAGE_WEIGHT = 0.35  # of the logit of the passage that a sentence stands in
_LONGEST_SENTENCE = 700
_CONTEXT_CHARS = 160
_WHEN = re.compile(
    r"\b(?:\d{4}|\d{1,2}[:.]\d{2}|\d{1,2} ?[ap]\.?m\b|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:jan|febr)uary|march|april|june|"
    r"july|august|(?:septem|octo|novem|decem)ber|noon|midnight)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|half|once|twice|daily|weekly|monthly)\b",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[^\W\d_]{2,}")
_STUFFED = 20  # words from which on repetition tells
_MARKUP = ("#", "<!--", "pr-url", "|--", "| --", "|:-", "| :-", "```", "---")


@dataclass(frozen=True, slots=True)
class ScoredSentence:
    """A sentence of a shown piece.

    header:   the first row of its table, "" outside of tables
    context:  where the sentence before it begins
    meant:    the question without the name of the sentence's document, where the question names it
    score:    the logit alone; `rank` adds what its passage, its document and its form are worth
    """

    piece: Excerpt
    part: Part
    header: str = ""
    context: int = 0
    meant: str = ""
    score: float = 0.0
    rank: float = 0.0

    @property
    def before(self) -> str:
        """The short sentence that it may lean on, "" for none."""
        return self.piece.text[self.context : self.part.begin]

    @property
    def leans(self) -> bool:
        """Whether it begins with a word that points back to the sentence before."""
        return not self.header and bool(self.before.strip()) and leans_back(self.part.text)

    @property
    def ground(self) -> Ground:
        """What it would stand on as a citation: its column names, or the sentence before where it leans on that, included."""
        piece, quote = self.piece, f"{self.header}\n{self.part.text}" if self.header else self.part.text
        if self.leans:
            quote = f"{self.before}{quote}"
        return Ground(piece.uri, quote, piece.text, piece.source.section, piece.source.document)

    @property
    def in_context(self) -> str:
        """The sentence with the titles, the column names or the sentence before that it cannot be understood without."""
        titles = " / ".join(self.piece.source.section[-2:])
        return f"{titles}: {self.ground.quote}"


@dataclass(frozen=True, slots=True)
class Ranking:
    """For each part of the question its sentences, best first; and what sentences that look like answers speak of
    instead of what was asked, most alike first, with the best logit of those."""

    parts: tuple[tuple[ScoredSentence, ...], ...]
    astray: tuple[str, ...] = ()
    astray_best: float = float("-inf")

    @property
    def best(self) -> float:
        """The best logit of a sentence; without a cross-encoder its words in common."""
        return max((one.score for part in self.parts for one in part), default=float("-inf"))


def ranked_sentences(
    question: str, shown: Sequence[Excerpt], reranker: Reranker | None, names: Names
) -> Ranking:
    """The sentences of the shown pieces for each part of the question, equal ones once. Sentences of documents that the
    part itself names come before equals; they are asked the part without that name, since every mention of it would look
    like an answer."""
    pool = _not_excluded(question, _candidates(shown))
    ranked, elsewhere = list[tuple[ScoredSentence, ...]](), dict[str, float]()
    for part in parts(question) if pool else ():
        meant = {
            without_slash(found.uri): _without(part, found.uri) for found in names.resolve(part).candidates
        }
        marked = [replace(one, meant=meant.get(without_slash(one.piece.source.document), "")) for one in pool]
        best, off = _to_the_point(part, _ranked(part, marked, reranker))
        ranked.append(best)
        elsewhere |= off
    return Ranking(tuple(ranked), tuple(elsewhere), max(elsewhere.values(), default=float("-inf")))


def _to_the_point(
    part: str, ranked: Sequence[ScoredSentence]
) -> tuple[tuple[ScoredSentence, ...], dict[str, float]]:
    """The sentences that are about what was asked; and in words what the others speak of, with their best logits. Of a
    question for yes or no all are: what is not in a list is answered by the list."""
    if question_type(part) == "yes_no":
        return tuple(ranked), {}
    kept, off = list[ScoredSentence](), dict[str, float]()
    for one in ranked:
        why = astray(part, one.ground, one.before)
        if why:
            off.setdefault(why, one.score)
        else:
            kept.append(one)
    return tuple(kept), off


def _not_excluded(question: str, pool: list[ScoredSentence]) -> list[ScoredSentence]:
    """Without the sentences that are about what the question excludes ("but not in 2023")."""
    out = exclusions(question)
    return [one for one in pool if not about_excluded(out, one.ground)] if out else pool


def _without(question: str, uri: str) -> str:
    """The question with the document's name, where its words stand together, as "it"."""
    name = [re.escape(word.text) for word in words(name_of(uri).replace("_", " "))]
    if not name:
        return question
    run = r"(?:\bthe\s+)?\b" + r"[\s_-]+".join(name) + r"\b"
    return re.sub(run, "it", question, flags=re.IGNORECASE)


def _candidates(shown: Sequence[Excerpt]) -> list[ScoredSentence]:
    found: dict[str, ScoredSentence] = {}
    for piece in shown:
        if any(map(addresses_model, piece.source.section)):
            continue
        orders = paragraphs_with_orders(piece.text)
        header, before = "", None
        parts = [line for part in sentences(piece.text) for line in _lines(part)]
        for at, part in enumerate(parts):
            row = is_row(part.text, parts[at + 1].text if at + 1 < len(parts) else "")
            if not row:
                header = ""
            elif not header:
                header = part.text
                continue
            if any(begin <= part.begin < end for begin, end in orders):
                continue
            key = one_line(part.text)
            titles = {one_line(title).strip(".") for title in piece.source.section}
            if key not in found and key.strip(".# ") not in titles and _says_something(part.text, row):
                found[key] = ScoredSentence(piece, part, header, _near(piece.text, before, part))
            before = part
    return list(found.values())


def _lines(part: Part) -> list[Part]:
    """A sentence; one that is too long to be one is a list without marks, and its lines stand for themselves."""
    if len(part.text) <= _LONGEST_SENTENCE or "\n" not in part.text:
        return [part]
    found, at = [], part.begin
    for line in part.text.split("\n"):
        if line.strip():
            found.append(Part(at, at + len(line), line))
        at += len(line) + 1
    return found


def _near(text: str, before: Part | None, part: Part) -> int:
    """Where the sentence before begins, when it is short and of the same paragraph; else the part's own."""
    if before is None or part.begin - before.begin > _CONTEXT_CHARS or "\n" in text[before.end : part.begin]:
        return part.begin
    return before.begin


def _says_something(text: str, row: bool) -> bool:
    """Not a heading, a rule, a comment of the markup, a question, a word or two, or a few words many times."""
    if (
        text.startswith(_MARKUP)
        or (text.isupper() and not row)
        or text.rstrip(" *_\"”'’").endswith(("?", "？"))
    ):
        return False
    found = _WORDS.findall(text)
    if len(found) > _STUFFED and len(set(found)) < len(found) / 3:
        return False
    letters = len(found)
    return letters >= 3 or (letters >= 1 and bool(re.search(r"\d", text)) and (row or letters >= 2))


def _ranked(question: str, pool: Sequence[ScoredSentence], reranker: Reranker | None) -> list[ScoredSentence]:
    common = bm25(question, [one.in_context for one in pool])
    wanted = _answer_form(question)
    pins = [need for need in needs(question) if need.hard and need.want in ("phrase", "words")]
    lift = [_lift(one, wanted) + _PINNED * _share(pins, one) for one in pool]
    order = sorted(range(len(pool)), key=lambda at: -(common[at] + 2.0 * lift[at]))
    if reranker is None:
        scored = [replace(pool[at], score=common[at], rank=common[at] + lift[at]) for at in order]
    else:
        head = order[:_READ]
        logits = [float(reranker.scores(pool[at].meant or question, [pool[at].in_context])[0]) for at in head]
        scored = [
            replace(pool[at], score=logit, rank=logit + lift[at])
            for at, logit in zip(head, logits, strict=True)
        ]
    return sorted(scored, key=lambda one: -one.rank)


def _share(pins: Sequence[Need], one: ScoredSentence) -> float:
    """The share of the question's names and identifiers that a sentence has itself, or in its column names."""
    return sum(has(need, f"{one.header} {one.part.text}") for need in pins) / len(pins) if pins else 0.0


def _lift(one: ScoredSentence, wanted: re.Pattern[str] | None) -> float:
    """What a sentence gains from its passage, its document, and from having what was asked for."""
    passage = -4.0 if one.piece.score is None else max(-8.0, one.piece.score)
    fits = wanted is not None and wanted.search(one.part.text) is not None
    return _PASSAGE_WEIGHT * passage + _MEANT * bool(one.meant) + _FITS * fits


def _answer_form(question: str) -> re.Pattern[str] | None:
    """What an answer must hold: a date or time for "when", a number for "how many"."""
    return {"when": _WHEN, "how_many": _NUMBER}.get(question_type(question))


def best_passage(shown: Sequence[Excerpt]) -> float:
    """The score of the best passage that a search showed."""
    return max((piece.score for piece in shown if piece.score is not None), default=float("-inf"))
