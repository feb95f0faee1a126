"""PDFium's view of a file: words with their places and looks, and the outline.

Everything that touches PDFium is here, and runs in the worker process of `worker` only: PDFium
is not thread-safe, and what a hostile file can do to it must not happen to the caller. Messages
are plain values, so that they can cross the pipe.

Characters are fetched once per page; how little is asked of each word is told in `probe`.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from knarr.documents.pdf.annotations import attachment_name, read_annotations, utf16
from knarr.documents.pdf.probe import Probe
from knarr.documents.pdf.rules import Rules
from knarr.documents.pdf.tags import tagged_headings
from knarr.documents.pdf.unfound import unfound_glyphs

MAX_PAGES = 20_000
MAX_PAGE_CHARS = 500_000
MAX_CHARS = 8_000_000
# A file names a page in a few bytes, and one page as often as it likes. A page of its own takes more: these
# bound the pages, and the characters, of a small file.
FREE_PAGES, BYTES_PER_PAGE = 200, 24
FREE_CHARS, CHARS_PER_BYTE = 300_000, 20
MAX_BOOKMARKS = 5_000
MAX_ATTACHMENTS = 1_000
MAX_BOOKMARK_DEPTH = 16
# PDFium marks a hyphen that ends a line, after which it writes no white space; here it becomes a soft hyphen
# that ends a word.
_LINE_END_HYPHENS = {"\ufffe": "\xad", "\x02": "\xad"}
_WORD = re.compile(r"[^\s\xad]*\xad|[^\s\xad]+")
# PDFium turns the letters of a line around, and with them those that one glyph stands for: lam with an alef.
_LAM_AFTER = re.compile("[\u0622\u0623\u0625\u0627\u0671]\u0644")
_FEW_WORDS, _FEW_OBJECTS, _FEW_PATHS = 40, 200, 12
_PLAIN_KINDS = (pdfium.FPDF_PAGEOBJ_TEXT, pdfium.FPDF_PAGEOBJ_PATH)
_ABOUT = ("Title", "Author", "Subject", "Keywords", "CreationDate", "ModDate")
_TITLE_CHARS = 2_048
_FAR_LETTER, _FEW_FAR = re.compile(r"[^\W\d_\0-\u024f]"), 0.1

Message = dict[str, Any]


def read_words(data: bytes) -> Iterator[Message]:
    """Messages about one file, in this order:

    {"pages": count, "about": {property: text}, "outline": [[depth, title, page, y or None], …],
     "attached": names of attached files, "placeholder": whether its pages only stand for an XFA form}
    {"page": index, "blank": whether nothing but these words is on it, "shape": shape, "words": [word, …],
     "rules": the lines that it draws (see `rules.Rules`), "unmapped": number of words whose characters PDFium only
     guesses, where that matters, "unfound": see `unfound`} for each page, where the file is tagged with "headings": [[depth, title, y], …] (see
     `tags`), and with what `annotations` found besides words under its names; or
    {"page": index, "lost": True} for one that PDFium cannot load;
    or once {"error": message, "status": "encrypted" | "corrupt" | "limit"}.

    A page's "shape" is [left, bottom, right, top, degrees that it is turned]: what a viewer shows of it.
    A word is [text, x0, x1, y, size, bold, italic]: left and right end and base line in points, y growing upwards,
    both along the direction of writing; one that is written sideways has a last item, by how many radians it is
    turned anticlockwise.
    """
    pypdfium2  # noqa: B018  importing the package is what initialises the library
    document = pdfium.FPDF_LoadMemDocument64(data, len(data), None)
    if not document:
        yield _refusal(pdfium.FPDF_GetLastError())
        return
    try:
        pages = pdfium.FPDF_GetPageCount(document)
        most = min(MAX_PAGES, FREE_PAGES + len(data) // BYTES_PER_PAGE)
        if pages > most:
            error = f"{pages:,} pages in {len(data):,} bytes, at most {most:,} are read"
            yield {"error": error, "status": "limit"}
            return
        most_chars = min(MAX_CHARS, FREE_CHARS + len(data) * CHARS_PER_BYTE)
        kind = pdfium.FPDF_GetFormType(document)
        yield {
            "pages": pages,
            "about": {name: _metadata(document, name.encode()) for name in _ABOUT},
            "outline": _outline(document),
            "attached": _attached(document),
            "placeholder": kind == pdfium.FORMTYPE_XFA_FULL,
        }
        chars = 0
        rules = Rules()
        with _form_of(document, kind) as form:
            for index in range(pages):
                message, count = _page(document, form, index, rules)
                chars += count
                if count > MAX_PAGE_CHARS or chars > most_chars:
                    yield {"error": f"page {index + 1} holds more text than is read", "status": "limit"}
                    return
                yield message
    finally:
        pdfium.FPDF_CloseDocument(document)


def _refusal(code: int) -> Message:
    if code in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
        return {"error": "the file is protected by a password", "status": "encrypted"}
    return {"error": "not a whole PDF file", "status": "corrupt"}


@contextmanager
def _form_of(document: Any, kind: int) -> Iterator[Any]:
    """What PDFium answers questions about fields with; None for a file without a form."""
    if kind == pdfium.FORMTYPE_NONE:
        yield None
        return
    info = pdfium.FPDF_FORMFILLINFO(version=2)
    form = pdfium.FPDFDOC_InitFormFillEnvironment(document, info)
    try:
        yield form
    finally:
        if form:
            pdfium.FPDFDOC_ExitFormFillEnvironment(form)


def _attached(document: Any) -> list[str]:
    count = min(pdfium.FPDFDoc_GetAttachmentCount(document), MAX_ATTACHMENTS)
    files = (pdfium.FPDFDoc_GetAttachment(document, at) for at in range(count))
    return [attachment_name(file) for file in files if file]


def _page(document: Any, form: Any, index: int, rules: Rules) -> tuple[Message, int]:
    page = pdfium.FPDF_LoadPage(document, index)
    try:
        found = read_annotations(page, form) if page and pdfium.FPDFPage_GetAnnotCount(page) > 0 else None
        if found is not None and found.merged(page):
            pdfium.FPDF_ClosePage(page)
            page = pdfium.FPDF_LoadPage(document, index)
        if not page:
            return {"page": index, "lost": True}, 0
        message, count = _content(page, index, rules)
        if found is not None:
            message["words"] += found.words(message["words"])
            message |= found.message()
            count += found.chars
        return message, count
    finally:
        if page:
            pdfium.FPDF_ClosePage(page)


def _content(page: Any, index: int, rules: Rules) -> tuple[Message, int]:
    """What the page itself holds, and the number of its characters."""
    text_page = pdfium.FPDFText_LoadPage(page)
    try:
        count = pdfium.FPDFText_CountChars(text_page) if text_page else 0
        text = _text(text_page, count) if 0 < count <= MAX_PAGE_CHARS else ""
        spans = _spans(text_page, text)
        probe = Probe(text_page) if spans else None
        words = [probe.word(text, first) for text, first in spans] if probe else []
        blank = len(words) <= _FEW_WORDS and _shows_nothing_else(page)
        message = {"page": index, "blank": blank, "shape": _shape(page), "words": words}
        message["rules"] = rules.read(page, text_page) if words else []
        message["unmapped"] = _unmapped(text_page, spans)
        message["unfound"] = unfound_glyphs(page)
        if tagged := tagged_headings(page, text_page, spans, words):
            message["headings"] = tagged
        return message, count
    finally:
        if text_page:
            pdfium.FPDFText_ClosePage(text_page)


def _unmapped(text_page: Any, spans: list[tuple[str, int]]) -> int:
    """How many words PDFium only guesses. Asked where letters are beyond the scripts of Europe, since guesses that
    are not are good ones (see `garbled`)."""
    chars = "".join(text for text, _ in spans)
    if chars.isascii() or len(_FAR_LETTER.findall(chars)) <= _FEW_FAR * len(chars):
        return 0
    return sum(pdfium.FPDFText_HasUnicodeMapError(text_page, first) == 1 for _, first in spans)


def _shape(page: Any) -> list[float]:
    box = pdfium.FS_RECTF()
    if not pdfium.FPDF_GetPageBoundingBox(page, ctypes.byref(box)):
        return []
    sides = [box.left, box.bottom, box.right, box.top]
    return [*(round(side, 1) for side in sides), 90 * max(0, pdfium.FPDFPage_GetRotation(page))]


def _shows_nothing_else(page: Any) -> bool:
    """Whether the page has no picture and hardly a drawing, so that its words are all there is."""
    count = pdfium.FPDFPage_CountObjects(page)
    kinds = [
        pdfium.FPDFPageObj_GetType(pdfium.FPDFPage_GetObject(page, at))
        for at in range(min(count, _FEW_OBJECTS))
    ]
    drawn = sum(kind != pdfium.FPDF_PAGEOBJ_TEXT for kind in kinds)
    return count < _FEW_OBJECTS and drawn <= _FEW_PATHS and all(kind in _PLAIN_KINDS for kind in kinds)


def _text(text_page: Any, count: int) -> str:
    """One character per PDFium index."""
    buffer = (ctypes.c_ushort * (2 * count + 2))()
    written = pdfium.FPDFText_GetText(text_page, 0, count, buffer)
    text = bytes(buffer)[: 2 * max(0, written - 1)].decode("utf-16-le", "replace")
    if len(text) != count:
        # Some characters have no place in the text: ask for each, so that indices agree.
        codes = (pdfium.FPDFText_GetUnicode(text_page, at) for at in range(count))
        text = "".join(
            " " if code == 0 or 0xD800 <= code < 0xE000 or code > 0x10FFFF else chr(code) for code in codes
        )
    for mark, hyphen in _LINE_END_HYPHENS.items():
        text = text.replace(mark, hyphen)
    return text.replace("\0", " ")


def _spans(text_page: Any, text: str) -> list[tuple[str, int]]:
    """The words of a page, each with the index of its first character."""
    spans = [(match[0], match.start()) for match in _WORD.finditer(text)]
    if _LAM_AFTER.search(text):
        spans = [
            (_with_ligatures(text_page, word, at) if _LAM_AFTER.search(word) else word, at)
            for word, at in spans
        ]
    return spans


def _with_ligatures(text_page: Any, text: str, first: int) -> str:
    """A word whose letters that are drawn as one glyph, at one place, are in the order of writing."""
    places = []
    x, y = ctypes.c_double(), ctypes.c_double()
    for at in range(first, first + len(text)):
        pdfium.FPDFText_GetCharOrigin(text_page, at, ctypes.byref(x), ctypes.byref(y))
        places.append((x.value, y.value))
    return _LAM_AFTER.sub(
        lambda pair: pair[0][::-1] if places[pair.start()] == places[pair.start() + 1] else pair[0], text
    )


def _outline(document: Any) -> list[list[Any]]:
    entries: list[list[Any]] = []
    seen: set[int] = set()

    def walk(parent: Any, depth: int) -> None:
        mark = pdfium.FPDFBookmark_GetFirstChild(document, parent)
        while mark and len(entries) < MAX_BOOKMARKS:
            address = ctypes.addressof(mark.contents)
            if address in seen:
                return
            seen.add(address)
            page, y = _target(document, mark)
            if title := _title(mark):
                entries.append([depth, title, page, y])
            if depth < MAX_BOOKMARK_DEPTH:
                walk(mark, depth + 1)
            mark = pdfium.FPDFBookmark_GetNextSibling(document, mark)

    walk(None, 1)
    return entries


def _target(document: Any, mark: Any) -> tuple[int, float | None]:
    target = pdfium.FPDFBookmark_GetDest(document, mark)
    if not target:
        action = pdfium.FPDFBookmark_GetAction(mark)
        target = pdfium.FPDFAction_GetDest(document, action) if action else None
    if not target:
        return -1, None
    flags = [ctypes.c_int() for _ in range(3)]
    place = [ctypes.c_float() for _ in range(3)]
    found = pdfium.FPDFDest_GetLocationInPage(
        target, *(ctypes.byref(flag) for flag in flags), *(ctypes.byref(value) for value in place)
    )
    y = place[1].value if found and flags[1].value else None
    return pdfium.FPDFDest_GetDestPageIndex(document, target), y


def _title(mark: Any) -> str:
    return _line(lambda buffer, size: pdfium.FPDFBookmark_GetTitle(mark, buffer, size))


def _metadata(document: Any, key: bytes) -> str:
    return _line(lambda buffer, size: pdfium.FPDF_GetMetaText(document, key, buffer, size))


def _line(ask: Any) -> str:
    return " ".join(utf16(ask, _TITLE_CHARS).split())
