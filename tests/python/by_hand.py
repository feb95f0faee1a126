"""Traces made by hand, and what the engine and the catalog hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import knarr
from knarr.trace import CallRecord, EdgeUse, Trace
from knarr.types import Citation

MakeTrace = Callable[..., Trace]
Edges = list[tuple[str, str, str]]


def call(tool: str, uris: Sequence[str], edges: Sequence[EdgeUse] = (), **more: Any) -> CallRecord:
    arguments = more.pop("arguments", {"query": "words"} if tool == "Search" else {"uri": "u"})
    return CallRecord("c", tool, arguments, tuple(uris), 1, 1.0, edges=tuple(edges), **more)


def cite(kb: knarr.KnowledgeBase, uri: str) -> Citation:
    """The whole text of a chunk, quoted."""
    passage = kb.read(uri)
    return Citation(uri, passage.text.strip(), passage.source.lines, None, passage.source.document)


def held(kb: knarr.KnowledgeBase) -> Edges:
    """What the engine holds: (source, target, trace), sorted."""
    return sorted((e.source, e.target, e.trace) for e in kb._index.engine.edges(0, 100_000))
