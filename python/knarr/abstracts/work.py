"""A document being worked on, and the count of what became of every directory."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import sqlalchemy as sa

from knarr.abstracts.calls import Calls
from knarr.abstracts.outline import SectionNode, outline
from knarr.abstracts.report import AbstractReport
from knarr.catalog import documents
from knarr.catalog.records import DocumentRecord
from knarr.errors import NotFound
from knarr.uris import below, lies_in, relative

_MOST_FAILURES = 20


@dataclass(slots=True)
class Work:
    """A document. `before` are its abstracts as they were read, `wanted` the nodes in scope; `pending`
    counts, per node, the parts without an abstract yet, and `unfinished` all of them; `asked` are the keys of
    what it asks for, `became` what happened to each node."""

    record: DocumentRecord
    nodes: list[SectionNode]
    wanted: set[int]
    before: list[str]
    pending: list[int]
    unfinished: int
    asked: list[bytes] = field(default_factory=list)
    became: dict[int, tuple[str, str]] = field(default_factory=dict)
    states: Counter[str] = field(default_factory=Counter)

    @classmethod
    def open(cls, connection: sa.Connection, document_id: int, scope: str) -> Work | None:
        """The document as it is stored, None when it is gone. Raises NotFound for a scope inside it that
        is no section."""
        record = documents.find_id(connection, document_id)
        if record is None:
            return None
        sections = documents.sections_of(connection, document_id)
        objects = documents.objects_of(connection, document_id)
        nodes = outline(sections, objects, documents.text_of(connection, document_id).encode("utf-8"))
        before, pending = [node.text for node in nodes], [len(node.children) for node in nodes]
        return cls(record, nodes, _inside(record, nodes, scope), before, pending, len(nodes))

    def leaves(self) -> list[int]:
        return [at for at, node in enumerate(self.nodes) if not node.children]

    def changed(self) -> list[SectionNode]:
        """The sections whose abstract is another one now."""
        return [node for node, text in zip(self.nodes, self.before, strict=True) if node.text != text]

    def uri(self, node: SectionNode) -> str:
        return below(self.record.uri, node.path)


def _inside(record: DocumentRecord, nodes: list[SectionNode], scope: str) -> set[int]:
    """All of a document; of a scope inside it what lies there, and the sections above."""
    path = relative(scope, record.uri)
    if not path:
        return set(range(len(nodes)))
    found = {at for at, node in enumerate(nodes) if lies_in(node.path, path)}
    if not found:
        raise NotFound(f"{scope}: no such section; name a folder, a document or a section")
    parent = nodes[min(found)].parent
    while parent is not None:
        found.add(parent)
        parent = nodes[parent].parent
    return found


@dataclass(slots=True)
class Tally:
    """What became of every directory, so far."""

    states: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[str, str]] = field(default_factory=list)
    embedded: int = 0

    def failed(self, uri: str, reason: str) -> None:
        self.reasons[reason] += 1
        if len(self.failures) < _MOST_FAILURES:
            self.failures.append((uri, reason))

    def report(
        self, scope: str, model: str, calls: Calls, *, limit: int, seconds: float, dry_run: bool
    ) -> AbstractReport:
        return AbstractReport(
            scope,
            model,
            made=self.states["made"],
            cached=self.states["cached"],
            shared=self.states["shared"],
            short=self.states["short"],
            fallback=dict(self.reasons),
            left=self.states["left"],
            changed=self.states["changed"],
            sampled=calls.sampled,
            usage=calls.usage,
            limit=limit,
            stopped=calls.stopped,
            embedded=self.embedded,
            seconds=seconds,
            dry_run=dry_run,
            failures=tuple(self.failures),
        )
