"""Commands that answer and explain: ask, trace."""

from __future__ import annotations

from typing import Annotated

import typer

from knarr.cli import exits, page
from knarr.cli.options import DEFAULT_KB, ROOT, JsonOption, KbOption, ScopeOption, open_base
from knarr.cli.progress import waiting
from knarr.cli.show_answer import full_json, show_answer, show_cost, show_path, timed

MAX_TRACES = 20


def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="A question in plain words.")],
    scope: ScopeOption = ROOT,
    k: Annotated[int, typer.Option("-k", min=1, metavar="N", help="Hits per search.")] = 10,
    rounds: Annotated[int, typer.Option("--rounds", min=1, metavar="N", help="At most so many rounds.")] = 15,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, metavar="N", help="At most so many tokens shown.")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option("--timeout", min=0.0, metavar="SECONDS", help="At most so much time.")
    ] = None,
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Answer a question with quoted evidence.

    Prints the answer, the evidence word for word, the path taken by round, and the cost.
    """
    with open_base(kb) as base:
        with waiting("looking for evidence"):
            answer, ms = timed(
                lambda: base.ask(
                    question, scope=scope, k=k, rounds=rounds, max_tokens=max_tokens, timeout_s=timeout
                )
            )
        trace = base.trace(answer.trace_id)
    if as_json:
        page.say_json(full_json(answer, ms, trace))
    else:
        show_answer(answer)
        show_path(trace)
        show_cost(answer, ms)
    if answer.status in ("not_found", "no_answer"):
        raise typer.Exit(exits.NOTHING_FOUND)


def trace(
    trace_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="The id of a run, or its beginning.")
    ] = None,
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Draw what happened when a question was asked. Without an id: list the latest questions."""
    with open_base(kb) as base:
        if trace_id is None:
            _list_traces(base.traces(MAX_TRACES), as_json)
            return
        record = base.trace(trace_id)
    if as_json:
        page.say_json(record.to_json())
        return
    from knarr.trace import render

    drawn = render(record)
    page.say(page.clean(drawn) if page.in_terminal() else drawn)


def _list_traces(traces: list[tuple[str, str, str, str]], as_json: bool) -> None:
    if as_json:
        names = ("id", "created_at", "question", "status")
        page.say_json({"traces": [dict(zip(names, row, strict=True)) for row in traces]})
    for trace_id, created_at, question, status in [] if as_json else traces:
        page.say(
            f"{trace_id}  {page.dim(created_at[:16])}  {page.pad(status, 16)}  {page.one_line(question)}"
        )
    if not traces:
        raise typer.Exit(exits.NOTHING_FOUND)
