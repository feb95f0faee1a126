"""Text of messages whose lines flow (RFC 3676): a line that ends in a space goes on in the next one of the same quotation."""

from __future__ import annotations

_SIGNATURE = "-- "


def unflowed(text: str, *, join: bool) -> str:
    """The text with whole paragraphs; `join` drops the spaces at line ends, as languages without spaces need (DelSp)."""
    done: list[str] = []
    parts: list[str] = []  # of the paragraph that goes on
    above = 0  # its quotation marks
    for line in text.split("\n"):
        rest = line.lstrip(">")
        depth = len(line) - len(rest)
        rest = rest.removeprefix(
            " "
        )  # lines are stuffed with a space so that none begins with a mark by chance
        if parts and (depth != above or rest == _SIGNATURE):
            done.append(_quoted(parts, above))
            parts = []
        flows = rest.endswith(" ") and rest != _SIGNATURE
        parts.append(rest[:-1] if flows and join else rest)
        above = depth
        if not flows:
            done.append(_quoted(parts, above))
            parts = []
    if parts:
        done.append(_quoted(parts, above))
    return "\n".join(done)


def _quoted(parts: list[str], depth: int) -> str:
    text = "".join(parts)
    return ">" * depth + (" " if depth and text else "") + text
