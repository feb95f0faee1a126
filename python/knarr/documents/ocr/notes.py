"""What a receipt says of pages that were recognised, and of those that were not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from knarr.documents.ocr.reader import why_not
from knarr.documents.ocr.words import ReadPage

DOUBTFUL = 0.8
"""A page of less confidence is named: some of its words are wrong."""
_SHOWN = 24


def reading_notes(
    read: Mapping[int, ReadPage],
    missing: Sequence[int],
    garbled: Sequence[int],
    tried: bool,
    failure: str = "",
) -> list[str]:
    """Notes on the pages (from 1): those `read`, those that give no text, among them those that are `garbled`.
    `tried`: whether the missing ones were shown to OCR; `failure`: why it could not read one of them."""
    notes = []
    if read:
        shown = (f"{page} ({_confidence(found.confidence)})" for page, found in sorted(read.items()))
        notes.append(f"pages read by OCR, with its confidence: {_list(shown, len(read))}")
    if doubtful := [page for page, found in sorted(read.items()) if found.confidence < DOUBTFUL]:
        notes.append(f"pages that OCR read with low confidence: {_list(map(str, doubtful), len(doubtful))}")
    if left_out := sum(found.left_out for found in read.values()):
        notes.append(f"lines that OCR could not read left out: {left_out}")
    if garbled:
        pages = _list(map(str, garbled), len(garbled))
        notes.append(f"garbled pages, whose fonts do not say what letters they show: {pages}")
    if missing and failure:
        notes.append(f"OCR failed on some of them: {failure}")
    elif missing:
        notes.append("OCR found no text on them" if tried else f"pages without text: {why_not()}")
    return notes


def nothing_read(pages: int, garbled: int, tried: bool, failure: str) -> str:
    """Why a document whose pages give no text is refused."""
    what = f"none of {pages} pages holds text"
    if garbled:
        what = f"none of {pages} pages holds text that can be read; {garbled} garbled"
    if failure:
        return f"{what}; OCR failed: {failure}"
    return f"{what}; OCR found none either" if tried else f"{what}; scanned pages need OCR: {why_not()}"


def _confidence(value: float) -> str:
    return f"{value:.2f}".lstrip("0")


def _list(shown: Iterable[str], count: int) -> str:
    head = ", ".join(text for text, _ in zip(shown, range(_SHOWN), strict=False))
    return f"{head} and {count - _SHOWN} more" if count > _SHOWN else head
