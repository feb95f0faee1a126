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
    html_nodes:      elements and text runs of an HTML page that are read; the rest is left out, with a note
    """

    file_bytes: int = 256 * MIB
    text_bytes: int = 32 * MIB
    markdown_lines: int = 200_000
    html_nodes: int = 500_000


DEFAULT = Limits()
