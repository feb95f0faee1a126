"""`knarr rights`: who may see which documents and folders."""

from __future__ import annotations

from typing import Annotated

import typer

from knarr.cli import exits, page
from knarr.cli.options import (
    DEFAULT_KB,
    ROOT,
    AsOption,
    JsonOption,
    KbOption,
    TenantOption,
    open_base,
    principal_of,
    tenant_of,
)

rights = typer.Typer(
    help="Who may see what. Before the first grant nobody but the owner sees anything; a deny wins over every grant; "
    "a label hides from all who do not have it. Rules hold for all that is below their URI, now and later.",
    short_help="Say who may see what: grants, denies, labels.",
    no_args_is_help=True,
)

Uri = Annotated[str, typer.Argument(metavar="URI", help="A document or a folder, there or not yet.")]
Subject = Annotated[str | None, typer.Option("--subject", metavar="NAME", help="One who reads.")]
Group = Annotated[str | None, typer.Option("--group", metavar="NAME", help="All who are in a group.")]
Everyone = Annotated[bool, typer.Option("--everyone", help="Everyone.")]


@rights.command("grant")
def grant(
    uri: Uri,
    subject: Subject = None,
    group: Group = None,
    everyone: Everyone = False,
    tenant: TenantOption = "",
    kb: KbOption = DEFAULT_KB,
) -> None:
    """Let somebody see what is at and below a URI."""
    with open_base(kb) as base:
        new = tenant_of(base, tenant).rights.grant(uri, subject=subject, group=group, everyone=everyone)
    page.say(f"granted {uri}" if new else f"{uri} was granted already")


@rights.command("deny")
def deny(
    uri: Uri,
    subject: Subject = None,
    group: Group = None,
    everyone: Everyone = False,
    tenant: TenantOption = "",
    kb: KbOption = DEFAULT_KB,
) -> None:
    """Hide what is at and below a URI from somebody, whatever grants them more."""
    with open_base(kb) as base:
        new = tenant_of(base, tenant).rights.deny(uri, subject=subject, group=group, everyone=everyone)
    page.say(f"denied {uri}" if new else f"{uri} was denied already")


@rights.command("label")
def label(
    uri: Uri,
    labels: Annotated[list[str], typer.Argument(metavar="LABEL…", help="What its readers must have.")],
    tenant: TenantOption = "",
    kb: KbOption = DEFAULT_KB,
) -> None:
    """Show what is at and below a URI only to those who have these labels."""
    with open_base(kb) as base:
        new = tenant_of(base, tenant).rights.label(uri, *labels)
    page.say(f"labelled {uri}  {page.dim(page.count(new, 'new label'))}")


@rights.command("revoke")
def revoke(
    uri: Uri,
    subject: Subject = None,
    group: Group = None,
    everyone: Everyone = False,
    tenant: TenantOption = "",
    kb: KbOption = DEFAULT_KB,
) -> None:
    """Take back grants and denies at exactly a URI: somebody's, or all."""
    with open_base(kb) as base:
        gone = tenant_of(base, tenant).rights.revoke(uri, subject=subject, group=group, everyone=everyone)
    _say_gone(uri, gone)


@rights.command("unlabel")
def unlabel(
    uri: Uri,
    labels: Annotated[
        list[str] | None, typer.Argument(metavar="[LABEL…]", help="Which; all without any.")
    ] = None,
    tenant: TenantOption = "",
    kb: KbOption = DEFAULT_KB,
) -> None:
    """Take labels off exactly a URI."""
    with open_base(kb) as base:
        gone = tenant_of(base, tenant).rights.unlabel(uri, *(labels or ()))
    _say_gone(uri, gone)


def _say_gone(uri: str, gone: int) -> None:
    page.say(f"{uri}: {page.count(gone, 'rule')} taken back")
    if not gone:
        raise typer.Exit(exits.NOTHING_FOUND)


@rights.command("list")
def list_(
    uri: Annotated[str, typer.Argument(metavar="[URI]", help="Of this and all below.")] = ROOT,
    tenant: TenantOption = "",
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Show the rules at and below a URI."""
    with open_base(kb) as base:
        rules = tenant_of(base, tenant).rights.list(uri)
    if as_json:
        page.say_json(rules)
    else:
        for rule in rules:
            page.say(page.clean_line(str(rule)))
    if not rules:
        raise typer.Exit(exits.NOTHING_FOUND)


@rights.command("explain")
def explain(
    uri: Uri,
    who: AsOption = None,
    tenant: TenantOption = "",
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Say whether somebody sees what is at a URI, and which rules decide."""
    with open_base(kb) as base:
        principal = None if who is None else principal_of(who, tenant)
        found = tenant_of(base, tenant).rights.explain(uri, principal)
    if as_json:
        page.say_json(found)
        return
    page.say(f"{found.uri}  {page.good('seen') if found.seen else page.bad('hidden')}")
    page.say(page.clean_line(found.reason))
    for rule in found.rules[1:]:
        page.say(page.dim(f"  also: {page.clean_line(str(rule))}"))
