"""Where the exhibits, schedules and annexes of a text begin."""

from __future__ import annotations

from collections.abc import Sequence

from knarr.documents.text.clause_marks import Mark
from knarr.documents.text.clause_titles import bare, is_title_like, is_upper

_MIN_BODY_CHARS = 200


def exhibits(text: str, marks: Sequence[Mark], first_text: int) -> list[Mark]:
    """The marks that begin an exhibit, in order. A label may stand on every page of its exhibit, or
    in a list before: its first mark with a body counts, or else its first. `first_text` is where
    the text's first line begins, which at most numbers the file itself."""
    heads = [mark for mark in marks if mark.kind == "exhibit" and _is_heading(text, mark, first_text)]
    ends = [*(mark.begin for mark in heads[1:]), len(text)]
    chosen: dict[str, tuple[Mark, bool]] = {}
    for mark, end in zip(heads, ends, strict=False):
        form, has_body = mark.readings[0].form, end - mark.begin >= _MIN_BODY_CHARS
        if form not in chosen or (has_body and not chosen[form][1]):
            chosen[form] = (mark, has_body)
    return sorted((mark for mark, _ in chosen.values()), key=lambda mark: mark.begin)


def _is_heading(text: str, mark: Mark, first_text: int) -> bool:
    """Whether the label stands alone or over a title, and is no number of the filing ("10.2")."""
    line_begin = text.rfind("\n", 0, mark.begin) + 1
    if line_begin <= first_text or "." in text[mark.begin : mark.end].rstrip(".:"):
        return False
    line_end = text.find("\n", mark.end)
    rest = text[mark.end : line_end if line_end >= 0 else len(text)].strip()
    head = rest[:200].split("   ")[0]
    return not rest or is_upper(head[:40]) or (len(head) <= 100 and is_title_like(bare(head)))
