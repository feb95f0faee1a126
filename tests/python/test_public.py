"""The public names: all there, importable late, nothing heavy at import."""

from __future__ import annotations

import subprocess
import sys

import knarr


def test_every_public_name_is_there_and_has_a_docstring() -> None:
    for name in knarr.__all__:
        assert getattr(knarr, name).__doc__, name
    assert set(knarr.__all__) <= set(dir(knarr))
    assert knarr.__version__


def test_unknown_names_are_attribute_errors() -> None:
    assert not hasattr(knarr, "no_such_name")


def test_importing_knarr_loads_nothing_heavy() -> None:
    code = "import knarr, sys; print([m for m in ('numpy', 'onnxruntime', 'sqlalchemy', 'docx') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
