"""A trace as OpenTelemetry spans, named by the GenAI semantic conventions (extra `otel`).

    invoke_agent knarr              the question, from `created_at` for as long as its steps took
    ├── round                       one decision and its calls
    │   ├── chat MODEL              where a chat model decided
    │   ├── execute_tool Search
    │   └── execute_tool Read
    └── check                       one look of the checker at a candidate answer
        └── chat JUDGE              where a chat model judged

A trace records how long its steps took, not when they began: they are laid end to end, in the order
in which they ran. What people and documents said (question, scope, arguments, URIs, quotes, errors,
answer) is left out unless `content=True`; counts, outcomes, scores and times are always there. Names
that no convention has begin with `knarr.`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from knarr.errors import InvalidArgument, MissingPackage
from knarr.trace.record import CallRecord, CheckRecord, RoundRecord, Trace
from knarr.types import ModelUsage
from knarr.version import __version__

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Tracer, TracerProvider

AGENT = "knarr"
REFUSALS = ("malformed", "unknown tool", "repeated", "too many")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Attributes = dict[str, Any]


@dataclass(slots=True)
class SpanDraft:
    """A span to be. `begin_ns` counts from its parent's begin; `client` says that it stands for a
    call to another service; `error` is its `error.type`, "" when it went well."""

    name: str
    attributes: Attributes
    begin_ns: int = 0
    length_ns: int = 0
    client: bool = False
    error: str = ""
    event: tuple[str, Attributes] | None = None
    children: list[SpanDraft] = field(default_factory=list)

    def add(self, child: SpanDraft, begin_ns: int) -> int:
        """Place a child, grow to hold it, and return where it ends."""
        child.begin_ns = begin_ns
        self.children.append(child)
        end_ns = begin_ns + child.length_ns
        self.length_ns = max(self.length_ns, end_ns)
        return end_ns


def export_spans(
    trace: Trace, tracer_provider: TracerProvider | None = None, *, content: bool = False
) -> int:
    """Hand a trace to OpenTelemetry as spans, with the times it was recorded with; returns how many.

    Without a provider the process's own is used. A span that is current when this is called becomes
    the parent. `content` adds texts, URIs and arguments. Raises MissingPackage without
    opentelemetry-api, InvalidArgument when `created_at` is no time.
    """
    try:
        from opentelemetry.trace import get_tracer_provider
    except ImportError:
        raise MissingPackage("opentelemetry is not installed: pip install 'knarr[otel]'") from None
    provider = get_tracer_provider() if tracer_provider is None else tracer_provider
    tracer = provider.get_tracer(AGENT, __version__)
    return _emit(tracer, span_tree(trace, content=content), epoch_ns(trace.created_at), None)


def epoch_ns(created_at: str) -> int:
    """Nanoseconds since 1970 of an ISO 8601 time, UTC where it names no zone. Raises InvalidArgument."""
    try:
        moment = datetime.fromisoformat(created_at)
    except ValueError:
        raise InvalidArgument(f"created_at {created_at!r}: expected an ISO 8601 time") from None
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // timedelta(microseconds=1) * 1000


def _emit(tracer: Tracer, draft: SpanDraft, parent_ns: int, context: Context | None) -> int:
    from opentelemetry.trace import SpanKind, Status, StatusCode, set_span_in_context

    start = parent_ns + draft.begin_ns
    span = tracer.start_span(
        draft.name,
        context,
        SpanKind.CLIENT if draft.client else SpanKind.INTERNAL,
        _kept(draft.attributes),
        start_time=start,
    )
    if draft.error:
        span.set_attribute("error.type", draft.error)
        span.set_status(Status(StatusCode.ERROR))
    inside = set_span_in_context(span, context)
    count = 1 + sum(_emit(tracer, child, start, inside) for child in draft.children)
    if draft.event is not None:
        span.add_event(draft.event[0], _kept(draft.event[1]), start + draft.length_ns)
    span.end(start + draft.length_ns)
    return count


def _kept(attributes: Mapping[str, Any]) -> Attributes:
    """Attributes that say something, their texts as valid Unicode."""
    return {
        name: value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else value
        for name, value in attributes.items()
        if value is not None and value != ""
    }


# ---------------------------------------------------------------------- from records to spans


def span_tree(trace: Trace, *, content: bool = False) -> SpanDraft:
    """The tree of spans of a trace, its root the question."""
    root = SpanDraft(f"invoke_agent {AGENT}", _question(trace, content))
    root.error = trace.status if trace.status in ("no_answer", "cut_off", "failed") else ""
    at = _ns(trace.usage.ms.get("resolve", 0.0))
    for step in trace.steps():
        if isinstance(step, CheckRecord):
            at = root.add(_check(step, content), at)
        else:
            at = root.add(_round(step, trace.chat_model, content), at)
    at += _ns(trace.usage.ms.get("cite", 0.0))
    root.length_ns = max(root.length_ns, at, _ns(trace.usage.total_ms))
    return root


def _question(trace: Trace, content: bool) -> Attributes:
    usage = trace.usage
    attributes: Attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": AGENT,
        "gen_ai.agent.name": AGENT,
        "gen_ai.output.type": "text",
        "gen_ai.request.model": trace.chat_model,
        **_usage(usage.model),
        "knarr.trace.id": trace.id,
        "knarr.mode": trace.mode,
        "knarr.policy": trace.policy,
        "knarr.status": trace.status,
        "knarr.verdict": "" if trace.verdict is None else trace.verdict.outcome,
        "knarr.spent": trace.spent,
        "knarr.rounds": sum(1 for record in trace.rounds if record.calls),
        "knarr.calls": sum(usage.calls.values()),
        "knarr.tokens_shown": usage.tokens_shown,
        "knarr.edges_used": sum(len(call.edges) for call in trace.calls()),
        "knarr.citations": len(trace.citations),
        "knarr.citations_dropped": len(trace.dropped),
        "knarr.documents": len(trace.versions),
    }
    if content:
        attributes |= {
            "knarr.scope": trace.scope,
            "knarr.citation.uris": [one.uri for one in trace.citations],
            "knarr.document.versions": [f"{uri} {version}" for uri, version in trace.versions.items()],
            "gen_ai.input.messages": _messages("user", trace.question),
            "gen_ai.output.messages": _messages("assistant", trace.text, finish_reason="stop"),
        }
    return attributes


def _round(record: RoundRecord, model: str, content: bool) -> SpanDraft:
    attributes = {"knarr.round.number": record.number, "knarr.round.calls": len(record.calls)}
    at = max(_ns(record.decide_ms), _ns(record.model.ms))
    draft = SpanDraft("round", attributes, length_ns=at)
    if record.model.calls:
        chat = _chat(model, record.model, at)
        if content and record.text:
            chat.attributes["gen_ai.output.messages"] = _messages("assistant", record.text)
        draft.add(chat, 0)
    for call in record.calls:
        at = draft.add(_call(call, content), at)
    return draft


def _chat(model: str, usage: ModelUsage, length_ns: int) -> SpanDraft:
    # The server is only known to speak this protocol; "openai" is the conventions' word for that.
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": model,
        **_usage(usage),
        "knarr.model.calls": usage.calls,
    }
    return SpanDraft(f"chat {model}".rstrip(), attributes, length_ns=_ns(usage.ms) or length_ns, client=True)


def _usage(usage: ModelUsage) -> Attributes:
    if not usage.calls:
        return {}
    return {
        "gen_ai.usage.input_tokens": usage.prompt_tokens,
        "gen_ai.usage.output_tokens": usage.completion_tokens,
        "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens,
        "knarr.usage.estimated_calls": usage.estimated,
        "knarr.usage.cost": usage.cost,
    }


def _call(call: CallRecord, content: bool) -> SpanDraft:
    attributes: Attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call.tool,
        "gen_ai.tool.call.id": call.id,
        "gen_ai.tool.type": "datastore",
        "knarr.tokens_shown": call.tokens,
        "knarr.uris": len(call.uris),
        "knarr.edges_used": len(call.edges),
    }
    if content:
        attributes |= {
            "gen_ai.tool.call.arguments": json.dumps(call.arguments, ensure_ascii=False, default=str),
            "gen_ai.tool.call.result": call.error or call.text,
            "knarr.shown.uris": list(call.uris),
        }
    error = (call.note if call.note in REFUSALS else "tool_error").replace(" ", "_") if call.error else ""
    return SpanDraft(f"execute_tool {call.tool}", attributes, length_ns=_ns(call.ms), error=error)


def _check(check: CheckRecord, content: bool) -> SpanDraft:
    verdict = check.verdict
    result: Attributes = {
        "gen_ai.evaluation.name": "sufficiency",
        "gen_ai.evaluation.score.value": verdict.score,
        "gen_ai.evaluation.score.label": verdict.outcome,
        "gen_ai.evaluation.explanation": (verdict.reason or check.cause) if content else None,
    }
    attributes = result | {
        "knarr.check.round": check.round,
        "knarr.check.action": check.action,
        "knarr.check.threshold": verdict.threshold,
        "knarr.check.judge": verdict.judge,
        "knarr.check.agrees": check.agrees,
        "knarr.check.constraints": len(verdict.constraints),
        "knarr.check.constraints_met": sum(one.met for one in verdict.constraints),
        "knarr.check.gates_failed": [gate.name for gate in verdict.gates if not gate.passed],
        "knarr.tokens_shown": check.tokens,
    }
    event = ("gen_ai.evaluation.result", result)
    length_ns = max(_ns(check.ms), _ns(check.model.ms))
    draft = SpanDraft("check", attributes, length_ns=length_ns, event=event)
    if check.model.calls:
        draft.add(_chat(verdict.judge, check.model, length_ns), 0)
    return draft


def _messages(role: str, text: str, **more: str) -> str:
    return json.dumps(
        [{"role": role, "parts": [{"type": "text", "content": text}], **more}], ensure_ascii=False
    )


_MOST_MS = 1e12  # some thirty years: more is no duration, and overflows


def _ns(ms: float) -> int:
    return round(min(ms, _MOST_MS) * 1e6) if math.isfinite(ms) and ms > 0 else 0
