"""The record of a run: what was asked, recalled, shown, left out and answered, and what it cost.

Plain dataclasses with a JSON round trip, so that a trace can be stored, replayed and explained. The JSON form
is what catalogs hold: fields may be added with a default, never renamed, and `SCHEMA` grows with a change of
meaning.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from knarr.errors import InvalidArgument
from knarr.types import (
    AnswerStatus,
    Box,
    Citation,
    ConstraintCheck,
    Gate,
    Mode,
    ModelUsage,
    QuoteNow,
    Span,
    Usage,
    Verdict,
    to_json,
)

SCHEMA = 2


@dataclass(frozen=True, slots=True)
class EdgeUse:
    """An edge that a search followed: the `target` it showed, the hit it started from (`seed`), the cosine of
    the two questions, the historical `question`, and the `trace` that taught it."""

    target: str
    seed: str
    similarity: float
    question: str
    trace: str


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One tool call and its result.

    uris, text:  what the policy was shown, at a price of `tokens` tokens and `ms` milliseconds
    error:       why nothing was returned, "" when something was
    note:        what was repaired in the arguments, or why the call was not run
    edges:       the edges whose targets it showed
    """

    id: str
    tool: str
    arguments: dict[str, Any]
    uris: tuple[str, ...]
    tokens: int
    ms: float
    error: str = ""
    note: str = ""
    text: str = ""
    edges: tuple[EdgeUse, ...] = ()


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """One decision.

    calls:      none when it answered
    text:       what the policy said beside the calls
    decide_ms:  the time it took to decide
    model:      what a chat model cost
    """

    number: int
    calls: tuple[CallRecord, ...]
    text: str = ""
    decide_ms: float = 0.0
    model: ModelUsage = field(default_factory=ModelUsage)


@dataclass(frozen=True, slots=True)
class CheckRecord:
    """One look of the checker at a candidate answer.

    round:      after which it looked
    candidate:  the answer's text then
    action:     "answered" with it, "escalated" to the full loop, or "shadow": what would have been done
                was logged, and the loop answered
    cause:      why, in words: the rule, the gate or the score
    tokens:     shown until then
    model:      what the judge cost
    agrees:     whether the full path, where it ran too, gave the same evidence; None where it did not run
    """

    round: int
    candidate: str
    verdict: Verdict
    action: str
    cause: str
    tokens: int
    ms: float
    model: ModelUsage = field(default_factory=ModelUsage)
    agrees: bool | None = None


@dataclass(frozen=True, slots=True)
class ScopeRecord:
    """What the question was taken to mean.

    scopes:  URIs with confidences
    words:   the words that named them
    wide:    whether the run also searched its whole scope
    core:    what is asked, without those words
    """

    scopes: tuple[tuple[str, float], ...] = ()
    words: tuple[str, ...] = ()
    wide: bool = True
    core: str = ""


@dataclass(frozen=True, slots=True)
class DroppedCitation:
    """A citation that does not hold in its source. `fault` says why: "not_found", "stitched", "misattributed"
    or "too_short" (see `knarr.language.citations`), or "unshown" for the number of a passage that was not
    shown."""

    uri: str
    text: str
    fault: str


