"""Words of names and questions in one form, so that `BESTBUY_2023_10K` and "Best Buy FY2023 10-K" meet.

A word is lower case, without marks. Where it changes between letters and digits, or from small to
capital letters, its parts count too; neighbours are also tried joined ("best buy" as "bestbuy").
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

STOP = frozenset(
    """a among an and are as at be been being but by can could did do does each excluding for from had has
    have how i if in into is it its may me might must my no nor not of off on or our shall should so such than
    that the their them then there these they this those to was we were what when where which while who whom
    whose why will with would you your""".split()  # noqa: SIM905 - one word per line would hide the list
)
# Words for documents in general, which name no particular one.
GENERIC = frozenset(
    """agreement appendix article book chapter chapters clause contract course dated document documents docx
    earning exhibit file form guide handbook html letter manual md memo note notes page paper papers pdf
    policy report review section study syllabus text txt version""".split()  # noqa: SIM905 - as above
)

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*(?:\.\d+)*")
_PART = re.compile(r"\d+(?:\.\d+)+|\d+|[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|[A-Z]")
_PROPER = re.compile(r"\b[A-Z][\w.&'’-]*(?:\s+(?:of\s+|the\s+|and\s+|&\s+)?[A-Z0-9][\w.&'’-]*)*")
_INITIALS = re.compile(r"\b([A-Z])\s?(?:&|n|and)\s?([A-Z])\b")
_VERSION = re.compile(r"(?<![\w.-])v?(\d+(?:\.\d+)+)(?!\w)", re.IGNORECASE)
_NAMED_VERSION = re.compile(
    r"\b(?:versions?|releases?|v\.?)\s*(\d+(?:\.\d+)*(?:\s*(?:,|and|or|to)\s*\d+(?:\.\d+)*)*)", re.IGNORECASE
)

_BEFORE_CHARS = 40

Version = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it is written, whole in its one form, and its parts; a word that does not change inside
    is its only part."""

    text: str
    whole: str
    parts: tuple[str, ...]


def words(text: str) -> Iterator[Word]:
    """Every word of a text, stop words among them."""
    for match in _WORD.finditer(unicodedata.normalize("NFKC", text)):
        raw = re.sub(r"['’]s$|['’]", "", match[0])
        if raw:
            parts = tuple(stem(part.lower()) for part in _PART.findall(raw)) or (raw.lower(),)
            yield Word(raw, stem(raw.lower()), parts if len(parts) > 1 else (stem(raw.lower()),))


def stem(word: str) -> str:
    """Plural to singular, in the regular cases only, which suffices where both sides are treated alike."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def forms(text: str) -> set[str]:
    """Every form in which a word of this text may be looked for: wholes, parts, neighbours joined."""
    listed = list(words(text))
    found = {word.whole for word in listed}
    for word in listed:
        found.update(word.parts)
    for size in (2, 3):
        for at in range(len(listed) - size + 1):
            joined = "".join(word.text.lower() for word in listed[at : at + size])
            if len(joined) <= 40:
                found.add(stem(joined))
    found.update(f"&{first}{second}".lower() for first, second in _INITIALS.findall(text))
    found.update(f"&{word.text.lower()}" for word in listed if word.text.isupper() and 2 < len(word.text) < 7)
    return found


def proper_forms(text: str) -> set[str]:
    """The forms of the capitalised runs of a text."""
    found: set[str] = set()
    for run in proper_runs(text):
        found |= forms(run)
    return found


def proper_runs(text: str) -> Iterator[str]:
    """Runs of capitalised words, except a sentence's first word alone."""
    for match in _PROPER.finditer(text):
        run = match[0]
        before = text[max(0, match.start() - _BEFORE_CHARS) : match.start()].rstrip()
        begins = match.start() == 0 or before[-1:] in ".?!:"
        if begins and run.partition(" ")[0].lower() in STOP:
            run = run.partition(" ")[2]
        if run and not (begins and " " not in run and not run.isupper()):
            yield run


def initials(text: str) -> str:
    """The first letters of the capitalised words of a name, marked `&`, for J&J and JnJ; "" for one word."""
    letters = [word.text[0].lower() for word in words(text) if word.text[0].isupper()]
    return "&" + "".join(letters) if len(letters) > 1 else ""


def versions(text: str, *, named: bool) -> list[Version]:
    """Version numbers: dotted ones, and with `named` also "version 18", "v18", "versions 3.4 and 3.5"."""
    found = [_numbers(match) for match in _VERSION.findall(text)]
    if named:
        for run in _NAMED_VERSION.findall(text):
            found += [_numbers(one) for one in re.findall(r"\d+(?:\.\d+)*", run)]
    return list(dict.fromkeys(found))


def _numbers(text: str) -> Version:
    return tuple(int(part) for part in text.split(".")[:4] if len(part) < 8)


def meets(asked: Version, have: Version) -> bool:
    """Whether a version is the one asked for: 18 meets 18.20.8 and not 17.9.1."""
    return bool(asked) and have[: len(asked)] == asked
