"""What a similarity of questions means for the embedder in use, read off the user's own traces.

Leave one out: each stored run is asked again on paper, against the episodes that other questions taught. An edge
activates where Algorithm 3 would follow it: its source is among what the run's searches returned, its target lies
in the run's scope, and the questions' cosine is at least gamma; of several edges to a target the nearest counts.
An activation is right when the run itself cited the target, or kept it when it was learnt from.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from knarr.errors import InvalidArgument
from knarr.experience import pairs
from knarr.experience.warm_up.history import QuestionHistory, unit
from knarr.trace.record import Trace
from knarr.uris import within

GRID = tuple(round(0.5 + 0.01 * step, 2) for step in range(50))
LEAST_ACTIVATIONS = 50
CONFIDENCE = 0.9
_Z = 1.2816  # one-sided, for CONFIDENCE


@dataclass(frozen=True, slots=True)
class PastRun:
    """A stored run that answered with evidence. `seeds` are the URIs its searches returned, `right` those
    that it cited or kept; `vector` is its question's."""

    trace: str
    question: str
    scope: str
    seeds: frozenset[str]
    right: frozenset[str]
    vector: npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Activation:
    """An edge's target that run number `run` would have been shown."""

    run: int
    similarity: float
    right: bool


@dataclass(frozen=True, slots=True)
class GammaRow:
    """What would happen at a gamma.

    precision:  the share of `activations` that are right
    bound:      which it is at least, at the confidence of the report. It counts questions, not activations:
                those of one question stand and fall together
    questions:  with an activation; `helped`: of all questions, the share with a right one
    """

    gamma: float
    activations: int
    precision: float
    bound: float
    questions: int
    helped: float


@dataclass(frozen=True, slots=True)
class GammaReport:
    """The outcome of a calibration. `gamma` is what is in use after it; `chosen` says whether that was
    found here, and `reason` why, or why not."""

    gamma: float
    chosen: bool
    reason: str
    target: float
    runs: int
    episodes: int
    rows: tuple[GammaRow, ...]
    confidence: float = CONFIDENCE


def activations(history: QuestionHistory, runs: Sequence[PastRun]) -> list[Activation]:
    """What edges would have shown to runs, leaving out what the run itself, or its very question, taught."""
    if not runs or not len(history):
        return []
    near = unit(np.stack([run.vector for run in runs])) @ history.vectors.T
    asked = [question.casefold() for question in history.questions]
    found: list[Activation] = []
    for number, run in enumerate(runs):
        best: dict[str, float] = {}
        own = run.question.casefold()
        for at, trace in enumerate(history.traces):
            if trace == run.trace or asked[at] == own or near[number, at] < GRID[0]:
                continue
            for source, target in history.pairs[at]:
                if source in run.seeds and within(target, run.scope):
                    best[target] = max(best.get(target, -1.0), float(near[number, at]))
        found += [Activation(number, value, target in run.right) for target, value in best.items()]
    return found


def table(found: Sequence[Activation], runs: int, grid: Iterable[float] = GRID) -> list[GammaRow]:
    """A row for each gamma of the grid that activates anything, in its order."""
    rows = []
    for gamma in grid:
        active = [one for one in found if one.similarity >= gamma]
        if not active:
            continue
        precision = sum(one.right for one in active) / len(active)
        questions = len({one.run for one in active})
        helped = len({one.run for one in active if one.right}) / runs
        bound = lower_bound(precision, questions)
        rows.append(GammaRow(gamma, len(active), precision, bound, questions, helped))
    return rows


def lower_bound(share: float, count: int) -> float:
    """Wilson's one-sided lower bound of a share seen in `count` cases."""
    if count < 1:
        return 0.0
    square = _Z * _Z
    middle = share + square / (2 * count)
    spread = _Z * math.sqrt(share * (1 - share) / count + square / (4 * count * count))
    return max(0.0, (middle - spread) / (1 + square / count))


def calibrated(
    history: QuestionHistory,
    runs: Sequence[PastRun],
    in_use: float,
    target: float = 0.8,
    least: int = LEAST_ACTIVATIONS,
) -> GammaReport:
    """The lowest gamma whose bound reaches `target` with at least `least` activations; else the one in use.

    Raises InvalidArgument for a target that is no share."""
    if not 0 < target < 1:
        raise InvalidArgument(f"target: expected a precision between 0 and 1, got {target}")
    rows = table(activations(history, runs), len(runs))
    enough = [row for row in rows if row.activations >= least]
    reached = next((row for row in enough if row.bound >= target), None)
    if reached is not None:
        reason = (
            f"the lowest gamma whose precision is at least {target:.2f}: {reached.precision:.2f} of "
            f"{reached.activations} activations in {reached.questions} questions, with {CONFIDENCE:.0%} "
            f"confidence at least {reached.bound:.2f}"
        )
        gamma = reached.gamma
    else:
        reason, gamma = _why_not(rows, enough, target, least), in_use
    return GammaReport(gamma, reached is not None, reason, target, len(runs), len(history), tuple(rows))


def _why_not(rows: Sequence[GammaRow], enough: Sequence[GammaRow], target: float, least: int) -> str:
    if not rows:
        return "no question was answered whose searches an edge of another question would have added to"
    if not enough:
        return (
            f"too few activations: {rows[0].activations} at gamma {rows[0].gamma:.2f}, expected at least {least}; "
            "ask more questions, or warm up with more"
        )
    best = max(enough, key=lambda row: row.bound)
    return (
        f"no gamma reaches a precision of {target:.2f}: the best, {best.gamma:.2f}, has {best.precision:.2f} "
        f"(at least {best.bound:.2f}) of {best.activations} activations"
    )


def past_runs(
    held: QuestionHistory, traces: Iterable[Trace], embed: Callable[[str], npt.NDArray[np.float32]]
) -> tuple[QuestionHistory, list[PastRun]]:
    """The stored runs that answered with evidence, and `held` with the questions of its traces in full."""
    kept = {trace: {end for _, end in ends} for trace, ends in zip(held.traces, held.pairs, strict=True)}
    asked: dict[str, str] = {}
    runs = []
    for trace in traces:
        asked[trace.id] = trace.question
        if pairs.teaches(trace):
            cited = {citation.uri for citation in trace.citations}
            right = frozenset(cited | kept.get(trace.id, set()))
            seeds = frozenset(pairs.sources(trace))
            runs.append(PastRun(trace.id, trace.question, trace.scope, seeds, right, embed(trace.core)))
    questions = tuple(
        asked.get(trace, known) for trace, known in zip(held.traces, held.questions, strict=True)
    )
    return replace(held, questions=questions), runs
