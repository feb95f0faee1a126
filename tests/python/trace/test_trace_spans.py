"""Traces as OpenTelemetry spans: names, attributes, times, and what is kept back."""

from __future__ import annotations

import json
import logging
import sys
import types
from dataclasses import replace
from typing import Any, ClassVar

import pytest
from hypothesis import given
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as gen_ai
from opentelemetry.trace import SpanKind, StatusCode, use_span

from knarr.errors import ExportError, InvalidArgument, KnarrError, MissingPackage
from knarr.trace.otel import _ns, epoch_ns, export_spans, span_tree
from knarr.trace.otlp import send
from knarr.trace.record import Trace
from make_traces import FEES, LOANS, QUOTE, SECRET, few, full_trace, traces

ASKED_NS = 1_772_359_200_250_000_000  # 2026-03-01T10:00:00.250Z


def provider_and_kept() -> tuple[TracerProvider, InMemorySpanExporter]:
    kept = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(kept))
    return provider, kept


def exported(trace: Trace, **options: Any) -> list[ReadableSpan]:
    """The spans of a trace, in the order of their begin, parents first."""
    provider, kept = provider_and_kept()
    count = export_spans(trace, provider, **options)
    spans = list(kept.get_finished_spans())
    assert count == len(spans)
    return sorted(spans, key=lambda span: (span.start_time, -(span.end_time or 0)))


def named(spans: list[ReadableSpan], name: str) -> list[ReadableSpan]:
    return [span for span in spans if span.name == name]


def all_words(spans: list[ReadableSpan]) -> str:
    """Everything that leaves the process, as one text."""
    return "\n".join(span.to_json() for span in spans)


def test_one_span_per_question_round_call_check_and_model() -> None:
    spans = exported(full_trace())
    (root,) = named(spans, "invoke_agent knarr")
    assert root.parent is None and root.kind is SpanKind.INTERNAL
    assert [span.name for span in spans] == [
        "invoke_agent knarr",
        "round",
        "execute_tool Search",
        "check",
        "chat judge-7b",
        "round",
        "chat small-3b",
        "execute_tool Serch",
        "execute_tool Read",
        "round",
    ]
    parents = {span.context.span_id: span.name for span in spans}
    for span in spans[1:]:
        assert span.parent is not None and span.context.trace_id == root.context.trace_id
        wanted = "invoke_agent knarr" if span.name in ("round", "check") else "round"
        wanted = "check" if span.name == "chat judge-7b" else wanted
        assert parents[span.parent.span_id] == wanted


def test_the_names_are_those_of_the_conventions() -> None:
    spans = exported(full_trace(), content=True)
    known = {value for name, value in vars(gen_ai).items() if name.startswith("GEN_AI_")}
    used = {name for span in spans for name in span.attributes or {}}
    used |= {name for span in spans for event in span.events for name in event.attributes or {}}
    assert {name for name in used if name.startswith("gen_ai.")} <= known
    assert all(name.startswith(("gen_ai.", "knarr.")) or name == "error.type" for name in used)
    operations = {value.value for value in gen_ai.GenAiOperationNameValues}
    assert {(span.attributes or {})["gen_ai.operation.name"] for span in spans if "gen_ai.operation.name" in (span.attributes or {})} <= operations  # fmt: skip


def test_the_question_carries_its_outcome_and_cost() -> None:
    (root,) = named(exported(full_trace()), "invoke_agent knarr")
    assert (
        dict(root.attributes or {}).items()
        >= {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": "knarr",
            "gen_ai.request.model": "small-3b",
            "gen_ai.usage.input_tokens": 1500,
            "gen_ai.usage.output_tokens": 76,
            "gen_ai.usage.cache_read.input_tokens": 900,
            "knarr.trace.id": "aaaabbbbccccdddd",
            "knarr.mode": "vikingrag-e+",
            "knarr.status": "answered",
            "knarr.rounds": 2,
            "knarr.tokens_shown": 512,
            "knarr.edges_used": 1,
        }.items()
    )
    assert root.status.status_code is StatusCode.UNSET


def test_tools_models_and_checks_carry_theirs() -> None:
    spans = exported(full_trace())
    (search,) = named(spans, "execute_tool Search")
    assert search.attributes == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "Search",
        "gen_ai.tool.call.id": "call_1",
        "gen_ai.tool.type": "datastore",
        "knarr.tokens_shown": 420,
        "knarr.uris": 2,
        "knarr.edges_used": 1,
    }
    (chat,) = named(spans, "chat small-3b")
    assert chat.kind is SpanKind.CLIENT
    assert (chat.attributes or {})["gen_ai.usage.input_tokens"] == 1200
    (check,) = named(spans, "check")
    seen = check.attributes or {}
    assert seen["gen_ai.evaluation.score.value"] == 0.41 and seen["knarr.check.threshold"] == 0.7
    assert seen["gen_ai.evaluation.score.label"] == "insufficient" and seen["knarr.check.agrees"] is True
    assert seen["knarr.check.gates_failed"] == ("years",) and seen["knarr.check.constraints_met"] == 1
    assert [event.name for event in check.events] == ["gen_ai.evaluation.result"]


