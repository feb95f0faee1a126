"""A trace as a tree for reading: the path by round, what experience added, what the checker saw, the
quoted evidence, and the cost.

Everything that can grow is bounded, and what is left out is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from knarr.trace.drawing import DrawingNode, bounded, clip, draw, more, short
from knarr.trace.record import CallRecord, CheckRecord, EdgeUse, RoundRecord, Trace
from knarr.types import Citation, ConstraintCheck, Gate, ModelUsage, QuoteNow

_SHORT = 96
_EVIDENCE = 160
_REASON = 400
_QUESTION = 600
_STEPS = 60
_FEW = 8
_SOME = 20
_LINES = 40
_LINE = 1500


def render(trace: Trace, *, uris: int = 6, width: int = 0, learnt: int = 0) -> str:
    """The trace as a tree, with at most `uris` URIs per call, wrapped to `width` columns (0: not wrapped).
    `learnt` is how many edges the run has taught, which the trace itself cannot know. Holds no control
    character but line ends."""
    return draw(DrawingNode(short(trace.question, _QUESTION), [], list(_parts(trace, uris, learnt))), width)


def _parts(trace: Trace, uris: int, learnt: int) -> Iterator[DrawingNode]:
    yield _setting(trace)
    yield _resolution(trace)
    yield from _path(trace, uris)
    yield _answer(trace)
    if trace.versions:
        yield _documents(trace)
    if learnt:
        yield DrawingNode(f"learnt {learnt:,} {'edge' if learnt == 1 else 'edges'}")
    if trace.usage.model.calls:
        yield DrawingNode(f"models {model_words(trace.usage.model)}")
    if trace.usage.ms:
        yield DrawingNode("time " + _listed(f"{name} {ms:,.0f} ms" for name, ms in trace.usage.ms.items()))
    yield _cost(trace)


def _setting(trace: Trace) -> DrawingNode:
    model = f" with {short(trace.chat_model, _SHORT)}" if trace.chat_model else ""
    then = f", as of {short(trace.as_of, _SHORT)}" if trace.as_of else ""
    return DrawingNode(
        f"{trace.mode} by {short(trace.policy, _SHORT)}{model}, {short(trace.created_at, _SHORT)}{then}"
    )


def _resolution(trace: Trace) -> DrawingNode:
    found = trace.resolution.scopes
    if not found:
        return DrawingNode(f"scope {trace.scope}")
    beside = ", and beside it all of " + trace.scope if trace.resolution.wide else ""
    return DrawingNode(
        f"scope {found[0][0]} ({found[0][1]:.2f}){beside}",
        [f"      {uri} ({sure:.2f})" for uri, sure in found[1:4]],
    )


# ---------------------------------------------------------------------- the path


def _path(trace: Trace, uris: int) -> Iterator[DrawingNode]:
    """Rounds in order, each with the checks that came after it."""
    for step in islice(trace.steps(), _STEPS):
        if isinstance(step, CheckRecord):
            yield _check(step)
        elif step.calls or step.model.calls:
            yield _round(step, uris)
    yield from (DrawingNode(line) for line in more(len(trace.rounds) + len(trace.checks) - _STEPS, "rounds"))


def _round(record: RoundRecord, uris: int) -> DrawingNode:
    model = f": {model_words(record.model)}" if record.model.calls else ""
    text = [f"said {clip(record.text, _EVIDENCE)}"] if record.text.strip() else []
    calls = [_call(call, uris) for call in record.calls[:_SOME]]
    rest = [DrawingNode(line) for line in more(len(record.calls) - _SOME, "calls")]
    return DrawingNode(f"round {record.number}{model}", text, calls + rest)


def _call(call: CallRecord, uris: int) -> DrawingNode:
    note = f", {short(call.note, _SHORT)}" if call.note else ""
    head = f"{signature(call)}  {call.tokens:,} tokens, {call.ms:,.0f} ms{note}"
    if call.error:
        return DrawingNode(head, [f"! {clip(call.error, _EVIDENCE)}"])
    edges = call.edges[:uris]
    return DrawingNode(
        head,
        [*call.uris[:uris], *more(len(call.uris) - uris)],
        [_edge(one) for one in edges]
        + [DrawingNode(line) for line in more(len(call.edges) - len(edges), "edges")],
    )


def signature(call: CallRecord) -> str:
    """A call as it was made, without arguments that say nothing: `Grep(pattern="late fee")`."""
    given = [
        f"{short(name, _SHORT)}={clip(value, _SHORT)}"
        for name, value in call.arguments.items()
        if value not in (None, 0, False, "")
    ]
    return f"{short(call.tool, _SHORT)}({', '.join(given[:_FEW] + more(len(given) - _FEW))})"


def _edge(edge: EdgeUse) -> DrawingNode:
    return DrawingNode(
        f"edge to {edge.target} ({edge.similarity:.2f})",
        [
            f"  from {edge.seed}",
            f"  asked before: {clip(edge.question, _EVIDENCE)}, trace {short(edge.trace, _SHORT)}",
        ],
    )


# ---------------------------------------------------------------------- the checker


def _check(check: CheckRecord) -> DrawingNode:
    verdict = check.verdict
    sign = "≥" if verdict.score >= verdict.threshold else "<"
    own_word = f", which said {clip(verdict.said, _SHORT)}" if verdict.said else ""
    body = [
        f"score {verdict.score:.2f} {sign} threshold {verdict.threshold:.2f}, judged by {short(verdict.judge, _SHORT)}{own_word}",
        f"{short(check.action, _SHORT)}{': ' if check.cause else ''}{short(check.cause, _EVIDENCE)}",
        f"candidate {clip(check.candidate, _EVIDENCE)}",
    ]
    if verdict.reason and verdict.reason != check.cause:
        body.append(f"reason {clip(verdict.reason, _EVIDENCE)}")
    if check.agrees is not None:
        body.append(f"the full path found {'the same' if check.agrees else 'other'} evidence")
    children = [_constraint(one) for one in verdict.constraints[:_SOME]]
    children += [DrawingNode(line) for line in more(len(verdict.constraints) - _SOME, "constraints")]
    if verdict.gates:
        children.append(_gates(verdict.gates))
    spent = f"{check.tokens:,} tokens shown until then, {check.ms:,.0f} ms"
    model = f"; {model_words(check.model)}" if check.model.calls else ""
    return DrawingNode(
        f"check after round {check.round}: {verdict.outcome}", body, [*children, DrawingNode(spent + model)]
    )


def _constraint(one: ConstraintCheck) -> DrawingNode:
    evidence = [f"  {uri} {clip(text, _EVIDENCE)}" for uri, text in one.evidence[:_FEW]]
    head = f"{_mark(one.met)} {short(one.kind, _SHORT)} {clip(one.text, _SHORT)}"
    return DrawingNode(
        head if evidence else f"{head}: no evidence",
        evidence + more(len(one.evidence) - len(evidence)),
    )


def _gates(gates: Sequence[Gate]) -> DrawingNode:
    """The passed gates on one line, the failed gates below."""
    passed, failed = [one for one in gates if one.passed], [one for one in gates if not one.passed]
    lines = [f"✗ {short(one.name, _SHORT)}: {short(one.detail, _EVIDENCE)}" for one in failed[:_SOME]]
    head = "gates passed: " + (_listed(one.name for one in passed) or "none")
    return DrawingNode(head, lines + more(len(failed) - _SOME, "failed"))


def _mark(good: bool) -> str:
    return "✓" if good else "✗"


# ---------------------------------------------------------------------- the answer and its cost


def _answer(trace: Trace) -> DrawingNode:
    spent = f" ({short(trace.spent, _SHORT)})" if trace.spent else ""
    body = [f"because {clip(trace.reason, _REASON)}"] if trace.reason else []
    body += bounded(trace.text, _LINES, _LINE)
    for number, piece in enumerate(trace.citations[:_SOME], 1):
        body += _citation(number, piece)
        if len(trace.now) >= number and (now := now_in_words(piece, trace.now[number - 1])):
            body.append(f"    {now}")
    body += more(len(trace.citations) - _SOME, "citations")
    body += more(len(trace.folded), "citations that fit less")
    if trace.proposed:
        body.append(f"proposed, and not given: {clip(trace.proposed, _EVIDENCE)}")
    body += [f"dropped ({one.fault}): {one.uri} {clip(one.text, _SHORT)}" for one in trace.dropped[:_SOME]]
    return DrawingNode(
        f"{trace.status}{spent}", body + more(len(trace.dropped) - _SOME, "dropped"), _final(trace)
    )


def _final(trace: Trace) -> list[DrawingNode]:
    """The check of the answer; that of an early answer is drawn with the checker's look."""
    verdict = trace.verdict
    if verdict is None or any(check.action == "answered" for check in trace.checks):
        return []
    children = [_constraint(one) for one in verdict.constraints[:_SOME]]
    children += [DrawingNode(line) for line in more(len(verdict.constraints) - _SOME, "constraints")]
    if verdict.gates:
        children.append(_gates(verdict.gates))
    return [DrawingNode(f"check of the answer: {verdict.outcome}", [], children)] if children else []


