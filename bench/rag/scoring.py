"""How much of a question's gold evidence was shown. The one definition used by every bench here.

Normalise evidence and shown text: lower case, every run of non-word characters is one space.

- A span's coverage is the share of its word 8-grams, taken every 4 words, that occur in the text
  shown; a span of at most 8 words must occur whole.
- Evidence that names a page (tables of filings, whose cells come out of a PDF in different
  orders) is covered by the share of its words that occur in text shown from that page or one of
  its neighbours.
- A question's coverage is the mean over its spans, or the best span where the mode is `any`;
  alternatives (other annotators' evidence) compete, and the best counts.
- All evidence is shown when coverage is at least 0.8.
- A question without spans is scored by the share of its gold documents from which text was shown.
- An unanswerable question is right when the answer is an abstention.

Pure functions over small values: nothing here knows a knowledge base.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

GRAM_WORDS = 8
GRAM_STEP = 4
ALL_SHOWN = 0.8

_NON_WORD = re.compile(r"\W+")

Mode = Literal["all", "any"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A gold span. `page` counts from 1 and is None where the evidence names no page."""

    doc: str
    text: str
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """A piece of text that was shown, the document it is from ("" if unknown), and its first and
    last page (from 1; None where the document has no pages)."""

    text: str
    doc: str = ""
    pages: tuple[int, int] | None = None


def normalise(text: str) -> str:
    """Lower case, with every run of non-word characters as one space, none at the ends."""
    return _NON_WORD.sub(" ", text.lower()).strip()


def shown_text(shown: Sequence[Shown]) -> str:
    """All pieces as one normalised text, in the order shown, with a space at both ends."""
    return f" {' '.join(filter(None, (normalise(piece.text) for piece in shown)))} "


def grams(span: str) -> list[str]:
    """The parts of a span that are looked for: its 8-grams, or the whole of a short span."""
    words = normalise(span).split()
    if len(words) <= GRAM_WORDS:
        return [" ".join(words)]
    return [" ".join(words[at : at + GRAM_WORDS]) for at in range(0, len(words) - GRAM_WORDS + 1, GRAM_STEP)]


def text_coverage(span: str, shown: str) -> float:
    """The share of the span's grams in `shown`, a result of `shown_text`."""
    parts = grams(span)
    return sum(f" {part} " in shown for part in parts) / len(parts)


def page_coverage(evidence: Evidence, shown: Sequence[Shown]) -> float:
    """The share of the evidence's words in the text shown from its page or a neighbour of it."""
    assert evidence.page is not None
    words = normalise(evidence.text).split()
    near: set[str] = set()
    for piece in shown:
        if piece.doc != evidence.doc or piece.pages is None:
            continue
        first, last = piece.pages
        if first <= evidence.page + 1 and last >= evidence.page - 1:
            near.update(normalise(piece.text).split())
    return sum(word in near for word in words) / len(words) if words else 0.0


def evidence_coverage(evidence: Evidence, shown: Sequence[Shown], text: str | None = None) -> float:
    """Coverage of one gold span, in [0, 1]. `text` saves normalising `shown` again."""
    if evidence.page is not None:
        return page_coverage(evidence, shown)
    return text_coverage(evidence.text, shown_text(shown) if text is None else text)


def question_coverage(
    evidence: Sequence[Evidence],
    shown: Sequence[Shown],
    *,
    mode: Mode = "all",
    alternatives: Sequence[Sequence[Evidence]] = (),
    own_document: bool = False,
) -> float:
    """Coverage of a question that has spans, in [0, 1].

    own_document: count a span only in text from its own document. This is stricter than the
    definition above, and tells copies (the same paragraph in another version) from the original.
    """
    texts: dict[str, str] = {}

    def coverage(item: Evidence) -> float:
        key = item.doc if own_document else ""
        if key not in texts:
            texts[key] = shown_text([p for p in shown if not own_document or p.doc == item.doc])
        return evidence_coverage(item, shown, texts[key])

    best = 0.0
    for spans in (evidence, *alternatives):
        if spans:
            shares = [coverage(item) for item in spans]
            best = max(best, max(shares) if mode == "any" else sum(shares) / len(shares))
    return best


def gold_docs_share(gold_docs: Sequence[str], shown: Sequence[Shown]) -> float:
    """The share of the gold documents from which any text was shown."""
    seen = {piece.doc for piece in shown if piece.text.strip()}
    return sum(doc in seen for doc in gold_docs) / len(gold_docs) if gold_docs else 0.0


def all_shown(coverage: float) -> bool:
    """Whether this coverage counts as "all evidence shown"."""
    # Means of eighths and fifths land on the bound exactly; do not let rounding decide.
    return coverage >= ALL_SHOWN - 1e-9


def abstained(status: str) -> bool:
    """Whether an answer's status says that no answer was found. A failure, or a reply that was cut off, is no judgement, and
    a conflict gives two answers: none of these counts as one."""
    return status in ("not_found", "not_supported", "no_answer")
