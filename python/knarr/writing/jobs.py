"""Jobs: what was asked to be added or kept in step, written down before it begins, so that what a kill or a failure cut
off is known and can be taken up again. Doing so does no finished work again: what is stored is known by its bytes,
and a vector by its text.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast

from knarr.arguments import checked
from knarr.catalog import Catalog
from knarr.catalog import jobs as stored
from knarr.catalog.jobs import JobRecord
from knarr.errors import CatalogError, InvalidArgument, NotFound
from knarr.types import Progress
from knarr.uris import is_web_address, without_credentials
from knarr.writing.receipt import AddReport
from knarr.writing.sync_receipt import SyncReport

_TELL_S = 2.0

JobState = Literal["running", "done", "failed", "interrupted"]
Run = Callable[[str, Mapping[str, Any], Progress | None], AddReport | SyncReport]


@dataclass(frozen=True, slots=True)
class JobInfo:
    """One `add` or `sync`.

    arguments:  as they were given, paths made absolute
    state:      "failed" when it ended with files that could not be stored, "interrupted" when its process is gone
    counts:     how many files came to each end
    reason:     why it ended before its end; "" when it did not
    """

    id: int
    kind: Literal["add", "sync"]
    arguments: Mapping[str, Any]
    state: JobState
    counts: Mapping[str, int]
    reason: str
    started_at: str
    ended_at: str

    @property
    def resumable(self) -> bool:
        """Whether something of it is left to be done."""
        return self.state in ("failed", "interrupted")


class Jobs:
    """The jobs of a knowledge base, the newest first; the newest 200 are kept."""

    def __init__(self, catalog: Catalog, run: Run) -> None:
        self._catalog = catalog
        self._run = run

    def list(self) -> tuple[JobInfo, ...]:
        """All that are known."""
        with self._catalog.reading() as connection:
            return tuple(_job(record) for record in stored.all_of(connection))

    def __iter__(self) -> Iterator[JobInfo]:
        return iter(self.list())

    def __len__(self) -> int:
        return len(self.list())

    @checked
    def get(self, job_id: int) -> JobInfo:
        """One of them. Raises NotFound."""
        for job in self.list():
            if job.id == job_id:
                return job
        raise NotFound(f"job {job_id!r}: there is none of this number; `knarr jobs` lists them")

    @checked
    def resume(self, job_id: int, *, progress: Progress | None = None) -> AddReport | SyncReport:
        """Do again what a job was asked to do; what it finished costs nothing. Returns the receipt.

        Raises NotFound, and InvalidArgument for a job that is done or runs."""
        job = self.get(job_id)
        if not job.resumable:
            raise InvalidArgument(f"job {job_id} is {job.state}; only failed and interrupted ones go on")
        report = self._run(job.kind, job.arguments, progress)
        with self._catalog.writing() as connection:
            stored.settle(connection, job_id, report.job)
        return report


class JobLog:
    """The job that runs, for its writer: told how far it is every few seconds, and how it ended."""

    def __init__(self, catalog: Catalog, kind: str, arguments: Mapping[str, Any]) -> None:
        self._catalog = catalog
        self._counts: dict[str, int] = {}
        self._told = time.monotonic()
        plain = {name: _plain(value) for name, value in arguments.items()}
        with catalog.writing() as connection:
            self.id = stored.begin(connection, kind, plain, _now(), _this_process())

    def count(self, word: str) -> None:
        """One more file came to this end."""
        self._counts[word] = self._counts.get(word, 0) + 1
        if time.monotonic() - self._told > _TELL_S:
            self._told = time.monotonic()
            self._tell("running", "", "")

    def end(self, state: JobState, reason: str = "") -> None:
        """It ended. A catalog that takes nothing any more keeps the job as running, and so as interrupted later."""
        self._tell(state, reason, _now())

    def end_with(self, report: AddReport) -> None:
        """It ended with a receipt."""
        failed = len(report.failed)
        reason = report.error or (f"{failed} files could not be stored" if failed else "")
        self.end("failed" if reason else "done", reason)

    def drop(self) -> None:
        """It was refused before it began."""
        with self._catalog.writing() as connection:
            stored.drop(connection, self.id)

    def _tell(self, state: JobState, reason: str, ended_at: str) -> None:
        try:
            with self._catalog.writing() as connection:
                stored.tell(connection, self.id, self._counts, state, reason, ended_at)
        except CatalogError:
            pass  # the receipt says what is wrong


def _job(record: JobRecord) -> JobInfo:
    state, reason = record.state, record.reason
    if state == "running" and not _is_alive(record.process):
        state, reason = "interrupted", "its process ended"
    return JobInfo(
        record.id,
        cast(Literal["add", "sync"], record.kind),
        record.arguments,
        cast(JobState, state),
        record.counts,
        reason,
        record.started_at,
        record.ended_at,
    )


def _plain(value: Any) -> Any:
    """An argument as it is written down: paths absolute, addresses without the password that they may hold."""
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, Path):
        return str(value.absolute()).encode("utf-8", "backslashreplace").decode()
    return without_credentials(value) if isinstance(value, str) and is_web_address(value) else value


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@cache
def _host() -> str:
    return platform.node()


def _this_process() -> str:
    return f"{os.getpid()} {_begun(os.getpid())} {_host()}"


def _is_alive(process: str) -> bool:
    """Whether a process still runs. One of another machine is taken to, for nobody can tell."""
    number, begun, host = process.split(" ", 2)
    if host != _host():
        return True
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return _begun(int(number)) == begun


def _begun(number: int) -> str:
    """When a process began, which tells it from a later one of its number; "-" where the system does not say."""
    try:
        said = Path(f"/proc/{number}/stat").read_text()
    except OSError:
        return "-"
    words = said.rpartition(")")[2].split()
    return "-" if words[0] == "Z" else words[19]
