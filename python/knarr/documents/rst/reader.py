"""The blocks of reStructuredText, from front to back, written as Markdown.

A block is known by its first line, and everything indented below it belongs to it; so lists, quotations and directives
hold blocks as a document does, and one method reads all of them, a level deeper. Titles count at the top level only.

Cost: a line is looked at once a level, and levels are bounded: deeper lines are text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from knarr.documents.rst.explicit import Explicit
from knarr.documents.rst.inline import Inline
from knarr.documents.rst.lines import indent, indented, is_rule, title_at
from knarr.documents.rst.output import Output
from knarr.documents.rst.tables import Drawn, grid_table, is_border, is_grid, simple_end, simple_table

_DEEPEST = 24
_BULLET = re.compile(r"(?P<mark>[-*+•‣⁃])(?: +|$)")
_NUMBER = re.compile(r"(?P<mark>\(?(?:\d{1,9}|#|[A-Za-z]|[ivxlcdmIVXLCDM]{1,12})[.)])(?: +|$)")
_FIELD = re.compile(r":(?P<name>[^:\s](?:[^:\\]|\\.|:(?!\s|$)){0,200}?):(?: +(?P<body>.*))?$")
_OPTIONS = re.compile(
    r"(?:--?|/)[A-Za-z?][\w-]{0,60}(?:[ =][^\s,]{1,60})?(?:, (?:--?|/)[^\s,]{1,60}(?:[ =][^\s,]{1,60})?){0,5}(?:  +\S|$)"
)
_QUOTE_MARK = re.compile(r"[!-/:-@\[-`{-~]")


class RstReader:
    """Reads one document into `out`."""

    def __init__(self, out: Output, inline: Inline) -> None:
        self.out, self.inline = out, inline
        self.styles: list[str] = []
        self.explicit = Explicit(self)

    def blocks(self, lines: Sequence[str], depth: int = 0, *, titles: bool = False) -> None:
        """Write the blocks of these lines, which share no indentation."""
        at = 0
        while at < len(lines):
            if not lines[at]:
                at += 1
            elif depth > _DEEPEST:
                self.out.gap()
                self.out.lines(lines[at:])
                return
            else:
                at = self._block(lines, at, depth, titles)

    def _block(self, lines: Sequence[str], at: int, depth: int, titles: bool) -> int:
        line = lines[at]
        if line[0] == " ":
            block, after = indented(lines, at)
            with self.out.inside("> "):
                self.blocks(block, depth + 1)
            return after
        if line == ".." or line.startswith((".. ", "__ ")) or line == "__":
            return self.explicit.read(lines, at, depth, titles)
        if titles and (title := title_at(lines, at)):
            self._title(title.source, title.style)
            return title.after
        if is_rule(lines, at):
            self.out.block("---")
            return at + 1
        for rule in (self._bullets, self._numbers, self._fields, self._options, self._drawn):
            if (after := rule(lines, at, depth)) > at:
                return after
        return self._text(lines, at, depth)

    def _title(self, source: str, style: str) -> None:
        if style not in self.styles:
            self.styles.append(style)
        self.out.heading(self.styles.index(style) + 1, self.inline.text(source), self.inline.words(source))

    # -- lists -----------------------------------------------------------------------------------

    def _bullets(self, lines: Sequence[str], at: int, depth: int) -> int:
        return self._items(lines, at, depth, _BULLET, lambda mark: "- ")

    def _numbers(self, lines: Sequence[str], at: int, depth: int) -> int:
        found = _NUMBER.match(lines[at])
        below = lines[at + 1] if found and at + 1 < len(lines) else ""
        # "A. Einstein" over more of the same paragraph is no list.
        if below and below[0] != " " and not _NUMBER.match(below):
            return at
        return self._items(lines, at, depth, _NUMBER, lambda mark: f"{mark} ")

    def _items(
        self, lines: Sequence[str], at: int, depth: int, form: re.Pattern[str], shown: Callable[[str], str]
    ) -> int:
        """Write the item that begins here, when one does; the line after it."""
        match = form.match(lines[at])
        if match is None:
            return at
        body, after = self.body(lines, at, match.end())
        tight = at > 0 and bool(lines[at - 1])
        mark = shown(match["mark"])
        with self.out.item(mark, tight=tight, hang=len(mark)):
            self.blocks(body, depth + 1)
        return after

    def _fields(self, lines: Sequence[str], at: int, depth: int) -> int:
        field = _FIELD.match(lines[at])
        if field is None:
            return at
        body, after = self.body(lines, at, field.start("body") if field["body"] else len(lines[at]))
        with self.out.item(f"{self.inline.words(field['name'])}: ", tight=at > 0 and bool(lines[at - 1])):
            self.blocks(body, depth + 1)
        return after

    def _options(self, lines: Sequence[str], at: int, depth: int) -> int:
        if lines[at][0] not in "-/" or not _OPTIONS.match(lines[at]):
            return at
        after = at + 1
        while (
            after < len(lines) and lines[after] and (lines[after][0] == " " or _OPTIONS.match(lines[after]))
        ):
            after += 1
        self.out.gap()
        self.out.lines([self.inline.text(line) for line in lines[at:after]])
        return after

    def body(self, lines: Sequence[str], at: int, column: int) -> tuple[list[str], int]:
        """What follows a mark on its line, with the lines indented below it, and the line after them."""
        more, after = indented(lines, at + 1)
        first = lines[at][column:]
        return ([first, *more] if first else more), after

    # -- tables, lines, examples ------------------------------------------------------------------

    def _drawn(self, lines: Sequence[str], at: int, depth: int) -> int:
        line = lines[at]
        if is_grid(line):
            after = at
            while after < len(lines) and lines[after][:1] in ("+", "|") and lines[after]:
                after += 1
            self.table(grid_table(lines[at:after]), lines[at:after])
            return after
        if is_border(line) and (after := simple_end(lines, at)) > at:
            self.table(simple_table(lines[at:after]), lines[at:after])
            return after
        if line == "|" or line.startswith("| "):
            after = at
            while after < len(lines) and lines[after] and lines[after][0] in "| ":
                after += 1
            self.out.gap()
            self.out.lines(
                self.inline.text(
                    "\n".join(one.removeprefix("| ").removesuffix("|") for one in lines[at:after])
                ).split("\n")
            )
            return after
        if line.startswith(">>> "):
            after = self._paragraph_end(lines, at)
            self.out.fence(lines[at:after])
            return after
        return at

    def table(self, drawn: Drawn | None, lines: Sequence[str], title: str = "") -> None:
        """Write a table, or as they are the lines of one that is drawn crooked."""
        if drawn is None:
            self.out.fence(lines)
        else:
            self.out.table(drawn, self.inline, title)

    # -- text ------------------------------------------------------------------------------------

    def _text(self, lines: Sequence[str], at: int, depth: int) -> int:
        """A paragraph; a term, where the line below is indented; and a literal block after two colons."""
        after = self._paragraph_end(lines, at)
        below = at + 1 if at + 1 < len(lines) and lines[at + 1][:1] == " " else 0
        if below and not lines[at].endswith("::"):
            body, end = indented(lines, below)
            self.out.block(self.inline.text(lines[at]))
            with self.out.item(": ", tight=True):
                self.blocks(body, depth + 1)
            return end
        source = "\n".join(lines[at : below or after])
        if not source.endswith("::"):
            self.out.block(self.inline.text(source))
            return after
        source = source[:-2] if source == "::" or source[-3:-2].isspace() else source[:-1]
        if source.strip():
            self.out.block(self.inline.text(source.rstrip()))
        return self._literal(lines, below or after)

    def _literal(self, lines: Sequence[str], at: int) -> int:
        """The literal block after two colons: indented, or quoted by one mark before every line."""
        while at < len(lines) and not lines[at]:
            at += 1
        if at == len(lines):
            return at
        if lines[at][0] == " ":
            block, after = indented(lines, at)
            self.out.fence(block)
            return after
        mark, after = lines[at][0], at
        if not _QUOTE_MARK.match(mark):
            return at
        while after < len(lines) and lines[after][:1] == mark:
            after += 1
        if lines[at].startswith("..") or (after - at == 1 and title_at(lines, at)):
            return at
        self.out.fence(lines[at:after])
        return after

    def _paragraph_end(self, lines: Sequence[str], at: int) -> int:
        after = at + 1
        while after < len(lines) and lines[after] and indent(lines[after]) == 0:
            after += 1
        return after
