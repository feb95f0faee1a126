"""Syncing a folder whenever it changes: bursts of changes are one sync, and no error ends the watch.

What tells of changes may miss some, as a full queue of the system's does; so may a sync that failed. Both are made
good, for every sync compares the whole folder, and one that failed is tried again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from knarr.errors import KnarrError, MissingPackage
from knarr.writing.ignore import IGNORE_NAME
from knarr.writing.sync_receipt import SyncReport

_QUIET_MS = 400  # without a change, before what was changed is looked at
_BURST_MS = 10_000  # after which it is looked at while changes go on
_TICK_MS = 1_000
_RETRY_S = (2.0, 5.0, 15.0, 60.0)


def watch(
    folder: str | Path,
    run: Callable[[], SyncReport],
    *,
    beside: Path | None = None,
    polling: bool = False,
) -> Iterator[SyncReport | KnarrError | OSError]:
    """Sync at once, and then whenever something in the folder changes; yields each receipt that tells of something, and
    each error. Ends with a KeyboardInterrupt. What changes in `beside`, the knowledge base itself, is nothing.

    Where the system's own notices cannot be had, it looks again every second; with `polling` it does so in any case.
    Raises MissingPackage without watchfiles."""
    _require()
    failed = 0
    first = True
    ticks = _changes(Path(folder), None if beside is None else beside.absolute(), polling)
    due = 0.0
    for changed in ticks:
        if changed and not failed:
            due = time.monotonic()
        if not first and not (due and time.monotonic() >= due):
            continue
        due = 0.0
        try:
            report = run()
        except (KnarrError, OSError) as error:
            yield error
            ended = True
        else:
            if first or report.changed or not report.ok:
                yield report
            ended = bool(report.error)
        first = False
        failed = failed + 1 if ended else 0
        if failed:
            due = time.monotonic() + _RETRY_S[min(failed, len(_RETRY_S)) - 1]


def _require() -> None:
    try:
        import watchfiles  # noqa: F401
    except ImportError:
        raise MissingPackage("watching a folder needs watchfiles: pip install 'knarr[watch]'") from None


def _changes(folder: Path, beside: Path | None, polling: bool) -> Iterator[bool]:
    """Whether something changed since the last time, about every second; True first. A folder that is put in the place
    of the watched one, or comes back after it was gone, is a change."""
    yield True
    while True:
        known = _identity(folder)
        if known is None:
            time.sleep(_TICK_MS / 1000)
            yield _identity(folder) is not None
            continue
        try:
            for changed in _notices(folder, beside, polling):
                yield changed
                if _identity(folder) != known:
                    break
        except (OSError, RuntimeError):
            # No notices to be had: too many watches, or the folder went while it was looked through.
            polling = True
            time.sleep(_TICK_MS / 1000)
        yield True


def _notices(folder: Path, beside: Path | None, polling: bool) -> Iterator[bool]:
    from watchfiles import watch as notices

    root = folder.resolve()

    own = None if beside is None else beside.resolve()

    def matters(_kind: object, path: str) -> bool:
        where = Path(path)
        if own is not None and where.is_relative_to(own):
            return False
        below = where.relative_to(root).parts if where.is_relative_to(root) else ()
        return not any(name.startswith(".") and name != IGNORE_NAME for name in below)

    first = True  # what changed before there were notices
    for found in notices(
        root,
        watch_filter=matters,
        debounce=_BURST_MS,
        step=_QUIET_MS,
        rust_timeout=_TICK_MS,
        yield_on_timeout=True,
        raise_interrupt=True,
        force_polling=polling or None,
        poll_delay_ms=_TICK_MS,
    ):
        yield bool(found) or first
        first = False


def _identity(folder: Path) -> tuple[int, int] | None:
    """Which folder this is; None where none is there."""
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
