"""`kb.history`: the versions of a document, what differs between two, putting one back, and what became of quotes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from knarr.arguments import checked
from knarr.catalog.versions import Retention
from knarr.config import Settings
from knarr.history.listing import check_kept, diff_of, subject, versions_of
from knarr.history.records import DocumentDiff, DocumentHistory, Version
from knarr.history.rollback import put_back
from knarr.history.since import since
from knarr.index.index import Changing
from knarr.reading.context import ReadContext
from knarr.types import Citation, QuoteNow


class SeenHistory:
    """The history of documents, as far as a reader may see it: of versions that stood where it may look now, of
    documents that stand there."""

    def __init__(self, context: ReadContext) -> None:
        self._context = context

    @checked
    def versions(self, uri: str) -> DocumentHistory:
        """The versions of the document that a URI names or lies in, oldest first: of the one that stands there, else
        of the last that did. Versions that are no longer kept are listed as such, as far as they are known.

        Costs the unpacking and comparing of every kept version. Raises NotFound, CatalogError for a damaged one."""
        return versions_of(self._context, uri)

    @checked
    def diff(
        self,
        uri: str,
        old: int | None = None,
        new: int | None = None,
        *,
        other: str | None = None,
        offset: int = 0,
        limit: int = 50,
        lines: int = 200,
    ) -> DocumentDiff:
        """How version `old` of a document differs from version `new`: its newest one, and the one before that, where
        they are left out. With `other` the new side is a version of that document instead: manuals often come as a
        file for each version.

        `limit` sections from `offset` on, each with at most so many `lines` of its text diff. Raises NotRetained, naming
        the versions that are kept, InvalidArgument for bounds below 0."""
        return diff_of(self._context, uri, old, new, other=other, offset=offset, limit=limit, lines=lines)

    def since(self, citations: Sequence[Citation]) -> tuple[QuoteNow, ...]:
        """What became of each quote since it was made, in their order: see `QuoteNow`."""
        return since(self._context, citations)


class History(SeenHistory):
    """The history of the documents of a knowledge base.

    changing: the right to change documents, for one thread and process at a time
    settle:   called after a change, so that the engine and the folders above take it up
    """

    def __init__(
        self, context: ReadContext, settings: Settings, changing: Changing, settle: Callable[[], None]
    ) -> None:
        super().__init__(context)
        self._retention = Retention(settings.history_versions, settings.history_days)
        self._changing = changing
        self._settle = settle

    @checked
    def rollback(self, uri: str, version: int) -> Version:
        """Put an earlier version of a document back, as one more version; returns it. The versions between stay in
        the history. A removed document comes back to where it stood last.

        Nothing is embedded; edges are held against the text as with any update. Raises NotRetained, naming the versions
        that are kept, InvalidArgument for the newest version, AlreadyExists where another document or folder has
        taken the place, CatalogError when another process writes."""
        with self._changing():
            with self._context.catalog.writing() as connection:
                number, kept, _ = subject(connection, uri, self._context)
                check_kept(uri, kept, version)
                fresh = put_back(connection, number, version, self._retention)
            self._settle()
        return next(one for one in self.versions(fresh.uri) if one.version == fresh.version)
