"""From ranked sentences to an answer that reads like one.

The best sentence or table row answers, alone where one thing is asked (who, when, how many, which); of a row the cell
that is asked for comes first. A list, a reason or a comparison may need more: the next best are added, in their order.
All that was near the best stands among the citations, each long enough to be checked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from knarr.agent.policy.ranking import ScoredSentence
from knarr.agent.values import Draft, Quote
from knarr.checker.form import lacking
from knarr.language.citations import too_short
from knarr.language.lexical import root
from knarr.language.plain import first_words, one_line
from knarr.language.question_type import question_type
from knarr.language.rows import cells_of
from knarr.language.words import stem, words

_QUOTES = 3  # per part
_NEAR = 3.0  # below the best sentence's rank at which another is still quoted
_WORTH = -4.0  # logit above which the best sentence of a named document is quoted beside a better one
_MOST_CHARS = 700
_ITEM = re.compile(r"^(?:[-*+•]|\(?(?:\d{1,2}|[a-z])[.)])\s+")
_ONE_THING = frozenset({"who", "when", "where", "how_many", "which"})


def chosen_sentences(ranked: Sequence[Sequence[ScoredSentence]]) -> list[list[ScoredSentence]]:
    """For each part of the question the sentences to quote: the best, those near it, and the best of a document
    that was named."""
    most = _QUOTES if len(ranked) == 1 else 2
    return [_chosen(part, most) for part in ranked]


def quoted_answer(question: str, chosen: Sequence[Sequence[ScoredSentence]]) -> Draft:
    """The sentences of each part as an answer with its quotes, in the order of the parts and their ranks."""
    alone = question_type(question) in _ONE_THING
    said: dict[str, None] = {}
    quotes: list[Quote] = []
    for part in chosen:
        fits = next((one for one in part if not lacking(question, [one.ground])), None)
        ordered = [fits, *(one for one in part if one is not fits)] if fits else list(part)
        for one in ordered:
            text = _standing(one)
            if not any(text in quote.text for quote in quotes):
                quotes.append(Quote(one.piece.uri, text))
                if one is ordered[0] or not alone or _same_row(one, ordered[0]):
                    said[_line(question, one)] = None
    return Draft("\n".join(said), tuple(quotes))


def _same_row(one: ScoredSentence, first: ScoredSentence) -> bool:
    """Whether two rows of one table have one label: then neither alone is the answer."""
    labels = [cells_of(row.part.text)[0] for row in (one, first)]
    return bool(one.header) and one.header == first.header and labels[0] == labels[1]


def _chosen(part: Sequence[ScoredSentence], most: int) -> list[ScoredSentence]:
    chosen: list[ScoredSentence] = []
    for one in part:
        if len(chosen) == most or one.rank < part[0].rank - _NEAR:
            break
        if not any(one.piece == other.piece and one.part.text in _standing(other) for other in chosen):
            chosen.append(one)
    meant = [one for one in part if one.meant and one.score > _WORTH][:_QUOTES]
    return [*chosen, *(one for one in meant if one not in chosen)]


def _line(question: str, one: ScoredSentence) -> str:
    """A sentence on one line of the answer; of a table row the cells that the question names first."""
    cells, names = cells_of(one.part.text), cells_of(one.header)
    if not one.header or len(cells) != len(names) or len(cells) < 2:
        said = one_line(f"{one.before} {one.part.text}" if one.leans else one.part.text)
        return first_words("\n".join([said, *_each(_items(one))]), _MOST_CHARS)
    named = [f"{name}: {cell or BLANK}" if name else cell for name, cell in zip(names, cells, strict=True)]
    asked = _roots(question)
    common = [len(_roots(name) & asked) for name in names]
    most = max(common[1:])
    wanted = [at for at in range(1, len(cells)) if names[at] and most and common[at] == most]
    others = [at for at in range(1, len(cells)) if common[at] < most]
    if wanted and others and any(_roots(cell) & asked for cell in cells[:1]):
        return "; ".join([*(named[at] for at in wanted), f"({named[0]})"]).replace("; (", " (")
    return "; ".join(text for text, cell in zip(named, cells, strict=True) if cell)


def _each(items: str) -> list[str]:
    """The items of a list, one a line, without marks of the markup."""
    return [f"- {_ITEM.sub('', one_line(line))}" for line in items.split("\n") if line.strip()]


def _roots(text: str) -> set[str]:
    return {root(stem(word.text.lower())) for word in words(text) if len(word.text) > 1}


def _standing(one: ScoredSentence) -> str:
    """The sentence, with the short one before it where it leans on that and the list that it opens, widened line by line
    while it is too short to be checked."""
    text = one.piece.text
    begin, end = (one.context if one.leans else one.part.begin), one.part.end + len(_items(one))
    while too_short(text[begin:end]) and (begin > 0 or end < len(text)):
        begin = text.rfind("\n", 0, max(0, begin - 1)) + 1 if begin > 0 else 0
        after = text.find("\n", end + 1)
        end = len(text) if after < 0 else after
    return first_words(text[begin:end], _MOST_CHARS)


BLANK = "blank"  # what is said of an empty cell that was asked for
_LIST = re.compile(r"(?:\s*\n[ \t]*(?:[-*+•]|\(?(?:\d{1,2}|[a-z])[.)])[ \t][^\n]{1,300}){1,20}")


def _items(one: ScoredSentence) -> str:
    """The items of the list that a sentence opens with its colon, "" when it opens none."""
    if one.header or not one.part.text.rstrip(" *_").endswith(":"):
        return ""
    found = _LIST.match(one.piece.text, one.part.end)
    return found[0] if found else ""
