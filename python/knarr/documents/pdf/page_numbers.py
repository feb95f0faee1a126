"""What of a line may be the number of its page: "12", "Page 3 of 9", "- iv -", "F-12", "Annual Report | 12".

A number counts as one only by its form here, and by counting with the pages in `furniture`. Words right beside a
number make it data ("Ward 3", "Account 77-3"), unless they are words for a page: a number after other words
must stand apart from them, by a wide gap or a bar, and those words must not read like the label of a value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from knarr.documents.pdf.lines import CELL_SEPARATOR, Line

_PAGE = r"(?:pages?|pg\.?|p\.|seite|s\.|página|pagina|pág\.?|pag\.?|sida|side|strana|str\.?|strona|сторінка|страница|стр\.?|σελίδα)"
_OF = r"(?:of|von|de|sur|di|van|av|af|z|ze|из|/)"
_ROMAN_DIGITS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_ROMAN = re.compile(r"(?:x[cl]|l?x{0,3})(?:i[xv]|v?i{0,3})")
_FRAME = r"[-–—|\[\]()·•\s]*"
_NUMBER = rf"(?P<number>\d{{1,5}}|[ivxlc]{{1,8}})(?:\s*{_OF}\s*(?P<total>\d{{1,5}}))?"
_ALONE = re.compile(
    rf"{_FRAME}(?P<page>{_PAGE}\s*)?(?P<part>[a-z]{{1,2}}[-–])?{_NUMBER}{_FRAME}|"
    rf"第?\s*(?P<east>\d{{1,5}})\s*[页頁ページ쪽]+(?:\s*[,/，共]*\s*\d+\s*[页頁ページ쪽]*)?"
)
_APART = rf"(?:{CELL_SEPARATOR}|\s*[|•·]\s*|\s[–—]\s)"
_AFTER = re.compile(rf"(?P<title>.*\S){_APART}(?P<page>{_PAGE}\s*)?{_NUMBER}")
_AFTER_WORD = re.compile(rf"(?P<title>.*\S)[\s,;]+(?P<page>{_PAGE}\s*){_NUMBER}")
_BEFORE = re.compile(rf"{_NUMBER}{_APART}(?P<title>.*\S)")
_LABEL = re.compile(r"[:=#№]$|\b(no|nr|num|number|nummer|id|code|ref)\.?$|^\S+$")
# Longer lines hold prose, and no title of a page.
_MOST_CHARS = 200


@dataclass(frozen=True, slots=True)
class PageNumber:
    """A number that may be the page's.

    title:  the words of the line without it, in small letters; "" for a number that stands alone
    number: its value, roman ones too
    titled: whether these words are more than the letter of a part, as in "F-12"
    named:  whether a word for a page, or a total, says that it is one
    """

    title: str
    number: int
    titled: bool
    named: bool


def page_number(line: Line) -> PageNumber | None:
    """The page number that the line shows or may show, or None."""
    text = line.text.strip().lower()
    if len(text) > _MOST_CHARS:
        return None
    if match := _ALONE.fullmatch(text):
        if match["east"]:
            return PageNumber("", int(match["east"]), False, True)
        return _found(match, match["part"] or "", False)
    for form in (_AFTER, _AFTER_WORD, _BEFORE):
        match = form.fullmatch(text)
        if match and (("page" in form.groupindex and match["page"]) or not _LABEL.search(match["title"])):
            return _found(match, f"{match['title']} ", True)
    return None


def _found(match: re.Match[str], title: str, titled: bool) -> PageNumber | None:
    value = _value(match["number"])
    if value is None:
        return None
    named = "page" in match.re.groupindex and bool(match["page"])
    # "3 of 9" names itself; its total belongs to the words that must stay the same, "Page 2 of 2" does not say more.
    if match["total"] and not named:
        title += f"of {match['total']}"
        named = value <= int(match["total"])
    return PageNumber(title, value, titled, named)


def _value(digits: str) -> int | None:
    """The value of Arabic or roman digits; None where letters are no roman number."""
    if digits.isdigit():
        return int(digits)
    if not _ROMAN.fullmatch(digits):
        return None
    values = [_ROMAN_DIGITS[digit] for digit in digits]
    return sum(
        -value if value < following else value
        for value, following in zip(values, [*values[1:], 0], strict=True)
    )
