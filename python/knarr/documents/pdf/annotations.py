"""What stands on a page besides its content: values of form fields, typed text, stamps, and comments.

Part of the worker process (see `child`). A reader sees the appearance of an annotation, which PDFium merges into the
page (`merge`), so that its words come with the others. Three kinds are written from what the file says instead, and
their appearance is not merged, so that nothing is shown twice: values of text and choice fields, which an appearance
may show in single characters, cut off, or not at all; boxes and buttons to tick, [x] or [ ]; and whatever has text
but shows none. Comments, which a viewer shows beside the page, are handed over apart.

Cost: linear in the annotations, of which `MAX_ANNOTATIONS` on a page are read, and in the words.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pypdfium2.raw as pdfium

from knarr.documents.pdf.overlay import EMPTY, TICKED, Rect, Shown, Word, placed_texts

MAX_ANNOTATIONS = 5_000
MAX_OPTIONS = 2_000
MAX_VALUE_CHARS = 50_000
_UNSEEN = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW
_MULTILINE, _PASSWORD, _COMB = 1 << 12, 1 << 13, 1 << 24  # flags of text fields, as PDF numbers them
_TEXT_FIELDS = (
    pdfium.FPDF_FORMFIELD_TEXTFIELD,
    pdfium.FPDF_FORMFIELD_COMBOBOX,
    pdfium.FPDF_FORMFIELD_LISTBOX,
)
_CHOICES = (pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX)
_TICKED = (pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON)
# Annotations whose text is on the page. Those of `_BESIDE` stand on words that they are about.
_TYPED = (pdfium.FPDF_ANNOT_FREETEXT, pdfium.FPDF_ANNOT_WATERMARK, pdfium.FPDF_ANNOT_REDACT)
_BESIDE = (
    pdfium.FPDF_ANNOT_HIGHLIGHT, pdfium.FPDF_ANNOT_UNDERLINE, pdfium.FPDF_ANNOT_SQUIGGLY, pdfium.FPDF_ANNOT_STRIKEOUT,
)  # fmt: skip
_COMMENTS = (
    *_BESIDE, pdfium.FPDF_ANNOT_TEXT, pdfium.FPDF_ANNOT_STAMP, pdfium.FPDF_ANNOT_CARET, pdfium.FPDF_ANNOT_INK,
    pdfium.FPDF_ANNOT_LINE, pdfium.FPDF_ANNOT_SQUARE, pdfium.FPDF_ANNOT_CIRCLE, pdfium.FPDF_ANNOT_POLYGON,
    pdfium.FPDF_ANNOT_POLYLINE, pdfium.FPDF_ANNOT_FILEATTACHMENT,
)  # fmt: skip
_STAMPS = frozenset(
    {
        "Approved", "AsIs", "Confidential", "Departmental", "Draft", "Experimental", "Expired", "Final", "ForComment",
        "ForPublicRelease", "NotApproved", "NotForPublicRelease", "Sold", "TopSecret",
    }
)  # fmt: skip
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_TELLING_NAME = re.compile(
    r"(?!(text|field|box|check|undefined|untitled|fill|form|radio|group|tx|f|c)?[ _-]*\d*$)", re.I
)
_INDEX = re.compile(r"\[\d+\]")
_ABOUT_CHARS, _MOST_ABOUT = 120, 200


@dataclass(slots=True)
class Annotations:
    """What the annotations of one page give.

    merge:    whether appearances are to be merged into the page
    comments: [who, the words that it is about, text]
    hidden:   number of fields with a value that no reader sees
    unread:   number of annotations beyond the bound
    attached: names of attached files
    """

    merge: bool = False
    comments: list[list[str]] = field(default_factory=list)
    hidden: int = 0
    unread: int = 0
    attached: list[str] = field(default_factory=list)
    rotation: int = 0
    _texts: list[Shown] = field(default_factory=list)

    def merged(self, page: Any) -> bool:
        """Merge appearances into the page where that shows more; whether it has to be loaded again."""
        return self.merge and bool(
            pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY) == pdfium.FLATTEN_SUCCESS
        )

    @property
    def chars(self) -> int:
        """The characters of all of it."""
        return sum(len(shown.text) for shown in self._texts) + sum(
            len(part) for comment in self.comments for part in comment
        )

    def message(self) -> dict[str, Any]:
        """What is not empty of all but words."""
        names = ("comments", "hidden", "unread", "attached")
        return {name: value for name in names if (value := getattr(self, name))}

    def words(self, words: Sequence[Word]) -> list[Word]:
        """The words of what is written here, beside `words`, those of the merged page."""
        return placed_texts(self._texts, words, self.rotation)


def read_annotations(page: Any, form: Any) -> Annotations:
    """Read the annotations of a page that is loaded, and hide those whose text is written from the file. `form` is
    what PDFium answers questions about fields with; None for a file without a form."""
    found = Annotations(rotation=pdfium.FPDFPage_GetRotation(page))
    count = pdfium.FPDFPage_GetAnnotCount(page)
    found.unread = max(0, count - MAX_ANNOTATIONS)
    with _PageText(page) as text:
        for index in range(min(count, MAX_ANNOTATIONS)):
            annotation = pdfium.FPDFPage_GetAnnot(page, index)
            if annotation:
                try:
                    _read_one(_Annotation(annotation, form), found, text)
                finally:
                    pdfium.FPDFPage_CloseAnnot(annotation)
    return found


def _read_one(one: _Annotation, found: Annotations, page_text: _PageText) -> None:
    if one.kind == pdfium.FPDF_ANNOT_WIDGET:
        _field(one, found)
    elif one.flags & _UNSEEN:
        return
    elif one.kind in _TYPED:
        found.merge = True
        if one.kind == pdfium.FPDF_ANNOT_FREETEXT and (text := one.string(b"Contents")):
            found._texts.append(Shown(text, one.rect, 0.0, lines=True, unless_seen=True))
    elif one.kind in _COMMENTS:
        found.merge |= one.kind in (pdfium.FPDF_ANNOT_STAMP, pdfium.FPDF_ANNOT_LINE)
        name = one.string(b"Name").lstrip("#")
        if one.kind == pdfium.FPDF_ANNOT_STAMP and name in _STAMPS:
            shown = _CAMEL.sub(" ", name)
            found._texts.append(Shown(shown, one.rect, 0.0, unless_seen=True))
        if text := one.string(b"Contents"):
            about = page_text.at(one.rect) if one.kind in _BESIDE else ""
            if _letters(text) != _letters(about):
                found.comments.append([one.string(b"T"), about, text])
        if one.kind == pdfium.FPDF_ANNOT_FILEATTACHMENT:
            found.attached.append(one.attached())


def _field(one: _Annotation, found: Annotations) -> None:
    """One place of a form field."""
    kind = one.field_kind()
    if one.flags & _UNSEEN:
        found.hidden += kind in _TEXT_FIELDS and bool(one.value(kind))
        return
    if kind in _TICKED:
        one.hide()
        mark = TICKED if one.ticked() else EMPTY
        found._texts.append(Shown(mark, one.rect, 0.0, name=one.name()))
        return
    found.merge = True
    if kind not in _TEXT_FIELDS and kind > 0:
        return
    flags = one.field_flags() if kind == pdfium.FPDF_FORMFIELD_TEXTFIELD else 0
    value = "" if flags & _PASSWORD else one.value(kind)
    if not value:
        return
    # What a script formats ("1234.5" as "$1,234.50") is read as it is shown.
    formatted = one.is_formatted() and not flags & _COMB
    if not formatted:
        one.hide()
    found._texts.append(
        Shown(value, one.rect, one.font_size(), bool(flags & _MULTILINE), one.name(), unless_seen=formatted)
    )


class _Annotation:
    """Asks PDFium about one annotation. `form` is None for a file without a form."""

    def __init__(self, handle: Any, form: Any) -> None:
        self._handle, self._form = handle, form
        self.kind: int = pdfium.FPDFAnnot_GetSubtype(handle)
        self.flags: int = pdfium.FPDFAnnot_GetFlags(handle)

    @property
    def rect(self) -> Rect:
        """Left, bottom, right, top."""
        box = pdfium.FS_RECTF()
        if not pdfium.FPDFAnnot_GetRect(self._handle, ctypes.byref(box)):
            return 0.0, 0.0, 0.0, 0.0
        (left, right), (bottom, top) = sorted((box.left, box.right)), sorted((box.bottom, box.top))
        return left, bottom, right, top

    def hide(self) -> None:
        pdfium.FPDFAnnot_SetFlags(self._handle, self.flags | pdfium.FPDF_ANNOT_FLAG_HIDDEN)

    def string(self, key: bytes) -> str:
        return utf16(lambda buffer, size: pdfium.FPDFAnnot_GetStringValue(self._handle, key, buffer, size))

    def field_kind(self) -> int:
        """The kind of field, -1 when nobody knows."""
        return int(pdfium.FPDFAnnot_GetFormFieldType(self._form, self._handle)) if self._form else -1

    def field_flags(self) -> int:
        return int(pdfium.FPDFAnnot_GetFormFieldFlags(self._form, self._handle))

    def value(self, kind: int) -> str:
        """The value of a text or choice field: of a choice, what is shown for it."""
        if kind in _CHOICES and (chosen := self._chosen()):
            return chosen
        if kind < 0:
            return self.string(b"V")
        return self._of_field(pdfium.FPDFAnnot_GetFormFieldValue)

    def _chosen(self) -> str:
        count = pdfium.FPDFAnnot_GetOptionCount(self._form, self._handle)
        chosen = [
            self._label(at)
            for at in range(min(count, MAX_OPTIONS))
            if pdfium.FPDFAnnot_IsOptionSelected(self._form, self._handle, at)
        ]
        return ", ".join(filter(None, chosen))

    def _label(self, at: int) -> str:
        ask = pdfium.FPDFAnnot_GetOptionLabel
        return utf16(lambda buffer, size: ask(self._form, self._handle, at, buffer, size))

    def ticked(self) -> bool:
        """Whether its state is one of those that are not "Off"."""
        return self.string(b"AS") not in ("", "Off")

    def is_formatted(self) -> bool:
        if not self._form:
            return False
        ask = pdfium.FPDFAnnot_GetFormAdditionalActionJavaScript
        event = pdfium.FPDF_ANNOT_AACTION_FORMAT
        return bool(utf16(lambda buffer, size: ask(self._form, self._handle, event, buffer, size)))

    def font_size(self) -> float:
        size = ctypes.c_float()
        found = self._form and pdfium.FPDFAnnot_GetFontSize(self._form, self._handle, ctypes.byref(size))
        return float(size.value) if found else 0.0

    def name(self) -> str:
        """What the file calls the field for its reader, "" for what only a program would call it."""
        if not self._form:
            return ""
        shown = self._of_field(pdfium.FPDFAnnot_GetFormFieldAlternateName)
        if not shown:
            full = self._of_field(pdfium.FPDFAnnot_GetFormFieldName)
            shown = _INDEX.sub("", full.rpartition(".")[2]).replace("_", " ").strip()
            shown = shown if _TELLING_NAME.match(shown) else ""
        return " ".join(shown.split())[:120]

    def attached(self) -> str:
        file = pdfium.FPDFAnnot_GetFileAttachment(self._handle)
        return attachment_name(file) if file else ""

    def _of_field(self, ask: Any) -> str:
        return utf16(lambda buffer, size: ask(self._form, self._handle, buffer, size))


def attachment_name(file: Any) -> str:
    """The name of an attached file."""
    return " ".join(utf16(lambda buffer, size: pdfium.FPDFAttachment_GetName(file, buffer, size)).split())


def utf16(ask: Callable[[Any, int], int], most: int = MAX_VALUE_CHARS) -> str:
    """A text that PDFium writes as UTF-16 with a NUL, into a buffer whose bytes it counts; "" when it has none."""
    size = min(int(ask(None, 0)), 2 * most)
    if size <= 2:
        return ""
    buffer = (ctypes.c_ushort * (size // 2))()
    ask(buffer, 2 * len(buffer))
    return bytes(buffer).decode("utf-16-le", "replace").rstrip("\0").replace("\0", " ").strip()


class _PageText:
    """The words of a page by their places, loaded when they are first asked for."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self._text: Any = None
        self._left = _MOST_ABOUT  # each takes a look at all characters

    def __enter__(self) -> _PageText:
        return self

    def __exit__(self, *_: object) -> None:
        if self._text:
            pdfium.FPDFText_ClosePage(self._text)

    def at(self, rect: Rect) -> str:
        """The words inside, at most `_ABOUT_CHARS` characters."""
        self._text = self._text or pdfium.FPDFText_LoadPage(self._page)
        self._left -= 1
        if not self._text or self._left < 0:
            return ""
        left, bottom, right, top = rect
        buffer = (ctypes.c_ushort * _ABOUT_CHARS)()
        count = pdfium.FPDFText_GetBoundedText(self._text, left, top, right, bottom, buffer, _ABOUT_CHARS)
        text = bytes(buffer)[: 2 * max(0, min(count, _ABOUT_CHARS))].decode("utf-16-le", "replace")
        return " ".join(text.replace("\0", " ").split())


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()
