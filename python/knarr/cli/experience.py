"""`knarr experience`: what answers have taught, seen and kept under control."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from knarr.cli import exits, page
from knarr.cli.options import DEFAULT_KB, ROOT, JsonOption, KbOption, OffsetOption, ScopeOption, open_base

if TYPE_CHECKING:
    from knarr.experience.calibrate import GammaReport
    from knarr.experience.types import EdgePage, EdgeRecord

experience = typer.Typer(
    help="What earlier answers taught, for the modes vikingrag-e and -e+: list, explain, quarantine, take back.",
    short_help="What answers taught: list, explain, take back.",
    no_args_is_help=True,
)

TraceArgument = Annotated[
    str | None, typer.Argument(metavar="[TRACE]", help="The id of the run that taught it, or its beginning.")
]
BatchOption = Annotated[str | None, typer.Option("--batch", metavar="NAME", help="All that a batch taught.")]


@experience.command("list")
def list_(
    scope: ScopeOption = ROOT,
    trace: Annotated[
        str | None, typer.Option("--trace", metavar="ID", help="Only what this run taught.")
    ] = None,
    state: Annotated[
        Literal["active", "stale", "pending", "quarantined"] | None,
        typer.Option("--state", help="Only edges in this state."),
    ] = None,
    offset: OffsetOption = 0,
    limit: Annotated[int, typer.Option("--limit", min=1, metavar="N", help="How many edges.")] = 50,
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """List edges: from what a search found to what answered, for a question."""
    with open_base(kb) as base:
        found = base.experience.edges(scope, offset, limit, trace=trace, state=state)
    if as_json:
        page.say_json(found)
    else:
        _show(found)
    if not found.edges:
        raise typer.Exit(exits.NOTHING_FOUND)


def _show(found: EdgePage) -> None:
    last = ""
    for edge in found:
        if edge.trace != last:
            page.say(page.block(edge.question))
            page.say(page.dim(page.block(_facts(edge), "  ")))
        last = edge.trace
        state = "" if edge.state == "active" else f"  {page.bad(edge.state)}"
        page.say(f"  {edge.source} -> {edge.target}{state}")
    if found.edges:
        more = f"; go on with --offset {found.next_offset}" if found.next_offset is not None else ""
        page.note(f"{page.count(found.total, 'edge')}{more}")


def _facts(edge: EdgeRecord) -> str:
    batch = f", batch {edge.batch}" if edge.batch else ""
    outcome = f"shown {edge.uses}×, helped {edge.helped}×, failed {edge.failed}×"
    return f"trace {edge.trace}, {edge.created_at[:19]}{batch}, {outcome}"


@experience.command("explain")
def explain(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="Where the edge begins, a URI.")],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="What it leads to, a URI.")],
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Say which questions speak for an edge, and how their answers were found."""
    with open_base(kb) as base:
        found = base.experience.explain(source, target)
    if as_json:
        page.say_json({"edges": found})
        return
    page.say(f"{found[0].source} -> {found[0].target}")
    for edge in found:
        page.say()
        page.say(page.block(f"{edge.question}  {edge.state}", "  "))
        page.say(page.dim(page.block(_facts(edge), "  ")))
        page.say(page.dim(page.block(f"found by {edge.summary}", "  ")))
        versions = f"learnt on version {edge.source_version} of the one, {edge.target_version} of the other"
        page.say(page.dim(page.block(versions, "  ")))


