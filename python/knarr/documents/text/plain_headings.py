"""Headings without numbers in plain text: underlined, in capitals, or short lines over paragraphs.

Plain text has no sizes and weights, so its authors set headings apart by rules under them, capitals and
blank lines. A heading must stand alone: after a blank line, a page break, a rule, another heading or the
end of a sentence. Page noise, signatures, addresses and rows of tables are refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from knarr.documents.text.clause_titles import bare, is_title_like, is_upper

_RULE = re.compile(r"[ \t]*([-=~^\"*+#_])\1{2,}[ \t]*")
_SAME_LINE_RULE = re.compile(r"[ \t]{2,}([-=_~])\1{4,}[ \t]*$")
_LABELLED = re.compile(r"(?:item|part|note|article|chapter)\s+[\dIVX]+[A-Z]?\b.{0,80}$", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.:;!?)\]”\"]$")
_NO_HEADING = re.compile(
    r"(?:by|name|title|its|date|attest|attention|attn|tel|fax|phone|e-?mail|address|signature|signed|to|from|re|and|between|"
    r"best regards|kind regards|regards|sincerely|yours|thanks|cheers|by and between|among|or|whereas|now,? therefore|in witness whereof|yes|no|total)\b[:.]?|/s/|_{3}|\W*$|"
    r"(?:the )?(?:confidential|execution (?:copy|version)|draft|\[?redacted|\*{2,})|table of contents|contents|index|(?:\d+ +)?exhibit \d|[\[(]",
    re.IGNORECASE,
)
_CODE = re.compile(r"[={}<>\\]|\w_\w|\(\)|;$")
_COMPANY = re.compile(
    r"(?<!^the )(?<!^our )\b(?:inc|llc|l\.l\.c|corp|ltd|corporation|limited|company|gmbh|s[./]a|n\.a|b\.v|l\.?p|plc)\b\.?\)?\W*$",
    re.IGNORECASE,
)
_MAX_CHARS = 100
_MIN_WORD_LETTERS = 6
_MAX_TITLE_WORDS = 10
_PARAGRAPH_CHARS = 60


class HeadingStyle(IntEnum):
    """How a heading is set apart, the surest sign first."""

    UNDERLINED = 0
    CAPITALS = 1
    SHORT = 2


@dataclass(frozen=True, slots=True)
class PlainHeading:
    """Lines ``[first, after)`` of the text; `mark` is the rule's character when underlined."""

    title: str
    first: int
    after: int
    style: HeadingStyle
    mark: str = ""


def plain_headings(lines: Sequence[str], noise: set[int], page_starts: frozenset[int]) -> list[PlainHeading]:
    """The headings in order of place."""
    found: list[PlainHeading] = []
    at = 0
    while at < len(lines):
        heading = None
        if at not in noise and lines[at].strip() and len(lines[at]) < 2 * _MAX_CHARS:
            heading = (
                _underlined(lines, at)
                or _capitals(lines, at, noise, page_starts)
                or _short(lines, at, noise, page_starts)
            )
        if heading:
            found.append(heading)
            at = heading.after
        else:
            at += 1
    return found


def _underlined(lines: Sequence[str], at: int) -> PlainHeading | None:
    line = lines[at].rstrip()
    same = _SAME_LINE_RULE.search(line)
    if same and _is_title(bare(line)):
        return PlainHeading(bare(line), at, at + 1, HeadingStyle.UNDERLINED, same[1])
    over = _RULE.fullmatch(line)
    title_at = at + 1 if over else at
    if title_at + 1 >= len(lines):
        return None
    title = lines[title_at].strip()
    under = _RULE.fullmatch(lines[title_at + 1])
    if not under or (over and over[1] != under[1]) or _RULE.fullmatch(lines[title_at]):
        return None
    # A rule much longer or shorter than the words is drawn across the page and underlines nothing.
    width = len(lines[title_at + 1].strip())
    if (
        not title
        or len(title) > _MAX_CHARS
        or not 0.5 * len(title) <= width <= len(title) + (40 if over else 6)
    ):
        return None
    if not over and at and lines[at - 1].strip() and not _RULE.fullmatch(lines[at - 1]):
        return None
    return PlainHeading(
        bare(title) or title, at, title_at + 2, HeadingStyle.UNDERLINED, under[1] + ("o" if over else "")
    )


def _capitals(
    lines: Sequence[str], at: int, noise: set[int], page_starts: frozenset[int]
) -> PlainHeading | None:
    if (
        not is_upper(lines[at])
        or not (_is_title(bare(lines[at])) or _over_indented(lines, at))
        or not _stands_alone(lines, at, noise, page_starts)
    ):
        return None
    after = at + 1
    while after < min(len(lines), at + 3) and lines[after].strip() and after not in noise:
        if not (is_upper(lines[after]) and _is_title(bare(lines[after]))):
            break
        after += 1
    following = _next_line(lines, after, noise)
    if following is None or (after < len(lines) and is_upper(lines[after]) and lines[after].strip()):
        return None
    title = " ".join(bare(line) for line in lines[at:after])
    return PlainHeading(title, at, after, HeadingStyle.CAPITALS)


def _short(
    lines: Sequence[str], at: int, noise: set[int], page_starts: frozenset[int]
) -> PlainHeading | None:
    line = lines[at].strip()
    if (
        len(line) > 80
        or line[-1] in ".,;:"
        or len(line.split()) > _MAX_TITLE_WORDS
        or any(ch.isdigit() for ch in line)
    ):
        return None
    if not _is_title(line) or not is_title_like(line) or not _stands_alone(lines, at, noise, page_starts):
        return None
    following = _next_line(lines, at + 1, noise)
    if following is None or len(lines[following].strip()) < _PARAGRAPH_CHARS:
        return None
    return (
        PlainHeading(line, at, at + 1, HeadingStyle.SHORT) if lines[following].strip()[0].isupper() else None
    )


def _over_indented(lines: Sequence[str], at: int) -> bool:
    """Whether a short word at the margin heads indented lines right below it, as in a page of a manual (NAME)."""
    line, below = lines[at].rstrip(), lines[at + 1] if at + 1 < len(lines) else ""
    return line.isalpha() and len(line) > 2 and below[:3] in ("   ", "\t") and bool(below.strip())


def _is_title(line: str) -> bool:
    letters = sum(map(str.isalpha, line))
    if " " not in line and letters < _MIN_WORD_LETTERS:
        return False
    if letters < 4 or len(line) > _MAX_CHARS or letters * 2 < len(line.replace(" ", "")):
        return False
    return not (
        _CODE.search(line)
        or _NO_HEADING.match(line)
        or _COMPANY.search(line)
        or line.endswith((",", "&"))
        or "  " in line.strip()
    )


def _stands_alone(lines: Sequence[str], at: int, noise: set[int], page_starts: frozenset[int]) -> bool:
    if at == 0 or at in page_starts:
        return True
    before = lines[at - 1].strip()
    if not before or at - 1 in noise or _RULE.fullmatch(before) or _LABELLED.match(before):
        return True
    return bool(_SENTENCE_END.search(before)) and len(before) > 20


def _next_line(lines: Sequence[str], at: int, noise: set[int]) -> int | None:
    while at < len(lines) and (not lines[at].strip() or at in noise):
        at += 1
    return at if at < len(lines) else None
