"""Traces sent to an OpenTelemetry collector, as the environment's `OTEL_*` variables say.

Needs an exporter package of the OpenTelemetry project; which one, the error says.
"""

from __future__ import annotations

import importlib
import logging
import os
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from knarr.errors import ExportError, InvalidArgument, MissingPackage
from knarr.models.server.secrets import Secrets
from knarr.trace.otel import AGENT, export_spans
from knarr.trace.record import Trace

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource

_EXPORTERS = {
    "http/protobuf": "opentelemetry.exporter.otlp.proto.http.trace_exporter",
    "grpc": "opentelemetry.exporter.otlp.proto.grpc.trace_exporter",
}
_LOGGERS = (
    *_EXPORTERS.values(),
    "opentelemetry.exporter.otlp.proto.grpc.exporter",
    "opentelemetry.exporter.otlp.proto.http._common",
    "urllib3.connectionpool",
)
_LEAST_SECRET = 4
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
    hidden = _Hidden()
    exporter = _exporter(hidden)
    provider, kept = TracerProvider(resource=_resource(), shutdown_on_exit=False), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    sent = 0
    hidden.watch()
    try:
        for trace in traces:
            export_spans(trace, provider, content=content)
            spans = kept.get_finished_spans()
            kept.clear()
            failed = ""
            try:
                if spans and exporter.export(spans) is not SpanExportResult.SUCCESS:
                    failed = "did not take it"
            except Exception as error:  # an exporter is of another project and raises what its library does
                failed = f"could not be asked ({hidden.brief(error)})"
            if failed:
                raise ExportError(
                    f"trace {trace.id}: the OpenTelemetry collector {failed}, {sent} before it are sent; "
                    "see OTEL_EXPORTER_OTLP_ENDPOINT and whether the collector runs"
                )
            sent += 1
    finally:
        provider.shutdown()
        exporter.shutdown()
        hidden.leave()
    return sent


class _Hidden(logging.Filter):
    """Takes the collector's password and headers out of what its exporter says, in errors and in its log: the
    exporter writes down addresses and what a collector answers."""

    def __init__(self) -> None:
        super().__init__()
        values, pairs = [], []
        for name, value in os.environ.items():
            if name.startswith("OTEL_EXPORTER_OTLP_") and name.endswith("_HEADERS"):
                for part in value.split(","):
                    header = unquote(part.partition("=")[2].strip())
                    # "Bearer KEY": the scheme is no secret, and may be left out where the key is repeated.
                    values += [header, header.rpartition(" ")[2]]
            elif name.startswith("OTEL_EXPORTER_OTLP_") and name.endswith("ENDPOINT"):
                with suppress(ValueError):
                    parts = urlsplit(value)
                    values.append(unquote(parts.password or ""))
                    pairs.append((unquote(parts.username or ""), unquote(parts.password or "")))
        # Words such as "eu" are in every message, and no secret.
        self._secrets = Secrets([value for value in values if len(value) >= _LEAST_SECRET], pairs)
        self._loggers = [logging.getLogger(name) for name in _LOGGERS]

    def watch(self) -> None:
        for logger in self._loggers:
            logger.addFilter(self)

    def leave(self) -> None:
        for logger in self._loggers:
            logger.removeFilter(self)

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = self._secrets.hide(record.getMessage()), ()
        record.exc_info = record.exc_text = record.stack_info = None  # a traceback repeats the message
        return True

    def brief(self, error: Exception) -> str:
        return " ".join(self._secrets.hide(str(error) or type(error).__name__).split())[:200]


def _exporter(hidden: _Hidden) -> Any:
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
            except Exception as error:  # an endpoint or a header that it cannot use
                raise InvalidArgument(
                    f"the OpenTelemetry exporter takes no such OTEL_EXPORTER_OTLP_ settings: {hidden.brief(error)}"
                ) from None
    package = _TO_INSTALL if wanted != "grpc" else _TO_INSTALL.replace("http", "grpc")
    raise MissingPackage(f"no OpenTelemetry exporter is installed: pip install {package}")


def _resource() -> Resource:
    """The environment's resource; its service is named knarr where the environment names none."""
    from opentelemetry.sdk.resources import Resource

    found = Resource.create()
    named = not str(found.attributes.get("service.name", "")).startswith("unknown_service")
    return found if named else found.merge(Resource({"service.name": AGENT}))
