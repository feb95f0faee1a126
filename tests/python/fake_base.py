"""A stand-in for a knowledge base, for tests of the command line."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from pathlib import Path
from typing import Any

from knarr.trace.record import CallRecord, RoundRecord, ScopeRecord, Trace
from knarr.types import (
    Answer,
    Box,
    Citation,
    Entry,
    GrepResult,
    Hit,
    Listing,
    Match,
    PageShape,
    Passage,
    Provenance,
    SearchResult,
    StoredDocument,
    Usage,
    Verdict,
)
from knarr.writing.jobs import JobInfo
from knarr.writing.receipt import AddReport, FileReport, GoneFile
from knarr.writing.sync_receipt import MovedFile, RemovedFile, SyncReport

Run = Callable[..., tuple[int, str, str]]

LOANS = "viking://handbook/Loans"
BOX = Box(2, 72, 500.5, 210.2, 512)
CHUNK = f"{LOANS}/Late_returns/Late_returns_1.md"
LONG_CHUNK = "viking://" + "/".join(f"a_rather_long_component_name_{n}" for n in range(9)) + "/x_1.md"
SOURCE = Provenance(LOANS, 1, ("Loans", "Late returns"), (7, 9), None)
QUOTE = "A late fee of 15 euros is due."

COMMANDS: dict[str, list[str]] = {
    "add": ["add", "loans.md"],
    "sync": ["sync", "."],
    "jobs": ["jobs"],
    "resume": ["jobs", "resume", "7"],
    "search": ["search", "late fee"],
    "list": ["list", "viking://handbook"],
    "grep": ["grep", "late fee"],
    "read": ["read", CHUNK],
    "ask": ["ask", "What is the fee?"],
    "trace": ["trace", "t-1"],
    "traces": ["trace"],
    "info": ["info"],
    "show": ["show", LOANS],
    "remove": ["remove", LOANS],
    "move": ["move", LOANS, "viking://old"],
}


class FakeBase:
    """Answers like a knowledge base of one chunk, and records what it was asked."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        self.files: tuple[FileReport, ...] = (
            FileReport("loans.md", "ok", "added", LOANS + "/", 1, 2048, 2000, 0, (), 4, 3, 210, 9, 0),
        )
        self.uri = CHUNK
        self.preview = QUOTE
        self.empty = False
        self.outcome: Any = None
        self.stopped = ""
        self.status: Any = "answered"
        self.error: Exception | None = None
        self.traces = FakeTraces(self)
        self.jobs = FakeJobs(self)
        self.path = Path("knarr.kb")

    def __enter__(self) -> FakeBase:
        return self

    def __exit__(self, *_: object) -> None:
        self.calls.append(("close", (), {}))

    def _called(self, name: str, *args: Any, **kwargs: Any) -> None:
        self.calls.append((name, args, kwargs))
        if self.error is not None:
            raise self.error

    def add(self, paths: Any, into: str, progress: Any = None) -> AddReport:
        self._called("add", paths, into=into)
        return AddReport(into, self.files, 0.5, 0.25, error=self.stopped, job=7)

    def sync(self, folder: Any, into: str, **options: Any) -> SyncReport:
        self._called("sync", folder, into=into, **options)
        moved = (MovedFile(LOANS, "viking://handbook/Old\x1b[31m", "loans.md"),)
        removed = (RemovedFile("viking://handbook/Fees", "/docs/fees.md", "its file is gone"),)
        gone = (GoneFile("viking://handbook/Far", "/far/x.md", why="kept"),)
        return SyncReport(
            into, self.files, 0.5, 0.25, gone=gone, folder="/docs", moved=moved, removed=removed, error=self.stopped,
            job=7, dry_run=options["dry_run"],
        )  # fmt: skip

    def search(self, query: str, **options: Any) -> SearchResult:
        self._called("search", query, **options)
        hits = () if self.empty else (Hit(self.uri, 0.83, "chunk", self.preview, SOURCE),)
        return SearchResult(query, options["scope"], hits, "exact", 9)

    def list(self, uri: str, **options: Any) -> Listing:
        self._called("list", uri, **options)
        entries = (
            ()
            if self.empty
            else (Entry(LOANS + "/", "Loans", True, 9), Entry(self.uri, "x", False, 1, QUOTE))
        )
        return Listing("viking://handbook/", "About loans.", entries, 7, None if self.empty else 2)

    def grep(self, pattern: str, **options: Any) -> GrepResult:
        self._called("grep", pattern, **options)
        match = Match(self.uri, (self.uri,), 8, 3, 60, 68, QUOTE, LOANS, ("Loans",), None)
        matches = () if self.empty else (match,)
        outcome = self.outcome or ("no_matches" if self.empty else "matches")
        return GrepResult(
            pattern, options["scope"], outcome, matches, 80 if matches else 0, None, "stopped after 10 s"
        )

    def read(self, uri: str, **options: Any) -> Passage:
        self._called("read", uri, **options)
        return Passage(uri, QUOTE + "\x1b[31m\n", SOURCE, 60, 90, 2000, 90, (CHUNK,))

    def document(self, uri: str) -> StoredDocument:
        self._called("document", uri)
        said = {"author": "A. Moor\x1b[31m", "tags": ("fees", "loans"), "year": 2026}
        return StoredDocument(
            LOANS, "Loans", "pdf", 3, "ok", "/docs/loans.pdf", "ab" * 32, 2048, "2026-01-01T10:00:00+00:00",
            (PageShape(0, 0, 612, 792),), (), ("no outline in the file",), said,
        )  # fmt: skip

    def boxes(self, place: str) -> tuple[Box, ...]:
        self._called("boxes", place)
        return (BOX,)

    def remove(self, uri: str) -> int:
        self._called("remove", uri)
        return 9

    def move(self, source: str, target: str) -> int:
        self._called("move", source, target)
        return 9

    def info(self) -> dict[str, Any]:
        self._called("info")
        return {"documents": 1, "objects": 1234, "embedder": {"id": "hash", "dim": 64}}

    def ask(self, question: str, **options: Any) -> Answer:
        self._called("ask", question, **options)
        found = self.status == "answered"
        cited = Citation(self.uri, QUOTE, (7, 7), (2, 2), LOANS, 3, (60, 90), (BOX,))
        citations = (cited,) if found else ()
        text = f"{QUOTE} [1]" if found else "The documents do not say."
        usage = Usage({"search": 420, "read": 80}, {"search": 2, "read": 1}, {"search": 3.0})
        verdict = Verdict("sufficient" if found else "insufficient", "as told")
        return Answer(question, text, self.status, citations, 2, usage, "t-1", "as told", verdict)


