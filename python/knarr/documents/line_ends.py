"""Words that a line end parts ("infor-", "mation"), whole again on the line where they begin.

For formats whose canonical text is the source, line for line: the rest of the word moves up, behind its beginning, so that
Grep and Search find the word and every line keeps its number. The hyphen goes when the document has the word
without one, or when neither half is a word of its own there; else it stays, as in "long-", "term". A soft hyphen always
goes. Only running text is touched: both lines hold several words and no gaps of tables or columns, and no fence of
code is open.

Cost: a pass over the text, and a second one for its words where a line ends in a hyphen.
"""

from __future__ import annotations

import re

from knarr.documents.characters import plain_lines

_PARTED = re.compile(
    r"(?<!\w)(?P<begin>[^\W\d_]{2,60})(?P<hyphen>[-\u2010\u00ad])[ \t]{0,8}\n(?P<indent>[ \t>]{0,40})(?P<end>[^\W\d_]{1,60})(?P<rest>[^\s|]{0,20})"
    r"(?P<gap>[ \t]{1,8}(?=\S)|[ \t]{0,8}(?=\n[ \t]{0,8}(?:\n|\Z)|\Z))"
)
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_GAP = re.compile(r"\S[ \t]{3,}\S|\t\S|\|.*\|")
_FENCE = re.compile(r"^[ \t]{0,3}(?:```|~~~)", re.MULTILINE)
# "Vor- und Nachteile": the hyphen stands for a word that comes later.
_SUSPENDED = frozenset(
    {
        "and",
        "or",
        "to",
        "nor",
        "und",
        "oder",
        "bis",
        "et",
        "ou",
        "en",
        "of",
        "och",
        "og",
        "e",
        "y",
        "o",
        "i",
        "a",
    }
)
_MOST_LINE_CHARS = 400
_LEAST_WORDS = 3


def whole_words(text: str) -> tuple[str, tuple[str, ...]]:
    """The text in plain characters with the words whole that line ends parted, and a note that counts them."""
    places = [match for match in _PARTED.finditer(text) if _is_parted(text, match)]
    if not places:
        return plain_lines(text), ()
    fences = [match.start() for match in _FENCE.finditer(text)]
    known = _words(text)
    pieces, at, fence, count = [], 0, 0, 0
    for match in places:
        while fence < len(fences) and fences[fence] < match.start():
            fence += 1
        if fence % 2:
            continue
        pieces += [text[at : match.start()], _joined(match, known), match["rest"], "\n", match["indent"]]
        at, count = match.end(), count + 1
    pieces.append(text[at:])
    note = (f"words that a line end parted, whole on the line where they begin: {count:,}",) if count else ()
    return plain_lines("".join(pieces)), note


def _is_parted(text: str, match: re.Match[str]) -> bool:
    """Whether the lines are running text, and the halves are of one case."""
    begin, end = match["begin"], match["end"]
    if end in _SUSPENDED or not (end.islower() or (end.isupper() and begin.isupper() and len(end) > 1)):
        return False
    if match["hyphen"] == "\u00ad":
        return True
    first = max(text.rfind("\n", 0, match.start()) + 1, match.start() - _MOST_LINE_CHARS)
    last = text.find("\n", match.end(), match.end() + _MOST_LINE_CHARS)
    above = text[first : match.end("hyphen")]
    below = text[match.start("end") : last if last >= 0 else match.end() + _MOST_LINE_CHARS]
    return len(above.split()) >= _LEAST_WORDS and not _GAP.search(above) and not _GAP.search(below)


def _words(text: str) -> set[str]:
    """The words of the text, in small letters, those with hyphens as well; the halves of parted ones are none."""
    return {word[0].lower() for word in _WORD.finditer(_PARTED.sub(" ", text))}


def _joined(match: re.Match[str], known: set[str]) -> str:
    begin, end = match["begin"], match["end"]
    first, last = begin.lower(), end.lower()
    fragments = first not in known and last not in known
    whole = first + last in known or fragments
    if match["hyphen"] == "\u00ad" or (whole and f"{first}-{last}" not in known):
        return begin + end
    return f"{begin}-{end}"
