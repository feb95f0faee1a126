"""reStructuredText to canonical Markdown, by rules of our own.

docutils knows neither Sphinx's directives nor those of its extensions: it leaves out what stands in them and says so,
and it reads some 40 kB a second. Here a directive that nobody knows is text (see `directives`). Titles, tables, lists,
literal blocks, footnotes and quotations become those of Markdown, roles and references their text. Fields at the top say
something about the document and become its metadata; so do `meta` directives. Comments and what only other formats
show is left out, and the notes count it.

The structure of lines after `Limits.text_lines` is not read; they stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from knarr.documents.decode import Limits, decode
from knarr.documents.line_ends import whole_words
from knarr.documents.rst.inline import Inline, References
from knarr.documents.rst.lines import indented, source_lines, title_at
from knarr.documents.rst.output import Output
from knarr.documents.rst.reader import RstReader
from knarr.documents.sections import Document
from knarr.documents.writer import MarkdownWriter
from knarr.errors import DocumentError

_FIELD = re.compile(r":(?P<name>[^:\s][^:]{0,100}):(?:\s+(?P<value>.*))?$")
# Said to Sphinx, not to a reader.
_FOR_SPHINX = frozenset({"orphan", "tocdepth", "nocomments", "nosearch", "no-search", "hide-toc"})


def parse(data: bytes, name: str, limits: Limits) -> Document:
    """Read a reStructuredText file. Raises DocumentError as `decode` does, and with status "no_text" for one that holds
    nothing but comments."""
    decoded = decode(data, name, limits=limits)
    text, mended = whole_words(decoded.text)
    lines = source_lines(text)
    lines, rest = lines[: limits.text_lines], lines[limits.text_lines :]
    inline, writer = Inline(References.of(lines)), MarkdownWriter()
    reader = RstReader(Output(writer), inline)
    metadata, lines = _docinfo(lines, inline)
    reader.blocks(lines, titles=True)
    notes = [*decoded.notes, *mended]
    if rest:
        writer.put("\n".join(["", *rest, ""]))
        notes.append(
            f"structure was read in the first {limits.text_lines:,} of {limits.text_lines + len(rest):,} lines"
        )
    left_out = reader.explicit.left_out
    if left_out:
        notes.append(
            "left out: " + ", ".join(f"{what} {count:,}" for what, count in sorted(left_out.items()))
        )
    if not writer.size_bytes:
        raise DocumentError(f"{name}: nothing in the file is text", "no_text")
    title = next((heading.title for heading in writer.headings if heading.level == 1), "")
    return writer.document("rst", title, tuple(notes), metadata={**reader.explicit.metadata, **metadata})


def _docinfo(lines: Sequence[str], inline: Inline) -> tuple[dict[str, str], list[str]]:
    """The fields at the top of a document, or right below its title, by name; and the lines without those that are said
    to Sphinx alone."""
    found: dict[str, str] = {}
    kept = list(lines)
    at = _fields(kept, _filled(lines, 0), inline, found)
    at = _filled(lines, at)
    if at < len(lines) and (title := title_at(lines, at)):
        _fields(kept, _filled(lines, title.after), inline, found)
    return found, kept


def _fields(lines: list[str], at: int, inline: Inline, found: dict[str, str]) -> int:
    """Add the fields that begin at a line; the line after them."""
    while at < len(lines) and (field := _FIELD.match(lines[at])):
        more, after = indented(lines, at + 1)
        name = field["name"].strip().lower()
        if name in _FOR_SPHINX:
            lines[at:after] = [""] * (after - at)
        else:
            found.setdefault(name, inline.words(" ".join([field["value"] or "", *more])))
        at = after
    return at


def _filled(lines: Sequence[str], at: int) -> int:
    """The first line from `at` with text that is no target or comment."""
    while at < len(lines) and (not lines[at] or lines[at].startswith("..")):
        at = indented(lines, at + 1)[1] if lines[at].startswith("..") else at + 1
    return at
