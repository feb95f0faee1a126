"""Numbers and names that begin headings: "2.1 Scope", "IV. RESULTS", "Chapter 3", "第一章", "제1장", "Глава 2".

A number tells how deep a heading is whatever it looks like; a name ("Part", "Item") says which part of a document it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_NAMES = (
    # Volumes and parts, then chapters, then the others, which rank by how they look.
    "part|book|exhibit|appendix|annex|teil|buch|anhang|anlage|partie|annexe|parte|libro|anexo|allegato|часть|приложение|част|الباب",
    "chapter|article|item|kapitel|artikel|chapitre|cap[ií]tulo|capitolo|rozdzia[łl]|hoofdstuk|глава|статья|розділ|الفصل|المادة",
    "title|section|note|abschnitt|titre|secci[oó]n|sezione|se[cç][aã]o|раздел|القسم|المبحث",
)
_WORD_NUMBERS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_NAMED = re.compile(
    "(?:" + "|".join(f"(?P<rank{rank}>{names})" for rank, names in enumerate(_NAMES)) + r")\s+"
    rf"(?:[0-9]{{1,3}}(?:[.-][0-9]{{1,3}}){{0,3}}[a-z]?|[ivxlc]{{1,6}}|[a-z]|{_WORD_NUMBERS}|[\u0660-\u0669]+|ال\w+)"
    r"(?P<end>[.:)—–-]*(?:\s|$))",
    re.IGNORECASE,
)
_HAN = r"[一二三四五六七八九十百零〇○\d０-９]{1,5}"
_EASTERN = (
    re.compile(rf"第\s*{_HAN}\s*[部編编篇卷]|제\s?\d+\s?[편부]"),
    re.compile(rf"第\s*{_HAN}\s*[章回]|제\s?\d+\s?장|\d{{1,2}}\s?장[\s.]"),
    re.compile(rf"第\s*{_HAN}\s*[節节条條款]|제\s?\d+\s?[절조관]|\d{{1,2}}\s?절[\s.]"),
)
_EASTERN_ITEM = re.compile(
    r"[一二三四五六七八九十]{1,3}[、．.]|[（(][一二三四五六七八九十]{1,3}[）)]|[ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩ][.\s]"
)
_DECIMAL = re.compile(
    r"(\d{1,2}(?:\.\d{1,3}){0,5})(?:[.)]?\s+(?=\S)|[.)](?=[^\W\d_])|(?<=\.\d)(?=[^\W\d_a-z])|$)"
)
_LETTERED = re.compile(r"[A-Z]((?:\.\d{1,3}){1,4})\.?\s+(?=\S)")
_ROMAN = re.compile(r"(?:X{0,3}(?:IX|IV|V?I{1,3}|V)|X{1,3})\.\s*(?=\S)")
_LETTER = re.compile(r"[A-Z][.)]\s+(?=\S)")
_PARAGRAPH = re.compile(r"§{1,2}\s?\d{1,4}")
_BRACKETED = re.compile(r"\((?:\d{1,2}|[a-zA-Z]|[ivx]{1,4})\)\s+(?=\S)")

NAMED_PART, OTHER_PART = 0, 2
"""Ranks of what is called a part or chapter, and of everything else."""


@dataclass(frozen=True, slots=True)
class Number:
    """How a heading is numbered.

    part:   rank of what it is called: 0 for parts, 1 for chapters, 2 for the rest
    family: the kind of number: headings of one family and depth are of one level
    depth:  1 for "2", 2 for "2.1"; 0 for a name
    end:    where the title's own words begin
    """

    part: int
    family: str
    depth: int
    end: int


def number_of(title: str) -> Number | None:
    """The number that a title begins with, or None."""
    if named := _NAMED.match(title):
        part = next(rank for rank in range(len(_NAMES)) if named[f"rank{rank}"])
        return Number(part, "name", 0, named.end())
    for part, form in enumerate(_EASTERN):
        if match := form.match(title):
            return Number(part, "name" if part < OTHER_PART else "eastern", 0, match.end())
    if match := _DECIMAL.match(title):
        return Number(OTHER_PART, "decimal", 1 + match[1].count("."), match.end())
    if match := _LETTERED.match(title):
        return Number(OTHER_PART, "decimal", 1 + match[1].count("."), match.end())
    for family, form in (
        ("roman", _ROMAN), ("letter", _LETTER), ("paragraph", _PARAGRAPH), ("item", _EASTERN_ITEM), ("bracket", _BRACKETED),
    ):  # fmt: skip
        if match := form.match(title):
            return Number(OTHER_PART, family, 1, match.end())
    return None
