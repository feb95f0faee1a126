"""Options that commands share, and opening the knowledge base they name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from knarr.errors import CatalogError, InvalidArgument, NotFound
from knarr.uris import SCHEME

if TYPE_CHECKING:
    from knarr.knowledge_base import KnowledgeBase
    from knarr.types import Principal
    from knarr.view import Reader

DEFAULT_KB = Path("knarr.kb")
ROOT = SCHEME

KbOption = Annotated[
    Path,
    typer.Option(
        "--kb", envvar="KNARR_KB", metavar="PATH", help="The knowledge base, a folder.", show_default=True
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON on stdout, and nothing else there.")]
ScopeOption = Annotated[
    str,
    typer.Option(
        "--scope", "-s", metavar="URI", help="Look only at this URI and below it.", show_default=True
    ),
]
AsOption = Annotated[
    str | None,
    typer.Option(
        "--as",
        metavar="WHO",
        help="Read as somebody: SUBJECT[,group:NAME…][,label:NAME…]; without it as the owner, who sees all.",
    ),
]
TenantOption = Annotated[str, typer.Option("--tenant", metavar="NAME", help="Read in the base of a tenant.")]
OffsetOption = Annotated[int, typer.Option("--offset", min=0, metavar="N", help="Skip the first N results.")]
AsOfOption = Annotated[
    str | None,
    typer.Option(
        "--as-of",
        metavar="WHEN",
        help="Read the past: a version of the document that is named (3), a time (2026-05-01T18:00), or seq:120.",
    ),
]


def then(as_of: str | None) -> dict[str, Any]:
    """The argument `as_of` of a verb; none where it was not given."""
    if as_of is None:
        return {}
    from knarr.reading.as_of import from_words

    return {"as_of": from_words(as_of)}


def open_base(path: Path, *, create: bool = False) -> KnowledgeBase:
    """The knowledge base at `path`. Only writing commands create one; others say how to make it."""
    if not create and not path.exists():
        raise CatalogError(
            f"no knowledge base at {path}; make one with: knarr add YOUR-DOCUMENTS --kb {path}"
        )
    import knarr

    return knarr.open(path, create=create)


@contextmanager
def open_reader(path: Path, who: str | None, tenant: str = "") -> Iterator[Reader]:
    """What `--as` and `--tenant` name of the knowledge base at `path`; all of it without them."""
    with open_base(path) as base:
        if who is not None:
            yield base.as_(principal_of(who, tenant))
        else:
            yield tenant_of(base, tenant)


def tenant_of(base: KnowledgeBase, tenant: str) -> KnowledgeBase:
    """The owner's handle of a tenant that is there, the base itself for "". Raises NotFound."""
    if tenant and tenant not in base.tenants():
        raise NotFound(f"no tenant {tenant!r}; there are: {', '.join(base.tenants()) or 'none'}")
    return base.tenant(tenant) if tenant else base


def principal_of(who: str, tenant: str = "") -> Principal:
    """The principal that an option spells, `SUBJECT,group:NAME,label:NAME`. Raises InvalidArgument."""
    from knarr.types import Principal

    found: dict[str, list[str]] = {"subject": [], "group": [], "label": []}
    for part in who.split(",") if who else ():
        kind, mark, name = part.strip().partition(":")
        kind, name = (kind, name) if mark and kind in found else ("subject", part.strip())
        found[kind].append(name)
    if len(found["subject"]) > 1 or any(not name for names in found.values() for name in names):
        raise InvalidArgument(f"--as {who!r}: expected SUBJECT[,group:NAME…][,label:NAME…], each not empty")
    subject = found["subject"][0] if found["subject"] else ""
    return Principal(tenant, subject, tuple(found["group"]), tuple(found["label"]))
