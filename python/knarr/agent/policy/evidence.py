"""Is the evidence there? The one decision of the extractive policy that can be wrong both ways.

Three signs are weighed:
- the cross-encoder's logit of the best sentence or passage shown (without a cross-encoder, the share of the
question's
  words that one passage has);
- telling words of the question that Greps found nowhere in the documents that are meant;
- identifiers of the question that stand nowhere there: then nothing there can be about them.
The bounds were set on development questions, with and without an answer; see `Bounds`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from knarr.agent.tools import GREP
from knarr.agent.values import View
from knarr.language.lexical import support
from knarr.language.question import Constraint, content_words, focus_words
from knarr.types import GrepResult


@dataclass(frozen=True, slots=True)
class Bounds:
    """When the evidence suffices.

    found_logit:   a best sentence or passage below this is no evidence
    absent_logit:  how much that bound rises when telling words stand nowhere
    focus_steps:   how many times it rises when one of them says what is asked for ("which dental insurance")
    found_words:   without a reranker: the share of the question's words that one passage must have
    """

    found_logit: float = -7.0
    absent_logit: float = 2.0
    focus_steps: int = 4
    found_words: float = 0.5


@dataclass(frozen=True, slots=True)
class Signs:
    """The signs of one run.

    best:    the best logit of a sentence or passage; None without a reranker
    shared:  the share of the question's words in one passage
    absent:  telling words of the question that stand nowhere
    focus:   the words that say what is asked for
    missing: identifiers of the question that stand nowhere
    """

    best: float | None
    shared: float
    absent: tuple[str, ...]
    focus: frozenset[str]
    missing: tuple[str, ...]

    def suffices(self, bounds: Bounds) -> bool:
        """Whether to answer."""
        if self.missing:
            return False
        if self.best is None:
            return self.shared >= bounds.found_words
        asked_for = any(word in self.focus for word in self.absent)
        steps = bounds.focus_steps if asked_for else min(1, len(self.absent))
        return self.best >= bounds.found_logit + bounds.absent_logit * steps

    def in_words(self) -> str:
        """The signs in words, for the trace."""
        best = "-" if self.best is None else f"{self.best:.2f}"
        nowhere = ", ".join([*self.missing, *self.absent]) or "-"
        return f"best {best}, words in common {self.shared:.2f}, nowhere: {nowhere}"


def weigh(view: View, core: str, wanted: Iterable[Constraint], best: float | None) -> Signs:
    """The signs in a run so far. `best` is the best logit of a sentence or passage."""
    texts = [f"{' '.join(piece.source.section)} {piece.text}" for piece in view.shown]
    identifiers = [one for one in wanted if one.kind == "identifier"]
    nowhere = _nowhere(view)
    return Signs(
        best,
        support(core, texts),
        tuple(one.text for one in content_words(core) if nowhere.get(one.pattern(), False)),
        focus_words(core),
        tuple(one.text for one in identifiers if nowhere.get(one.pattern(), False)),
    )


def _nowhere(view: View) -> dict[str, bool]:
    """By pattern that was looked for, whether every Grep for it found nothing."""
    found: dict[str, bool] = {}
    for seen in view.observed(GREP):
        if isinstance(seen.value, GrepResult):
            pattern = str(seen.arguments["pattern"])
            found[pattern] = found.get(pattern, True) and seen.value.outcome == "no_matches"
    return found
