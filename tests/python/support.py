"""What tests share besides fixtures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

WriteDocs = Callable[[dict[str, str | bytes]], Path]
