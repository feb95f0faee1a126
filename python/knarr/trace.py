"""The record of a run: what was asked, recalled, shown, left out and answered, and what it cost.

Plain dataclasses with a JSON round trip, so that a trace can be stored, replayed and explained.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from knarr.types import (
    AnswerStatus,
    Citation,
    ConstraintCheck,
    Gate,
    Mode,
    ModelUsage,
    Usage,
    Verdict,
    to_json,
)

SCHEMA = 2


@dataclass(frozen=True, slots=True)
class EdgeUse:
    """An edge that a Search followed: what it showed, from which hit, and the historical question."""

    target: str
    seed: str
    similarity: float
    question: str
    trace: str


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One tool call. `uris` and `text` are what the policy was shown, `tokens` their price. `error`
    is the reason when nothing was returned; `note` says what was repaired, or why it was not run.
    `edges` are those whose targets it showed."""

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
    """One decision: its calls (none when it answered), what was said beside them, its time, and what
    a chat model cost."""

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
    """What the question was taken to mean: scopes with confidences, the words that named them, and
    whether a wide search ran beside."""

    scopes: tuple[tuple[str, float], ...] = ()
    words: tuple[str, ...] = ()
    wide: bool = True


@dataclass(frozen=True, slots=True)
class DroppedCitation:
    """A citation that its source does not bear out. fault: "not_found", "stitched",
    "misattributed" or "too_short"."""

    uri: str
    text: str
    fault: str


@dataclass(frozen=True, slots=True)
class Trace:
    """One question, whole. `created_at` is ISO 8601 in UTC; `spent` names the bound that ended it;
    `versions` are those of the documents whose text was shown, by URI."""

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
    schema: int = SCHEMA

    def calls(self) -> Iterator[CallRecord]:
        """Every call, in order."""
        for record in self.rounds:
            yield from record.calls

    def to_json(self) -> dict[str, Any]:
        """As what `json.dumps` takes."""
        body = to_json(self)
        if not isinstance(body, dict):
            raise TypeError("a trace is an object")
        return body

    def dumps(self) -> str:
        """As one line of JSON."""
        return json.dumps(self.to_json(), ensure_ascii=False)

    @staticmethod
    def from_json(body: Mapping[str, Any] | str) -> Trace:
        """The inverse of `to_json` (or `dumps`). Raises ValueError on anything that is not a trace."""
        try:
            value = json.loads(body) if isinstance(body, str) else dict(body)
            if value.get("schema", SCHEMA) > SCHEMA:
                raise ValueError(f"trace schema {value['schema']} is newer than {SCHEMA}")
            return _trace(value)
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"not a trace: {type(error).__name__} {error}") from error


def _trace(value: dict[str, Any]) -> Trace:
    scope = value["resolution"]
    resolution = ScopeRecord(
        tuple((str(uri), float(sure)) for uri, sure in scope["scopes"]), tuple(scope["words"]), scope["wide"]
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
    verdict = value["verdict"]
    constraints = tuple(
        ConstraintCheck(**{**one, "evidence": tuple((uri, text) for uri, text in one["evidence"])})
        for one in verdict["constraints"]
    )
    gates = tuple(Gate(**one) for one in verdict["gates"])
    return CheckRecord(
        **{
            **value,
            "verdict": Verdict(**{**verdict, "constraints": constraints, "gates": gates}),
            "model": _model(value),
        }
    )


def _citation(value: dict[str, Any]) -> Citation:
    first, last = value["lines"]
    span = value["pages"]
    return Citation(
        **{**value, "lines": (first, last), "pages": None if span is None else (span[0], span[1])}
    )


_SHORT = 96
_URIS = 6


def render(trace: Trace, *, uris: int = _URIS) -> str:
    """The trace as a tree for reading: the path by round with at most so many URIs per call, the
    quoted evidence, and the cost."""
    lines = [trace.question]
    lines += _branch("├─ ", "│  ", _resolution(trace))
    for record in trace.rounds:
        if record.calls:
            lines += _branch("├─ ", "│  ", _round(record, uris))
    lines += _branch("├─ ", "│  ", _answer(trace))
    lines += _branch("└─ ", "   ", _cost(trace))
    return "\n".join(lines)


def _branch(first: str, rest: str, block: list[str]) -> list[str]:
    return [(rest if n else first) + line for n, line in enumerate(block)]


def _resolution(trace: Trace) -> list[str]:
    found = trace.resolution.scopes
    if not found:
        return [f"scope {trace.scope}"]
    beside = ", and beside it all of " + trace.scope if trace.resolution.wide else ""
    head = f"scope {found[0][0]} ({found[0][1]:.2f}){beside}"
    return [head, *(f"      {uri} ({sure:.2f})" for uri, sure in found[1:4])]


def _round(record: RoundRecord, most: int) -> list[str]:
    block = [f"round {record.number}"]
    for at, call in enumerate(record.calls):
        last = at + 1 == len(record.calls)
        block += _branch("└─ " if last else "├─ ", "   " if last else "│  ", _call(call, most))
    return block


def _call(call: CallRecord, most: int) -> list[str]:
    given = ", ".join(
        f"{name}={_clip(value)}"
        for name, value in call.arguments.items()
        if value not in (None, 0, False, "")
    )
    block = [
        f"{call.tool}({given})  {call.tokens} tokens, {call.ms:.0f} ms{f', {call.note}' if call.note else ''}"
    ]
    if call.error:
        return [*block, f"! {_clip(call.error)}"]
    block += call.uris[:most]
    if len(call.uris) > most:
        block.append(f"… {len(call.uris) - most} more")
    return block


def _clip(value: Any) -> str:
    text = " ".join(value.split()) if isinstance(value, str) else str(value)
    text = text if len(text) <= _SHORT else text[: _SHORT - 1] + "…"
    return f'"{text}"' if isinstance(value, str) else text


def _answer(trace: Trace) -> list[str]:
    block = [f"{trace.status}{f' ({trace.spent})' if trace.spent else ''}", *trace.text.split("\n")]
    for number, piece in enumerate(trace.citations, 1):
        where = f"lines {piece.lines[0]}-{piece.lines[1]}"
        if piece.pages is not None:
            where += f", pages {piece.pages[0]}-{piece.pages[1]}"
        block.append(f"[{number}] {piece.uri} ({where})")
        block += [f"    > {line}" for line in piece.text.split("\n")]
    block += [f"dropped ({one.fault}): {one.uri} {_clip(one.text)}" for one in trace.dropped]
    return block


def _cost(trace: Trace) -> list[str]:
    usage = trace.usage
    tools = ", ".join(
        f"{name} {count}×/{usage.tokens_by_tool.get(name, 0)}" for name, count in usage.calls.items()
    )
    return [
        f"{usage.tokens_shown} tokens shown ({tools or 'no calls'}), {usage.total_ms:.0f} ms, trace {trace.id}"
    ]
