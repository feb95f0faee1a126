"""The plain forms of a text: on one line, and as a key by which equal texts meet."""

from __future__ import annotations

import hashlib


def one_line(text: str) -> str:
    """Every run of white space as one space, none at the ends."""
    return " ".join(text.split())


def text_key(text: str) -> bytes:
    """SHA-256 of the text's UTF-8 (32 bytes), under which vectors and abstracts of equal text are kept.
    Half a surrogate pair, which UTF-8 cannot hold, counts as `?`."""
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()
