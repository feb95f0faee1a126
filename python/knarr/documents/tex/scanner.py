"""LaTeX as tokens, and the arguments of its commands.

A place in the text moves forward only; arguments are found by counting braces. Where a brace is never closed, an
argument ends at the end of the text, and nothing is looked for twice: costs are linear. Macros without arguments
are given as their text, so much of it in all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

TOKEN = re.compile(
    r"\\(?P<command>[a-zA-Z@]{1,60}\*?|.|\n)[ \t]*|(?P<comment>%[^\n]*\n?[ \t]*)|(?P<display>\$\$)|(?P<math>\$)|"
    r"(?P<blank>\n[ \t]*(?:\n[ \t]*)+)|(?P<brace>[{}])|(?P<tie>~)|(?P<text>[^\\%$\n{}~]+|\n)",
    re.DOTALL,
)
_BRACES = re.compile(r"\\.|%[^\n]*|[{}]", re.DOTALL)
_BRACKETS = re.compile(r"\\.|[\[\]{}]", re.DOTALL)
_SPACE = re.compile(r"[ \t]*\n?[ \t]*")
_ONE = re.compile(r"\\(?:[a-zA-Z@]+|.)|[^\s}\]&]", re.DOTALL)
_LENGTH = re.compile(
    r"\s{0,9}=?\s{0,9}[-+]?\d{0,9}\.?\d{1,9}\s{0,9}(?:pt|cm|mm|in|em|ex|bp|pc|sp|fill?)\b"
    r"(?:\s{0,9}(?:plus|minus)\s{0,9}[-+]?[\d.]{1,9}\s{0,9}(?:pt|cm|mm|in|em|ex|bp|pc|sp|fil{1,3})\b){0,2}"
)
_MATH_END = re.compile(r"\\.|\$", re.DOTALL)
_MAX_EXPANDED = 1 << 20
_MAX_MACROS = 2_000
_MAX_OPTION_CHARS = 1_000
_MAX_VERB_CHARS = 500
_MAX_MATH_CHARS = 20_000
_MAX_DEPTH = 12
_DASHES = (("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"))


@dataclass(slots=True)
class _Shared:
    """What scanners of one document share: its macros, how much they may still expand to, a running number."""

    macros: dict[str, str] = field(default_factory=dict)
    left: int = _MAX_EXPANDED
    count: int = 0


class Scanner:
    """The tokens of a text from where it stands."""

    def __init__(self, text: str, shared: _Shared | None = None, depth: int = 0) -> None:
        self.text = text
        self._at = 0
        self._shared = shared or _Shared()
        self._macros = self._shared.macros
        self._depth = depth
        self._missing: set[str] = set()  # ends that do not come any more
        self._closes: dict[str, int] = {}  # where the next end of an equation was found

    def inside(self, text: str) -> Scanner:
        """A scanner of an argument; deep ones give plain text."""
        if self._depth >= _MAX_DEPTH:
            text = re.sub(r"[\\{}$%]", " ", text)
        return Scanner(text, self._shared, self._depth + 1)

    def number(self) -> int:
        """A number that was not given before in this document."""
        self._shared.count += 1
        return self._shared.count

    def tokens(self) -> Iterator[tuple[str, str]]:
        """(kind, value): `command`, `text`, `blank` between paragraphs, `math` and `display`."""
        while found := TOKEN.match(self.text, self._at):
            self._at = found.end()
            kind = found.lastgroup or ""
            if kind == "command":
                name = found["command"]
                if name in ("(", "["):
                    yield self._math(r"\)" if name == "(" else r"\]", name == "[")
                    continue
                if not name[0].isalpha() and found.end() > found.end("command"):
                    self._at = found.end("command")  # white space after a sign counts
                yield "command", name
            elif kind in ("math", "display"):
                yield self._math("$$" if kind == "display" else "$", kind == "display")
            elif kind == "tie":
                yield "text", " "
            elif kind == "text":
                text = found["text"].replace("\n", " ")
                for dashes, shown in _DASHES:
                    text = text.replace(dashes, shown)
                yield "text", text
            elif kind == "blank":
                yield "blank", ""

    def _math(self, end: str, display: bool) -> tuple[str, str]:
        if end in self._missing:
            return "text", "$"
        begin = self._at
        close = -1
        if end != "$":
            close = self._closes.get(end, -1)
            if close < begin:
                close = self._closes[end] = self.text.find(end, begin)
            if close < 0:
                self._missing.add(end)
        else:
            for found in _MATH_END.finditer(self.text, begin, begin + _MAX_MATH_CHARS):
                if found[0] == "$":
                    close = found.start()
                    break
        if close < 0 or close - begin > _MAX_MATH_CHARS:
            return "text", "$"
        self._at = close + len(end)
        inside = " ".join(self.text[begin:close].split())
        return ("display", f"$${inside}$$") if display else ("math", f"${inside}$")

    def argument(self) -> str:
        """The next argument: a group in braces, or else one command or letter."""
        self._at = _end(_SPACE, self.text, self._at)
        if self.text[self._at : self._at + 1] == "{":
            return self._group()
        found = _ONE.match(self.text, self._at)
        if not found:
            return ""
        self._at = found.end()
        return found[0]

    def argument_if_any(self) -> str:
        """The next argument if it stands in braces."""
        at = _end(_SPACE, self.text, self._at)
        if self.text[at : at + 1] != "{":
            return ""
        self._at = at
        return self._group()

    def _group(self) -> str:
        begin = self._at + 1
        depth = 0
        for found in _BRACES.finditer(self.text, self._at):
            depth += (found[0] == "{") - (found[0] == "}")
            if depth == 0 and found[0] == "}":
                self._at = found.end()
                return self.text[begin : found.start()]
        # Never closed: the rest of the line is the argument.
        end = self.text.find("\n", begin)
        self._at = len(self.text) if end < 0 else end
        self.text = self.text[: self._at] + self.text[self._at :].replace("{", " ").replace("}", " ")
        return self.text[begin : self._at]

    def option(self) -> str:
        """The next argument in brackets, "" where there is none."""
        at = _end(_SPACE, self.text, self._at)
        if self.text[at : at + 1] != "[":
            return ""
        depth, most = 0, at + _MAX_OPTION_CHARS
        if self.text.find("]", at, most) < 0:
            return ""  # seen at once, since brackets that never close may follow each other
        for found in _BRACKETS.finditer(self.text, at, most):
            mark = found[0]
            depth += (mark in "[{") - (mark in "]}") if len(mark) == 1 else 0
            if depth == 0:
                self._at = found.end()
                return self.text[at + 1 : found.start()]
        return ""

    def skip_option(self) -> None:
        """Pass over options directly behind a command that is not known, and over the length that it is set to."""
        if length := _LENGTH.match(self.text, self._at):
            self._at = length.end()
        if self.text[self._at : self._at + 1] == "[":
            self.option()

    def letter(self) -> str:
        """The letter below an accent."""
        text = self.argument().strip()
        return {"\\i": "i", "\\j": "j"}.get(text, text[:1] if not text.startswith("\\") else text[1:2])

    def verb(self) -> str:
        """What stands between the next character and its return, on one line."""
        mark = self.text[self._at : self._at + 1]
        mark = {"{": "}"}.get(mark, mark)
        end = self.text.find(mark, self._at + 1, self._at + _MAX_VERB_CHARS) if mark else -1
        if end < 0:
            return ""
        begin, self._at = self._at + 1, end + 1
        return self.text[begin:end]

    def environment(self, name: str, *, raw: bool = False) -> str:
        """What stands in an environment up to its end, which is passed; comments go unless `raw`."""
        end = f"\\end{{{name}}}"
        close = -1 if end in self._missing else self.text.find(end, self._at)
        if close < 0:
            self._missing.add(end)
            return ""
        begin, self._at = self._at, close + len(end)
        inside = self.text[begin:close]
        return inside if raw else re.sub(r"(?<!\\)%[^\n]*\n?", "", inside)

    def define(self, command: str) -> None:
        """Remember a macro without arguments."""
        if command == "def":
            name = self.argument()
            simple = self.text[self._at : self._at + 1] == "{"
            if not simple:
                brace = self.text.find("{", self._at, self._at + 100)
                self._at = brace if brace >= 0 else self._at
        else:
            name = self.argument().strip()
            simple = not self.option()
            self.option()
        body = self.argument_if_any()
        if simple and name.startswith("\\") and len(self._macros) < _MAX_MACROS and len(body) <= 500:
            self._macros[name[1:]] = body

    def macro(self, name: str) -> str | None:
        """The text of a macro; None for one that nobody defined, or when too much was expanded already."""
        body = self._macros.get(name)
        if body is None or self._depth >= _MAX_DEPTH or self._shared.left < len(body):
            return None
        self._shared.left -= len(body) + 1
        return body


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
