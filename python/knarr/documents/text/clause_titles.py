"""The title of a numbered clause: its label and the words that head it.

In order of preference, after the label: the rest of a short line ("4. PAYMENTS"), a defined term
in quotes (1.2 "Affiliate" means …), a run-in heading ("2.1 Term. This Agreement …"), words in
capitals before lower case ("1.3 LINK shall mean …"), capitalised words before the first word of a
sentence ("2.0 Definitions The …"); if the label stands alone, the short line under it. A clause
without a heading of its own is named by its first words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum

from knarr.language.plain import one_line

_MAX_LINE_CHARS = 110
_MAX_TITLE_WORDS = 16
_FIRST_WORDS = 8

_GAP = re.compile(r"[ \t]{3,}")
_RULE = re.compile(r"[ \t]*[-_=~][-_=~ \t]{2,}$")
_TERM = re.compile(r"[\"“][^\"”\n]{1,80}[\"”]")
_RUN_IN = re.compile(
    r"[A-Z\[(][^.:;\n]{1,110}?(?:\b(?:Inc|Corp|Ltd|Co|No|Nos|vs?)\.[^.:;\n]{1,80}?)?(?:[.:;]|\s[—–-]\s)(?=\s|$|[A-Z\"“(])"
)
_CAPITALS = re.compile(
    r"[A-Z][A-Z0-9&'’/()-]+(?:[ \t,]+(?:[A-Z][A-Z0-9&'’/()-]*|&))*(?<!&)(?=[ \t]+[\"“(]?[A-Z]?[a-z])"
)
_MEANS = re.compile(r"[ \t]+(?:shall mean|shall have the|means?|has the|is defined|refers)\b")
_OPENERS = (
    "The|This|These|Those|That|In|If|For|Each|Any|All|Upon|During|Except|Subject|Nothing|Neither|Either|No|As|At|By|"
    "To|When|Where|Unless|Notwithstanding|It|Such|There|Both|You|We|Our|Your|A|An|Once|From|With|Other|After|Before"
)
_LITTLE = "of|and|or|for|to|the|in|on|by|with|a|&"
_CAPITALISED = re.compile(
    rf"(?!(?:{_OPENERS})\b)[A-Z][\w'’/&-]*(?:[ \t]+(?:[A-Z][\w'’/&-]*|{_LITTLE})[,)]?){{0,9}}?"
    rf"(?<!\b(?:of|or|to|in|on|by))(?<!\b(?:and|for|the))(?=[ \t]+(?:(?:{_OPENERS})[ \t]|[\"“]))"
)
_VERBS = frozenset(
    {"shall", "will", "must", "may", "means", "mean", "is", "are", "was", "has", "have", "does"}
)
_SMALL = frozenset({
    "a", "an", "and", "as", "at", "but", "by", "for", "from", "in", "into", "of", "on", "or", "nor",
    "per", "the", "to", "upon", "via", "vs", "with", "without", "not", "be", "de", "la", "du",
    "der", "und",
})  # fmt: skip


class TitleKind(IntEnum):
    """How a title was found, the surest way last."""

    NONE = 0
    CAPITALS = 1
    TERM = 2
    RUN_IN = 3
    LINE = 4


@dataclass(frozen=True, slots=True)
class ClauseTitle:
    """A clause's title. `end` is the first character after it in the text; `upper` says that it is wholly in
    capitals."""

    text: str
    end: int
    kind: TitleKind
    upper: bool


def clause_title(
    text: str, begin: int, label_end: int, limit: int, alone: str, alone_end: int
) -> ClauseTitle:
    """The title of the clause whose label is ``text[begin:label_end]``.

    `limit` is where the next label or the line ends. `alone`, ending at `alone_end`, is the line to
    take when nothing stands beside the label, "" for none.
    """
    label = one_line(text[begin:label_end])
    rest = text[label_end:limit]
    body = rest.lstrip(" \t.:–—-")
    at = limit - len(body)
    if not body.strip():
        if not alone:
            return ClauseTitle(label, label_end, TitleKind.NONE, False)
        return ClauseTitle(f"{label} {bare(alone)}", alone_end, TitleKind.LINE, is_upper(alone))
    kind, length = _heading(body)
    if kind is TitleKind.NONE:
        words = one_line(body[:200]).split(" ")
        short = " ".join(words[:_FIRST_WORDS])
        return ClauseTitle(
            f"{label} {short}{'…' if len(words) > _FIRST_WORDS else ''}", label_end, kind, False
        )
    heading = bare(body[:length])
    return ClauseTitle(f"{label} {heading}", at + length, kind, is_upper(heading))


def _heading(body: str) -> tuple[TitleKind, int]:
    """What kind of heading `body` begins with, and how long it is."""
    term = _TERM.match(body)
    if term:
        return TitleKind.TERM, term.end()
    gap = _GAP.search(body)
    line = body[: gap.start()] if gap and gap.start() > 2 else body
    # Small letters after a gap continue a sentence whose line end was lost.
    broken = gap is not None and body[gap.end() : gap.end() + 1].islower()
    if len(line) <= _MAX_LINE_CHARS and not broken and is_title_like(bare(line)):
        rule = _RULE.match(body, len(line))
        return TitleKind.LINE, rule.end() if rule else len(line)
    run_in = _RUN_IN.match(body)
    if run_in and is_title_like(bare(run_in[0])):
        return TitleKind.RUN_IN, run_in.end()
    capitals = _CAPITALS.match(body)
    # A party's name ("ACME shall deliver") is no heading; a defined word is.
    if capitals and (" " in capitals[0] or _MEANS.match(body, capitals.end())):
        return TitleKind.CAPITALS, capitals.end()
    capitalised = _CAPITALISED.match(body)
    if capitalised and len(capitalised[0]) > 3:
        return TitleKind.RUN_IN, capitalised.end()
    return TitleKind.NONE, 0


def is_title_like(line: str) -> bool:
    """Whether it is written like a heading: in capitals, with each long word capitalised, or in few words."""
    words = [word for word in re.split(r"[\s/—–-]+", line) if any(ch.isalpha() for ch in word)]
    if not words or len(words) > _MAX_TITLE_WORDS or line.endswith((",", ";")):
        return False
    if is_upper(line):
        return True
    first = next(ch for ch in words[0] if ch.isalpha())
    if first.islower() or re.search(r"[.;:]\s", line):
        return False
    if not _VERBS.isdisjoint(words):
        return False
    low = sum(1 for word in words[1:] if word[0].islower() and word not in _SMALL)
    # "Grant of rights", "Term and termination": short headings in sentence case.
    return low == 0 or (len(words) <= 5 and low <= 3)


def is_upper(line: str) -> bool:
    """Whether the letters are capitals, a few small ones aside ("McDONALD", "(a)")."""
    upper = sum(map(str.isupper, line))
    lower = sum(map(str.islower, line))
    return upper > 0 and upper >= 0.9 * (upper + lower)


def bare(line: str) -> str:
    """A line without a rule drawn after it and without its closing stop or colon."""
    line = line.rstrip()
    ruled = line.rstrip("-_=~ \t")
    return one_line(ruled if len(line) - len(ruled) > 2 else line).rstrip(" .:;—–-").strip()
