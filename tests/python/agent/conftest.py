"""A library in memory for the agent's tests: the four tools over a few texts, no model, no files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from knarr.errors import InvalidArgument, NotFound
from knarr.language.lexical import terms
from knarr.trace.record import Trace
from knarr.types import Entry, GrepResult, Hit, Kind, Listing, Match, Passage, Provenance, SearchResult

ROOT = "viking://"


class FakeLibrary:
    """Documents as lists of chunks; search counts words in common, tokens are words."""

    def __init__(self, documents: dict[str, list[str]], pages: dict[str, int] | None = None) -> None:
        self.documents = documents
        self.pages = pages or {}
        self.seq = 1
        self.kept: list[Trace] = []
        self.calls: list[tuple[str, str]] = []

    def _chunks(self, scope: str) -> list[tuple[str, str, str]]:
        base = scope.rstrip("/") if scope != ROOT else "viking:/"
        found = []
        for document, chunks in self.documents.items():
            for number, text in enumerate(chunks, 1):
                uri = f"{document}/c_{number}.md"
                if uri == scope or uri.startswith(base + "/"):
                    found.append((document, uri, text))
        if not found and scope != ROOT:
            raise NotFound(f"{scope}: no such scope")
        return found

    def _source(self, document: str, uri: str) -> Provenance:
        number = int(uri.rsplit("_", 1)[1].removesuffix(".md")) if "/c_" in uri else 1
        chunks = self.documents[document]
        first = 1 + sum(text.count("\n") + 1 for text in chunks[: number - 1])
        last = first + chunks[number - 1].count("\n")
        page = self.pages.get(document)
        return Provenance(
            document + "/", 1, (document.rsplit("/", 1)[1],), (first, last), (page, page) if page else None
        )

    def search(
        self,
        query: str,
        scope: str = ROOT,
        k: int = 10,
        *,
        kinds: Sequence[Kind] | None = ("chunk",),
        offset: int = 0,
        distinct: bool = False,
    ) -> SearchResult:
        self.calls.append(("search", query))
        if not query.strip():
            raise InvalidArgument("the query is empty")
        asked = Counter(terms(query))
        rows = self._chunks(scope)
        scored = sorted(
            ((sum(asked[t] for t in set(terms(text))), uri, d, text) for d, uri, text in rows),
            key=lambda r: (-r[0], r[1]),
        )
        hits = tuple(
            Hit(uri, float(n) / 10, "chunk", text[:60], self._source(d, uri))
            for n, uri, d, text in scored[offset : offset + k]
        )
        return SearchResult(query, scope, hits, "exact", len(rows))

    def list(self, uri: str = ROOT, offset: int = 0, limit: int = 100) -> Listing:
        self.calls.append(("list", uri))
        base = uri if uri.endswith("/") else uri + "/"
        names: dict[str, int] = {}
        for _, chunk, _ in self._chunks(uri):
            name, _, below = chunk.removeprefix(base).partition("/")
            names[name + "/" * bool(below)] = names.get(name + "/" * bool(below), 0) + 1
        listed = [
            Entry(base + name, name.rstrip("/"), name.endswith("/"), rows) for name, rows in names.items()
        ]
        shown = tuple(listed[offset : offset + limit])
        end = offset + len(shown)
        return Listing(base, "", shown, len(listed), end if end < len(listed) else None)

    def grep(
        self,
        pattern: str,
        scope: str = ROOT,
        *,
        literal: bool = False,
        ignore_case: bool = False,
        limit: int = 50,
        offset: int = 0,
    ) -> GrepResult:
        self.calls.append(("grep", pattern))
        try:
            compiled = re.compile(
                re.escape(pattern) if literal else pattern, re.IGNORECASE if ignore_case else 0
            )
        except re.error as error:
            raise InvalidArgument(f"bad pattern: {error}") from error
        found = [
            Match(
                uri,
                (uri,),
                text.count("\n", 0, hit.start()) + 1,
                0,
                hit.start(),
                hit.end(),
                text[hit.start() : hit.start() + 80].split("\n")[0],
                document,
                (),
                None,
            )
            for document, uri, text in self._chunks(scope)
            for hit in compiled.finditer(text)
        ]
        shown = tuple(found[offset : offset + limit])
        end = offset + len(shown)
        return GrepResult(
            pattern,
            scope,
            "matches" if found else "no_matches",
            shown,
            len(found),
            end if end < len(found) else None,
        )

    def read(self, uri: str, begin_byte: int = 0, max_tokens: int | None = None) -> Passage:
        self.calls.append(("read", uri))
        uri = uri.rstrip("/") if uri != ROOT else uri
        rows = self._chunks(uri)
        document = rows[0][0]
        if not (uri == document or uri.startswith(document + "/")):
            raise InvalidArgument(f"{uri} is a folder of documents")
        whole = "\n".join(text for _, _, text in rows)
        data = whole.encode("utf-8")
        text = data[begin_byte:].decode("utf-8")
        if max_tokens is not None:
            words = list(re.finditer(r"\s*\S+", text))
            text = text[: words[max_tokens - 1].end()] if len(words) > max_tokens else text
        end = begin_byte + len(text.encode("utf-8"))
        source = self._source(document, rows[0][1])
        first = source.lines[0] + whole[: len(whole) - len(data[begin_byte:].decode("utf-8"))].count("\n")
        placed = Provenance(
            source.document, 1, source.section, (first, first + text.count("\n")), source.pages
        )
        return Passage(
            uri,
            text,
            placed,
            begin_byte,
            end,
            len(data),
            end if end < len(data) else None,
            tuple(r[1] for r in rows),
        )

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def info(self) -> dict[str, Any]:
        return {"seq": self.seq}

    def store_trace(self, trace: Trace) -> None:
        self.kept.append(trace)


HANDBOOK = "viking://handbook/loans"
LEASE = "viking://contracts/lease"
MANUAL = "viking://manuals/widget_2.1.0"
OLD_MANUAL = "viking://manuals/widget_1.9.3"


@pytest.fixture
def library() -> FakeLibrary:
    return FakeLibrary(
        {
            HANDBOOK: [
                "# Loans\nA loan of equipment lasts fourteen days. It can be renewed once at the desk.",
                "# Fees\nA late fee of two crowns is charged for each day after the due date.\nThe of\ufb01ce waives the fee after an ill-\nness has been reported in writing.",
            ],
            LEASE: [
                "LEASE AGREEMENT between Harbour Sheds Ltd and Olga Nilsen Boats Inc.\nDated 3 May 2019.",
                "1. The rent is nine hundred crowns a month, payable on the first day of each month.",
                "2. Either party may end this lease by giving three months of written notice.",
            ],
            MANUAL: ["# Widget 2.1.0\nThe default timeout of the widget is thirty seconds in this release."],
            OLD_MANUAL: ["# Widget 1.9.3\nThe default timeout of the widget is ten seconds in this release."],
        }
    )
