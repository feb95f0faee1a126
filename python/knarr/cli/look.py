"""Commands that look: search, list, grep, read, info. None of them creates or changes anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from knarr.cli import exits, page
from knarr.cli.options import (
    DEFAULT_KB,
    ROOT,
    AsOfOption,
    AsOption,
    JsonOption,
    KbOption,
    OffsetOption,
    ScopeOption,
    TenantOption,
    open_reader,
    then,
)

if TYPE_CHECKING:
    from knarr.types import Entry, GrepResult, Hit, Listing, Match, Passage, SearchResult


def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for, in plain words.")],
    scope: ScopeOption = ROOT,
    k: Annotated[int, typer.Option("-k", min=1, metavar="N", help="How many hits.")] = 10,
    kind: Annotated[
        Literal["chunk", "abstract", "all"], typer.Option("--kind", help="What to find.")
    ] = "chunk",
    offset: OffsetOption = 0,
    who: AsOption = None,
    tenant: TenantOption = "",
    as_of: AsOfOption = None,
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Find passages by meaning."""
    with open_reader(kb, who, tenant) as base:
        result = base.search(
            query, scope=scope, k=k, kinds=None if kind == "all" else (kind,), offset=offset, **then(as_of)
        )
    if as_json:
        page.say_json(result)
    else:
        _show_hits(result, offset)
    if not result.hits:
        raise typer.Exit(exits.NOTHING_FOUND)


def _show_hits(result: SearchResult, offset: int) -> None:
    for number, hit in enumerate(result.hits, offset + 1):
        _show_hit(number, hit)
    page.note(page.count(result.rows_allowed, "object") + f" under {result.scope}, {result.plan}")


def _show_hit(number: int, hit: Hit) -> None:
    section = " > ".join(page.clean_line(title) for title in hit.source.section)
    where = page.place(hit.source.lines, hit.source.pages)
    page.say(f"{number:>2}  {page.bold(f'{hit.score:.2f}')}  {hit.uri}")
    page.say(page.dim(f"          {section}{', ' if section else ''}{where}"))
    page.say(page.block(hit.preview, " " * 10, max_lines=3))
    page.say()