def _citation(number: int, piece: Citation) -> list[str]:
    where = f"lines {piece.lines[0]}-{piece.lines[1]}"
    if piece.pages is not None:
        where += f", pages {piece.pages[0]}-{piece.pages[1]}"
    quoted = [f"    > {line}" for line in bounded(piece.text, _SOME, _LINE)]
    return [f"[{number}] {piece.uri} ({where})", *quoted]


def now_in_words(piece: Citation, now: QuoteNow) -> str:
    """What became of a quote of an earlier version, "" where it is of the newest, or nothing is known."""
    then, newest = f"quoted from version {piece.version}", f"the newest version, {now.version},"
    match now.state:
        case "same":
            return f"{then}; {newest} still says so there"
        case "elsewhere":
            return f"{then}; {newest} says so at {now.uri}"
        case "gone":
            return f"{then}; {newest} no longer says so"
        case "removed":
            return f"{then}; the document was removed since"
    return ""


def _documents(trace: Trace) -> DrawingNode:
    shown = [f"{uri} version {version}" for uri, version in list(trace.versions.items())[:_SOME]]
    return DrawingNode("documents shown", shown + more(len(trace.versions) - _SOME))


def model_words(model: ModelUsage) -> str:
    """What chat models cost, in words."""
    parts = [
        f"{model.calls:,} model {'call' if model.calls == 1 else 'calls'}",
        f"{model.prompt_tokens:,} prompt tokens ({model.cached_tokens:,} cached)",
        f"{model.completion_tokens:,} completion tokens",
        f"{model.ms:,.0f} ms",
    ]
    if model.cost:
        parts.append(f"cost {model.cost:.6g}")
    if model.estimated:
        parts.append(f"{model.estimated:,} of them estimated")
    return ", ".join(parts)


def _cost(trace: Trace) -> DrawingNode:
    usage = trace.usage
    tools = _listed(
        f"{name} {count}×/{usage.tokens_by_tool.get(name, 0):,}" for name, count in usage.calls.items()
    )
    return DrawingNode(
        f"{usage.tokens_shown:,} tokens shown ({tools or 'no calls'}), {usage.total_ms:,.0f} ms, trace {trace.id}"
    )


def _listed(items: Iterable[str]) -> str:
    every: Sequence[str] = list(items)
    return ", ".join([short(one, _SHORT) for one in every[:_SOME]] + more(len(every) - _SOME))