class FakeJobs:
    """One job that a full disk ended."""

    def __init__(self, base: FakeBase) -> None:
        self._base = base

    def list(self) -> tuple[JobInfo, ...]:
        self._base._called("jobs")
        arguments = {"paths": ["/docs/loans.md\x1b[31m"], "into": "viking://handbook"}
        job = JobInfo(
            7, "add", arguments, "failed", {"added": 2}, "the disk is full", "2026-01-01T10:00:00+00:00", ""
        )
        return () if self._base.empty else (job,)

    def resume(self, job_id: int, progress: Any = None) -> AddReport:
        self._base._called("resume", job_id)
        return AddReport("viking://handbook", self._base.files, 0.5, 0.25, job=8)


class FakeTraces:
    """Its recorded runs."""

    def __init__(self, base: FakeBase) -> None:
        self._base = base

    def get(self, trace_id: str) -> Trace:
        self._base._called("traces.get", trace_id)
        call = CallRecord(
            "1", "search", {"query": "late fee", "scope": LOANS}, (self._base.uri,) * 7, 420, 3.0
        )
        rounds = (RoundRecord(1, (call,)), RoundRecord(2, ()))
        return Trace(
            "t-1",
            "What?",
            "viking://",
            "extractive",
            "2026-01-01",
            ScopeRecord(),
            rounds,
            "answered",
            "A",
            (),
        )

    def list(self, limit: int) -> builtins.list[tuple[str, str, str, str]]:
        self._base._called("traces.list", limit)
        return (
            [] if self._base.empty else [("t-1", "2026-01-01T10:00:00+00:00", "What is the fee?", "answered")]
        )
