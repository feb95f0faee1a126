"""The page of behaviours and the tests that cite them stay in step."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[2]
PAGE = (TESTS / "BEHAVIOURS.md").read_text(encoding="utf-8")
ENTRIES = dict(re.findall(r"^\| ([A-Z]{2,4}-\d\d) \|.*\| (.+) \|$", PAGE, re.MULTILINE))
SOURCES = [
    file.read_text(encoding="utf-8")
    for pattern in ("**/*.py", "**/*.cc", "**/*.h")
    for file in TESTS.glob(pattern)
]
CITED = re.compile(r"\b(?:ING|NS|VEC|GREP|EDGE|AG|CHK|PER|SRV|ADP|SEC)-\d\d\b")


def _tests() -> set[str]:
    """The names of all tests, Python's as `test_name` and C++'s as `Suite.Name`."""
    text = "\n".join(SOURCES)
    python = re.findall(r"^(?:async )?def (test_\w+)", text, re.MULTILINE)
    cpp = re.findall(r"^TEST(?:_F|_P)?\((\w+), (\w+)\)", text, re.MULTILINE)
    return {*python, *(f"{suite}.{name}" for suite, name in cpp)}


def test_every_name_that_a_test_cites_is_on_the_page() -> None:
    cited = {name for text in SOURCES for name in CITED.findall(text)}
    assert len(cited) > 30 and cited <= set(ENTRIES)


def test_every_entry_names_tests_that_are_there() -> None:
    there = _tests()
    for name, tests in ENTRIES.items():
        named = re.findall(r"`([\w.]+)`", tests)
        assert named or tests == "open", f"{name}: neither tests nor open"
        assert set(named) <= there, f"{name}: {sorted(set(named) - there)} are not there"
