"""What a new process says of files, warm in the page cache or dropped from there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def opened(reader: str, path: Path, files: Iterable[Path], *, warm: bool) -> dict[str, Any]:
    """The JSON that the program `reader` prints for `path`, whose files these are."""
    for each in files:
        with each.open("rb") as file:
            if warm:
                while file.read(1 << 24):
                    pass
            else:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    command = [sys.executable, "-c", reader, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))
