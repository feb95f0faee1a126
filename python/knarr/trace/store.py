"""`kb.traces`: the recorded runs of a knowledge base."""

from __future__ import annotations

import builtins
import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from knarr.arguments import checked, path_text, shown
from knarr.catalog import Catalog, traces
from knarr.errors import CatalogError, KnarrError, NotFound, StorageError

if TYPE_CHECKING:
    from knarr.trace.diff import TraceDiff
    from knarr.trace.export import Writable
    from knarr.trace.record import Trace


class Traces:
    """Keeps traces in the catalog. A trace may be named by the beginning of its id where only one begins so."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    @checked
    def put(self, trace: Trace, *, asker: str = "") -> None:
        """Keep the record of a run, and nothing else: no edge is learnt from it. `asker` is who asked, "" for the
        owner."""
        from knarr.trace.shown import note_documents

        record = json.dumps(trace.to_json(), ensure_ascii=False)
        with self._catalog.writing() as connection:
            traces.put(connection, trace.id, trace.created_at, trace.question, trace.status, record, asker)
            note_documents(connection, trace)

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


def _parsed(record: str, trace_id: str = "") -> Trace:
    from knarr.trace.record import Trace

    try:
        return Trace.from_json(record)
    except ValueError as error:
        name = f"trace {trace_id!r}" if trace_id else f"a trace, {record[:60]}…,"
        raise CatalogError(f"{name} cannot be read: {error}; a newer knarr may have made it") from error
