"""Rows of tables turned into questions: in pipes, with cells on one line, or, from PDF, a cell per line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knarr.experience.warm_up.forms import Form, QuestionWriter

_VALUE = r"[$€£]?[ \t\n]*\(?-?\d[\d,]*(?:\.\d+)?\)?[ \t]?%?"
_ROW = re.compile(
    rf"^[ \t|]*(?P<label>[A-Z][A-Za-z ,’'()/&–-]{{4,60}}?)[ \t|\n]+(?P<values>{_VALUE}(?:[ \t|\n]+{_VALUE})+)",
    re.MULTILINE,
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_IDLE = re.compile(
    r"^(?:total|other|page|note|see|item|part|section|table|and)\b[^a-z]*$|^(?:as|for|in|of|at|the|on)\b",
    re.IGNORECASE,
)
_MONTH = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b"
)
_MOST_ROWS = 40


def row_forms(text: str, writer: QuestionWriter) -> Iterator[tuple[str, Form]]:
    """A (row, question) for each row of numbers with a label; the year is one that stands above it."""
    for at, row in enumerate(_ROW.finditer(text)):
        if at == _MOST_ROWS:
            return
        label = " ".join(row["label"].split()).strip(" ,–-(")
        if (
            _IDLE.match(label)
            or _MONTH.search(label)
            or len(label.split()) > 8
            or label.count("(") != label.count(")")
        ):
            continue
        years = list(dict.fromkeys(_YEAR.findall(text[max(0, row.start() - 1500) : row.start()])))[-3:]
        topic = writer.topic(label)
        verb = "were" if re.search(r"[^s]s$", label.split(" of ")[0].split()[-1]) else "was"
        for year in years[:1]:
            yield row[0], Form("figure", f"What {verb} {topic} in {year}?")
        if len(years) > 1:
            yield row[0], Form("figure", f"How did {topic} change from {min(years)} to {max(years)}?")
        if not years:
            yield row[0], Form("figure", f"How much {verb} {topic}?")