def test_a_failed_call_is_an_error_of_few_kinds() -> None:
    trace = full_trace()
    (refused,) = named(exported(trace), "execute_tool Serch")
    assert refused.status.status_code is StatusCode.ERROR
    assert (refused.attributes or {})["error.type"] == "unknown_tool"
    call = replace(trace.rounds[0].calls[0], error=f"no match for {SECRET}", note=f"mended: {SECRET}")
    trace = full_trace(rounds=(replace(trace.rounds[0], calls=(call,)),))
    (failed,) = named(exported(trace), "execute_tool Search")
    assert (failed.attributes or {})["error.type"] == "tool_error"
    (root,) = named(exported(full_trace(status="no_answer", text="")), "invoke_agent knarr")
    assert root.status.status_code is StatusCode.ERROR


def test_times_are_laid_end_to_end_from_when_it_was_asked() -> None:
    spans = exported(full_trace())
    root = spans[0]
    assert root.start_time == ASKED_NS

    def ms(name: str, at: int = 0) -> tuple[float, float]:
        span = named(spans, name)[at]
        assert span.start_time is not None and span.end_time is not None
        return (span.start_time - ASKED_NS) / 1e6, (span.end_time - ASKED_NS) / 1e6

    assert ms("round") == (4.0, 36.0)  # after 4 ms of resolving: 2 to decide, 30 to search
    assert ms("execute_tool Search") == (6.0, 36.0)
    assert ms("check") == (36.0, 196.0)
    assert ms("chat judge-7b") == (36.0, 186.0)
    assert ms("round", 1) == (196.0, 1102.0)
    assert ms("chat small-3b") == (196.0, 996.0)
    assert ms("execute_tool Serch") == (1096.0, 1097.0)
    assert ms("execute_tool Read") == (1097.0, 1102.0)
    assert ms("round", 2) == (1102.0, 1112.0)
    assert ms("invoke_agent knarr") == (0.0, 1113.0)  # 1 ms to check the citations
    (check,) = named(spans, "check")
    assert check.events[0].timestamp == check.end_time


@few
@given(traces)
def test_any_trace_makes_spans_that_nest(trace: Trace) -> None:
    small = replace(trace, created_at="2026-01-01", rounds=tuple(replace(one, decide_ms=1.0) for one in trace.rounds))  # fmt: skip
    root = span_tree(small, content=True)

    def look(piece: Any) -> int:
        assert piece.length_ns >= 0
        for child in piece.children:
            assert child.begin_ns >= 0 and child.begin_ns + child.length_ns <= piece.length_ns
        return 1 + sum(map(look, piece.children))

    calls = sum(len(one.calls) for one in trace.rounds)
    models = sum(1 for one in trace.rounds if one.model.calls)
    judged = sum(1 + bool(check.model.calls) for check in trace.checks)
    assert look(root) == 1 + len(trace.rounds) + calls + models + judged


def test_texts_stay_here_unless_asked_for() -> None:
    quiet = all_words(exported(full_trace()))
    loud = all_words(exported(full_trace(), content=True))
    for words in (SECRET, QUOTE, "How high is the late fee", FEES, LOANS, "15 euros", "the year is nowhere", "I read it"):  # fmt: skip
        assert words not in quiet, words
    for words in (SECRET, "How high is the late fee", FEES, "15 euros", "the year is nowhere", "I read it"):
        assert words in loud, words


def test_content_follows_the_conventions_form() -> None:
    spans = exported(full_trace(), content=True)
    root = spans[0].attributes or {}
    assert json.loads(str(root["gen_ai.input.messages"])) == [
        {"role": "user", "parts": [{"type": "text", "content": "How high is the late fee in 2026?"}]}
    ]
    assert json.loads(str(root["gen_ai.output.messages"]))[0]["finish_reason"] == "stop"
    (read,) = named(spans, "execute_tool Read")
    assert json.loads(str((read.attributes or {})["gen_ai.tool.call.arguments"])) == {"uri": FEES}


def test_a_current_span_becomes_the_parent() -> None:
    provider, kept = provider_and_kept()
    outer = provider.get_tracer("test").start_span("request")
    with use_span(outer, end_on_exit=True):
        export_spans(full_trace(), provider)
    (root,) = named(list(kept.get_finished_spans()), "invoke_agent knarr")
    assert root.parent is not None and root.parent.span_id == outer.get_span_context().span_id


