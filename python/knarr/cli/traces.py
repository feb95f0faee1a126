"""Commands about past questions: trace, trace diff, trace export."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperGroup

from knarr.cli import exits, page
from knarr.cli.options import DEFAULT_KB, JsonOption, KbOption, open_base
from knarr.errors import NotFound

if TYPE_CHECKING:
    from knarr.knowledge_base import KnowledgeBase
    from knarr.trace.record import Trace

MAX_TRACES = 20
_HELP = ("-h", "--help")


class ShowByDefault(TyperGroup):
    """A group whose first word may be left out: then it is `show`, and `trace ID` is `trace show ID`."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]  # a narrower context
        named = bool(args) and (args[0] in self.commands or args[0] in _HELP)
        return super().parse_args(ctx, args if named else ["show", *args])


traces = typer.Typer(
    cls=ShowByDefault,
    subcommand_metavar="[ID] | diff A B | export",
    help="Draw what happened when a question was asked. Without an id: list the latest questions.\n\n"
    "The record of a question holds text of the documents that it was shown. It is kept for KNARR_TRACE_DAYS days "
    "(90), goes with the first of these documents that is removed, and sooner with `knarr forget`.",
)


@traces.command("show")
def show(
    trace_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="The id of a run, or its beginning.")
    ] = None,
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Draw a run; without an id, list the latest. The word `show` may be left out.

    Quotes of documents that have changed since say whether the newest version still has them."""
    with open_base(kb) as base:
        if trace_id is None:
            _list_traces(base.traces.list(MAX_TRACES), as_json)
            return
        record = base.traces.get(trace_id)
        learnt = 0 if as_json else _learnt(base, record)
        now = () if as_json or not record.citations else base.history.since(record.citations)
    if as_json:
        page.say_json(record.to_json())
        return
    from knarr.trace.view import render

    page.say(render(replace(record, now=now), width=_width(), learnt=learnt))


@traces.command("diff")
def diff(
    a: Annotated[str, typer.Argument(metavar="A", help="The id of a run, or its beginning.")],
    b: Annotated[str, typer.Argument(metavar="B", help="That of another.")],
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Compare two runs: path, evidence, answer, cost."""
    from knarr.trace.diff import render_diff

    with open_base(kb) as base:
        found = base.traces.diff(a, b)
    if as_json:
        page.say_json(found)
    else:
        page.say(render_diff(found, width=_width()))


@traces.command("export")
def export(
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="TIME", help="Only those from then on, such as 2026-01-31."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, metavar="N", help="At most N, the oldest first.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write there instead of to stdout.")
    ] = None,
    otel: Annotated[
        bool, typer.Option("--otel", help="Send as OpenTelemetry spans, where OTEL_EXPORTER_OTLP_* says.")
    ] = False,
    content: Annotated[
        bool, typer.Option("--content", help="With --otel: send texts, URIs and arguments too.")
    ] = False,
    kb: KbOption = DEFAULT_KB,
) -> None:
    """Write runs as JSON Lines, oldest first."""
    if otel and output is not None:
        raise typer.BadParameter("--otel sends to a collector: leave out --output, or --otel")
    if content and not otel:
        raise typer.BadParameter("--content is for --otel: JSON Lines hold everything anyway")
    with open_base(kb) as base:
        if otel:
            from knarr.trace.otlp import send

            count = send(base.traces.walk(since, limit), content=content)
        else:
            count = base.traces.export(sys.stdout if output is None else output, since, limit)
    if otel or output is not None:
        page.note(f"{page.count(count, 'trace')} {'sent' if otel else f'written to {output}'}")
    if not count:
        raise typer.Exit(exits.NOTHING_FOUND)


def _learnt(base: KnowledgeBase, record: Trace) -> int:
    """How many of the edges that a run has taught still exist."""
    if record.mode == "vikingrag":  # a mode that does not learn
        return 0
    try:
        return base.experience.edges(trace=record.id, limit=1).total
    except NotFound:
        return 0


def _width() -> int:
    """Columns to wrap to; in a pipe nothing is wrapped."""
    return page.width() if page.in_terminal() else 0


def _list_traces(found: list[tuple[str, str, str, str]], as_json: bool) -> None:
    if as_json:
        names = ("id", "created_at", "question", "status")
        page.say_json({"traces": [dict(zip(names, row, strict=True)) for row in found]})
    for trace_id, created_at, question, status in [] if as_json else found:
        page.say(
            f"{trace_id}  {page.dim(created_at[:16])}  {page.pad(status, 16)}  {page.clean_line(question)}"
        )
    if not found:
        raise typer.Exit(exits.NOTHING_FOUND)
