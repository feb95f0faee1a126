"""Two traces side by side: what differs in the question, the path, the evidence, the answer, the cost.

For "why did it answer otherwise?": after documents changed, with another policy or mode, or between
a skipped and a full run.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from knarr.trace.drawing import DrawingNode, bounded, clean_line, draw, more, short
from knarr.trace.record import CallRecord, CheckRecord, Trace
from knarr.trace.view import model_words
from knarr.types import ModelUsage

_SOME = 20
_LINES = 12
_LINE = 360
_PLAIN = ("question", "scope", "mode", "policy", "chat_model", "status", "spent")


@dataclass(frozen=True, slots=True)
class Sides:
    """One kind of thing in two traces: how many are in both, and which are in one only, in order."""

    both: int
    only_a: tuple[str, ...] = ()
    only_b: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        return not self.only_a and not self.only_b


@dataclass(frozen=True, slots=True)
class TraceDiff:
    """Trace `a` beside trace `b`; every pair is `(a's, b's)`.

    changed:    by name, what differs among question, scope, mode, policy, chat_model, status and spent
    text:       the answers' texts
    rounds:     the number of rounds that made calls
    calls:      by tool and arguments; a call made twice counts twice
    uris:       what was shown
    citations:  URI and quoted text
    checks:     the verdicts, in words
    versions:   by URI, the versions of documents that both showed, where they differ
    tokens:     tokens shown, by tool and in sum ("all")
    ms:         milliseconds, by step and in sum ("all")
    model:      what chat models cost
    """

    a: str
    b: str
    question: tuple[str, str]
    changed: dict[str, tuple[str, str]]
    text: tuple[str, str]
    rounds: tuple[int, int]
    calls: Sides
    uris: Sides
    citations: Sides
    checks: tuple[tuple[str, ...], tuple[str, ...]]
    versions: dict[str, tuple[int, int]]
    tokens: dict[str, tuple[int, int]]
    ms: dict[str, tuple[float, float]]
    model: tuple[ModelUsage, ModelUsage]

    @property
    def same(self) -> bool:
        """Whether both went the same way to the same answer, whatever time it took."""
        sides = self.calls.same and self.uris.same and self.citations.same
        pairs = (self.text, self.rounds, self.checks, *self.tokens.values())
        return sides and not self.changed and not self.versions and all(one == other for one, other in pairs)


def diff(a: Trace, b: Trace) -> TraceDiff:
    """What differs between two traces."""
    return TraceDiff(
        a=a.id,
        b=b.id,
        question=(a.question, b.question),
        changed=_unequal({name: (getattr(a, name), getattr(b, name)) for name in _PLAIN}),
        text=(a.text, b.text),
        rounds=(_rounds(a), _rounds(b)),
        calls=_sides(map(_call_key, a.calls()), map(_call_key, b.calls())),
        uris=_sides(_shown(a), _shown(b)),
        citations=_sides(_cited(a), _cited(b)),
        checks=(tuple(map(_verdict, a.checks)), tuple(map(_verdict, b.checks))),
        versions=_unequal(
            {uri: (a.versions[uri], b.versions[uri]) for uri in a.versions if uri in b.versions}
        ),
        tokens=_both(
            {**a.usage.tokens_by_tool, "all": a.usage.tokens_shown},
            {**b.usage.tokens_by_tool, "all": b.usage.tokens_shown},
            0,
        ),
        ms=_both({**a.usage.ms, "all": a.usage.total_ms}, {**b.usage.ms, "all": b.usage.total_ms}, 0.0),
        model=(a.usage.model, b.usage.model),
    )


def _rounds(trace: Trace) -> int:
    return sum(1 for record in trace.rounds if record.calls)


def _call_key(call: CallRecord) -> str:
    """The same for calls with the same arguments, in whatever order; one not given is left out."""
    given = {name: value for name, value in call.arguments.items() if value is not None}
    return f"{call.tool} {json.dumps(given, sort_keys=True, ensure_ascii=False, default=str)}"


def _shown(trace: Trace) -> list[str]:
    return list(dict.fromkeys(uri for call in trace.calls() for uri in call.uris))


def _cited(trace: Trace) -> list[str]:
    return [f"{one.uri}: {one.text}" for one in trace.citations]


def _verdict(check: CheckRecord) -> str:
    verdict = check.verdict
    return (
        f"{verdict.outcome}, score {verdict.score:.2f} of {verdict.threshold:.2f}, {clean_line(check.action)}"
    )


def _sides(a: Iterable[str], b: Iterable[str]) -> Sides:
    first, second = Counter(a), Counter(b)
    return Sides(
        (first & second).total(), tuple((first - second).elements()), tuple((second - first).elements())
    )


def _both(a: dict[str, Any], b: dict[str, Any], missing: Any) -> dict[str, tuple[Any, Any]]:
    return {name: (a.get(name, missing), b.get(name, missing)) for name in {**a, **b}}


def _unequal(pairs: dict[str, tuple[Any, Any]]) -> dict[str, tuple[Any, Any]]:
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


# ---------------------------------------------------------------------- drawn


def render_diff(found: TraceDiff, *, width: int = 0) -> str:
    """The difference as a tree, wrapped to `width` columns (0: not wrapped). What is the same is said in few
    words. Holds no control character but line ends."""
    head = [f"{side} {name}  {short(question, _LINE)}" for side, name, question in _names(found)]
    return draw(DrawingNode(head[0], head[1:], list(_parts(found))), width)


def _names(found: TraceDiff) -> Iterator[tuple[str, str, str]]:
    yield "a", found.a, found.question[0]
    yield "b", found.b, found.question[1]


def _parts(found: TraceDiff) -> Iterator[DrawingNode]:
    for name, (one, other) in found.changed.items():
        if name != "question":
            yield DrawingNode(f"{name}  {short(one, _LINE) or 'none'} → {short(other, _LINE) or 'none'}")
    yield _texts(found.text)
    yield _two_sides("calls", found.calls)
    yield _two_sides("URIs shown", found.uris)
    yield _two_sides("citations", found.citations)
    if any(found.checks):
        yield _verdicts(found.checks)
    if found.versions:
        yield _versions(found.versions)
    yield DrawingNode(f"rounds  {_change(*found.rounds)}")
    yield DrawingNode("tokens shown  " + _changes(found.tokens))
    if any(model.calls for model in found.model):
        yield DrawingNode(
            "models", [f"{side} {model_words(m)}" for side, m in zip("ab", found.model, strict=True)]
        )
    yield DrawingNode("ms  " + _changes(found.ms))


def _texts(text: tuple[str, str]) -> DrawingNode:
    if text[0] == text[1]:
        return DrawingNode("answer  the same", bounded(text[0], _LINES, _LINE))
    return DrawingNode(
        "answer",
        [],
        [DrawingNode(side, bounded(one, _LINES, _LINE)) for side, one in zip("ab", text, strict=True)],
    )


def _two_sides(name: str, sides: Sides) -> DrawingNode:
    head = f"{name}  {sides.both:,} in both"
    pairs = (("only a", sides.only_a), ("only b", sides.only_b))
    return DrawingNode(head, [], [_few(f"{word}: {len(items):,}", items) for word, items in pairs if items])


def _few(head: str, items: Sequence[str]) -> DrawingNode:
    return DrawingNode(head, [short(one, _LINE) for one in items[:_SOME]] + more(len(items) - _SOME))


def _verdicts(checks: tuple[tuple[str, ...], tuple[str, ...]]) -> DrawingNode:
    if checks[0] == checks[1]:
        return _few("checks  the same", checks[0])
    return DrawingNode(
        "checks", [], [_few(f"{side}: {len(one)}", one) for side, one in zip("ab", checks, strict=True)]
    )


def _versions(versions: Mapping[str, tuple[int, int]]) -> DrawingNode:
    return _few("document versions", [f"{uri}: {a} → {b}" for uri, (a, b) in versions.items()])


def _changes(pairs: Mapping[str, tuple[float, float]]) -> str:
    """The sum first, then the parts that are not zero in both."""
    words = [_change(*pairs["all"])]
    words += [
        f"{short(name, _LINE)} {_change(*pair)}"
        for name, pair in pairs.items()
        if name != "all" and any(pair)
    ]
    return ", ".join(words[:_SOME] + more(len(words) - _SOME))


def _change(one: float, other: float) -> str:
    words = f"{one:,.0f}", f"{other:,.0f}"
    return words[0] if words[0] == words[1] else " → ".join(words)
