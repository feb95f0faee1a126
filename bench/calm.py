"""Keeps the threads of other libraries from spinning in a contender's turn.

OpenBLAS's and OpenMP's threads wait for more work in a loop after each call, and take the second core
from whoever comes next: so measured, an engine that uses two threads took twice its time beside NumPy.
Both read these variables once, when they are loaded.
"""

from __future__ import annotations

import os
import sys

VARIABLES = {"OPENBLAS_THREAD_TIMEOUT": "4", "OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0"}


def start_calm() -> None:
    """Begin this process anew with the variables set, unless they are. Call it first in `main`."""
    missing = {name: value for name, value in VARIABLES.items() if name not in os.environ}
    if missing:
        os.environ.update(missing)
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def settings() -> dict[str, str]:
    """What is set, for the results."""
    return {name: os.environ.get(name, "") for name in VARIABLES}
