"""Which URIs of a trace may become the ends of edges, and in which words the trace is told. No I/O."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from knarr.errors import InvalidArgument
from knarr.trace.record import CallRecord, Trace
from knarr.uris import canonical

MOST_SOURCES = 20
MOST_TARGETS = 6
# What a judge is asked about at most; cited chunks come first.
MOST_CANDIDATES = 24
_SUMMARY_CHARS = 400
_ARGUMENT_CHARS = 60


@dataclass(frozen=True, slots=True)
class Read:
    """A Read that showed text: its URI may be a directory, and `text` is what was shown of it."""

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
    """URIs that Search returned, in the order they were seen. One that came by an edge only is none: it
    would teach what was taught already."""
    found: dict[str, None] = {}
    for call in _calls(trace, "Search"):
        by_edge = {edge.target for edge in call.edges}
        found |= dict.fromkeys(uri for uri in call.uris if uri not in by_edge)
    return _written(found)


def candidates(trace: Trace) -> list[str]:
    """URIs of chunks that may support the answer: those it cites, since Search shows passages and cites
    from them too, and those that Grep matched. Without those that an edge led to."""
    found = dict.fromkeys(citation.uri for citation in trace.citations)
    for call in _calls(trace, "Grep"):
        found |= dict.fromkeys(call.uris)
    return _without_edges(trace, _written(found))


def reads(trace: Trace) -> list[Read]:
    """What Read was given, without what an edge led to."""
    found = {uri: Read(uri, call.text) for call in _calls(trace, "Read") for uri in _written(call.uris)}
    return [found[uri] for uri in _without_edges(trace, list(found))]


def reached_by_edge(trace: Trace) -> set[str]:
    return set(_written(edge.target for call in trace.calls() for edge in call.edges))


def summary(trace: Trace) -> str:
    """H: the calls that led to the answer, in order, in few words."""
    told = [_told(call) for call in trace.calls() if not call.error]
    text = " > ".join(told)
    return text if len(text) <= _SUMMARY_CHARS else text[: _SUMMARY_CHARS - 1] + "…"


def _told(call: CallRecord) -> str:
    names = ("query", "pattern", "uri")
    given = next((str(call.arguments[name]) for name in names if call.arguments.get(name)), "")
    given = " ".join(given.split())
    return f"{call.tool}({given if len(given) <= _ARGUMENT_CHARS else given[: _ARGUMENT_CHARS - 1] + '…'})"


def _calls(trace: Trace, tool: str) -> Iterator[CallRecord]:
    return (call for call in trace.calls() if call.tool == tool and not call.error)


def _without_edges(trace: Trace, uris: list[str]) -> list[str]:
    led_to = reached_by_edge(trace)
    return [uri for uri in uris if uri not in led_to]


def _written(uris: Iterable[str]) -> list[str]:
    """URIs in their one form, each once; what is none is left out."""
    found: dict[str, None] = {}
    for uri in uris:
        try:
            found[canonical(uri)] = None
        except InvalidArgument:
            continue
    return list(found)