@dataclass(frozen=True, slots=True)
class Trace:
    """One question, whole.

    created_at:  ISO 8601 in UTC, when it was asked
    spent:       the bound that ended it, "" for none
    versions:    of the documents whose text was shown, by URI
    chat_model:  its name, where one decided
    reason:      why it ended, in a sentence; "" in traces of older versions
    verdict:     of the check of the final answer; None in traces of older versions
    proposed:    the text of an answer that did not pass that check, which is why it was not given
    folded:      citations that hold too, beyond the most that an answer gives
    as_of:       the state of the past that was asked, "" for the present
    now:         what the newest versions said of each citation when it ended; empty for the present
    """

    id: str
    question: str
    scope: str
    policy: str
    created_at: str
    resolution: ScopeRecord
    rounds: tuple[RoundRecord, ...]
    status: AnswerStatus
    text: str
    citations: tuple[Citation, ...]
    dropped: tuple[DroppedCitation, ...] = ()
    usage: Usage = field(default_factory=Usage)
    spent: str = ""
    mode: Mode = "vikingrag"
    checks: tuple[CheckRecord, ...] = ()
    versions: dict[str, int] = field(default_factory=dict)
    chat_model: str = ""
    schema: int = SCHEMA
    reason: str = ""
    verdict: Verdict | None = None
    proposed: str = ""
    folded: tuple[Citation, ...] = ()
    as_of: str = ""
    now: tuple[QuoteNow, ...] = ()

    @property
    def core(self) -> str:
        """What was asked, without the words that name documents: what experience compares."""
        return self.resolution.core or self.question

    def calls(self) -> Iterator[CallRecord]:
        """Every call, in order."""
        for record in self.rounds:
            yield from record.calls

    def steps(self) -> Iterator[RoundRecord | CheckRecord]:
        """Rounds in order, each followed by the checks that came after it."""
        waiting = list(self.checks)
        for record in self.rounds:
            yield record
            yield from (check for check in waiting if check.round == record.number)
            waiting = [check for check in waiting if check.round != record.number]
        yield from waiting

    def to_json(self) -> dict[str, Any]:
        """As what `json.dumps` takes."""
        body: dict[str, Any] = to_json(self)
        return body

    def dumps(self) -> str:
        """As one line of JSON."""
        return json.dumps(self.to_json(), ensure_ascii=False)

    @staticmethod
    def from_json(body: Mapping[str, Any] | str) -> Trace:
        """The inverse of `to_json` (or `dumps`). Raises InvalidArgument on anything that is not a trace."""
        try:
            value = json.loads(body) if isinstance(body, str) else dict(body)
            if value.get("schema", SCHEMA) <= SCHEMA:
                return _trace(value)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise InvalidArgument(f"not a trace: {type(error).__name__} {error}") from error
        raise InvalidArgument(f"trace schema {value['schema']} is newer than {SCHEMA}")


def _trace(value: dict[str, Any]) -> Trace:
    scope = value["resolution"]
    resolution = ScopeRecord(
        tuple((str(uri), float(sure)) for uri, sure in scope["scopes"]),
        tuple(scope["words"]),
        scope["wide"],
        scope.get("core", ""),
    )
    return Trace(
        **{
            **value,
            "resolution": resolution,
            "rounds": tuple(_round_record(one) for one in value["rounds"]),
            "citations": tuple(_citation(one) for one in value["citations"]),
            "dropped": tuple(DroppedCitation(**one) for one in value["dropped"]),
            "usage": Usage(**{**value["usage"], "model": _model(value["usage"])}),
            "checks": tuple(_check(one) for one in value.get("checks", ())),
            "versions": {str(uri): int(n) for uri, n in value.get("versions", {}).items()},
            "verdict": None if value.get("verdict") is None else _verdict(value["verdict"]),
            "now": tuple(QuoteNow(**one) for one in value.get("now", ())),
            "folded": tuple(_citation(one) for one in value.get("folded", ())),
            "schema": SCHEMA,
        }
    )


def _round_record(value: dict[str, Any]) -> RoundRecord:
    calls = tuple(
        CallRecord(
            **{
                **call,
                "uris": tuple(call["uris"]),
                "edges": tuple(EdgeUse(**edge) for edge in call.get("edges", ())),
            }
        )
        for call in value["calls"]
    )
    return RoundRecord(**{**value, "calls": calls, "model": _model(value)})


def _model(value: dict[str, Any]) -> ModelUsage:
    return ModelUsage(**value.get("model", {}))


def _check(value: dict[str, Any]) -> CheckRecord:
    return CheckRecord(**{**value, "verdict": _verdict(value["verdict"]), "model": _model(value)})


def _verdict(value: dict[str, Any]) -> Verdict:
    constraints = tuple(
        ConstraintCheck(**{**one, "evidence": tuple((uri, text) for uri, text in one["evidence"])})
        for one in value["constraints"]
    )
    gates = tuple(Gate(**one) for one in value["gates"])
    return Verdict(**{**value, "constraints": constraints, "gates": gates})


def _citation(value: dict[str, Any]) -> Citation:
    spans = {name: _span(value.get(name)) for name in ("pages", "bytes")}
    boxes = tuple(Box(**box) for box in value.get("boxes", ()))
    first, last = value["lines"]
    return Citation(**{**value, **spans, "lines": (first, last), "boxes": boxes})


def _span(value: Sequence[int] | None) -> Span | None:
    return None if value is None else (value[0], value[1])
