"""CI checks files with clang-tidy in groups: each is in one, beside none whose own names it says."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def tidy() -> ModuleType:
    path = Path(__file__).parents[3] / ".ci" / "tidy.py"
    spec = importlib.util.spec_from_file_location("tidy", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_file_is_in_one_group(tidy: ModuleType) -> None:
    found = [file for group in tidy.groups(tidy.sources()) for file in group]
    assert sorted(found) == tidy.sources()
    assert len(found) > 80


def test_files_that_would_hear_each_other_are_apart(tidy: ModuleType, tmp_path: Path) -> None:
    texts = {
        "one.cc": "namespace {\nconstexpr int kOwn = 1;\nint helper(int x) {\n  return x;\n}\n}  // namespace\n",
        "other.cc": "int f() { return helper(1); }\n",
        "third.cc": "// helper\n#define HAS 1\n",
        "fourth.cc": "namespace {\nint HAS;\n}  // namespace\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    files = [tmp_path / name for name in texts]
    assert tidy.own_names(files[0]) == {"kOwn", "helper"}
    assert [[file.stem for file in group] for group in tidy.groups(files)] == [
        ["one", "third"],
        ["other", "fourth"],
    ]


def test_a_name_that_is_brought_in_for_nothing_is_found(tidy: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "a.cc"
    path.write_text("using std::swap;\nusing std::move;\nauto x = move(y);\n", encoding="utf-8")
    assert tidy.brought_in_for_nothing(path) == [f"{path}: using swap is unused"]
