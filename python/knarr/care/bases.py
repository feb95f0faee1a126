"""The catalogs of a base: its own, and those of its tenants, each a base of its own in `tenants/NAME`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from knarr.catalog import FILE_NAME, Catalog
from knarr.rights.tenants import FOLDER as TENANTS

__all__ = ["TENANTS", "catalogs", "name_within", "tenant_folders"]


def tenant_folders(folder: Path) -> list[Path]:
    """The folders of a base's tenants, by name."""
    root = folder / TENANTS
    if not root.is_dir():
        return []
    return sorted(path for path in root.iterdir() if (path / FILE_NAME).is_file())


def name_within(folder: Path, base: Path) -> str:
    """The name of a tenant's folder as messages have it; "" for the base itself."""
    return "" if folder == base else f"{TENANTS}/{folder.name}"


@contextmanager
def catalogs(folder: Path, wait_s: float) -> Iterator[list[Catalog]]:
    """The catalogs of a base's tenants, then its own, opened and closed again. Raises CatalogError."""
    with ExitStack() as opened:
        found = []
        for place in (*tenant_folders(folder), folder):
            found.append(Catalog.open(place, create=False, wait_s=wait_s))
            opened.callback(found[-1].close)
        yield found
