"""Commands about versions of documents: history, diff, rollback."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from knarr.cli import exits, page
from knarr.cli.options import DEFAULT_KB, JsonOption, KbOption, OffsetOption, open_base

if TYPE_CHECKING:
    from knarr.history.records import DocumentDiff, DocumentHistory, SectionDifference, Version

UriArgument = Annotated[
    str, typer.Argument(metavar="URI", help="A document, also one that was removed, or a part of one.")
]


def history(uri: UriArgument, kb: KbOption = DEFAULT_KB, as_json: JsonOption = False) -> None:
    """List the versions of a document: since when each stood, its size, and what it changed.

    Any of them can be read with --as-of as long as it is kept (KNARR_HISTORY_VERSIONS, KNARR_HISTORY_DAYS).
    """
    with open_base(kb) as base:
        found = base.history.versions(uri)
    if as_json:
        page.say_json(found)
    else:
        _show_versions(found)


def _show_versions(found: DocumentHistory) -> None:
    page.say(page.bold(found.uri) + ("  removed" if found.removed else ""))
    for one in reversed(found.versions):
        page.say(f"  {one.version:>4}  {_when(one.begin_at)}  {_told(one)}")
        if one.uri != found.uri:
            page.say(page.dim(f"        at {one.uri}"))


def _told(one: Version) -> str:
    if not one.retained:
        return page.bad("no longer kept")
    size = f"{page.size(one.size_bytes)}, {page.count(one.sections, 'section')}, {page.count(one.chunks, 'chunk')}"
    return f"{page.clean_line(one.change)}  {page.dim(size)}"


def diff(
    uri: UriArgument,
    old: Annotated[
        int | None, typer.Argument(metavar="[V1]", min=1, help="A version; the one before V2 when left out.")
    ] = None,
    new: Annotated[
        int | None, typer.Argument(metavar="[V2]", min=1, help="Another; the newest when left out.")
    ] = None,
    other: Annotated[
        str | None,
        typer.Option("--with", metavar="URI", help="Compare with another document; V2 is of that."),
    ] = None,
    lines: Annotated[
        int, typer.Option("--lines", min=0, metavar="N", help="The most lines of text for each section.")
    ] = 40,
    limit: Annotated[int, typer.Option("--limit", min=1, metavar="N", help="How many sections.")] = 50,
    offset: OffsetOption = 0,
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Compare two versions section by section: added, removed, changed, moved, renamed, with the lines that differ.

    Exits with 3 when nothing differs.
    """
    with open_base(kb) as base:
        found = base.history.diff(uri, old, new, other=other, offset=offset, limit=limit, lines=lines)
    if as_json:
        page.say_json(found)
    else:
        _show_diff(found)
    if not found.total:
        raise typer.Exit(exits.NOTHING_FOUND)


def _show_diff(found: DocumentDiff) -> None:
    for mark, side in (("---", found.old), ("+++", found.new)):
        page.say(page.bold(f"{mark} {side.uri}  version {side.version}, {_when(side.begin_at)}"))
    for one in found.differences:
        page.say()
        _show_difference(one)
    page.note(f"{found.summary()}; {found.unchanged:,} unchanged")
    if found.next_offset is not None:
        page.note(
            f"{len(found.differences):,} of {found.total:,} shown; go on with --offset {found.next_offset}"
        )


def _show_difference(one: SectionDifference) -> None:
    titles = " > ".join(map(page.clean_line, one.titles)) or "(the document itself)"
    page.say(f"{page.bold(one.kind)}  {titles}")
    if one.kind in ("moved", "renamed"):
        page.say(page.dim(f"  was {' > '.join(map(page.clean_line, one.old))}"))
    page.say(page.dim(f"  {one.new_uri or one.old_uri}"))
    for line in one.diff:
        shown = f"  {page.clean(line)}"
        page.say(
            page.bad(shown) if line[:1] == "-" else page.good(shown) if line[:1] == "+" else page.dim(shown)
        )
    if one.left_out:
        page.say(page.dim(f"  and {page.count(one.left_out, 'line')} more"))


def rollback(
    uri: UriArgument,
    version: Annotated[int, typer.Argument(metavar="VERSION", min=1, help="The version to put back.")],
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Put an earlier version of a document back, as one more version. Nothing is embedded.

    What stands now stays in the history. A removed document comes back to where it stood last.
    """
    with open_base(kb) as base:
        fresh = base.history.rollback(uri, version)
    if as_json:
        page.say_json(fresh)
        return
    page.say(f"{fresh.uri} has version {version} again, as version {fresh.version}  {page.dim(fresh.change)}")


def _when(at: str) -> str:
    """A time of the catalog, to the second, in UTC."""
    return f"{at[:19].replace('T', ' ')}Z"
