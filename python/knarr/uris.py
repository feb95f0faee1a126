"""Scopes by path component, as the engine compares them; for refusing calls outside a run's scope."""

from __future__ import annotations

from knarr.documents.names import SCHEME
from knarr.documents.names import parse as components


def within(uri: str, scope: str) -> bool:
    """Whether `uri` is `scope` or lies under it; `a/b` is no ancestor of `a/bc`. Raises InvalidArgument."""
    under, above = components(uri), components(scope)
    return under[: len(above)] == above


def name_of(uri: str) -> str:
    """The decoded last component, "" for the root."""
    parts = components(uri)
    return parts[-1] if parts else ""


__all__ = ["SCHEME", "components", "name_of", "within"]
