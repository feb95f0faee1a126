"""Which files of a folder are no documents, by patterns with the meaning that they have in a `.gitignore`.

Later patterns win over earlier ones, those of a deeper folder over those above, `!` takes back, a closing slash means
folders alone, a slash elsewhere binds a pattern to the folder of its file, `**` stands for any number of folders.

Patterns are matched here and not by a library that makes regular expressions of them, because a folder may be anybody's:
`*a*a*a*a*b` is then a matter of seconds or hours. Here a name costs at most its length times the pattern's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

IGNORE_NAME = ".knarrignore"
MAX_IGNORE_BYTES = 64 << 10
MAX_PATTERNS = 1_000

_T = TypeVar("_T")
_Accepts = Callable[[str], bool]


class _Many:
    """Stands for any number of signs in a name, or of folders in a path."""


_MANY = _Many()
_Glyph = _Accepts | _Many
_Segment = tuple[_Glyph, ...]

_CLASSES: dict[str, _Accepts] = {
    "alnum": lambda sign: sign.isascii() and sign.isalnum(),
    "alpha": lambda sign: sign.isascii() and sign.isalpha(),
    "blank": lambda sign: sign in " \t",
    "cntrl": lambda sign: ord(sign) < 32 or ord(sign) == 127,
    "digit": lambda sign: sign.isascii() and sign.isdigit(),
    "graph": lambda sign: 32 < ord(sign) < 127,
    "lower": lambda sign: sign.isascii() and sign.islower(),
    "print": lambda sign: 32 <= ord(sign) < 127,
    "punct": lambda sign: 32 < ord(sign) < 127 and not sign.isalnum(),
    "space": lambda sign: sign in " \t\n\v\f\r",
    "upper": lambda sign: sign.isascii() and sign.isupper(),
    "xdigit": lambda sign: sign in "0123456789abcdefABCDEF",
}


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line. `segments` are matched with the last of a path's names when the line has no slash (`anywhere`), else
    with all of them below the folder of the file."""

    text: str
    keeps: bool
    folders_only: bool
    anywhere: bool
    segments: tuple[_Segment | _Many, ...]

    def matches(self, names: Sequence[str], is_folder: bool) -> bool:
        """Whether it means this path, given by its names below the folder of the file."""
        if self.folders_only and not is_folder:
            return False
        return _match(self.segments, names[-1:] if self.anywhere else names, _segment_matches)


@dataclass(frozen=True, slots=True)
class Ignored:
    """The patterns that hold in a folder: those of its own file, and those from above, each with the number of names
    between the given folder and that of its file."""

    levels: tuple[tuple[int, str, tuple[Pattern, ...]], ...] = ()
    given: tuple[Pattern, ...] = ()

    def below(self, depth: int, where: str, patterns: tuple[Pattern, ...]) -> Ignored:
        """With those of one more file, `depth` names below the given folder."""
        return Ignored((*self.levels, (depth, where, patterns)), self.given) if patterns else self

    def why(self, names: Sequence[str], is_folder: bool) -> str:
        """Which pattern says that a path is no document; "" where none does."""
        for depth, where, patterns in ((0, "", self.given), *reversed(self.levels)):
            for pattern in reversed(patterns):
                if pattern.matches(names[depth:], is_folder):
                    by = where or "what was given as `ignore`"
                    return "" if pattern.keeps else f"ignored by {by}: {pattern.text}"
        return ""


def patterns_of(lines: Iterable[str]) -> tuple[Pattern, ...]:
    """The patterns of lines; empty ones and comments say nothing."""
    return tuple(found for line in lines if (found := _pattern(line)) is not None)


def patterns_in(data: bytes) -> tuple[Pattern, ...]:
    """Those of a file. Raises ValueError for more than `MAX_PATTERNS`, and for what is no UTF-8."""
    found = patterns_of(data.decode("utf-8-sig").split("\n"))
    if len(found) > MAX_PATTERNS:
        raise ValueError(f"{len(found):,} patterns, at most {MAX_PATTERNS:,} are possible")
    return found


