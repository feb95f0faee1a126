"""How a run closes: its text, its citations, and the reason why it ended.

Only an answer that passed its check is given as the policy wrote it. For everything else the text is ours: it says
what happened and lists the evidence that was found, so that no sentence that nothing bears out reaches a reader
who does not look at the status.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from knarr.agent.budget import Budget
from knarr.agent.cite import Cited, Citer
from knarr.agent.fitting import best_part
from knarr.agent.loop import Outcome
from knarr.agent.numbers import renumbered
from knarr.agent.tools import role_of, tool_named
from knarr.agent.values import Draft, Excerpt, Observation
from knarr.checker.evidence import numbers
from knarr.language.instructions import addresses_model
from knarr.language.plain import shortened
from knarr.language.words import proper_runs
from knarr.trace.record import DroppedCitation
from knarr.types import AnswerStatus, Citation, Verdict
from knarr.uris import ABSTRACT_NAME, name_of

_SO_FAR = 5
_PLACES = 4
_WHY_CHARS = 400
_BOUNDS = {
    "rounds": "rounds: {0.rounds}",
    "tokens": "tokens shown: {0.tokens}",
    "time": "seconds: {0.timeout_s:g}",
    "cost": "cost: {0.cost:g}",
    "faults": "rounds in a row without a call that could be run: {0.faults}",
}
IDLE = "the question asks nothing that could be looked up"


@dataclass(frozen=True, slots=True)
class Closing:
    """What a run gives: see `Answer` and `Trace`."""

    text: str
    citations: tuple[Citation, ...]
    dropped: tuple[DroppedCitation, ...]
    folded: tuple[Citation, ...]
    proposed: str


def close(outcome: Outcome, cited: Cited, citer: Citer, question: str, reason: str) -> Closing:
    """What to give for this outcome; `cited` are the citations of its draft."""
    draft, status = outcome.draft, outcome.status
    if draft is not None and status == "not_found" and not draft.by_rule and _asserts(draft.text, question):
        return Closing(f"The evidence is not there: {reason}.", (), cited.dropped, (), draft.text)
    if draft is not None and status in (
        "answered",
        "conflicting",
        "not_found",
        "budget_exhausted",
        "cut_off",
    ):
        told = outcome.final is not None and outcome.final.conflicts  # then the draft tells it
        text = _given(draft, cited, reason if status == "conflicting" and not told else "")
        return Closing(text, cited.kept, cited.dropped, cited.folded, "")
    found = cited.kept or _evidence(outcome.observations, citer, question)
    proposed = "" if draft is None else draft.text
    return Closing(_so_far(status, reason, found), found, cited.dropped, cited.folded, proposed)


def _asserts(text: str, question: str) -> bool:
    """Whether a text that says that nothing was found gives an answer all the same, as small models do: it has a number or
    a name of several words that the question has not."""
    names = {run.casefold() for run in proper_runs(text)} - {run.casefold() for run in proper_runs(question)}
    return bool(numbers(text) - numbers(question)) or any(" " in name for name in names)


def _given(draft: Draft, cited: Cited, conflict: str) -> str:
    """The draft's text, its numbers those of the citations. A conflict is said in full, whatever it says."""
    text = renumbered(draft.text, cited.places) if draft.cites else draft.text
    return f"{conflict}\n{text}" if conflict and conflict not in text else text


def _so_far(status: AnswerStatus, reason: str, found: Sequence[Citation]) -> str:
    opening = {
        # The reason may name what the evidence lacks, such as a value that a document planted: it stays out of here.
        "not_supported": "No answer was found that its evidence bears out.",
        "failed": f"The question could not be answered: {reason}.",
    }.get(status, f"No answer was given: {reason}.")
    if not found:
        return opening if status == "no_answer" else f"{opening} No evidence was found."
    listed = "\n".join(f"- {uri}" for uri in dict.fromkeys(piece.uri for piece in found))
    return f"{opening} Evidence found so far:\n{listed}"


def _evidence(observations: Sequence[Observation], citer: Citer, question: str) -> tuple[Citation, ...]:
    """The latest evidence, what was read before what was merely found: of each object the sentence that fits
    the question best."""
    pages = [seen for seen in observations if role_of(seen.tool) == "page"]
    others = [seen for seen in observations if role_of(seen.tool) != "page"]
    pieces = [piece for seen in (*reversed(pages), *others) for piece in seen.shown]
    distinct: dict[str, Excerpt] = {}
    for piece in pieces:
        if name_of(piece.uri) != ABSTRACT_NAME and not addresses_model(piece.text):
            distinct.setdefault(piece.uri, piece)
    chosen = [(piece, best_part(piece.text, "", question)) for piece in list(distinct.values())[:_SO_FAR]]
    return tuple(citer.placed(piece, *span) for piece, span in chosen if span is not None)


# ---------------------------------------------------------------------- reasons


def reason_of(outcome: Outcome, budget: Budget, scope: str) -> str:
    """Why a run ended, in a sentence without its full stop. Never empty."""
    return shortened(_reason(outcome, budget, scope), _WHY_CHARS).rstrip(".") or outcome.status


def _reason(outcome: Outcome, budget: Budget, scope: str) -> str:
    final = outcome.final.reason if outcome.final is not None else ""
    bound = _bound(outcome.spent, budget) if outcome.spent else ""
    match outcome.status:
        case "answered" | "conflicting" | "not_supported":
            return "; ".join(filter(None, (final, bound)))
        case "not_found":
            missing = ", ".join(outcome.draft.missing) if outcome.draft is not None else ""
            lacks = f"; missing: {missing}" if missing else ""
            return f"no evidence of an answer where it looked: {_places(outcome.observations, scope)}{lacks}"
        case "cut_off":
            return "the model's reply was cut off at its bound of tokens, also when it had more room"
        case "budget_exhausted":
            return "; ".join(filter(None, (f"a bound of the budget was reached ({bound})", outcome.why)))
        case "failed":
            return outcome.why
    return f"no reply held calls or an answer{f': {outcome.why}' if outcome.why else ''}"


def _bound(spent: str, budget: Budget) -> str:
    return _BOUNDS[spent].format(budget) if spent in _BOUNDS else spent


def _places(observations: Sequence[Observation], scope: str) -> str:
    """Where a run looked: the targets of the calls that were run."""
    targets = []
    for seen in observations:
        tool = tool_named(seen.tool)
        if tool is not None and not seen.error:
            targets.append(str(seen.arguments.get(tool.target) or scope))
    places = list(dict.fromkeys(targets))
    more = f" and {len(places) - _PLACES} more" if len(places) > _PLACES else ""
    return ", ".join(places[:_PLACES]) + more if places else "nothing was looked up"


def verdict_of(outcome: Outcome, reason: str) -> Verdict:
    """The verdict on what a run gives. That of the checker, which has a score, for an early answer; else that
    of the check of every answer; else, where there was nothing to judge, one that says so."""
    early = outcome.check is not None and outcome.check.action == "answered"
    if early and outcome.check is not None:
        return outcome.check.verdict
    if outcome.final is not None:
        return outcome.final.verdict
    found_nothing = outcome.draft is not None and not outcome.draft.found
    return Verdict("insufficient" if found_nothing else "unknown", reason)
