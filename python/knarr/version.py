"""The version that is installed."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("knarr")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0+unknown"
