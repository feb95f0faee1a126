"""`knarr abstracts`: let a chat model write what directories hold, or say first what that would cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from knarr.cli import exits, page
from knarr.cli.options import DEFAULT_KB, ROOT, JsonOption, KbOption, open_base
from knarr.cli.progress import progress_count

if TYPE_CHECKING:
    from knarr.abstracts.report import AbstractReport


def abstracts(
    scope: Annotated[
        str, typer.Argument(metavar="[SCOPE]", help="A folder, document or section.", show_default=True)
    ] = ROOT,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Estimate calls, tokens and cost; call nothing.")
    ] = False,
    max_tokens: Annotated[
        int | None,
        typer.Option(
            "--max-tokens",
            min=0,
            metavar="N",
            help="The most tokens of this job, 0 for no limit ($KNARR_ABSTRACT_JOB_TOKENS without it).",
        ),
    ] = None,
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Let the chat model say what directories hold.

    Writes the abstracts of all that is in SCOPE, and of the folders above it, within a limit of tokens.
    Content that has not changed costs nothing again, and a job that was stopped goes on where it was.
    Directories without a model's abstract keep the one made of their own sentences.
    """
    with open_base(kb) as base, progress_count("abstracts") as progress:
        if dry_run:
            report = base.abstracts.estimate(scope, max_tokens=max_tokens)
        else:
            report = base.abstracts.make(scope, max_tokens=max_tokens, progress=progress)
    if as_json:
        page.say_json({"ok": report.ok, "nodes": report.nodes, "tokens": report.tokens} | page.plain(report))
    else:
        show_abstracts(report)
    if not report.ok:
        raise typer.Exit(exits.INCOMPLETE)


def show_abstracts(report: AbstractReport) -> None:
    """What a job did, or in a dry run would do."""
    name = page.clean(report.model) or "the chat model"
    verb = "to be made" if report.dry_run else "made"
    head = f"{report.made:,} of {page.count(report.nodes, 'abstract')} {verb} by {name}"
    rest = [
        f"{number:,} {word}"
        for number, word in (
            (report.cached, "known already"),
            (report.shared, "told by their only part"),
            (report.short, "short enough as they are"),
        )
        if number
    ]
    page.say(page.bold(head) + (f": {', '.join(rest)}" if rest else ""))
    bound = "at most " if report.dry_run else ""
    usage = report.usage
    cost = f", cost {usage.cost:,.4f}" if usage.cost else ""
    sampled = f", {report.sampled:,} shown in part" if report.sampled else ""
    detail = (
        f"{page.count(usage.calls, 'call')}, {bound}{report.tokens:,} tokens "
        f"({usage.prompt_tokens:,} in, {usage.completion_tokens:,} out){cost}{sampled}, {report.seconds:,.1f} s"
    )
    page.say(page.dim(detail))
    for reason, number in sorted(report.fallback.items()):
        page.say(page.bad(f"{number:,} kept their own sentences: {page.clean_line(reason)}"))
    if report.left:
        page.say(page.bad(f"{report.left:,} left: {page.clean_line(report.stopped)}"))
    if report.changed:
        page.say(page.bad(f"{report.changed:,} changed meanwhile; run it again"))