def list_(
    uri: Annotated[str, typer.Argument(metavar="[URI]", help="A directory.")] = ROOT,
    offset: OffsetOption = 0,
    limit: Annotated[int, typer.Option("--limit", min=1, metavar="N", help="How many entries.")] = 100,
    who: AsOption = None,
    tenant: TenantOption = "",
    as_of: AsOfOption = None,
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Show what is in a directory: documents, sections, chunks."""
    with open_reader(kb, who, tenant) as base:
        listing = base.list(uri, offset=offset, limit=limit, **then(as_of))
    if as_json:
        page.say_json(listing)
    else:
        _show_listing(listing)
    if not listing.entries:
        raise typer.Exit(exits.NOTHING_FOUND)


def _show_listing(listing: Listing) -> None:
    from knarr.uris import ABSTRACT_NAME, as_directory

    abstract_shown = bool(listing.abstract) and page.in_terminal()
    if abstract_shown:
        page.say(page.dim(page.block(listing.abstract, max_lines=4)))
        page.say()
    base = as_directory(listing.uri)
    for entry in listing.entries:
        if not (abstract_shown and entry.name == ABSTRACT_NAME):
            _show_entry(entry, base)
    if listing.next_offset is not None:
        shown = f"{listing.next_offset - len(listing.entries) + 1}-{listing.next_offset}"
        page.note(f"{shown} of {listing.total:,}; go on with --offset {listing.next_offset}")


def _show_entry(entry: Entry, base: str) -> None:
    shown = page.uri(entry.uri, under=base)
    if entry.is_directory:
        page.say(f"{shown}  {page.dim(page.count(entry.rows, 'object'))}")
    else:
        page.say(shown)
        if entry.preview and page.in_terminal():
            page.say(page.dim(page.block(entry.preview, "    ", max_lines=2)))


def grep(
    pattern: Annotated[str, typer.Argument(metavar="PATTERN", help="A regular expression (RE2).")],
    scope: ScopeOption = ROOT,
    literal: Annotated[bool, typer.Option("--literal", "-F", help="Take the pattern as it is.")] = False,
    ignore_case: Annotated[
        bool, typer.Option("--ignore-case", "-i", help="Upper case equals lower case.")
    ] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, metavar="N", help="How many matches.")] = 50,
    offset: OffsetOption = 0,
    who: AsOption = None,
    tenant: TenantOption = "",
    as_of: AsOfOption = None,
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Find exact words or patterns. In a pipe, each match is one line: URI:LINE:TEXT."""
    with open_reader(kb, who, tenant) as base:
        result = base.grep(
            pattern,
            scope=scope,
            literal=literal,
            ignore_case=ignore_case,
            limit=limit,
            offset=offset,
            **then(as_of),
        )
    if as_json:
        page.say_json(result)
    else:
        _show_matches(result)
    if result.outcome == "incomplete":
        page.note(f"knarr: not everything was searched: {result.note}")
        raise typer.Exit(exits.ERROR)
    if not result.matches:
        raise typer.Exit(exits.NOTHING_FOUND)


def _show_matches(result: GrepResult) -> None:
    if page.in_terminal():
        _show_grouped(result.matches)
    else:
        for match in result.matches:
            page.say(f"{match.uri}:{match.line}:{page.clean_line(match.excerpt)}")
    if result.matches:
        more = f"; go on with --offset {result.next_offset}" if result.next_offset is not None else ""
        page.note(f"{page.count(result.total, 'match')}{more}")


def _show_grouped(matches: tuple[Match, ...]) -> None:
    last = ""
    for match in matches:
        if match.uri != last:
            if last:
                page.say()
            page.say(
                page.beside(page.bold(match.uri), f"page {match.page}")
                if match.page
                else page.bold(match.uri)
            )
            last = match.uri
        page.say(page.block(match.excerpt, " " * 8, first=f"{match.line:>6}  "))
    if last:
        page.say()


def read(
    uri: Annotated[str, typer.Argument(metavar="URI", help="A chunk, a section, a document or an abstract.")],
    begin_byte: Annotated[int, typer.Option("--begin-byte", min=0, metavar="N", help="Where to begin.")] = 0,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, metavar="N", help="The most tokens to print.")
    ] = None,
    who: AsOption = None,
    tenant: TenantOption = "",
    as_of: AsOfOption = None,
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Print the text of a URI, word for word."""
    with open_reader(kb, who, tenant) as base:
        passage = base.read(uri, begin_byte=begin_byte, max_tokens=max_tokens, **then(as_of))
    if as_json:
        page.say_json(passage)
    else:
        _show_passage(passage)


def _show_passage(passage: Passage) -> None:
    """Only the text goes to stdout; in a terminal a head line says where it stands."""
    source = passage.source
    if page.in_terminal():
        page.note(
            page.dim(f"{passage.uri}  {page.place(source.lines, source.pages)}, version {source.version}")
        )
        page.note("")
        page.say(page.clean(passage.text))
    else:
        page.say_verbatim(passage.text)
    if passage.next_offset is not None:
        shown = f"bytes {passage.begin_byte:,}-{passage.end_byte:,} of {passage.total_bytes:,}"
        page.note(f"{shown}; go on with --begin-byte {passage.next_offset}")


def info(
    who: AsOption = None,
    tenant: TenantOption = "",
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Say what a knowledge base holds and how it was made."""
    with open_reader(kb, who, tenant) as base:
        facts = base.info()
    if as_json:
        page.say_json(facts)
    else:
        _show_facts(facts)


def _show_facts(facts: dict[str, Any], indent: str = "") -> None:
    labels = {
        name: str(name).removesuffix("_bytes").removesuffix("_size").replace("_", " ") for name in facts
    }
    width = max(
        (len(labels[name]) for name, value in facts.items() if not isinstance(value, dict)), default=0
    )
    for name, value in facts.items():
        if isinstance(value, dict):
            page.say(f"{indent}{page.bold(labels[name])}")
            _show_facts(value, indent + "  ")
        else:
            page.say(f"{indent}{page.pad(labels[name], width)}  {_fact(name, value)}")


def _fact(name: str, value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return page.size(value) if name.endswith("_bytes") else f"{value:,}"
    return page.clean_line(str(value))
