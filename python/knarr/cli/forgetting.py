"""Commands that change what a knowledge base keeps besides its documents: forget, reembed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from knarr.cli import exits, page
from knarr.cli.options import DEFAULT_KB, JsonOption, KbOption, open_base
from knarr.cli.progress import progress_count, waiting

if TYPE_CHECKING:
    from knarr.care.forget import ForgetOptions


def forget(
    traces_older_than: Annotated[
        str | None,
        typer.Option(
            "--traces-older-than", metavar="AGE", help="Records of questions: 30d, 12h, 4w; 0d for all."
        ),
    ] = None,
    document: Annotated[
        str | None,
        typer.Option(
            "--document", metavar="URI", help="Records that were shown it, and its earlier versions."
        ),
    ] = None,
    asker: Annotated[
        str | None, typer.Option("--asker", metavar="NAME", help="Records of this one's questions.")
    ] = None,
    questions: Annotated[
        bool, typer.Option("--questions", help="Also the learnt questions of these, with their edges.")
    ] = False,
    versions_older_than: Annotated[
        str | None,
        typer.Option("--versions-older-than", metavar="AGE", help="Earlier versions of documents."),
    ] = None,
    vectors_of: Annotated[
        str | None, typer.Option("--vectors-of", metavar="MODEL", help="Vectors of a former embedder.")
    ] = None,
    tenants: Annotated[
        bool, typer.Option("--tenants", help="All of it in the bases of the tenants too.")
    ] = False,
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Delete what is kept of questions and former texts, so that it is gone from the files too.

    Without options only the last: bytes of what was removed before are wiped from database, log and snapshots.
    Backups keep what they hold.
    """
    given = {
        "traces_older_than": traces_older_than,
        "document": document,
        "asker": asker,
        "questions": questions or None,
        "versions_older_than": versions_older_than,
        "vectors_of": vectors_of,
        "tenants": tenants or None,
    }
    what: ForgetOptions = {name: value for name, value in given.items() if value is not None}  # type: ignore[assignment]
    with open_base(kb) as base, waiting("forgetting"):
        report = base.forget(**what)
    if as_json:
        page.say_json(report)
    else:
        counted = [
            page.count(n, word)
            for n, word in (
                (report.traces, "trace"),
                (report.questions, "learnt question"),
                (report.edges, "edge"),
                (report.versions, "version"),
                (report.vectors, "vector"),
            )
            if n
        ]
        sizes = f"{page.size(report.bytes_before)} before, {page.size(report.bytes_after)} now"
        page.say(f"forgot {', '.join(counted) or 'nothing new; the files were wiped'}  {page.dim(sizes)}")
        for note in report.notes:
            page.note(note)
    if report.notes:
        raise typer.Exit(exits.INCOMPLETE)


def reembed(
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="NAME", help="As for KNARR_EMBEDDER: local, a folder, or openai."),
    ] = None,
    undo: Annotated[
        bool, typer.Option("--undo", help="Go back to the embedder before, whose vectors are still there.")
    ] = False,
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Go over to another embedder: its vectors are made beside the old ones, and used all at once.

    One that was killed goes on where it stopped. The old vectors stay, for --undo, until
    `knarr forget --vectors-of MODEL`.
    """
    if (model is None) == (not undo):
        raise typer.BadParameter("give either --model NAME or --undo")
    if not kb.exists():
        open_base(kb)  # says how to make one
    from knarr.care import reembed as care
    from knarr.config import Settings
    from knarr.models.embed import load_embedder

    if model is None:
        report = care.undo(kb)
    else:
        embedder = load_embedder(Settings(embedder=model))
        with progress_count("embedding", names=True) as progress:
            report = care.reembed(kb, embedder, progress=progress)
    if as_json:
        page.say_json(report)
        return
    page.say(
        f"{kb} is by {report.now}  {page.dim(f'{report.embedded:,} texts embedded, {report.seconds:.1f} s')}"
    )
    if report.before and report.before != report.now:
        named = f"KNARR_EMBEDDER={model}" if model is not None else "the KNARR_EMBEDDER of before"
        page.note(f"open it with {named} from now on; it was by {report.before}")
    for name, n in report.kept.items():
        page.note(f"{n:,} vectors of {name} are kept; knarr forget --vectors-of {name} deletes them")
    if report.unsure:
        page.note(f"{report.unsure:,} texts were laid out by an older knarr: add those files again")
