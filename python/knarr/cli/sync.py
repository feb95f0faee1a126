"""`knarr sync`: bring documents in step with a folder, once or as it changes."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from knarr.cli import page
from knarr.cli.options import DEFAULT_KB, ROOT, JsonOption, KbOption, open_base
from knarr.cli.progress import progress_line
from knarr.cli.write import MAX_FILES_SHOWN, end_with, say_what_is_missing, show_file, show_list
from knarr.errors import InvalidArgument

if TYPE_CHECKING:
    from knarr.writing.sync_receipt import SyncReport


def sync(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder on disk.")],
    into: Annotated[str, typer.Option("--into", metavar="URI", help="What is to be in step with it.")] = ROOT,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done; do nothing.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Go on as files change, until Ctrl-C.")] = False,
    poll: Annotated[
        bool, typer.Option("--poll", help="Watch by looking again, as for folders on a network.")
    ] = False,
    remove_unreadable: Annotated[
        bool,
        typer.Option("--remove-unreadable", help="Remove a document whose file is now empty or damaged."),
    ] = False,
    follow_links: Annotated[
        bool, typer.Option("--follow-links", help="Read what links name, where that lies in DIR.")
    ] = False,
    ignore: Annotated[
        list[str] | None,
        typer.Option("--ignore", metavar="PATTERN", help="Leave out, as a line of a .gitignore; repeatable."),
    ] = None,
    allow_empty: Annotated[
        bool, typer.Option("--allow-empty", help="Remove everything, where DIR is empty or missing.")
    ] = False,
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Keep documents in step with a folder: add, update, move, remove.

    Removes only what came from DIR and is gone there. What a .knarrignore in DIR or below
    names, as in a .gitignore, is no part of it.
    """
    if watch and dry_run:
        raise InvalidArgument("--watch does what changes ask for, --dry-run nothing: give one of them")
    options: dict[str, Any] = {
        "into": into,
        "dry_run": dry_run,
        "when_unreadable": "remove" if remove_unreadable else "keep",
        "links": "follow-inside" if follow_links else "skip",
        "ignore": ignore or [],
        "allow_empty": allow_empty,
    }
    with open_base(kb, create=True) as base:
        if watch:
            _watch(folder, partial(base.sync, folder, **options), base.path, poll, as_json)
            return
        with progress_line("syncing") as progress:
            report = base.sync(folder, progress=progress, **options)
    end_with(report, as_json, show_sync)


def _watch(folder: Path, run: partial[SyncReport], base: Path, poll: bool, as_json: bool) -> None:
    from knarr.writing.watch import watch

    with _ended_by_signals():
        page.note(f"knarr: watching {page.clean(str(folder))}; Ctrl-C ends it")
        try:
            for outcome in watch(folder, run, beside=base, polling=poll):
                if isinstance(outcome, Exception):
                    page.note(f"knarr: {page.clean_line(str(outcome))}; tried again later")
                elif as_json:
                    page.say_json_line({"ok": outcome.ok} | page.plain(outcome))
                else:
                    show_sync(outcome)
        except KeyboardInterrupt:
            pass
        page.note("knarr: no longer watching")


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """A request to end is a KeyboardInterrupt, as Ctrl-C is: each document is then whole or absent."""

    def end(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def show_sync(report: SyncReport) -> None:
    """What came, changed, moved and went; what is unchanged is only counted."""
    worth_showing = [
        file
        for file in report.files
        if file.change in ("added", "updated") or file.status not in ("ok", "skipped")
    ]
    for file in worth_showing[:MAX_FILES_SHOWN]:
        show_file(file)
    if len(worth_showing) > MAX_FILES_SHOWN:
        page.say(page.dim(f"{'':12}and {len(worth_showing) - MAX_FILES_SHOWN:,} more; --json lists all"))
    show_list("moved", [page.clean(str(one)) for one in report.moved])
    show_list("removed", [page.clean(str(one)) for one in report.removed])
    show_list("gone", [page.clean(str(one)) for one in report.gone])
    show_list("not tried", [page.clean(path) for path in report.unread])
    if worth_showing or report.moved or report.removed or report.gone or report.unread:
        page.say()
    counts = {
        "added": len(report.added),
        "updated": len(report.updated),
        "moved": len(report.moved),
        "removed": len(report.removed),
        "unchanged": len(report.unchanged) + report.count("moved"),
    }
    would = "would be " if report.dry_run else ""
    said = ", ".join(f"{number:,} {word}" for word, number in counts.items() if number)
    page.say(page.bold(f"{would}in step: {said or 'no documents'}"))
    page.say(page.dim(f"{report.total('embedded'):,} vectors made, {report.seconds:,.1f} s"))
    say_what_is_missing(report)
