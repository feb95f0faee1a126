"""Packages whose names are imported when they are first used (PEP 562).

A package says its names twice: under `if TYPE_CHECKING:` for checkers and editors, and to `install`.
"""

from __future__ import annotations

TYPE_CHECKING = False  # what checkers take for `typing.TYPE_CHECKING`, without the import

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def install(package: dict[str, Any], homes: Mapping[str, str]) -> None:
    """Give the package whose globals these are each name of `homes`, from the module that it names there."""

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package['__name__']!r} has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(homes[name]), name)
        package[name] = value
        return value

    package["__getattr__"] = get
    package["__dir__"] = lambda: sorted({*package["__all__"], *homes})
