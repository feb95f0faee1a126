"""Which URIs of a trace may become the ends of edges, and the summary of the trace. No I/O.

Which calls matter, and for which end, is the role of their tool (`knarr.agent.values.Role`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from knarr.agent.tools import role_of, tool_named
from knarr.agent.values import Role
from knarr.errors import InvalidArgument
from knarr.language.plain import shortened
from knarr.trace.record import CallRecord, Trace
from knarr.uris import canonical

MOST_SOURCES = 20
MOST_TARGETS = 6
# What a judge is asked about at most; cited chunks come first.
MOST_CANDIDATES = 24
_SUMMARY_CHARS = 400
_ARGUMENT_CHARS = 60


@dataclass(frozen=True, slots=True)
class ShownPage:
    """Text that was fetched on purpose: the URI may be a directory's, and `text` is what was shown of it."""

    uri: str
    text: str


def teaches(trace: Trace) -> bool:
    """Whether the run was accepted: it answered, its answer quotes evidence, and that is not the very
    evidence in which the checker missed something."""
    return trace.status == "answered" and bool(trace.citations) and not _doubted(trace)


def _doubted(trace: Trace) -> bool:
    """Whether the full path found no more than the first round, where a gate had failed or a constraint was
    left without evidence: the name asked for stands nowhere, say."""
    return any(
        check.agrees is True
        and check.verdict.outcome == "insufficient"
        and (
            any(not gate.passed for gate in check.verdict.gates)
            or any(not one.met for one in check.verdict.constraints)
        )
        for check in trace.checks
    )


def sources(trace: Trace) -> list[str]:
    """URIs that searches returned, in the order they were seen. One that only an edge led to is left out: it
    would teach again what was taught already."""
    found: dict[str, None] = {}
    for call in _calls(trace, "source"):
        by_edge = {edge.target for edge in call.edges}
        found |= dict.fromkeys(uri for uri in call.uris if uri not in by_edge)
    return _written(found)


def candidates(trace: Trace) -> list[str]:
    """URIs of chunks that may support the answer: those that the answer cites, since a search shows passages
    too, and those that tools in the role of a candidate matched. Those that an edge led to are left out."""
    found = dict.fromkeys(citation.uri for citation in trace.citations)
    for call in _calls(trace, "candidate"):
        found |= dict.fromkeys(call.uris)
    return _without_edges(trace, _written(found))


def pages(trace: Trace) -> list[ShownPage]:
    """What was fetched on purpose, without what an edge led to."""
    found = {uri: ShownPage(uri, call.text) for call in _calls(trace, "page") for uri in _written(call.uris)}
    return [found[uri] for uri in _without_edges(trace, list(found))]


def reached_by_edge(trace: Trace) -> set[str]:
    return set(_written(edge.target for call in trace.calls() for edge in call.edges))


def summary(trace: Trace) -> str:
    """H: the calls that led to the answer, in order, in few words."""
    return shortened(" > ".join(_in_words(call) for call in trace.calls() if not call.error), _SUMMARY_CHARS)


def _in_words(call: CallRecord) -> str:
    """The tool and what it was asked: a tool's first argument says that."""
    tool = tool_named(call.tool)
    given = call.arguments.get(tool.arguments[0].name) if tool is not None else None
    return f"{call.tool}({shortened(str(given or ''), _ARGUMENT_CHARS)})"


def _calls(trace: Trace, role: Role) -> Iterator[CallRecord]:
    return (call for call in trace.calls() if role_of(call.tool) == role and not call.error)


def _without_edges(trace: Trace, uris: list[str]) -> list[str]:
    led_to = reached_by_edge(trace)
    return [uri for uri in uris if uri not in led_to]


def _written(uris: Iterable[str]) -> list[str]:
    """URIs in their one written form, each once; texts that are no URI are left out."""
    found: dict[str, None] = {}
    for uri in uris:
        try:
            found[canonical(uri)] = None
        except InvalidArgument:
            continue
    return list(found)
