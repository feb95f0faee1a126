"""What warming up and calibration report. Plain, frozen, JSON-ready by `to_json`."""

from __future__ import annotations

from dataclasses import dataclass, field

from knarr.experience.warm_up.questions import HistoricalQuestion
from knarr.types import ModelUsage


@dataclass(frozen=True, slots=True)
class Similarity:
    """How near later questions are to historical ones: those whose edges are active.

    share:      of the later questions, those with a historical one at a cosine of at least `gamma`
    quantiles:  of the best cosine per later question: (0.1, …), (0.25, …), (0.5, …), (0.75, …), (0.9, …)
    """

    later: int
    historical: int
    gamma: float
    share: float
    quantiles: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class WarmUpReport:
    """What a warm-up did.

    questions:    given or made, equal ones once
    known:        how many of them had taught already, under whatever batch
    replayed:     those whose run was stored already: learnt from, not asked again
    asked:        the rest; `seconds`, `tokens_shown` and `model` are theirs, with the making of questions
    answered:     of those asked or replayed; `accepted` ended with evidence, `taught` gave an edge or more
    elsewhere:    of the accepted, generated ones whose answer is not from the chunk they were made from
    fallbacks:    questions made by rule where a chat model should have made them
    stopped:      why it ended before its last question, "" when it did not
    """

    batch: str
    questions: int
    known: int
    replayed: int
    asked: int
    answered: int
    accepted: int
    taught: int
    edges: int
    seconds: float
    tokens_shown: int
    elsewhere: int = 0
    model: ModelUsage = field(default_factory=ModelUsage)
    fallbacks: int = 0
    stopped: str = ""
    similarity: Similarity | None = None
    made: tuple[HistoricalQuestion, ...] = ()

    @property
    def seconds_per_question(self) -> float:
        return self.seconds / self.asked if self.asked else 0.0

    @property
    def tokens_per_question(self) -> float:
        return self.tokens_shown / self.asked if self.asked else 0.0

    def __str__(self) -> str:
        return (
            f"{self.questions:,} questions: {self.asked:,} asked, {self.known + self.replayed:,} known; "
            f"{self.accepted:,} answered with evidence, {self.edges:,} edges"
        )
