"""`kb.traces`: the recorded runs of a knowledge base.

A trace holds text of documents. How long it is kept, and with what it goes, is decided here and in
`DocumentWriter.remove`.
"""

from __future__ import annotations

import builtins
import json
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from knarr.arguments import checked, path_text, shown
from knarr.catalog import Catalog, facts, trace_documents, traces
from knarr.errors import CatalogError, KnarrError, NotFound, StorageError

if TYPE_CHECKING:
    from knarr.trace.diff import TraceDiff
    from knarr.trace.export import Writable
    from knarr.trace.record import Trace


class Traces:
    """Keeps traces in the catalog, for `days` (0: for ever). A trace may be named by the beginning of its id where
    only one begins so.

    A trace holds the text that its run was shown. It goes with the first document among that which is removed."""

    def __init__(self, catalog: Catalog, days: float = 0.0) -> None:
        self._catalog = catalog
        self._days = days

    @checked
    def put(self, trace: Trace, *, asker: str = "") -> None:
        """Keep the record of a run, and nothing else: no edge is learnt from it. `asker` is who asked, "" for the
        owner. One that was shown a document which has been removed meanwhile is not kept."""
        from knarr.trace.shown import shown_documents

        record = json.dumps(trace.to_json(), ensure_ascii=False)
        with self._catalog.writing() as connection:
            self._prune(connection)
            numbers, gone = shown_documents(connection, trace)
            if not gone:
                traces.put(
                    connection, trace.id, trace.created_at, trace.question, trace.status, record, asker
                )
                trace_documents.put(connection, trace.id, numbers)

    def tend(self) -> None:
        """Drop what is too old, and note what older versions did not: which documents traces were shown. Costs a
        look where there is nothing to do. Where the catalog cannot be written now, a later opening does it."""
        if self._catalog.read_only:
            return
        with self._catalog.reading() as connection:
            is_old = self._days > 0 and traces.any_before(connection, traces.days_ago(self._days))
            is_noted = facts.get(connection, facts.TRACES_NOTED) is not None
        if is_old or not is_noted:
            with suppress(CatalogError, StorageError), self._catalog.writing() as connection:
                self._prune(connection)
                if not is_noted:
                    _note_older(connection)

    def _prune(self, connection: sa.Connection) -> None:
        if self._days > 0:
            traces.prune(connection, traces.days_ago(self._days))

    @checked
    def get(self, trace_id: str) -> Trace:
        """The recorded run. Raises NotFound, and CatalogError for a record that this version cannot read."""
        record = self._record(trace_id)
        if record is None:
            raise NotFound(f"{trace_id!r}: no trace has this id, or several begin so")
        return _parsed(record, trace_id)

    def _record(self, trace_id: str) -> str | None:
        with self._catalog.reading() as connection:
            return traces.get(connection, trace_id)

    @checked
    def list(self, limit: int = 20) -> builtins.list[tuple[str, str, str, str]]:
        """`(id, created_at, question, status)` of the newest runs, newest first."""
        with self._catalog.reading() as connection:
            return traces.recent(connection, limit)

    @checked
    def walk(self, since: str | datetime | None = None, limit: int | None = None) -> Iterator[Trace]:
        """The runs, oldest first: those asked at or after `since` (a time, or its ISO 8601 text, UTC where it
        names no zone), at most `limit`. They are read as they are taken. Raises InvalidArgument, and
        CatalogError at a record that this version cannot read."""
        self._catalog.check_open()
        return self._walk(self._records(since, limit))

    def _records(self, since: str | datetime | None, limit: int | None) -> Iterator[str]:
        return traces.walk(self._catalog.reading, since, limit)

    def _walk(self, records: Iterator[str]) -> Iterator[Trace]:
        for record in records:
            self._catalog.check_open()
            yield _parsed(record)

    @checked
    def diff(self, first: str, second: str) -> TraceDiff:
        """Where two runs, by their ids, differ: path, evidence, answer, cost. Raises NotFound."""
        from knarr.trace.diff import diff

        return diff(self.get(first), self.get(second))

    @checked
    def export(
        self,
        target: str | Path | Writable,
        since: str | datetime | None = None,
        limit: int | None = None,
    ) -> int:
        """Write the runs of `walk` as JSON Lines to a file, by its path, or to one that is open; returns how many.
        A file is written only when `since` and `limit` are valid."""
        from knarr.trace.export import write_jsonl

        found = self.walk(since, limit)
        if not isinstance(target, str | Path):
            return write_jsonl(found, target)
        try:
            with Path(path_text(target, "target")).open("w", encoding="ascii", newline="\n") as file:
                return write_jsonl(found, file)
        except OSError as error:
            if isinstance(error, KnarrError):
                raise
            raise StorageError(f"{shown(str(target))}: cannot be written ({error.strerror})") from error


def _note_older(connection: sa.Connection) -> None:
    """Once in the life of a catalog: what was kept before documents were noted, by what stands at its URIs now. That
    may be another document by now, so such a run stays the owner's alone."""
    for trace_id, record in traces.all_within(connection):
        if trace_documents.of(connection, trace_id):
            continue
        from knarr.trace.shown import shown_documents

        try:
            numbers, _ = shown_documents(connection, _parsed(record))
        except CatalogError:
            continue  # of a newer version
        trace_documents.put(connection, trace_id, {*numbers, trace_documents.GONE})
    facts.put(connection, facts.TRACES_NOTED, "1")


def _parsed(record: str, trace_id: str = "") -> Trace:
    from knarr.trace.record import Trace

    try:
        return Trace.from_json(record)
    except ValueError as error:
        name = f"trace {trace_id!r}" if trace_id else f"a trace, {record[:60]}…,"
        raise CatalogError(f"{name} cannot be read: {error}; a newer knarr may have made it") from error
