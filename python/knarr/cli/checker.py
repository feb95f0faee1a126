"""`knarr checker`: calibrate its threshold on your own runs, and report what it did."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from knarr.cli import exits, page
from knarr.cli.options import DEFAULT_KB, JsonOption, KbOption, open_base
from knarr.errors import InvalidArgument

if TYPE_CHECKING:
    from knarr.checker import Calibration
    from knarr.checker.records import CheckerReport

checker = typer.Typer(
    help="When an early answer may stand in mode vikingrag-e+: calibrate the threshold, report what was decided.",
    short_help="When an early answer may stand: calibrate, report.",
    no_args_is_help=True,
)


@checker.command("calibrate")
def calibrate(
    alpha: Annotated[
        float,
        typer.Option(
            "--alpha", metavar="SHARE", help="The most questions to be answered too early, above 0."
        ),
    ] = 0.05,
    labels: Annotated[
        Path | None,
        typer.Option(
            "--labels",
            metavar="FILE",
            help='JSON Lines {"trace_id": …, "sufficient": true|false}; without it, runs with shadow or '
            "resample label themselves.",
        ),
    ] = None,
    among: Annotated[
        str,
        typer.Option("--among", metavar="all|insufficient", help="The questions that the share is of."),
    ] = "all",
    judge: Annotated[
        str | None, typer.Option("--judge", metavar="NAME", help="For this judge: rules, or a model's name.")
    ] = None,
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Choose and store a threshold for each type of question, so that too early answers stay below a share of each.

    The bound needs no assumption on the scores, only that later questions are like the labelled ones.
    A type (who, when, how many, …) with too few of them is never answered early.
    """
    wanted = _among(among)
    given = None if labels is None else _labels(labels)
    with open_base(kb) as base:
        found = base.checker.calibrate(given, alpha, judge=judge, among=wanted)
    if as_json:
        page.say_json(_totals(found) | page.plain(found))
    else:
        _show_calibration(found)


@checker.command("report")
def report(
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="TIME", help="Only runs from then on, such as 2026-01-31."),
    ] = None,
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Count what the checker decided, why, and how often an early answer would have been wrong."""
    with open_base(kb) as base:
        found = base.checker.report(since)
        stored, outdated = base.checker.calibration(), base.checker.outdated()
    if as_json:
        shares = {"wrong_share": found.wrong_share, "wrong_at_most": found.wrong_at_most}
        page.say_json(page.plain(found) | shares | {"calibration": page.plain(stored)})
    else:
        _show_report(found, stored, outdated)
    if not found.checked and not found.forced:
        raise typer.Exit(exits.NOTHING_FOUND)


def _among(word: str) -> Literal["all", "insufficient"]:
    if word == "all":
        return "all"
    if word == "insufficient":
        return "insufficient"
    raise InvalidArgument(f"--among {word!r}: expected all or insufficient")


def _labels(path: Path) -> dict[str, bool]:
    """Trace id to label. Raises InvalidArgument naming the line that is none."""
    found: dict[str, bool] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            name, label = row["trace_id"], row["sufficient"]
        except (ValueError, KeyError, TypeError):
            name = label = None
        if not isinstance(name, str) or not name or not isinstance(label, bool):
            raise InvalidArgument(
                f'{path}, line {number}: expected {{"trace_id": "…", "sufficient": true or false}}, got '
                f"{page.clean_line(line)[:80]}"
            )
        if found.get(name, label) != label:
            raise InvalidArgument(f"{path}, line {number}: {name} is labelled both ways")
        found[name] = label
    return found


def _totals(found: Calibration) -> dict[str, object]:
    """The counts over all types of question."""
    names = ("never", "n", "insufficient", "wrongly_skipped", "skipped_share")
    return {name: getattr(found, name) for name in names}


def _show_calibration(found: Calibration) -> None:
    whose = "questions" if found.among == "all" else "questions with too little evidence"
    page.say(page.bold(f"of each type at most {found.alpha:.1%} of {whose} answered too early"))
    page.say(
        f"of {page.count(found.n, 'labelled question')}, {found.insufficient:,} had too little evidence, "
        f"{found.skipped_share:.0%} would be answered early, {found.wrongly_skipped:,} of them wrongly"
    )
    for name, one in found.groups.items():
        told = name.replace("_", " ")
        where = "never" if one.never else f"from {one.threshold:.3f}"
        page.say(f"  {told:<10}{where:<12}{page.count(one.n, 'question')}, {one.skipped_share:.0%} early")
        page.say(page.dim(f"    {page.clean_line(one.reason)}"))
    page.say(page.dim("types that are not listed have no labelled question, and are never answered early"))


def _show_report(found: CheckerReport, stored: Calibration | None, outdated: str) -> None:
    if not found.checked and not found.forced:
        page.note("the checker has looked at no run; ask with mode vikingrag-e+")
        return
    page.say(page.bold(f"{page.count(found.checked, 'run')} checked, {found.forced:,} sent on by a rule"))
    page.say(
        f"{found.answered:,} answered early, {found.escalated:,} escalated, {found.resampled:,} sampled, "
        f"{found.shadow:,} in shadow; {found.unknown:,} verdicts unknown, {found.scored:,} scored"
    )
    for cause, number in found.causes.items():
        page.say(f"  {number:,}  {page.clean_line(cause)}")
    page.say(_wrong(found))
    if found.resampled_seen:
        page.say(f"sampled early answers: {found.resampled_wrong:,} of {found.resampled_seen:,} disagree")
    usage = found.model
    if usage.calls:
        page.say(
            page.dim(f"{page.count(usage.calls, 'call')} of the judge, {usage.prompt_tokens:,} tokens in")
        )
    page.say(
        page.dim("threshold: the checker's own" if stored is None else f"threshold: {_threshold(stored)}")
    )
    if outdated:
        page.note(f"a stored calibration is not used, since {outdated}: run knarr checker calibrate")


def _wrong(found: CheckerReport) -> str:
    share, most = found.wrong_share, found.wrong_at_most
    if share is None or most is None:
        return "early answers that were wrong: not measured; run some with shadow or resample"
    seen = f"{found.skips_wrong:,} of {found.skips_seen:,}"
    return f"early answers that were wrong: {seen} ({share:.1%}, at most {most:.1%} with 95 % confidence)"


def _threshold(stored: Calibration) -> str:
    early = [
        f"{name.replace('_', ' ')} {one.threshold:.3f}"
        for name, one in stored.groups.items()
        if not one.never
    ]
    where = ", ".join(early) if early else "never early"
    return f"{where}, calibrated on {page.count(stored.n, 'question')} for at most {stored.alpha:.1%} of each type"
