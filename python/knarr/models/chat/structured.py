"""Reading the one JSON object in what a model wrote.

Only slips that leave no doubt are mended, and each is named. Two objects, a key given twice with two
values, or an object that breaks off inside a value are refused with the reason, and the caller decides.
Time is linear in the text, and long texts are refused.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

MOST_CHARS = 1_000_000
_MOST_DEPTH = 64

_OPENING = re.compile(r'\{\s*+["}]')
_TOKEN = re.compile(
    r'(?P<string>"(?:[^"\\]++|\\.)*+(?P<end>"?))|(?P<mark>[{}\[\],:])|(?P<word>[^\s"{}\[\],:]++)|\s++',
    re.DOTALL,
)
_ESCAPE = re.compile(r'\\(["\\/bfnrt]|u[0-9a-fA-F]{4})|\\')
_FENCE = re.compile(r"```[\w-]{0,20}")
_WORDS = {"True": "true", "False": "false", "None": "null"}
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True)
class ParsedObject:
    """What a text holds.

    value:  the object; None when there is none, or none to be trusted
    note:   what was mended or passed over, "" for clean JSON; without a value, the reason
    cut:    whether the end was missing: only closing brackets are ever added, so a value is whole as far as
            it goes, but more may have been meant
    """

    value: dict[str, Any] | None
    note: str
    cut: bool = False


def read_object(text: str) -> ParsedObject:
    """The JSON object in `text`, with prose or a fence around it or not. Never raises."""
    if len(text) > MOST_CHARS:
        return ParsedObject(None, f"longer than {MOST_CHARS} characters")
    begin = _OPENING.search(text)
    if begin is None:
        return _without_object(text)
    span = _Span(text, begin.start())
    if span.fault:
        return ParsedObject(None, span.fault, span.cut)
    if _in_list(text, begin.start(), span.end):
        return ParsedObject(None, "a list, expected one object", span.cut)
    if _OPENING.search(text, span.end):
        return ParsedObject(None, "two objects, expected one")
    return _parsed(span, _around(text[: begin.start()], text[span.end :]))


def _without_object(text: str) -> ParsedObject:
    if not text.strip():
        return ParsedObject(None, "empty")
    inner = _string(text.strip())
    if inner is not None:
        read = read_object(inner)
        note = "; ".join(filter(None, ("written as a string", read.note)))
        return ParsedObject(read.value, note if read.value is not None else read.note, read.cut)
    return ParsedObject(None, "no JSON object")


def _string(text: str) -> str | None:
    """What a JSON string with an object in it says."""
    if not text.startswith('"') or "{" not in text:
        return None
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, str) and len(value) < len(text) else None


def _parsed(span: _Span, notes: list[str]) -> ParsedObject:
    try:
        value = json.loads(span.json, strict=False, object_pairs_hook=_once, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        return ParsedObject(None, f"not JSON: {str(error)[:120]}", span.cut)
    if _SURROGATE.search(span.json):
        clean = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")
        value = json.loads(clean)
    return ParsedObject(value, "; ".join([*span.notes, *notes]), span.cut)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found and found[key] != value:
            raise ValueError(f"the key {key[:40]!r} is given twice")
        found[key] = value
    return found


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is no JSON number")


def _in_list(text: str, begin: int, end: int) -> bool:
    before = text[:begin].rstrip()[-1:]
    return before == "[" or (before == "," and text[end:].lstrip()[:1] in ("]", ","))


def _around(before: str, after: str) -> list[str]:
    outside = before + after
    prose = _FENCE.sub("", outside)
    return (["fenced"] if prose != outside else []) + (["text around it"] if prose.strip() else [])


class _Span:
    """An object from its opening bracket to its closing one, mended where it goes without doubt."""

    def __init__(self, text: str, begin: int) -> None:
        self.end = len(text)
        self.fault = ""
        self.cut = False
        self.notes: list[str] = []
        self._out: list[str] = []
        self._open: list[str] = []
        self._comma = -1  # place in `_out` of a comma after which nothing has come yet
        self._previous = self._last = ""  # tokens, white space aside
        self._walk(text, begin)
        self.json = "".join(self._out)

    def _walk(self, text: str, begin: int) -> None:
        for token in _TOKEN.finditer(text, begin):
            if token["mark"]:
                self._mark(token["mark"])
            elif token["string"] is not None:
                if not token["end"]:
                    self.cut = True
                    self.fault = "cut in the middle of a string"
                else:
                    self._put(self._mended(token["string"]))
            elif token["word"]:
                self._put(self._word(token["word"]))
            else:
                self._out.append(token[0])
            if self.fault:
                return
            if not self._open:
                self.end = token.end()
                return
        self._close()

    def _mark(self, mark: str) -> None:
        if mark in "{[":
            self._open.append("}" if mark == "{" else "]")
            if len(self._open) > _MOST_DEPTH:
                self.fault = f"nested deeper than {_MOST_DEPTH}"
        elif mark in "}]":
            if self._open.pop() != mark:
                self.fault = f"not JSON: a {mark!r} that closes nothing"
            if self._last == ",":
                self._out[self._comma] = ""
                self._note("trailing comma")
        elif mark == ",":
            self._comma = len(self._out)
        self._put(mark)

    def _put(self, token: str) -> None:
        self._out.append(token)
        self._previous, self._last = self._last, token

    def _word(self, word: str) -> str:
        if word in _WORDS:
            self._note("Python words")
        return _WORDS.get(word, word)

    def _mended(self, string: str) -> str:
        """A string whose stray backslashes stand for themselves, as in a pattern: "\\d" is no escape."""
        if "\\" in string:
            fixed = _ESCAPE.sub(lambda found: found[0] if found[1] else "\\\\", string)
            if fixed != string:
                self._note("stray backslashes")
                return fixed
        if any(mark < " " for mark in string):
            self._note("line breaks in a string")
        return string

    def _close(self) -> None:
        """The text is over before the object is. Closing brackets are added after a whole value only:
        after a number, a comma or a colon more was to come."""
        self.cut = True
        whole = self._last in ("}", "]") or (self._last.startswith('"') and self._is_value())
        if not whole:
            self.fault = "cut in the middle"
            return
        self._note("closing brackets added")
        self._out.extend(reversed(self._open))

    def _is_value(self) -> bool:
        """Whether the last string is a value, not a key that waits for one."""
        return self._open[-1] == "]" or self._previous == ":"

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)
