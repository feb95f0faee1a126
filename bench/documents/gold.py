"""What a folder of files should give: one JSON line a file, in `gold.jsonl` beside them.

    {"file": "report.pdf", "prose": ["a paragraph …"], "headings": ["1 Scope"], "values": ["4.0"]}

prose:     passages that must be read on, word after word
headings:  the titles of sections, in order
values:    what somebody filled in, or noted on a page
Every field but `file` may be missing: only what is there is scored.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

FILE_NAME = "gold.jsonl"


@dataclass(frozen=True, slots=True)
class Gold:
    """The gold of one file; `file` is its path below the folder."""

    file: str
    prose: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    values: tuple[str, ...] = ()


def load(folder: Path) -> Iterator[Gold]:
    """The gold of a folder, in the order of its file. Raises FileNotFoundError where there is none."""
    for line in (folder / FILE_NAME).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        kinds = {kind: tuple(row.get(kind, ())) for kind in ("prose", "headings", "values")}
        yield Gold(row["file"], **kinds)


def save(folder: Path, rows: Iterable[Gold]) -> int:
    """Write the gold of a folder, each line as it comes; how many files have some."""
    count = 0
    with (folder / FILE_NAME).open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps({key: value for key, value in asdict(row).items() if value}) + "\n")
            file.flush()
            count += 1
    return count
