"""The command that asks historical questions: warm-up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from knarr.cli import exits, page
from knarr.cli.options import DEFAULT_KB, ROOT, JsonOption, KbOption, ScopeOption, open_base
from knarr.cli.progress import progress_count
from knarr.errors import InvalidArgument

if TYPE_CHECKING:
    from knarr.experience.warm_up.report import Similarity, WarmUpReport

_MOST_SHOWN = 8
_FORM = 'a question per line, or JSON Lines with "question" and, if it names its document, "context"'


def warm_up(
    questions: Annotated[
        Path | None, typer.Option("--questions", metavar="FILE", help=f"Historical questions: {_FORM}.")
    ] = None,
    generate: Annotated[
        int | None,
        typer.Option("--generate", min=1, metavar="M", help="Make M questions from the documents alone."),
    ] = None,
    scope: ScopeOption = ROOT,
    against: Annotated[
        Path | None,
        typer.Option(
            "--against", metavar="FILE", help="Later questions: how many are similar to historical ones?"
        ),
    ] = None,
    batch: Annotated[
        str,
        typer.Option("--batch", metavar="NAME", help="For taking back what was learnt.", show_default=True),
    ] = "warm-up",
    policy: Annotated[
        Literal["extractive", "model"] | None,
        typer.Option("--policy", help="Who answers; by default the chat model where one is set."),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="For other questions of the same documents.")
    ] = 0,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="With --generate: ask without the cross-encoder, in a tenth of the time."
        ),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show the questions.")] = False,
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Learn from historical questions, given or made.

    Later ones then find their evidence sooner. Stopped and started again it goes on where it ended. `knarr experience forget --batch NAME` takes
    everything back.
    """
    if (questions is None) == (generate is None):
        raise typer.BadParameter("give either --questions FILE or --generate M")
    given = None if questions is None else read_questions(questions)
    later = None if against is None else read_questions(against)
    with open_base(kb) as base:
        if dry_run:
            _show_questions(
                given
                or [
                    one.text for one in base.experience.historical_questions(generate or 0, scope, seed=seed)
                ],
                as_json,
            )
            return
        with progress_count("asking", names=True) as progress:
            report = base.experience.warm_up(
                given, generate=generate, scope=scope, policy=policy, batch=batch, seed=seed, quick=quick,
                against=later,
                progress=progress,
            )  # fmt: skip
    if as_json:
        page.say_json(full_json(report))
    else:
        show_report(report)
    if not report.accepted and not report.known:
        raise typer.Exit(exits.NOTHING_FOUND)


def read_questions(path: Path) -> list[str]:
    """The questions of a file. Raises InvalidArgument for a line that is none."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise InvalidArgument(f"{path}: expected UTF-8 text, {_FORM}") from None
    found = [
        _question(line.strip(), f"{path}:{number}") for number, line in enumerate(lines, 1) if line.strip()
    ]
    if not found:
        raise InvalidArgument(f"{path}: no question in it; expected {_FORM}")
    return found


def _question(line: str, place: str) -> str:
    if not line.startswith("{"):
        return line
    try:
        value: Any = json.loads(line)
    except ValueError:
        value = None
    question = value.get("question") if isinstance(value, dict) else None
    if not isinstance(question, str) or not question.strip():
        raise InvalidArgument(f'{place}: expected an object with "question", got {line[:80]!r}')
    context = value.get("context")
    return f"Based on {context}: {question}" if isinstance(context, str) and context.strip() else question


def full_json(report: WarmUpReport) -> dict[str, Any]:
    return {
        **page.plain(report),
        "seconds_per_question": round(report.seconds_per_question, 4),
        "tokens_per_question": round(report.tokens_per_question, 1),
    }


def _show_questions(found: list[str], as_json: bool) -> None:
    if as_json:
        page.say_json({"questions": found})
    for question in [] if as_json else found:
        page.say(page.clean_line(question))
    if not found:
        raise typer.Exit(exits.NOTHING_FOUND)


def show_report(report: WarmUpReport) -> None:
    if page.in_terminal():
        for one in report.made[:_MOST_SHOWN]:
            page.say(page.dim(page.block(one.text, "  ", max_lines=1)))
        if len(report.made) > _MOST_SHOWN:
            page.say(page.dim(f"  and {len(report.made) - _MOST_SHOWN:,} more; --json lists all"))
    known = report.known + report.replayed
    page.say(
        page.count(report.questions, "question") + (f", {known:,} of them asked before" if known else "")
    )
    page.say(
        f"{report.accepted:,} answered with evidence, {report.taught:,} taught {page.count(report.edges, 'edge')}"
    )
    if report.asked:
        page.say(
            f"{report.seconds_per_question:.2f} s and {report.tokens_per_question:,.0f} tokens shown per question asked"
        )
    if report.model.calls:
        spent = report.model.prompt_tokens + report.model.completion_tokens
        page.say(f"{page.count(report.model.calls, 'call')} to the chat model, {spent:,} tokens")
    if report.similarity is not None:
        _show_similarity(report.similarity)
    page.note(f"taken back with: knarr experience forget --batch {report.batch}")


def _show_similarity(near: Similarity) -> None:
    page.say(
        f"{near.share:.0%} of {page.count(near.later, 'later question')} at {near.gamma:.2f} or nearer to a historical one"
    )
    if near.quantiles:
        page.say(
            page.dim("nearest: " + ", ".join(f"{q:.0%} below {value:.2f}" for q, value in near.quantiles))
        )
