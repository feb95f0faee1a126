"""The small library that `knarr demo` asks about, and its questions.

Eight documents of an invented company and an invented university: a handbook in Markdown (six
files), a contract in plain text, a syllabus in DOCX and a report in PDF. All of it was written for
knarr. Answers are spread over sections and documents on purpose.
May import: uris.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from knarr.uris import SCHEME, join

INTO = join(SCHEME, "library")


@dataclass(frozen=True, slots=True)
class Question:
    """A question with what a right answer shows.

    kind:      what makes it hard, in a few words
    status:    the expected `Answer.status`
    key_words: texts that stand in the answer or its quoted evidence
    evidence:  parts of URIs, each cited by a right answer
    """

    kind: str
    question: str
    status: str
    key_words: tuple[str, ...]
    evidence: tuple[str, ...]


def library() -> Path:
    """The folder of documents, as installed."""
    return Path(__file__).parent / "library"


def questions() -> tuple[Question, ...]:
    """The questions of the demo, the unanswerable one last."""
    raw = json.loads((Path(__file__).parent / "questions.json").read_text(encoding="utf-8"))
    return tuple(
        Question(
            kind=item["kind"],
            question=item["question"],
            status=item["status"],
            key_words=tuple(item["key_words"]),
            evidence=tuple(item["evidence"]),
        )
        for item in raw
    )
