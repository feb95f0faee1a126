"""The layers of `cpp/`: folders include only those that stand below them, and never in a circle.

The table is the whole rule: a folder's row names every other folder that it may include. So a folder can be
read, tested and replaced without those above it. Add to a row only when the new dependency points down.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

CPP = Path(__file__).parents[3] / "cpp"

# Folder: the folders that it may include. Each row names only folders of the rows above it.
ALLOWED: dict[str, tuple[str, ...]] = {
    "base": (),
    "filter": ("base",),
    "uri": ("base", "filter"),
    "snapshot": ("base",),
    "vectors/rows": ("base",),
    "vectors/codes": ("base", "vectors/rows"),
    "vectors/graph": ("base", "filter", "snapshot", "vectors/rows"),
    "vectors": ("base", "filter", "snapshot", "vectors/rows", "vectors/codes", "vectors/graph"),
    "grep/pattern": ("base",),
    "grep/index": ("base", "grep/pattern"),
    "grep/text": ("base", "filter", "snapshot", "grep/index"),
    "grep": ("base", "filter", "grep/pattern", "grep/text"),
    "edges": ("base", "filter", "snapshot", "vectors/rows"),
    "engine": (
        *("base", "filter", "uri", "snapshot", "edges"),
        *("vectors", "vectors/rows", "vectors/graph", "grep", "grep/text"),
    ),
    "bindings": ("base", "filter", "engine"),
}

_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def folder_of(path: str) -> str:
    return str(PurePosixPath(path).parent)


def includes() -> dict[tuple[str, str], list[str]]:
    """`(folder, included folder)` and the lines `file includes header` that make the pair."""
    found: dict[tuple[str, str], list[str]] = {}
    for path in sorted([*CPP.rglob("*.h"), *CPP.rglob("*.cc")]):
        name = path.relative_to(CPP).as_posix()
        for header in _INCLUDE.findall(path.read_text()):
            if not (CPP / header).is_file():
                continue  # another project's header
            pair = folder_of(name), folder_of(header)
            if pair[0] != pair[1]:
                found.setdefault(pair, []).append(f"{name} includes {header}")
    return found


def test_the_table_has_no_circle() -> None:
    above: set[str] = set()
    for folder, below in ALLOWED.items():
        assert set(below) <= above, f"{folder}: a row may use only rows above it, got {set(below) - above}"
        above.add(folder)


def test_every_folder_has_a_row() -> None:
    folders = {folder_of(path.relative_to(CPP).as_posix()) for path in CPP.rglob("*.cc")}
    assert folders == set(ALLOWED)


def test_includes_point_down() -> None:
    wrong = [
        line
        for (folder, below), lines in includes().items()
        if below not in ALLOWED.get(folder, ())
        for line in lines
    ]
    assert not wrong, "these includes point up or sideways:\n" + "\n".join(wrong)