def _pattern(line: str) -> Pattern | None:
    text = line.removesuffix("\r")
    bare = text.rstrip(" ")
    if len(bare) < len(text) and (len(bare) - len(bare.rstrip("\\"))) % 2:
        bare += " "  # an escaped blank stays
    if not bare or bare.startswith("#"):
        return None
    rest = bare.removeprefix("!")
    folders_only = rest.endswith("/")
    rest = rest.removesuffix("/")
    anywhere = "/" not in rest
    if rest.startswith("/"):
        rest = rest[1:]
    segments = _segments(rest, anywhere) if rest else None
    if segments is None:
        return None  # such as an open bracket: it matches nothing
    return Pattern(bare, bare.startswith("!"), folders_only, anywhere, segments)


def _segments(text: str, anywhere: bool) -> tuple[_Segment | _Many, ...] | None:
    found: list[_Segment | _Many] = []
    glyphs: list[_Glyph] = []
    at, begin = 0, 0
    while at < len(text):
        sign = text[at]
        if sign == "/" or text.startswith("\\/", at):
            found.append(_MANY if _is_any_depth(text[begin:at]) and not anywhere else tuple(glyphs))
            glyphs = []
            at += 1 if sign == "/" else 2
            begin = at
            continue
        if sign == "*":
            at += 1
            if not glyphs or glyphs[-1] is not _MANY:
                glyphs.append(_MANY)
            continue
        if sign == "[":
            parsed = _bracket(text, at)
            if parsed is None:
                return None
            accepts, at = parsed
        elif sign == "?":
            accepts, at = _anything, at + 1
        else:
            at += sign == "\\"
            if at == len(text):
                return None  # a backslash at the end
            accepts, at = text[at].__eq__, at + 1
        glyphs.append(accepts)
    if _is_any_depth(text[begin:]) and not anywhere:
        found += [_MANY, (_MANY,)]  # everything inside, and not the folder itself
    else:
        found.append(tuple(glyphs))
    return tuple(found)


def _is_any_depth(segment: str) -> bool:
    return len(segment) >= 2 and not segment.strip("*")


def _anything(_sign: str) -> bool:
    return True


def _bracket(text: str, at: int) -> tuple[_Accepts, int] | None:
    """A set of signs in brackets, and where it ends; None where it does not."""
    at += 1
    inverted = text[at : at + 1] in ("!", "^") and at < len(text)
    at += inverted
    tests: list[_Accepts] = []
    before, first = "", True
    while first or text[at : at + 1] != "]":
        first = False
        if at >= len(text):
            return None
        sign = text[at]
        following = text[at + 1 : at + 2]
        if sign == "-" and before and following not in ("", "]"):
            at += 1 + (following == "\\")
            if at >= len(text):
                return None
            tests.append(_between(before, text[at]))
            before = ""
        elif sign == "[" and following == ":" and (end := text.find("]", at + 2)) != -1:
            name = text[at + 2 : end - 1]
            if end == at + 2 or text[end - 1] != ":":
                tests.append("[".__eq__)
                before = "["
            elif name in _CLASSES:
                tests.append(_CLASSES[name])
                before, at = "", end
            else:
                return None
        else:
            at += sign == "\\"
            if at >= len(text):
                return None
            tests.append(text[at].__eq__)
            before = text[at]
        at += 1
    return (lambda sign: any(test(sign) for test in tests) != inverted), at + 1


def _between(low: str, high: str) -> _Accepts:
    return lambda sign: low <= sign <= high


def _segment_matches(segment: _Segment | _Many, name: str) -> bool:
    assert not isinstance(segment, _Many)
    return _match(segment, name, lambda glyph, sign: not isinstance(glyph, _Many) and glyph(sign))


def _match(pattern: Sequence[_T | _Many], items: Sequence[str], accepts: Callable[[_T, str], bool]) -> bool:
    """Whether items fit a pattern whose `_MANY` stand for any number of them. Only the last one met is ever tried
    again: what an earlier one could take instead, the later one can as well."""
    at = taken = 0
    many, resume = -1, 0
    while taken < len(items):
        part = pattern[at] if at < len(pattern) else None
        if isinstance(part, _Many):
            many, resume = at, taken
            at += 1
        elif part is not None and accepts(part, items[taken]):
            at, taken = at + 1, taken + 1
        elif many >= 0:
            resume += 1
            at, taken = many + 1, resume
        else:
            return False
    return all(isinstance(part, _Many) for part in pattern[at:])
