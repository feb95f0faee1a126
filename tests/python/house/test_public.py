"""The public names: all there, imported when they are used, and only with what they need."""

from __future__ import annotations

import ast
import importlib.util
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import knarr


def test_every_public_name_is_there_and_has_a_docstring() -> None:
    for name in knarr.__all__:
        assert getattr(knarr, name).__doc__, name
    assert set(knarr.__all__) <= set(dir(knarr))
    assert knarr.__version__


def test_unknown_names_are_attribute_errors() -> None:
    assert not hasattr(knarr, "no_such_name")


def loaded(code: str) -> set[str]:
    """The modules that a new process has loaded after this code."""
    code += "\nimport sys; print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(out.stdout.splitlines()[-1].split())


HEAVY = {
    "numpy",
    "sqlalchemy",
    "pydantic",
    "pydantic_settings",
    "onnxruntime",
    "tokenizers",
    "docx",
    "openai",
}


def test_importing_knarr_loads_nothing_else() -> None:
    assert loaded("import knarr") - loaded("import __future__") == {"knarr"}


def test_the_engine_alone_needs_numpy_and_the_core() -> None:
    new = loaded("from knarr import Engine; Engine(4)") - loaded(
        "import __future__, numpy.typing, unicodedata"
    )
    assert new == {f"knarr{name}" for name in ("", "._core", ".arguments", ".engine", ".errors", ".uris")}


# Loaded when they are first needed: opening a base needs none of them.
LATER = (
    "abstracts.job",
    "agent",
    "checker",
    "cli",
    "demo",
    "documents",
    "experience.judge",
    "experience.learning",
    "experience.warm_up",
    "models.chat",
    "models.rerank",
    "trace.record",
    "writing.ingest",
)


def test_an_open_base_needs_no_model_checker_or_parser(tmp_path: Path) -> None:
    new = loaded(
        "import knarr\n"
        "class Small:\n    id, dim, tokenizer = 'small', 4, None\n"
        f"kb = knarr.open({str(tmp_path / 'test.kb')!r}, embedder=Small())"
    )
    assert "knarr.index.index" in new
    for name in LATER:
        assert importlib.util.find_spec(f"knarr.{name}") is not None, name
        assert f"knarr.{name}" not in new


def test_what_is_caught_and_returned_can_be_named_at_no_cost() -> None:
    assert not HEAVY & loaded("from knarr import KnarrError, Hit, Answer")


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_loads_nothing_heavy(option: str) -> None:
    run = f"from knarr.cli import main\ntry: main([{option!r}])\nexcept SystemExit: pass"
    new = loaded(run)
    assert not HEAVY & new
    assert not {"knarr.types", "knarr.documents", "knarr.knowledge_base"} & new


def test_names_come_from_where_type_checkers_are_told() -> None:
    tree = ast.parse(Path(knarr.__file__).read_text(encoding="utf-8"))
    told = {
        name.name: node.module
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    assert set(told) == {*knarr.__all__, "__version__"}
    for name, module in told.items():
        assert getattr(knarr, name) is getattr(importlib.import_module(module), name)


def test_results_and_classes_can_be_pickled() -> None:
    entry = knarr.Entry("viking://a/", "a", True, 1, "", None)
    assert pickle.loads(pickle.dumps(entry)) == entry
    assert pickle.loads(pickle.dumps(knarr.Engine)) is knarr.Engine


def test_all_can_be_imported_at_once() -> None:
    names: dict[str, object] = {}
    exec("from knarr import *", names)
    assert set(knarr.__all__) <= set(names)
