"""PER-02 for every verb that writes: a kill at any moment, and at any call that changes a file, loses nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import knarr

HERE = Path(__file__).parents[1]


def killed(folder: Path, count: int, seed: int) -> int:
    """How many of the writers were killed; none of them left anything wrong."""
    paths = os.pathsep.join([str(Path(knarr.__file__).parents[1]), str(HERE)])
    done = subprocess.run(
        [sys.executable, "-m", "killing.kills", str(folder), str(count), str(seed)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout.split()[2])


def test_a_kill_during_any_verb_loses_nothing(tmp_path: Path) -> None:
    assert killed(tmp_path, 12, seed=1) >= 6


@pytest.mark.slow
def test_hundreds_of_kills_lose_nothing(tmp_path: Path) -> None:
    assert killed(tmp_path, 500, seed=2) >= 300
