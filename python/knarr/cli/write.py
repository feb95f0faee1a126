"""Commands that change a knowledge base: add, remove, move."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from knarr.cli import exits, page
from knarr.cli.abstracts import show_abstracts
from knarr.cli.options import DEFAULT_KB, ROOT, JsonOption, KbOption, open_base
from knarr.cli.progress import progress_line
from knarr.errors import InvalidArgument
from knarr.uris import is_web_address, without_slash

if TYPE_CHECKING:
    from knarr.knowledge_base import KnowledgeBase
    from knarr.writing.receipt import AddReport, FileReport

_Report = TypeVar("_Report", bound="AddReport")

MAX_FILES_SHOWN = 24
MAX_PAGES_SHOWN = 12
_MEANING = {
    "partial": "with pages that hold no text, such as scans",
    "no_text": "without any text, such as scans",
    "encrypted": "locked by a password",
    "corrupt": "damaged, or not what the name says",
    "empty": "empty",
    "limit": "over a limit of size or nesting",
    "unsupported": "of a kind that is not read",
    "unreadable": "that could not be read",
    "skipped": "passed over",
    "failed": "that could not be stored",
}


def add(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="PATH…", help="Documents, folders, archives, or https:// addresses."),
    ],
    into: Annotated[str, typer.Option("--into", metavar="URI", help="Where to put them.")] = ROOT,
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Add documents: PDF, Office, web, mail, books, archives.

    Prints what was read and what is searchable.
    Adding the same files again costs nothing; a changed file replaces its old version.
    """
    missing = [
        path or "''"
        for path in paths
        if not path or not (is_web_address(path) or os.path.exists(path))  # noqa: PTH110  never raises
    ]
    if missing:
        raise InvalidArgument(f"no such file or folder: {', '.join(missing)}; nothing was added")
    with open_base(kb, create=True) as base, progress_line("adding") as progress:
        given = [path if is_web_address(path) else Path(path) for path in paths]
        report = base.add(given[0] if len(given) == 1 else given, into=into, progress=progress)
    end_with(report, as_json, show_receipt)


def end_with(report: _Report, as_json: bool, show: Callable[[_Report], None]) -> None:
    """Print a receipt, and leave with a code that says whether anything is missing."""
    if as_json:
        page.say_json({"ok": report.ok} | page.plain(report))
    else:
        show(report)
        if report.abstracts is not None:
            show_abstracts(report.abstracts)
    if report.error:
        page.note(f"knarr: stopped: {page.clean_line(report.error)}; knarr jobs resume {report.job} goes on")
        raise typer.Exit(exits.ERROR)
    if not report.ok:
        raise typer.Exit(exits.INCOMPLETE)
    if not report.files:
        raise typer.Exit(exits.NOTHING_FOUND)


def show_receipt(report: AddReport) -> None:
    """The coverage receipt. In a large folder, files without anything to say are only counted."""
    from knarr.writing.receipt import gone_line

    few = len(report.files) <= MAX_FILES_SHOWN
    worth_showing = [file for file in report.files if few or file.status != "ok" or file.notes]
    for file in worth_showing[:MAX_FILES_SHOWN]:
        show_file(file)
    if len(worth_showing) > MAX_FILES_SHOWN:
        page.say(page.dim(f"{'':12}and {len(worth_showing) - MAX_FILES_SHOWN:,} more; --json lists all"))
    show_list("not tried", [page.clean(path) for path in report.unread])
    show_list("gone", [page.clean(str(gone)) for gone in report.gone])
    if worth_showing or report.unread or report.gone:
        page.say()
    page.say(_summary(report))
    say_what_is_missing(report)
    if report.gone:
        page.say(page.bad(f"{gone_line(report.gone)}; knarr sync removes what is gone"))


def say_what_is_missing(report: AddReport) -> None:
    """How many files were left out, by the reason."""
    for word, meaning in _MEANING.items():
        if number := report.count(word):
            page.say(page.bad(f"{page.count(number, 'file')} {meaning}"))


