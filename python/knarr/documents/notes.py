"""What a parser has to say of what it left out, for `Document.notes`."""

from __future__ import annotations

from collections import Counter


def said(notes: Counter[str]) -> tuple[str, ...]:
    """Sentences in the order in which they were met; one that ends in a colon has its number behind it."""
    return tuple(
        f"{text} {count:,}" if text.endswith(":") else text for text, count in notes.items() if count
    )
