"""Scopes by path component, as the engine compares them; for refusing calls outside a run's scope."""

from __future__ import annotations

import unicodedata
from urllib.parse import unquote

SCHEME = "viking://"


def components(uri: str) -> tuple[str, ...]:
    """The decoded components of a URI. Raises ValueError when it is not a viking:// URI."""
    if not uri.startswith(SCHEME):
        raise ValueError(f"expected a URI that starts with {SCHEME}, got {uri[:80]!r}")
    path = uri[len(SCHEME) :].removesuffix("/")
    if not path:
        return ()
    return tuple(unicodedata.normalize("NFC", unquote(part, errors="strict")) for part in path.split("/"))


def within(uri: str, scope: str) -> bool:
    """Whether `uri` is `scope` or lies under it; `a/b` is no ancestor of `a/bc`."""
    under, above = components(uri), components(scope)
    return under[: len(above)] == above


def name_of(uri: str) -> str:
    """The decoded last component, "" for the root."""
    parts = components(uri)
    return parts[-1] if parts else ""