def show_file(file: FileReport) -> None:
    status = file.change if file.status == "ok" else file.status
    label = page.pad(status, 11)
    where = file.uri if file.uri else page.clean(file.path)
    head = page.good(label) if file.ready else page.bad(label)
    page.say(f"{head} {where}{page.dim(_size(file))}")
    if file.missing_pages:
        page.say(f"{'':12}no text on {_pages(file.missing_pages)}")
    for text in file.notes:
        page.say(page.dim(page.block(text, " " * 12)))


def show_list(label: str, lines: list[str]) -> None:
    """Files of which there is no more to say than a line each."""
    for line in lines[:MAX_FILES_SHOWN]:
        page.say(f"{page.bad(page.pad(label, 11))} {line}")
    if len(lines) > MAX_FILES_SHOWN:
        page.say(page.dim(f"{'':12}and {len(lines) - MAX_FILES_SHOWN:,} more; --json lists all"))


def _pages(numbers: tuple[int, ...]) -> str:
    """`page 3`, `pages 1, 2, 5`, and no endless list for a long scan."""
    shown = ", ".join(map(str, numbers[:MAX_PAGES_SHOWN]))
    more = len(numbers) - MAX_PAGES_SHOWN
    return f"{'page' if len(numbers) == 1 else 'pages'} {shown}{f' and {more} more' if more > 0 else ''}"


def _size(file: FileReport) -> str:
    if not file.ready:
        return ""
    parts = [page.count(file.pages, "page")] if file.pages else []
    parts += [page.count(file.sections, "section"), page.count(file.chunks, "chunk")]
    return "  " + ", ".join(parts)


def _summary(report: AddReport) -> str:
    if not report.files and not report.unread:
        return page.bad("no documents found; knarr reads Markdown, HTML, TXT, DOCX and PDF")
    states = [
        f"{report.count(word):,} {word}" for word in ("added", "updated", "unchanged") if report.count(word)
    ]
    ready = sum(file.ready for file in report.files)
    head = f"{ready:,} of {page.count(len(report.files) + len(report.unread), 'file')} searchable"
    size = f"{page.size(report.total('size_bytes'))}, {page.count(report.total('chunks'), 'chunk')}"
    vectors = f"{report.total('embedded'):,} vectors made"
    detail = f"{size}, {report.total('tokens'):,} tokens, {vectors}, {report.seconds:,.1f} s"
    return page.bold(head) + (f": {', '.join(states)}" if states else "") + "\n" + page.dim(detail)


def remove(
    uri: Annotated[str, typer.Argument(metavar="URI", help="A document or a folder of documents.")],
    kb: KbOption = DEFAULT_KB,
    everything: Annotated[bool, typer.Option("--all", help=f"Allow {ROOT}, which is everything.")] = False,
    history: Annotated[
        bool,
        typer.Option(
            "--history/--no-history", help="Keep the last version as history, or erase all versions."
        ),
    ] = True,
    as_json: JsonOption = False,
) -> None:
    """Remove what is under a URI, from every index at once.

    Earlier versions stay in the history for a while, see `knarr history`; --no-history removes these too.
    """
    with open_base(kb) as base:
        everything = everything or (without_slash(uri) == ROOT and _is_sure(base))
        named: dict[str, bool] = ({"all": True} if everything else {}) | (
            {} if history else {"history": False}
        )
        removed = base.remove(uri, **named)
    if as_json:
        page.say_json({"uri": uri, "documents": removed})
        return
    page.say(f"removed {uri}  {page.dim(page.count(removed, 'document'))}")


def _is_sure(base: KnowledgeBase) -> bool:
    """Ask on a terminal whether everything is to go; elsewhere nobody can answer, and the base refuses."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    count = page.count(base.info()["documents"], "document")
    return typer.confirm(f"Remove everything, {count}?", err=True, abort=True)


def move(
    source: Annotated[str, typer.Argument(metavar="URI", help="What to move.")],
    target: Annotated[str, typer.Argument(metavar="NEW-URI", help="Its new URI, name included.")],
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Move or rename a document or folder. Nothing is embedded again."""
    with open_base(kb) as base:
        moved = base.move(source, target)
    if as_json:
        page.say_json({"from": source, "to": target, "documents": moved})
        return
    page.say(f"moved {source} to {target}  {page.dim(page.count(moved, 'document'))}")
