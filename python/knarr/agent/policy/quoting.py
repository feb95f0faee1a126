"""From passages shown to an answer: which sentences say it.

For each part of the question, the sentences and table rows of the shown pieces are ordered by the cross-encoder
(by words in common without one), with some weight on the passage they stand in. The best of each part are
quoted, each long enough to stand alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from knarr.agent.scope import Names
from knarr.agent.values import Draft, Excerpt, Quote
from knarr.checker.evidence import Ground, about_excluded, exclusions
from knarr.language.citations import too_short
from knarr.language.lexical import bm25
from knarr.language.passages import Part, sentences
from knarr.language.plain import first_words, one_line
from knarr.language.question import parts
from knarr.language.words import words
from knarr.models.rerank import Reranker
from knarr.uris import name_of, without_slash

_READ = 14  # sentences read by the cross-encoder, per part of the question
_QUOTES = 3  # per part
_NEAR = 3.0  # below the best sentence's rank at which another is still quoted
_MEANT = 1.5  # for a document that the part of the question names
_FITS = 2.5  # for a date where one was asked for, or a number
_WORTH = -4.0  # logit above which the best sentence of a named document is quoted beside a better one
_PASSAGE_WEIGHT = 0.35  # of the logit of the passage that a sentence stands in
_MOST_CHARS = 700
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
_CELL_CHARS = 48  # prose may hold double spaces; a cell after the first is short
_WORDS = re.compile(r"[^\W\d_]{2,}")
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
    def in_context(self) -> str:
        """The sentence with the titles and the column names that it cannot be understood without."""
        titles = " / ".join(self.piece.source.section[-2:])
        return f"{titles}: {self.header}\n{self.part.text}" if self.header else f"{titles}: {self.part.text}"


def ranked_sentences(
    question: str, shown: Sequence[Excerpt], reranker: Reranker | None, names: Names
) -> list[list[ScoredSentence]]:
    """For each part of the question, the sentences of the shown pieces, best first, equal ones once.
    Sentences of documents that the part itself names come before equals; they are asked the part without
    that name, since every mention of it would look like an answer."""
    pool = _not_excluded(question, _candidates(shown))
    if not pool:
        return []
    ranked = []
    for part in parts(question):
        meant = {
            without_slash(found.uri): _without(part, found.uri) for found in names.resolve(part).candidates
        }
        marked = [replace(one, meant=meant.get(without_slash(one.piece.source.document), "")) for one in pool]
        ranked.append(_ranked(part, marked, reranker))
    return ranked


def _not_excluded(question: str, pool: list[ScoredSentence]) -> list[ScoredSentence]:
    """Without the sentences that are about what the question excludes ("but not in 2023")."""
    out = exclusions(question)
    return [one for one in pool if not about_excluded(out, _ground(one))] if out else pool


def _ground(one: ScoredSentence) -> Ground:
    piece = one.piece
    return Ground(piece.uri, one.part.text, piece.text, piece.source.section, piece.source.document)


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
        header, before = "", None
        parts = list(sentences(piece.text))
        for at, part in enumerate(parts):
            row = _is_row(part.text, parts[at + 1].text if at + 1 < len(parts) else "")
            if not row:
                header = ""
            elif not header:
                header = part.text
                continue
            key = one_line(part.text)
            titles = {one_line(title).strip(".") for title in piece.source.section}
            if key not in found and key.strip(".# ") not in titles and _says_something(part.text, row):
                found[key] = ScoredSentence(piece, part, header, _near(piece.text, before, part))
            before = part
    return list(found.values())


def _near(text: str, before: Part | None, part: Part) -> int:
    """Where the sentence before begins, when it is short and of the same paragraph; else the part's own."""
    if before is None or part.begin - before.begin > _CONTEXT_CHARS or "\n" in text[before.end : part.begin]:
        return part.begin
    return before.begin


def _says_something(text: str, row: bool) -> bool:
    """Not a heading, a rule, a comment of the markup, or a word or two."""
    if text.startswith(_MARKUP) or (text.isupper() and not row):
        return False
    letters = len(_WORDS.findall(text))
    return letters >= 3 or (letters >= 1 and bool(re.search(r"\d", text)) and (row or letters >= 2))


