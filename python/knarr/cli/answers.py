"""The command that answers: ask."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from knarr.cli import exits, page
from knarr.cli.options import (
    DEFAULT_KB,
    ROOT,
    AsOfOption,
    AsOption,
    JsonOption,
    KbOption,
    ScopeOption,
    TenantOption,
    open_reader,
    then,
)
from knarr.cli.progress import waiting
from knarr.cli.show_answer import full_json, show_answer, show_cost, show_path, timed


class Mode(StrEnum):
    """The modes, as the command line offers them."""

    PLAIN = "vikingrag"
    EXPERIENCE = "vikingrag-e"
    EARLY = "vikingrag-e+"


class PolicyChoice(StrEnum):
    """Who decides: the rules, or the chat model."""

    EXTRACTIVE = "extractive"
    MODEL = "model"


def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="A question in plain words.")],
    scope: ScopeOption = ROOT,
    k: Annotated[int, typer.Option("-k", min=1, metavar="N", help="Hits per search.")] = 10,
    rounds: Annotated[int, typer.Option("--rounds", min=1, metavar="N", help="The most rounds.")] = 15,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, metavar="N", help="The most tokens of text to show.")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option("--timeout", min=0.0, metavar="SECONDS", help="The most time to take.")
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option(
            "--max-cost", min=0.0, metavar="X", help="The most to spend on chat models (KNARR_CHAT_PRICES)."
        ),
    ] = None,
    mode: Annotated[
        Mode,
        typer.Option("--mode", "-m", help="Plain; with what earlier answers taught; or ending early too."),
    ] = Mode.PLAIN,
    policy: Annotated[
        PolicyChoice | None,
        typer.Option("--policy", help="Quote without a model, or ask the chat model of KNARR_CHAT_URL."),
    ] = None,
    shadow: Annotated[
        bool, typer.Option("--shadow", help="With vikingrag-e+: log the early answer, give the full one.")
    ] = False,
    who: AsOption = None,
    tenant: TenantOption = "",
    as_of: AsOfOption = None,
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Answer a question with quoted evidence.

    Prints the answer, how it ended and why, the evidence word for word, the path taken by round, and the
    cost. Exits with 0 for an answer (also the best within a spent budget), with 3 when there is none: not
    found, not borne out by its evidence, contradicted by other evidence, or cut off; and with 1 when the chat
    model or the search failed.
    """
    from knarr.agent.budget import Budget

    with open_reader(kb, who, tenant) as base:
        budget = Budget(rounds, max_tokens, timeout, cost=max_cost)
        with waiting("looking for evidence"):
            answer, ms = timed(
                lambda: base.ask(
                    question,
                    scope=scope,
                    k=k,
                    mode=mode.value,
                    policy=None if policy is None else policy.value,
                    budget=budget,
                    shadow=shadow,
                    **then(as_of),
                )
            )
        trace = base.traces.get(answer.trace_id)
    if as_json:
        page.say_json(full_json(answer, ms, trace))
    else:
        show_answer(answer)
        show_path(trace)
        show_cost(answer, ms)
    if answer.status == "failed":
        page.note(f"knarr: {page.clean_line(answer.reason)}")
        raise typer.Exit(exits.ERROR)
    if answer.status not in ("answered", "budget_exhausted"):
        raise typer.Exit(exits.NOTHING_FOUND)
