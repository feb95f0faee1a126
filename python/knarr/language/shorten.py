"""Texts made short for a line, a message or a note. One helper per way to do it, for the whole package."""

from __future__ import annotations


def one_line(text: str) -> str:
    """The text with every run of white space as one space."""
    return " ".join(text.split())


def shortened(text: str, most: int) -> str:
    """The text on one line of at most `most` characters; the last is "…" where something was cut."""
    flat = one_line(text)
    return flat if len(flat) <= most else flat[: most - 1] + "…"


def first_words(text: str, most: int) -> str:
    """The whole words at the beginning of a text, of at most `most` characters; lines stay as they are."""
    text = text.strip()
    return text if len(text) <= most else text[: text.rfind(" ", 0, most)]
