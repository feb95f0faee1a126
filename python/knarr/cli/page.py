"""Writing to stdout: plain lines for pipes, wrapped and quietly styled ones for a terminal.

In a pipe nothing is wrapped, shortened or coloured, so that a URI is always whole. In a terminal
text is wrapped to its width, URIs are never broken inside, and control characters that a document
may hold are shown instead of being obeyed. `NO_COLOR` is honoured.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import typer

from knarr.trace.drawing import clean as clean
from knarr.trace.drawing import clean_line as clean_line

if TYPE_CHECKING:
    from knarr.types import Span

MAX_WIDTH = 100


def make_printable() -> None:
    """Let no character stop a command: what a stream cannot hold is written as an escape."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def in_terminal() -> bool:
    """Whether a person reads stdout."""
    return sys.stdout.isatty()


def say(text: str = "") -> None:
    """One line (or several) on stdout."""
    print(text, flush=True)


def say_verbatim(text: str) -> None:
    """Text as it is, for pipes; a last line end is added where it lacks one."""
    print(text, end="" if text.endswith("\n") else "\n", flush=True)


def note(text: str) -> None:
    """A line for the person at the keyboard, on stderr."""
    print(text, file=sys.stderr, flush=True)


def plain(value: Any) -> Any:
    """A result as what JSON can hold."""
    from knarr.types import to_json

    return to_json(value)


def say_json(value: Any) -> None:
    """A result as JSON. Characters outside ASCII are escaped where stdout cannot hold them."""
    utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    say(json.dumps(plain(value), ensure_ascii=not utf8, allow_nan=False, indent=2))


def say_json_line(value: Any) -> None:
    """One of several results, as JSON on one line."""
    say(json.dumps(plain(value), allow_nan=False))


def _style(text: str, **how: bool | str) -> str:
    if not in_terminal() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return typer.style(text, **how)  # type: ignore[arg-type]  # a mapping of its own keywords


def bold(text: str) -> str:
    return _style(text, bold=True)


def dim(text: str) -> str:
    return _style(text, dim=True)


def good(text: str) -> str:
    return _style(text, fg="green")


def bad(text: str) -> str:
    return _style(text, fg="yellow")


def uri(value: str, under: str = "") -> str:
    """A whole URI; in a terminal the part of it that is already known (`under`) steps back."""
    if under and value.startswith(under) and value != under:
        return dim(under) + value[len(under) :]
    return value


def block(text: str, indent: str = "", *, first: str | None = None, max_lines: int = 0) -> str:
    """A paragraph, wrapped with an indent in a terminal; one whole line in a pipe. `first` stands in
    place of the indent on the first line."""
    head = indent if first is None else first
    flat = clean_line(text)
    if not in_terminal():
        return head + flat
    lines = textwrap.wrap(
        flat,
        width(),
        initial_indent=head,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
        max_lines=max_lines or None,
        placeholder=" …",
    )
    return "\n".join(lines) or head


def width() -> int:
    """Columns of the terminal, within what is pleasant to read."""
    return max(40, min(shutil.get_terminal_size().columns, MAX_WIDTH))


def beside(text: str, remark: str, indent: str = "") -> str:
    """A text and a quiet remark: on its line when there is room (always in a pipe), else below it."""
    if not in_terminal() or len(text) + 2 + len(remark) <= shutil.get_terminal_size().columns:
        return f"{text}  {dim(remark)}"
    return f"{text}\n{indent}{dim(remark)}"


def pad(text: str, cells: int) -> str:
    """Text filled with spaces to a number of terminal cells (wide scripts take two)."""
    from rich.cells import cell_len

    return text + " " * max(0, cells - cell_len(text))


def lines_of(span: Span) -> str:
    first, last = span
    return f"line {first}" if first == last else f"lines {first}-{last}"


def place(lines: Span, pages: Span | None) -> str:
    """Where a quoted text stands: lines, and pages where there are any."""
    if pages is None:
        return lines_of(lines)
    first, last = pages
    return f"page {first}, {lines_of(lines)}" if first == last else f"pages {first}-{last}, {lines_of(lines)}"


def size(size_bytes: int) -> str:
    """`14 kB`, `3.2 MB`."""
    return f"{size_bytes / 1e6:,.1f} MB" if size_bytes >= 1e6 else f"{-(-size_bytes // 1000):,} kB"


def count(number: int, word: str) -> str:
    """`1 file`, `2 files`, `3 matches`, `2 entries`."""
    if number == 1:
        return f"1 {word}"
    if word.endswith("y"):
        return f"{number:,} {word[:-1]}ies"
    return f"{number:,} {word}{'es' if word.endswith(('ch', 's', 'x')) else 's'}"
