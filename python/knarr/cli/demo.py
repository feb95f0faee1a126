"""The command that shows the whole system at work: `knarr demo`."""

from __future__ import annotations

import shlex
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from knarr.cli import exits, page
from knarr.cli.options import JsonOption, open_base
from knarr.cli.progress import progress_line, waiting
from knarr.cli.show_answer import answer_json, show_answer, timed
from knarr.cli.write import show_receipt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from knarr.knowledge_base import KnowledgeBase
    from knarr.types import Answer


def demo(
    keep: Annotated[
        Path | None,
        typer.Option("--keep", metavar="PATH", help="Keep the knowledge base there, to go on with."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """See it work on a small library of documents.

    Adds the library to a temporary knowledge base, asks eight questions (the last has no answer),
    and shows the quoted evidence and what each answer cost.
    """
    from knarr.demo import INTO, library, questions

    with _place(keep) as path, open_base(path, create=True) as base:
        with progress_line("adding") as progress:
            report = base.add(library(), into=INTO, progress=progress)
        if not as_json:
            page.say(page.bold("A small library: a handbook, a contract, a syllabus and a report"))
            page.say()
            show_receipt(report)
            page.say()
        answers = [
            _ask(base, one.question, one.kind, number, as_json) for number, one in enumerate(questions(), 1)
        ]
    if as_json:
        page.say_json({"answers": [answer_json(answer, ms) for answer, ms in answers]})
    else:
        _show_table(answers)
        _show_next(keep)
    if not report.ok:
        raise typer.Exit(exits.INCOMPLETE)


@contextmanager
def _place(keep: Path | None) -> Iterator[Path]:
    """Where the knowledge base lives: as long as the demo runs, or for good."""
    if keep is not None:
        yield keep
        return
    with tempfile.TemporaryDirectory(prefix="knarr-demo-") as folder:
        yield Path(folder) / "demo.kb"


def _ask(base: KnowledgeBase, question: str, kind: str, number: int, quiet: bool) -> tuple[Answer, float]:
    """Ask one question; print its answer as soon as it is there."""
    if not quiet:
        page.say(page.dim(f"Question {number}, {kind}"))
        page.say(page.bold(page.block(question)))
        page.say()
    with waiting("looking for evidence"):
        answer, ms = timed(lambda: base.ask(question))
    if not quiet:
        show_answer(answer)
    return answer, ms


def _show_table(answers: list[tuple[Answer, float]]) -> None:
    page.say(page.bold("What it cost"))
    page.say(page.dim("      rounds  tokens shown      ms  status"))
    for number, (answer, ms) in enumerate(answers, 1):
        page.say(
            f"  {number:>2}  {answer.rounds:>6}  {answer.usage.tokens_shown:>12,}  {ms:>6,.0f}  {answer.status}"
        )
    page.say()


def _show_next(keep: Path | None) -> None:
    """Three commands to go on with. They can be pasted as they stand."""
    from knarr.demo import INTO

    page.say(page.bold("Go on with"))
    kept = f"--kb {shlex.quote(str(keep))}"
    commands = (
        [
            ("knarr demo --keep demo.kb", "the same, kept to look around in"),
            ("knarr add YOUR-DOCUMENTS/", "your own documents, into ./knarr.kb"),
            ('knarr ask "YOUR QUESTION"', "answered from them"),
        ]
        if keep is None
        else [
            (f"knarr list {INTO} {kept}", "look around"),
            (f'knarr ask "How long may a calibration standard be borrowed?" {kept}', "ask more"),
            ("knarr add YOUR-DOCUMENTS/", "your own documents, into ./knarr.kb"),
        ]
    )
    width = max(len(command) for command, _ in commands)
    for command, why in commands:
        page.say(f"  {page.pad(command, width)}  {page.dim('# ' + why)}")
