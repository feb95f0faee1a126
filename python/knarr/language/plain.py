"""The plain forms of a text: on one line, cut short, and as a key by which equal texts meet."""

from __future__ import annotations

import hashlib


def one_line(text: str) -> str:
    """Every run of white space as one space, none at the ends."""
    return " ".join(text.split())


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
