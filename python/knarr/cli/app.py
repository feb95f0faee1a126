"""The application: all commands under one name, and the last catch for errors."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from knarr.cli import (
    abstracts,
    answers,
    care,
    checker,
    demo,
    exits,
    experience,
    facts,
    forgetting,
    history,
    jobs,
    look,
    page,
    rights,
    sync,
    traces,
    warmup,
    write,
)
from knarr.cli.options import ROOT
from knarr.errors import KnarrError, NotFound, NotRetained

app = typer.Typer(
    name="knarr",
    add_completion=False,
    rich_markup_mode=None,  # plain help: calm to read, and rich need not be loaded
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=exits.HELP,
)

app.command("demo")(demo.demo)
app.command("add")(write.add)
app.command("sync", short_help="Keep documents in step with a folder.")(sync.sync)
app.command("ask")(answers.ask)
app.add_typer(traces.traces, name="trace", short_help="Draw how a question was answered.")
app.command("warm-up", short_help="Learn from questions before anyone asks.")(warmup.warm_up)
app.command("search")(look.search)
app.command("grep")(look.grep)
app.command("list")(look.list_)
app.command("read")(look.read)
app.command("show", short_help="Say what a document is, and what it says of itself.")(facts.show)
app.command("history", short_help="List the versions of a document.")(history.history)
app.command("diff", short_help="Compare two versions, or two documents.")(history.diff)
app.command("rollback", short_help="Put an earlier version back.")(history.rollback)
app.command("info")(look.info)
app.command("abstracts")(abstracts.abstracts)
app.add_typer(rights.rights, name="rights")
app.add_typer(checker.checker, name="checker")
app.add_typer(experience.experience, name="experience")
app.add_typer(jobs.jobs, name="jobs", short_help="List adds and syncs, and go on with them.")
app.command("remove")(write.remove)
app.command("move")(write.move)
app.command("doctor", short_help="Check a knowledge base, and repair it.")(care.doctor)
app.command("backup", short_help="Save everything to one file.")(care.backup)
app.command("restore", short_help="Make a knowledge base of a backup.")(care.restore)
app.command("forget", short_help="Delete records of questions, for good.")(forgetting.forget)
app.command("reembed", short_help="Go over to another embedder.")(forgetting.reembed)


def _version(wanted: bool) -> None:
    if wanted:
        import knarr

        page.say(f"knarr {knarr.__version__}")
        raise typer.Exit(exits.OK)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Questions to your documents, answered with quoted evidence. Offline, no server, no key.

    Try `knarr demo` first. Then `knarr add` your documents and `knarr ask` about them; each takes
    `--kb PATH` for the knowledge base (default ./knarr.kb, or $KNARR_KB).
    """
    if context.invoked_subcommand is None:
        page.say(context.get_help())


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit. Errors that knarr or the system raises become one line on stderr."""
    page.make_printable()
    try:
        app(args=None if arguments is None else list(arguments), prog_name="knarr")
    except (KnarrError, OSError) as error:
        page.note(f"knarr: {_line(error)}")
        sys.exit(exits.ERROR)


def _line(error: Exception) -> str:
    """An error as one line; for a URI that does not exist, with the way to find the right one."""
    message = page.clean_line(str(error)) or type(error).__name__
    if isinstance(error, NotRetained):
        return f"{message}; see the versions of a document with: knarr history URI"
    if isinstance(error, NotFound) and ROOT in message:
        return f"{message}; see what there is with: knarr list"
    return message
