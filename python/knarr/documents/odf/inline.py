"""The running text of an OpenDocument paragraph.

White space is what the file says it is (`text:s`, `text:tab`); what was deleted under tracked changes stands elsewhere
in the file and is never met. Notes are referred to by a mark, and their text waits for the end of the section.
"""

from __future__ import annotations

from collections import Counter

from lxml import etree

from knarr.documents.odf.styles import OdfStyles
from knarr.documents.raised import marked, written
from knarr.documents.xml import attribute_of, local
from knarr.language.plain import one_line

_SKIPPED = frozenset((
    "tracked-changes", "sequence-decls", "variable-decls", "user-field-decls", "forms", "bookmark", "bookmark-start",
    "bookmark-end", "change", "change-start", "change-end", "soft-page-break", "title", "desc", "ruby-text", "annotation-end",
    "script", "event-listeners", "glue-point", "alphabetical-index-mark", "toc-mark",
))  # fmt: skip
_MAX_SPACES = 200


class InlineReader:
    """Reads paragraphs; `frames` are the pictures, boxes and objects met in one, for the caller to read."""

    def __init__(self, styles: OdfStyles, notes: Counter[str]) -> None:
        self.styles = styles
        self.notes = notes
        self.footnotes: list[str] = []  # since they were last written
        self.frames: list[etree._Element] = []
        self._number = 0

    def text(self, paragraph: etree._Element) -> str:
        """The paragraph's text; line breaks stay."""
        parts: list[str] = []
        self._read(paragraph, parts)
        text = written("".join(parts))
        return "\n".join(" ".join(line.split(" ")).strip() for line in text.split("\n")).strip()

    def plain(self, element: etree._Element) -> str:
        """All paragraphs below an element on one line, those of notes and frames inside them not among them."""
        found: list[str] = []
        stack = [element]
        while stack:
            one = stack.pop()
            kind = local(one)
            if kind in ("p", "h"):
                found.append(self.text(one))
            elif kind not in _SKIPPED and kind not in ("annotation", "note"):
                if one is not element and kind == "frame":
                    self.frames.append(one)
                else:
                    stack.extend(reversed(one))
        return one_line(" ".join(found))

    def _read(self, element: etree._Element, parts: list[str]) -> None:
        parts.append(_collapsed(element.text))
        for child in element:
            self._child(child, parts)
            parts.append(_collapsed(child.tail))

    def _child(self, child: etree._Element, parts: list[str]) -> None:
        kind = local(child)
        if kind == "s":
            count = attribute_of(child, "c", "1")
            parts.append(" " * (min(int(count), _MAX_SPACES) if count.isdecimal() and len(count) < 9 else 1))
        elif kind == "tab":
            parts.append("\t")
        elif kind == "line-break":
            parts.append("\n")
        elif kind == "note":
            self._note(child, parts)
        elif kind in ("annotation", "hidden-text", "hidden-paragraph"):
            self._aside(child, kind)
        elif kind in ("frame", "custom-shape", "g", "rect", "object", "object-ole"):
            self.frames.append(child)
        elif kind in _SKIPPED or not kind:
            return
        elif kind == "span" and self.styles.is_hidden(attribute_of(child, "style-name")):
            self.notes["characters of hidden text left out:"] += len("".join(child.itertext()))
        elif kind == "span" and self.styles.is_raised(attribute_of(child, "style-name")):
            inside: list[str] = []
            self._read(child, inside)
            parts.append(marked("".join(inside)))
        else:
            self._read(child, parts)

    def _note(self, note: etree._Element, parts: list[str]) -> None:
        body, mark = note.find("{*}note-body"), note.find("{*}note-citation")
        self._number += 1
        shown = one_line("".join(mark.itertext())) if mark is not None else ""
        label = shown if shown.isdecimal() else str(self._number)
        if attribute_of(note, "note-class") == "endnote":
            label = f"e{shown or self._number}"
        parts.append(f"[^{label}]")
        text = self.plain(body) if body is not None else ""
        if text:
            self.footnotes.append(f"[^{label}]: {text}")

    def _aside(self, element: etree._Element, kind: str) -> None:
        if kind != "annotation":
            self.notes["hidden fields left out:"] += 1
            return
        author = next((one_line(one.text or "") for one in element.iterchildren("{*}creator")), "")
        text = self.plain(element)
        if text:
            self.footnotes.append(f"Comment by {author or 'unknown'}: {text}")


def _collapsed(text: str | None) -> str:
    if not text:
        return ""
    for space in "\n\r\t":
        text = text.replace(space, " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text
