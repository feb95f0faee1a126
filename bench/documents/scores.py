"""How much of a file's gold a reading has.

Normalised: lower case, letters of Chinese, Japanese and Thai apart, each run of non-word characters one space (as in
`bench.rag.scoring`); soft hyphens and hyphens at line ends are taken out first, since readers and gold differ in
whether they mend them.

- Prose: the share of a passage's word 8-grams, taken every four words, that occur in the text; two columns that are
  read across break nearly all of them.
- Headings: recall is the share of gold titles among the titles read, precision the share of titles read among the
  gold ones; each title counts as often as it comes. Numbers before a title and case do not matter.
- Values: the share that occurs in the text, as whole words.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from bench.documents.gold import Gold
from bench.documents.readers import Reading
from bench.rag.scoring import normalise, text_coverage

_LINE_END = re.compile(r"(?<=\w)[-\u2010\u00ad]\s*\n\s*(?=\w)|\u00ad")
# Letters of scripts without spaces are words each: whether a line end among them is a space is the reader's choice.
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_NUMBER = re.compile(
    r"^(?:(?:chapter|section|part|item|article|appendix)\s+)?(?:\d+|[ivxlc]+|[a-z])?(?:\s\d+)*\s+(?=\w{3})"
)


def plain(text: str) -> str:
    """Text as it is compared, with a space at both ends."""
    whole = _LINE_END.sub("", unicodedata.normalize("NFKC", text))
    apart = _UNSPACED.sub(r" \g<0> ", whole)
    return f" {normalise(apart)} "


def title_key(title: str) -> str:
    """A title as it is compared: without its number, and without spaces, which readers part words by differently."""
    return _NUMBER.sub("", plain(title).strip()).replace(" ", "")


def score(gold: Gold, reading: Reading) -> dict[str, float]:
    """The figures of one file, each from 0 to 1; only those that the gold has."""
    found: dict[str, float] = {}
    text = plain(reading.text)
    if gold.prose:
        passages = [plain(passage).strip() for passage in gold.prose]
        found["prose"] = _mean([text_coverage(passage, text) for passage in passages if passage])
    if gold.headings:
        found["heading_recall"], found["heading_precision"] = _headings(gold.headings, reading.headings)
    if gold.values:
        values = [plain(value) for value in gold.values]
        found["values"] = _mean([float(value in text) for value in values])
    return found


def _headings(gold: Sequence[str], read: Sequence[str]) -> tuple[float, float]:
    wanted, given = (Counter(filter(None, map(title_key, titles))) for titles in (gold, read))
    common = (wanted & given).total()
    return common / max(1, wanted.total()), common / max(1, given.total())


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(1, len(values))
