"""Lines to paragraphs: lines that the page broke for its width are joined again.

A line goes on in the next one unless something new begins, which shows as a gap, an indent, a list
mark, a change of size, a short last line or a row of a table. A paragraph may go on over the end of a
page. A hyphen at the end of a line is taken away when the word is known without one: the document has it elsewhere, or
not both halves are words of a document that breaks words at line ends, or neither half is one.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from knarr.documents.pdf.lines import Line
from knarr.language.plain import line_gap

_LIST_MARK = re.compile(
    r"([•●▪■◦‣·○☐☒☑✓➢❖◆]|[–—*o-]\s|\(?[0-9]{1,3}[.)]\s|\([a-zA-Z0-9]{1,4}\)\s|[a-zA-Z][.)]\s|[ivx]{1,5}[.)]\s|\[(?: |[^\]\s]{1,20})\]\s)"
)
MAX_LINES = 300
_MAX_WORD_CHARS = 80
_END_ROOM, _ROOM = 3, 8
_END = re.compile(r"[.!?:;][\"”’')\]]*$")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LAST_PART = re.compile(r"([^\W\d_]+)[-\xad]$")
_FIRST_PART = re.compile(r"[^\W\d_]+")
# What is no word and stands before a hyphen all the same.
_PREFIXES = frozenset(
    [
        "all",
        "anti",
        "co",
        "cross",
        "full",
        "half",
        "high",
        "long",
        "low",
        "macro",
        "meta",
        "micro",
        "mid",
        "multi",
        "non",
        "post",
        "pre",
        "pseudo",
        "quasi",
        "self",
        "semi",
        "short",
        "ultra",
        "well",
    ]
)


class Hyphenation:
    """Joins lines. It knows the words of the document, to decide about hyphens at line ends, and whether its lines
    break words at all."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self._known: set[str] = set()
        breaks: list[tuple[str, str]] = []
        last = ""
        for line in lines:
            text = line.text
            first = _FIRST_PART.match(text) if last else None
            if first is not None:
                breaks.append((last, first[0].lower()))
                text = text[first.end() :]
            end = _LAST_PART.search(text[-_MAX_WORD_CHARS:]) if text.endswith(("-", "\xad")) else None
            last = end[1].lower() if end else ""
            if end:
                text = text[: len(text) - len(end[0])]
            if text.isascii():
                self._known.update(_WORD.findall(text.lower()))
            else:
                # A small letter may be two characters, of which the second is no letter.
                self._known.update([word.lower() for word in _WORD.findall(text)])
        whole = sum(begin + end in self._known for begin, end in breaks)
        self._breaks_words = 2 * whole > sum(
            begin in self._known and end in self._known for begin, end in breaks
        )

    def join(self, left: str, right: str) -> str:
        """Two lines as one, without the hyphen between them where that is sure."""
        if not left.endswith(("-", "\xad")):
            return f"{left}{line_gap(left, right)}{right}"
        last, first = _LAST_PART.search(left[-_MAX_WORD_CHARS:]), _FIRST_PART.match(right)
        if last is None or first is None or not self._is_one_word(last[1].lower(), first[0]):
            return f"{left[:-1]}-{right}"
        return left[:-1] + right

    def _is_one_word(self, begin: str, rest: str) -> bool:
        end = rest.lower()
        if f"{begin}-{end}" in self._known:
            return False
        if begin + end in self._known:
            return True
        if not rest[0].islower():
            return False
        if end not in self._known:
            return self._breaks_words or begin not in self._known
        return self._breaks_words and begin not in self._known and begin not in _PREFIXES


def leading(lines: Sequence[Line]) -> float:
    """The usual distance of base lines, in units of the size; 1.2 where no lines show it."""
    steps: Counter[float] = Counter()
    for above, below in itertools.pairwise(lines):
        if above.page == below.page and above.cells == below.cells == 1 and above.size == below.size > 0:
            step = (above.y - below.y) / above.size
            if 0.8 <= step <= 2.5:
                steps[round(step, 1)] += 1
    return steps.most_common(1)[0][0] if steps else 1.2


def goes_on(above: Line, line: Line, usual: float, right: float) -> bool:
    """Whether `line` continues the paragraph of `above`. `usual` is the leading (see `leading`), `right`
    the x where the text of the page ends."""
    if above.cells > 1 or line.cells > 1 or _LIST_MARK.match(line.text):
        return False
    if abs(above.size - line.size) > 0.12 * max(above.size, line.size) or (
        above.bold != line.bold and above.bold
    ):
        return False
    if above.page != line.page or line.y >= above.y:
        # Over the end of a page or column only where the sentence plainly goes on.
        return not _END.search(above.text) and (line.text[0].islower() or above.text[-1] in "-\xad,")
    step = (above.y - line.y) / max(above.size, 1.0)
    if step > usual * 1.3 + 0.05:
        return False
    first_word = (line.x1 - line.x0) * len(line.text.split(" ")[0]) / max(1, len(line.text))
    room = right - above.x1 - first_word
    # The next word would have had room, so the line ends here on purpose.
    if room > (_END_ROOM if _END.search(above.text) else _ROOM) * above.size:
        return False
    indented = line.x0 - above.x0 > above.size and not _LIST_MARK.match(above.text)
    return not (indented and _END.search(above.text))


def right_end(lines: Sequence[Line], at: int) -> float:
    """The x where the text around a line ends, in its column."""
    line = lines[at]
    near = lines[max(0, at - 6) : at + 7]
    return max(
        other.x1
        for other in near
        if other is line or (other.page == line.page and other.x0 < line.x1 and other.x1 > line.x0)
    )


def stand_together(first: Line, above: Line, below: Line) -> bool:
    """Whether the paragraph from `first` to `above` and the one that begins at `below` are written without
    a blank line between them: rows of one table with its labels, items of one list."""
    if above.page != below.page:
        return False
    if above.cells > 1 or below.cells > 1:
        return 0 <= above.y - below.y <= 2.2 * max(above.size, below.size)
    return bool(_LIST_MARK.match(first.text) and _LIST_MARK.match(below.text))
