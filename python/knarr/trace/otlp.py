"""Traces sent to an OpenTelemetry collector, as the environment's `OTEL_*` variables say.

Needs an exporter package of the OpenTelemetry project; which one, the error says.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from knarr.errors import ExportError, InvalidArgument, MissingPackage
from knarr.trace.otel import AGENT, export_spans
from knarr.trace.record import Trace

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource

_EXPORTERS = {
    "http/protobuf": "opentelemetry.exporter.otlp.proto.http.trace_exporter",
    "grpc": "opentelemetry.exporter.otlp.proto.grpc.trace_exporter",
}
_TO_INSTALL = "opentelemetry-exporter-otlp-proto-http"


def send(traces: Iterable[Trace], *, content: bool = False) -> int:
    """Send traces one by one; returns how many. Raises MissingPackage when the SDK or an exporter is
    not installed, ExportError when the collector does not take a trace: those before it are sent.
    """
    try:
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExportResult
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
    except ImportError:
        raise MissingPackage("opentelemetry-sdk is not installed: pip install 'knarr[otel]'") from None
    exporter = _exporter()
    provider, kept = TracerProvider(resource=_resource(), shutdown_on_exit=False), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    sent = 0
    try:
        for trace in traces:
            export_spans(trace, provider, content=content)
            spans = kept.get_finished_spans()
            kept.clear()
            if spans and exporter.export(spans) is not SpanExportResult.SUCCESS:
                raise ExportError(
                    f"trace {trace.id}: the OpenTelemetry collector did not take it, {sent} before it are sent; "
                    "see OTEL_EXPORTER_OTLP_ENDPOINT and whether the collector runs"
                )
            sent += 1
    finally:
        provider.shutdown()
        exporter.shutdown()
    return sent


def _exporter() -> Any:
    """A span exporter for the protocol that the environment names, else for any that is installed."""
    wanted = os.environ.get("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") or os.environ.get(
        "OTEL_EXPORTER_OTLP_PROTOCOL"
    )
    if wanted and wanted not in _EXPORTERS:
        raise InvalidArgument(
            f"OTEL_EXPORTER_OTLP_PROTOCOL={wanted}: expected one of {', '.join(_EXPORTERS)}"
        )
    for protocol, module in _EXPORTERS.items():
        if wanted in (None, "", protocol):
            try:
                return importlib.import_module(module).OTLPSpanExporter()
            except ModuleNotFoundError:
                continue
    package = _TO_INSTALL if wanted != "grpc" else _TO_INSTALL.replace("http", "grpc")
    raise MissingPackage(f"no OpenTelemetry exporter is installed: pip install {package}")


def _resource() -> Resource:
    """The environment's resource; its service is named knarr where the environment names none."""
    from opentelemetry.sdk.resources import Resource

    found = Resource.create()
    named = not str(found.attributes.get("service.name", "")).startswith("unknown_service")
    return found if named else found.merge(Resource({"service.name": AGENT}))
