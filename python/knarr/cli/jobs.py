"""`knarr jobs`: what was asked to be added or kept in step, and going on with what was cut off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from knarr.cli import exits, page
from knarr.cli.options import DEFAULT_KB, JsonOption, KbOption, open_base
from knarr.cli.progress import progress_line
from knarr.cli.sync import show_sync
from knarr.cli.write import end_with, show_receipt

if TYPE_CHECKING:
    from knarr.writing.jobs import JobInfo

jobs = typer.Typer(
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="List what was added or kept in step, and go on with what was cut off.",
)


@jobs.callback(invoke_without_command=True)
def list_(context: typer.Context, kb: KbOption = DEFAULT_KB, as_json: JsonOption = False) -> None:
    """List jobs, the newest first. Those that failed or were interrupted can be resumed."""
    if context.invoked_subcommand is not None:
        return
    with open_base(kb) as base:
        found = base.jobs.list()
    if as_json:
        page.say_json({"jobs": found})
    else:
        for job in found:
            _show(job)
    if not found:
        page.note("no jobs: nothing was added or kept in step yet")
        raise typer.Exit(exits.NOTHING_FOUND)


@jobs.command("resume")
def resume(
    job: Annotated[int, typer.Argument(metavar="ID", help="Its number, as `knarr jobs` lists it.")],
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Go on with a job that failed or was interrupted. What it finished costs nothing."""
    from knarr.writing.sync_receipt import SyncReport

    with open_base(kb) as base, progress_line("resuming") as progress:
        report = base.jobs.resume(job, progress=progress)
    if isinstance(report, SyncReport):
        end_with(report, as_json, show_sync)
    else:
        end_with(report, as_json, show_receipt)


def _show(job: JobInfo) -> None:
    label = page.pad(job.state, 12)
    what = job.arguments.get("folder") or " ".join(map(str, job.arguments.get("paths", ())))
    head = page.bad(label) if job.resumable else page.good(label)
    page.say(f"{job.id:>4}  {head} {job.kind} {page.clean_line(str(what))} into {job.arguments.get('into')}")
    counts = ", ".join(f"{number:,} {word}" for word, number in job.counts.items())
    detail = "; ".join(part for part in (job.started_at, counts, page.clean_line(job.reason)) if part)
    page.say(page.dim(f"{'':18} {detail}"))
