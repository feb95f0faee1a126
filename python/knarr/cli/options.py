"""Options that commands share, and opening the knowledge base they name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from knarr.errors import CatalogError
from knarr.uris import SCHEME

if TYPE_CHECKING:
    from knarr.knowledge_base import KnowledgeBase

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
