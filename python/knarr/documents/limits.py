"""How much one file may cost to read. A value, passed down; every bound counts real bytes."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one source file.

    file_bytes:      of any format; a larger file is refused
    text_bytes:      of Markdown, HTML and plain text, before decoding; a larger one is refused
    markdown_lines:  lines whose structure is read; text after them stays in the last section
    html_tags:       tags of an HTML page; of a page with more only the text is read, without structure
    html_depth:      levels of an HTML page; of a deeper one only the text is read
    """

    file_bytes: int = 256 * MIB
    text_bytes: int = 32 * MIB
    markdown_lines: int = 100_000
    html_tags: int = 800_000
    html_depth: int = 1_000


DEFAULT = Limits()
