"""What a PDF holds beside the text of its pages: comments, and what is only named in the receipt.

A comment stands behind the text of its page, in a line of its own with its author and the words that it is about, as
those of other formats do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from knarr.documents.pdf.lines import Line
from knarr.language.plain import one_line

_SHOWN_NAMES, _SHOWN_CHARS = 12, 80
_SHOWN_PAGES = 24
_SIZE, _GAP = 10.0, 60.0


def comment_lines(comments: Iterable[Sequence[str]], page: int, before: Sequence[Line]) -> list[Line]:
    """The comments of a page (from 0), each a line far below the text, so that no paragraph goes on into it."""
    y = min((line.y for line in before), default=0.0)
    found = []
    for who, about, text in comments:
        lead = f"Comment by {one_line(who) or 'unknown'}"
        if about := one_line(about):
            lead += f" on “{about}”"
        shown = f"{lead}: {one_line(text)}"
        y -= _GAP
        found.append(Line(shown, 1, 0.0, _SIZE, y, _SIZE, False, False, page, ((0.0, _SIZE),)))
    return found


def notes_beside(head: Mapping[str, Any], pages: Iterable[Mapping[str, Any]]) -> list[str]:
    """What is not in the text, for the receipt. `pages` are their messages, without their words."""
    attached = list(head.get("attached", ()))
    comments = hidden = unread = 0
    for page in pages:
        attached += page.get("attached", ())
        comments += len(page.get("comments", ()))
        hidden += page.get("hidden", 0)
        unread += page.get("unread", 0)
    notes = []
    if head.get("placeholder"):
        notes.append(
            "a dynamic XFA form: its pages are made by a program as it is filled in, and are not read"
        )
    if names := list(dict.fromkeys(name or "unnamed" for name in attached)):
        shown = ", ".join(f"“{name[:_SHOWN_CHARS]}”" for name in names[:_SHOWN_NAMES])
        more = len(names) - _SHOWN_NAMES
        notes.append(f"attached files not read: {shown}{f' and {more} more' if more > 0 else ''}")
    if comments:
        notes.append(f"comments written behind the text of their pages: {comments}")
    if hidden:
        notes.append(f"form fields that no reader sees left out: {hidden}")
    if unread:
        notes.append(f"annotations beyond the bound not read: {unread}")
    return notes


def without_fonts(unfound: Mapping[int, tuple[int, str]]) -> str:
    """What is lost of pages (from 1), by the number of glyphs and the font of each, and what helps."""
    fonts = ", ".join(sorted({name for _, name in unfound.values() if name})) or "unnamed"
    count, pages = (
        sum(count for count, _ in unfound.values()),
        ", ".join(map(str, list(unfound)[:_SHOWN_PAGES])),
    )
    more = f" and {len(unfound) - _SHOWN_PAGES} more" if len(unfound) > _SHOWN_PAGES else ""
    where = "page" if len(unfound) == 1 else "pages"
    return (
        f"{count:,} characters lost on {where} {pages}{more}: their font ({fonts}) is neither in the file nor on this "
        "machine; install a font of their script, such as Debian's fonts-noto-cjk, and add the file again"
    )