@pytest.mark.parametrize("text", ["2026-03-01T10:00:00.250+00:00", "2026-03-01T11:00:00.250+01:00", "2026-03-01T10:00:00.250"])  # fmt: skip
def test_when_it_was_asked(text: str) -> None:
    assert epoch_ns(text) == ASKED_NS


def test_a_time_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="expected an ISO 8601 time"):
        export_spans(full_trace(created_at="soon"), provider_and_kept()[0])


def test_without_the_package_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", None)
    with pytest.raises(MissingPackage, match=r"pip install 'knarr\[otel\]'"):
        export_spans(full_trace())
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(MissingPackage, match=r"pip install 'knarr\[otel\]'"):
        send([full_trace()])


# ---------------------------------------------------------------------- to a collector

HTTP = "opentelemetry.exporter.otlp.proto.http.trace_exporter"
GRPC = "opentelemetry.exporter.otlp.proto.grpc.trace_exporter"


class Collector(SpanExporter):
    """Stands in for an OTLP exporter; takes so many batches."""

    batches: ClassVar[list[list[ReadableSpan]]] = []
    takes = 99
    closed = 0

    def export(self, spans: Any) -> SpanExportResult:
        if len(self.batches) >= self.takes:
            return SpanExportResult.FAILURE
        self.batches.append(list(spans))
        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        type(self).closed += 1


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> type[Collector]:
    """An HTTP exporter is installed, none for gRPC; the environment names nothing."""
    for name in ("OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES"):  # fmt: skip
        monkeypatch.delenv(name, raising=False)
    fresh = type("Fresh", (Collector,), {"batches": [], "closed": 0})
    module = types.ModuleType(HTTP)
    vars(module)["OTLPSpanExporter"] = fresh
    monkeypatch.setitem(sys.modules, HTTP, module)
    monkeypatch.setitem(sys.modules, GRPC, None)
    return fresh


def test_each_trace_is_sent_as_one_batch(collector: type[Collector]) -> None:
    assert send([full_trace(), full_trace(id="b")]) == 2
    assert [len(batch) for batch in collector.batches] == [10, 10] and collector.closed == 1
    assert collector.batches[0][0].resource.attributes["service.name"] == "knarr"
    assert SECRET not in all_words(collector.batches[0])
    send([full_trace()], content=True)
    assert SECRET in all_words(collector.batches[-1])


def test_the_environment_names_service_and_protocol(
    collector: type[Collector], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_SERVICE_NAME", "answers")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
    send([full_trace()])
    assert collector.batches[0][0].resource.attributes["service.name"] == "answers"
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "grpc")
    with pytest.raises(MissingPackage, match="pip install opentelemetry-exporter-otlp-proto-grpc"):
        send([full_trace()])
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "pigeon")
    with pytest.raises(InvalidArgument, match="pigeon: expected one of http/protobuf, grpc"):
        send([full_trace()])


def test_without_an_exporter_the_error_names_one(
    collector: type[Collector], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, HTTP, None)
    with pytest.raises(MissingPackage, match="pip install opentelemetry-exporter-otlp-proto-http"):
        send([full_trace()])


def test_a_collector_that_refuses_is_told_of(collector: type[Collector]) -> None:
    collector.takes = 1
    with pytest.raises(ConnectionError, match=r"trace b: .* 1 before it") as caught:
        send([full_trace(), full_trace(id="b"), full_trace(id="c")])
    assert isinstance(caught.value, KnarrError)
    assert len(collector.batches) == 1 and collector.closed == 1


def test_what_an_exporter_raises_and_logs_is_ours_and_without_secrets(
    collector: type[Collector], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20tok-0123456789abcdef,x-zone=eu")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://me:hush-hush@collector:4318")

    def export(self: Any, spans: Any) -> SpanExportResult:
        logging.getLogger(HTTP).error("no: %s", "tok-0123456789abcdef at http://me:hush-hush@collector")
        raise RuntimeError("cannot reach http://me:hush-hush@collector with tok-0123456789abcdef in eu")

    monkeypatch.setattr(collector, "export", export)
    with pytest.raises(ExportError, match="could not be asked") as caught:
        send([full_trace()])
    for said in (str(caught.value), caplog.text):
        assert "collector" in said and "hush" not in said and "tok-0123" not in said
    assert "in eu" in str(caught.value) and collector.closed == 1
    assert logging.getLogger(HTTP).filters == []

    def refuse(self: Any) -> None:
        raise ValueError("http://me:hush-hush@collector is none")

    monkeypatch.setattr(collector, "__init__", refuse)
    with pytest.raises(InvalidArgument, match="takes no such") as refused:
        send([full_trace()])
    assert "hush" not in str(refused.value)


@pytest.mark.parametrize("ms", [1.8e302, float("inf"), float("nan"), -1.0, 0.0])
def test_a_duration_that_is_none_does_no_harm(ms: float) -> None:
    assert 0 <= _ns(ms) <= 10**18
