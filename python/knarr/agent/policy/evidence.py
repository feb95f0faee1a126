"""Is the evidence there? The one decision of the extractive policy that can be wrong both ways.

Weighed are:
- the cross-encoder's logit of the best sentence or passage shown (without a cross-encoder, the share of the question's
  words that one passage has);
- telling words of the question that Greps found nowhere in the documents that are meant;
- identifiers of the question that stand nowhere there: then nothing there can be about them;
- sentences that look more like an answer than the best, but are about something else than what was asked;
- what the best sentences lack of what any answer must have: the year, the number, the name, the form that is asked for.
The bounds by logit follow a logistic regression over 487 questions about course syllabi (157 of them without an answer).
Of 147 others about syllabi and 148 about contracts, whole runs refuse 10 of 21 and 8 of 12 that have no answer, and
wrongly .17 and .22 of the rest; before these rules it was 5 of 21, 0 of 12, and .13. More signs (sixteen were tried, overlaps
of late interaction among them) gave no more: what a small cross-encoder sees of a question's answer ends there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from knarr.agent.policy.ranking import Ranking, best_passage
from knarr.agent.tools import GREP
from knarr.agent.values import View
from knarr.checker.constraints import needs
from knarr.checker.evidence import Ground, direct, unmet_names
from knarr.checker.form import lacking
from knarr.language.lexical import support
from knarr.language.question import Constraint, content_words, focus_words
from knarr.language.question_type import question_type
from knarr.types import GrepResult

NO_SENTENCE = "a sentence that is about what was asked"


@dataclass(frozen=True, slots=True)
class Bounds:
    """When the evidence suffices.

    found_logits:  a best passage below this is no evidence, by the number of telling words that stand nowhere (of a
                   question of more than `few` telling words in proportion: a long one has some by chance)
    focus_logit:   how much that rises when one of them says what is asked for ("which dental insurance")
    found_words:   without a reranker: the share of the question's words that one passage must have
    sure_logit:    what the best sentence needs where another that is about something else looks more like an answer
    """

    found_logits: tuple[float, ...] = (-9.4, -6.2, -4.5, -3.3, -2.2)
    few: int = 6
    focus_logit: float = 4.0
    found_words: float = 0.5
    sure_logit: float = 1.0


@dataclass(frozen=True, slots=True)
class Signs:
    """The signs of one run.

    best:    the best logit of a passage, of a sentence where no passage has one; None without a reranker
    shared:  the share of the question's words in one passage
    absent:  telling words of the question that stand nowhere, of `words` in all
    focus:   the words that say what is asked for
    missing: identifiers of the question that stand nowhere
    lacking: what the best sentences lack of what an answer must have, in words
    overtaken: the logit of the best sentence, where one that is about something else has a better one; else None
    """

    best: float | None
    shared: float
    absent: tuple[str, ...]
    focus: frozenset[str]
    missing: tuple[str, ...]
    lacking: tuple[str, ...] = ()
    overtaken: float | None = None
    words: int = 0

    def suffices(self, bounds: Bounds) -> bool:
        """Whether to answer."""
        if self.missing or self.lacking:
            return False
        if self.overtaken is not None and self.overtaken < bounds.sure_logit:
            return False
        if self.best is None:
            return self.shared >= bounds.found_words
        share = min(1.0, bounds.few / max(1, self.words))
        steps = min(round(len(self.absent) * share), len(bounds.found_logits) - 1)
        needed = bounds.found_logits[steps]
        asked_for = any(word in self.focus for word in self.absent)
        return self.best >= needed + bounds.focus_logit * asked_for

    def in_words(self) -> str:
        """The signs in words, for the trace."""
        best = "-" if self.best is None else f"{self.best:.2f}"
        nowhere = ", ".join([*self.missing, *self.absent]) or "-"
        lacking = f", lacking: {', '.join(self.lacking)}" if self.lacking else ""
        return f"best {best}, words in common {self.shared:.2f}, nowhere: {nowhere}{lacking}"


def missing_words(signs: Signs) -> tuple[str, ...]:
    """What is missing, in words of the question and of ours: identifiers, years, names and numbers, the form of the answer,
    and words that stand nowhere: those that say what is asked for, all of them where nothing else is missing."""
    named = [*signs.missing, *(text for text in signs.lacking if text != NO_SENTENCE)]
    nowhere = [word for word in signs.absent if word in signs.focus] or ([] if named else signs.absent)
    return tuple(dict.fromkeys([*named, *nowhere]))


def weigh(
    view: View,
    core: str,
    wanted: Iterable[Constraint],
    ranking: Ranking,
    cited: Sequence[Ground],
    *,
    read: bool,
) -> Signs:
    """The signs in a run so far. `cited` is what the best sentences stand on; `read` says that a cross-encoder made the
    ranking's logits."""
    texts = [f"{' '.join(piece.source.section)} {piece.text}" for piece in view.shown]
    identifiers = [one for one in wanted if one.kind == "identifier"]
    nowhere = _nowhere(view)
    overtaken = read and ranking.astray_best > ranking.best
    return Signs(
        _best_logit(view, ranking) if read else None,
        support(core, texts),
        tuple(one.text for one in content_words(core) if nowhere.get(one.pattern(), False)),
        focus_words(core),
        tuple(one.text for one in identifiers if nowhere.get(one.pattern(), False)),
        _lacking(core, cited, texts),
        ranking.best if overtaken else None,
        len(content_words(core)),
    )


def _best_logit(view: View, ranking: Ranking) -> float:
    best = best_passage(view.shown)
    return best if best > float("-inf") else ranking.best


def _lacking(core: str, cited: Sequence[Ground], shown: Sequence[str]) -> tuple[str, ...]:
    """What the best sentences lack. A question for yes or no is also answered by a text that lacks its names."""
    if question_type(core) == "yes_no":
        return () if cited else (NO_SENTENCE,)
    hard = [(need, direct(need, cited)) for need in needs(core) if need.hard and need.want != "absence"]
    unmet = [need.text for need, check in hard if not check.met and need.kind != "entity"]
    unmet += unmet_names(core, hard, shown)
    form = lacking(core, cited) if cited else NO_SENTENCE
    return (*unmet, form) if form else tuple(unmet)


def _nowhere(view: View) -> dict[str, bool]:
    """By pattern that was looked for, whether every Grep for it found nothing."""
    found: dict[str, bool] = {}
    for seen in view.observed(GREP):
        if isinstance(seen.value, GrepResult):
            pattern = str(seen.arguments["pattern"])
            found[pattern] = found.get(pattern, True) and seen.value.outcome == "no_matches"
    return found
