"""The committed `_core.pyi` is what pybind11-stubgen makes of the built module."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import knarr
from knarr import _core

pytest.importorskip("pybind11_stubgen")


def formatted(path: Path) -> str:
    ruff = [sys.executable, "-m", "ruff"]
    subprocess.run([*ruff, "check", "--quiet", "--isolated", "--fix", "--select", "I", path], check=False)
    subprocess.run([*ruff, "format", "--quiet", "--isolated", path], check=True)
    return path.read_text()


def test_the_stub_is_current(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pybind11_stubgen", "knarr._core", "--output-dir", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    committed = tmp_path / "committed.pyi"
    committed.write_text((Path(knarr.__file__).parent / "_core.pyi").read_text())
    assert formatted(tmp_path / "knarr" / "_core.pyi") == formatted(committed)


def test_every_public_name_of_the_core_is_typed() -> None:
    stub = (Path(knarr.__file__).parent / "_core.pyi").read_text()
    for name in (name for name in dir(_core) if not name.startswith("_")):
        assert f"class {name}:" in stub