def _ranked(question: str, pool: Sequence[ScoredSentence], reranker: Reranker | None) -> list[ScoredSentence]:
    common = bm25(question, [one.in_context for one in pool])
    wanted = _answer_form(question)
    lift = [_lift(one, wanted) for one in pool]
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


def _lift(one: ScoredSentence, wanted: re.Pattern[str] | None) -> float:
    """What a sentence gains from its passage, its document, and from having what was asked for."""
    passage = -4.0 if one.piece.score is None else max(-8.0, one.piece.score)
    fits = wanted is not None and wanted.search(one.part.text) is not None
    return _PASSAGE_WEIGHT * passage + _MEANT * bool(one.meant) + _FITS * fits


def _answer_form(question: str) -> re.Pattern[str] | None:
    """What an answer must hold: a date or time for "when", a number for "how many"."""
    if re.search(
        r"\b(?:when|what (?:date|day|time|year|month)|which (?:date|day|year|month))\b",
        question,
        re.IGNORECASE,
    ):
        return _WHEN
    if re.search(
        r"\bhow (?:many|much|long|often|old|large|big|far|tall)\b|\bwhat (?:percent|share|number|amount)",
        question,
        re.IGNORECASE,
    ):
        return _NUMBER
    return None


def best_passage(shown: Sequence[Excerpt]) -> float:
    """The score of the best passage that a search showed."""
    return max((piece.score for piece in shown if piece.score is not None), default=float("-inf"))


def quoted_answer(ranked: Sequence[Sequence[ScoredSentence]]) -> Draft:
    """The best sentences of each part as an answer, in the order of the parts and their ranks."""
    most = _QUOTES if len(ranked) == 1 else 2
    quotes: dict[Quote, str] = {}
    for part in ranked:
        for one in _chosen(part, most):
            text = _standing(one)
            if not any(text in quote.text for quote in quotes):
                quotes[Quote(one.piece.uri, text)] = _line(one, text)
    return Draft("\n".join(dict.fromkeys(quotes.values())), tuple(quotes))


def _chosen(part: Sequence[ScoredSentence], most: int) -> list[ScoredSentence]:
    """The best, those near it, and the two best of a document that was named."""
    chosen = [one for one in part[:most] if one.rank >= part[0].rank - _NEAR]
    meant = [one for one in part if one.meant and one.score > _WORTH][:2]
    return [*chosen, *(one for one in meant if one not in chosen)]


def _line(one: ScoredSentence, text: str) -> str:
    """A quote on one line of the answer; a table row with its column names."""
    cells, names = _cells(one.part.text), _cells(one.header)
    if one.header and len(cells) == len(names) > 1:
        return "; ".join(
            f"{name}: {cell}" if name else cell for name, cell in zip(names, cells, strict=True) if cell
        )
    return one_line(text)


def _is_row(text: str, below: str) -> bool:
    """A table's row: in pipes, or in columns of figures set apart by spaces; the line above such figures
    is their column names. Prose, too, may hold double spaces."""
    return text.startswith("|") or _figures(text) or (_in_columns(text) and _figures(below))


def _figures(text: str) -> bool:
    return _in_columns(text) and any(re.search(r"\d", cell) for cell in _cells(text)[1:])


def _in_columns(text: str) -> bool:
    cells = _cells(text)
    return len(cells) > 1 and all(len(cell) <= _CELL_CHARS for cell in cells[1:])


def _cells(row: str) -> list[str]:
    inner = row.strip()
    cells = inner.strip("|").split("|") if inner.startswith("|") else re.split(r" {2,}|\t", inner)
    return [cell.strip() for cell in cells]


def _standing(one: ScoredSentence) -> str:
    """The sentence with the short one before it, widened line by line while it is too short to be checked."""
    text = one.piece.text
    begin, end = (one.part.begin if one.header else one.context), one.part.end
    while too_short(text[begin:end]) and (begin > 0 or end < len(text)):
        begin = text.rfind("\n", 0, max(0, begin - 1)) + 1 if begin > 0 else 0
        after = text.find("\n", end + 1)
        end = len(text) if after < 0 else after
    return first_words(text[begin:end], _MOST_CHARS)
