"""The plain forms of a text: on one line, cut short, and as a key by which equal texts meet."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable

from knarr.errors import InvalidArgument
from knarr.uris import utf8_text

_STEP_CHARS = 1 << 18
_SPACE = re.compile(r"\s")

MOST_QUERY_BYTES = 16 << 10
MOST_QUERY_TOKENS = 2_000
MOST_PATTERN_BYTES = 16 << 10


# Scripts whose words stand without spaces: a line end among their letters and marks parts nothing.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef"
_FIRST_UNSPACED = _UNSPACED[0]
UNSPACED_LINE_END = re.compile(rf"(?<=[{_UNSPACED}])[ \t]{{0,40}}\n[ \t]{{0,40}}(?=[{_UNSPACED}])")
_PAIR = re.compile(rf"(?<=[{_UNSPACED}])(?=[{_UNSPACED}])")
_MAYBE_LINE_END, _MOST_PAIRS = r"(?:\\n[ \\t]*)?", 200
_CLASS = re.compile(
    r"\\Q[\s\S]*?(?:\\E|$)|\\[pP]\{[^}]*\}|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:\w+:\]|[^\]\\])*\]|\(\?P?<[^>]*>"
)


def line_gap(above: str, below: str) -> str:
    """What stands between two lines of a paragraph: a space; nothing between letters of a script without spaces."""
    if above[-1:] < _FIRST_UNSPACED or below[:1] < _FIRST_UNSPACED:
        return " "
    return "" if UNSPACED_LINE_END.search(f"{above[-1]}\n{below[0]}") else " "


def one_line(text: str) -> str:
    """Every run of white space as one space, none at the ends; a line end between letters of a script without spaces
    (Chinese, Japanese, Thai) goes."""
    if not text.isascii() and "\n" in text:
        text = UNSPACED_LINE_END.sub("", text)
    if len(text) <= _STEP_CHARS:
        return " ".join(text.split())
    # In steps, since the words of a text of megabytes, each an object, take ten times its room.
    pieces, at = [], 0
    while at < len(text):
        gap = _SPACE.search(text, at + _STEP_CHARS)
        end = gap.start() if gap else len(text)
        pieces.append(" ".join(text[at:end].split()))
        at = end
    return " ".join(filter(None, pieces))


def across_lines(pattern: str) -> str:
    """A pattern (RE2) that also finds words of scripts without spaces where a line end parts them: between two letters that
    follow each other one may stand. Letters in a class or behind a backslash are left alone, and so is a pattern of very
    many."""
    if pattern.isascii() or len(_PAIR.findall(pattern)) > _MOST_PAIRS:
        return pattern
    pieces, at = [], 0
    for part in _CLASS.finditer(pattern):
        pieces += [_PAIR.sub(_MAYBE_LINE_END, pattern[at : part.start()]), part[0]]
        at = part.end()
    return "".join([*pieces, _PAIR.sub(_MAYBE_LINE_END, pattern[at:])])


def shortened(text: str, most: int) -> str:
    """The text on one line of at most `most` characters; the last is "…" where something was cut."""
    flat = one_line(text)
    return flat if len(flat) <= most else flat[: most - 1] + "…"


def first_words(text: str, most: int) -> str:
    """The whole words at the beginning of a text, of at most `most` characters; lines stay as they are."""
    text = text.strip()
    return text if len(text) <= most else text[: text.rfind(" ", 0, most)]


def text_key(text: str) -> bytes:
    """SHA-256 of the text's UTF-8 (32 bytes), under which vectors and abstracts of equal text are kept.
    Half a surrogate pair, which UTF-8 cannot hold, counts as `?`."""
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()


def bounded_query(query: str, count_tokens: Callable[[str], int], what: str = "query") -> str:
    """The query, or a question when `what` says so. Raises InvalidArgument for one longer than
    `MOST_QUERY_BYTES` or, as `count_tokens` counts, than `MOST_QUERY_TOKENS`: the cost of everything that is
    done with a question grows with it. Bytes are looked at first, since they cost nothing to count. Raises it
    also for another type than str, and for text without a UTF-8 form."""
    _bounded_bytes(query, MOST_QUERY_BYTES, what)
    if len(query) > MOST_QUERY_TOKENS and (tokens := count_tokens(query)) > MOST_QUERY_TOKENS:
        raise InvalidArgument(f"the {what} has {tokens:,} tokens; at most {MOST_QUERY_TOKENS:,} are possible")
    return query


def bounded_pattern(pattern: str) -> str:
    """The pattern of a grep. Raises InvalidArgument for one longer than `MOST_PATTERN_BYTES`, and for what is
    no text, as `bounded_query` does."""
    _bounded_bytes(pattern, MOST_PATTERN_BYTES, "pattern")
    return pattern


def _bounded_bytes(text: str, most: int, what: str) -> None:
    # A character is a byte at least, so that a text of gigabytes need not be encoded to be refused.
    long = isinstance(text, str) and len(text) > most
    size = len(text) if long else len(utf8_text(text, what).encode())
    if size > most:
        raise InvalidArgument(f"the {what} has {size:,} bytes; at most {most:,} are possible")