@experience.command("quarantine")
def quarantine(
    trace: TraceArgument = None,
    batch: BatchOption = None,
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Stop following what a run or a batch taught; it stays for the record."""
    with open_base(kb) as base:
        changed = base.experience.quarantine(trace, batch=batch)
    _done("quarantined", "episode", changed, as_json)


@experience.command("release")
def release(
    trace: TraceArgument = None,
    batch: BatchOption = None,
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Follow again what was quarantined."""
    with open_base(kb) as base:
        changed = base.experience.quarantine(trace, on=False, batch=batch)
    _done("released", "episode", changed, as_json)


@experience.command("approve")
def approve(
    trace: TraceArgument = None,
    batch: BatchOption = None,
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Follow what was recorded for review (KNARR_LEARNING=record)."""
    with open_base(kb) as base:
        changed = base.experience.approve(trace, batch=batch)
    _done("approved", "episode", changed, as_json)


@experience.command("mark")
def mark(
    trace: Annotated[str, typer.Argument(metavar="TRACE", help="The id of a run, or its beginning.")],
    good: Annotated[bool, typer.Option("--good/--bad", help="Whether its answer was right.")],
    kb: KbOption = DEFAULT_KB,
) -> None:
    """Say whether a run's answer was right. What a wrong one taught is quarantined at once."""
    with open_base(kb) as base:
        base.experience.mark(trace, good)
    page.say(f"marked {trace} as {'right' if good else 'wrong'}")


@experience.command("forget")
def forget(
    trace: TraceArgument = None,
    batch: BatchOption = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="TIME", help="What was learnt from then on.")
    ] = None,
    until: Annotated[
        str | None,
        typer.Option("--until", metavar="TIME", help="What was learnt before, such as 2026-01-31."),
    ] = None,
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Take back what a run or a batch taught, or what was learnt in a time."""
    with open_base(kb) as base:
        forgotten = base.experience.forget(trace, batch=batch, since=since, until=until)
    _done("forgot", "edge", forgotten, as_json)


@experience.command("stats")
def stats(kb: KbOption = DEFAULT_KB, as_json: JsonOption = False) -> None:
    """Count what was learnt, in which state it is, and what came of it."""
    with open_base(kb) as base:
        facts = base.experience.stats() | {"gamma": base.experience.gamma}
    if as_json:
        page.say_json(facts)
        return
    for name, value in facts.items():
        shown = (
            ", ".join(f"{n:,} {word}" for word, n in value.items()) if isinstance(value, dict) else f"{value}"
        )
        page.say(f"{page.pad(name, 9)}  {shown or 'none'}")


@experience.command("calibrate")
def calibrate(
    target: Annotated[
        float, typer.Option("--target", min=0.01, max=0.99, metavar="P", help="The precision to reach.")
    ] = 0.8,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show the figures.")] = False,
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Choose gamma, the similarity of questions from which an edge is followed, from your own runs.

    Each is held against what other questions taught: would it have been shown what it cited?
    """
    with open_base(kb) as base:
        report = base.experience.calibrate(target, dry_run=dry_run)
        set_by_hand = base.settings.gamma is not None
    if as_json:
        page.say_json(report)
    else:
        _show_gamma(report, dry_run, set_by_hand)
    if not report.chosen:
        raise typer.Exit(exits.NOTHING_FOUND)


def _show_gamma(report: GammaReport, dry_run: bool, set_by_hand: bool) -> None:
    if report.rows:
        page.say(page.bold("gamma  activations  right  at least  questions helped"))
    for row in report.rows:
        if row.gamma == report.gamma or round(row.gamma * 100) % 4 == 0:
            page.say(
                f"{row.gamma:>5.2f}  {row.activations:>11,}  {row.precision:>5.2f}  {row.bound:>8.2f}  {row.helped:>16.0%}"
            )
    page.say(f"{page.count(report.runs, 'run')}, {page.count(report.episodes, 'episode')} with edges")
    page.say(f"gamma {report.gamma:.2f}{'' if report.chosen else ' stays'}: {report.reason}")
    if report.chosen and dry_run:
        page.note("not stored: --dry-run")
    elif report.chosen and set_by_hand:
        page.note("stored, but KNARR_GAMMA goes before it")


def _done(what: str, word: str, number: int, as_json: bool) -> None:
    if as_json:
        page.say_json({what: number})
    else:
        page.say(f"{what} {page.count(number, word)}")
