"""DOC, the files of Word 97 to 2003 ([MS-DOC]): text by the piece table, headings by style, tables by their marks.

The text of a file lies in pieces, in the order of its history; the piece table gives the order of reading. What a
paragraph is (its style, whether it is a row of a table) and what its characters are (deleted, hidden) is kept in pages
of 512 bytes, by places in the file. Notes and comments follow the text. Pictures, page headers and the numbers that
Word makes for lists are left out and named.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from knarr.documents.decode import Limits
from knarr.documents.notes import said
from knarr.documents.ole.container import MAGIC, CompoundFile
from knarr.documents.ole.summary import summary_metadata
from knarr.documents.raised import marked, written
from knarr.documents.sections import Document
from knarr.documents.tables import Cell, table_text
from knarr.documents.writer import MarkdownWriter
from knarr.errors import DocumentError
from knarr.language.plain import one_line

_WORD = 0xA5EC
_PAGE = 512
_MAX_PIECES = 1_000_000
_HEADINGS = range(1, 10)
_IN_TABLE, _ROW_END, _LISTED, _OUTLINE = 0x2416, 0x2417, 0x460B, 0x2640
_DELETED, _HIDDEN, _RAISED = 0x0800, 0x083C, 0x2A48
_CELL_MARK = "\x07"
_LINES = {
    "\x0b": "\n",
    "\x0c": "\n",
    "\x1e": "-",
    "\x1f": "",
    "\xa0": " ",
    "\x02": "",
    "\x05": "",
    "\x03": "",
    "\x04": "",
}
_PICTURES = "\x01\x08"


def parse(data: bytes, name: str, limits: Limits) -> Document:
    """Read a Word file. Raises DocumentError with status "corrupt", "encrypted", "unsupported" or "no_text"."""
    if not data.startswith(MAGIC):
        return _other(data, name, limits)
    file = CompoundFile(data)
    try:
        reader = _Word(file, name)
        reader.write()
    except (struct.error, IndexError) as error:
        raise DocumentError(f"{name}: a damaged Word file ({error})") from error
    if not reader.writer.size_bytes:
        raise DocumentError(f"{name}: the document holds no text", "no_text")
    metadata = summary_metadata(file)
    return reader.writer.document(
        "doc", str(metadata.get("title", "")), said(reader.notes), metadata=metadata
    )


def _other(data: bytes, name: str, limits: Limits) -> Document:
    """What people save under `.doc`: RTF and web pages."""
    from knarr.documents.html.parse import parse as parse_html
    from knarr.documents.rtf.parse import parse as parse_rtf

    head = data[:2_000].lstrip().lower()
    if head.startswith(b"{\\rtf"):
        return parse_rtf(data, name, limits)
    if head.startswith((b"<", b"\xef\xbb\xbf<")) and b"<html" in head:
        return parse_html(data, name, limits)
    raise DocumentError(f"{name}: not a Word file; save it as .docx", "unsupported")


@dataclass(frozen=True, slots=True)
class _Look:
    """Of a paragraph: its style and what its properties say; of characters: whether they are seen."""

    style: int = 0
    words: frozenset[int] = frozenset()
    outline: int = 9


class _Word:
    def __init__(self, file: CompoundFile, name: str) -> None:
        self.writer = MarkdownWriter()
        self.notes: Counter[str] = Counter()
        main = file.stream("WordDocument") or b""
        if len(main) < 0x1AA or struct.unpack_from("<H", main)[0] != _WORD:
            raise DocumentError(f"{name}: a Word file from before Word 97; save it as .docx", "unsupported")
        flags = struct.unpack_from("<H", main, 0x0A)[0]
        if flags & 0x0100:
            raise DocumentError(f"{name}: the file is protected by a password", "encrypted")
        self._main = main
        self._table = file.stream("1Table" if flags & 0x0200 else "0Table") or b""
        counts = struct.unpack_from("<6I", main, 0x4C)
        self._text, self._footnotes, self._headers = counts[0], counts[1], counts[2]
        self._comments, self._endnotes = counts[4], counts[5]
        self._paragraphs = _Looks(self._looks(0x102, paragraphs=True))
        self._characters = _Looks(self._looks(0xFA, paragraphs=False))
        self._rows: list[list[Cell]] = []
        self._cells: list[Cell] = []
        self._parts: list[str] = []
        self._skipping = self._in_list = False
        self._lead = ""

    def write(self) -> None:
        paragraph: list[str] = []
        fields: list[bool] = []  # of each open field: whether its result is being read
        at, begins = 0, self._parts_of_the_file()
        for char, place in self._chars():
            if begins and at >= begins[0][0]:
                self._end(paragraph, place, "\r")
                self._end_table()
                _, kind = begins.pop(0)
                self._skipping = kind == "headers"
                if kind in ("footnotes", "comments", "endnotes"):
                    self._lead = {"footnotes": "Footnote", "comments": "Comment", "endnotes": "Endnote"}[kind]
            at += 1
            if self._skipping:
                self.notes["page headers and footers left out"] = 1
                continue
            if char == "\x13":
                fields.append(False)
            elif char == "\x14":
                if fields:
                    fields[-1] = True
            elif char == "\x15":
                if fields:
                    fields.pop()
            elif not all(fields):
                continue
            elif char in "\r\x07\x0c":
                self._end(paragraph, place, char)
            elif char in _PICTURES:
                self.notes["pictures and drawings left out:"] += 1
            elif self._is_seen(place):
                shown = _LINES.get(char, char if char >= " " or char == "\t" else "")
                is_raised = _RAISED in self._characters.at(place).words
                paragraph.append(marked(shown) if is_raised else shown)
        self._end(paragraph, -1, "\r")
        self._end_table()

    def _parts_of_the_file(self) -> list[tuple[int, str]]:
        found, at = [], self._text
        for count, kind in (
            (self._footnotes, "footnotes"), (self._headers, "headers"), (self._comments, "comments"),
            (self._endnotes, "endnotes"),
        ):  # fmt: skip
            if count:
                found.append((at, kind))
            at += count
        found.append((at, "headers"))
        return found

    def _is_seen(self, place: int) -> bool:
        words = self._characters.at(place).words
        if _DELETED in words or _HIDDEN in words:
            self.notes["characters of hidden or deleted text left out:"] += 1
            return False
        return True

    def _end(self, paragraph: list[str], place: int, mark: str) -> None:
        """A paragraph, cell or row has ended."""
        look = self._paragraphs.at(place) if place >= 0 else _Look()
        lines = written("".join(paragraph)).split("\n")
        paragraph.clear()
        text = "\n".join(filter(None, map(one_line, lines)))
        if _ROW_END in look.words:
            if self._cells:
                self._rows.append(self._cells)
                self._cells = []
            return
        if _IN_TABLE in look.words or mark == _CELL_MARK:
            self._parts += [text] if text else []
            if mark == _CELL_MARK:
                self._cells.append(Cell(" ".join(self._parts)))
                self._parts = []
            return
        self._end_table()
        if not text:
            return
        listed = _LISTED in look.words and look.style not in _HEADINGS
        if not (listed and self._in_list):
            self.writer.gap()
        self._in_list = listed
        if look.style in _HEADINGS and not self._lead:
            self.writer.heading(look.style, one_line(text))
        elif look.outline < 9 and not self._lead:
            self.writer.heading(look.outline + 1, one_line(text))
        else:
            if listed:
                self.notes["list numbers that Word makes left out"] = 1
                text = f"- {text}"
            self.writer.put((f"{self._lead}: " if self._lead else "") + text + "\n")

    def _end_table(self) -> None:
        if self._cells:
            self._rows.append(self._cells)
        rows, self._rows, self._cells = self._rows, [], []
        if not rows:
            return
        table = table_text(rows)
        if table is not None:
            self.writer.gap()
            self.writer.table(table)
            return
        for row in rows:
            for cell in row:
                if cell.text:
                    self.writer.gap()
                    self.writer.put(cell.text + "\n")

    # -- the file ----------------------------------------------------------------------------------------

    def _chars(self) -> Iterator[tuple[str, int]]:
        """Every character of the text with its place in the file."""
        for begin, end, offset, narrow in self._pieces():
            size = end - begin
            if narrow:
                for at, char in enumerate(self._main[offset : offset + size].decode("cp1252", "replace")):
                    yield char, offset + at
            else:
                data = self._main[offset : offset + 2 * size]
                text = data[: len(data) // 2 * 2].decode("utf-16-le", "surrogatepass")
                place = offset
                for char in text:
                    yield (char if not "\ud800" <= char < "\ue000" else "\ufffd"), place
                    place += 2 if char < "\U00010000" else 4

    def _pieces(self) -> list[tuple[int, int, int, bool]]:
        begin, size = struct.unpack_from("<II", self._main, 0x1A2)
        data = self._table[begin : begin + size]
        at = 0
        while at < len(data) and data[at] == 1:
            at += 3 + struct.unpack_from("<H", data, at + 1)[0]
        if at >= len(data) or data[at] != 2:
            raise DocumentError("a Word file without a table of its pieces")
        length = struct.unpack_from("<I", data, at + 1)[0]
        table = data[at + 5 : at + 5 + length]
        count = min((len(table) - 4) // 12, _MAX_PIECES)
        found = []
        left = 2 * len(self._main)
        for number in range(count):
            first, last = struct.unpack_from("<II", table, 4 * number)
            packed = struct.unpack_from("<I", table, 4 * (count + 1) + 8 * number + 2)[0]
            narrow = bool(packed & 0x40000000)
            offset = (packed & 0x3FFFFFFF) // 2 if narrow else packed & 0x3FFFFFFF
            left -= last - first
            if last < first or left < 0:
                raise DocumentError("a Word file whose pieces overlap")
            found.append((first, last, offset, narrow))
        return found

    def _looks(self, entry: int, *, paragraphs: bool) -> list[tuple[int, _Look]]:
        """(end in the file, look) of all runs, from the pages that a table of the file lists."""
        begin, size = struct.unpack_from("<II", self._main, entry)
        table = self._table[begin : begin + size]
        count = (len(table) - 4) // 8
        found: list[tuple[int, _Look]] = []
        if count < 1:
            return found
        for number in dict.fromkeys(struct.unpack_from(f"<{count}I", table, 4 * (count + 1))):
            page = self._main[number * _PAGE : number * _PAGE + _PAGE]
            if len(page) == _PAGE:
                found += _page(page, paragraphs)
        found.sort(key=lambda one: one[0])
        return found


class _Looks:
    """Runs by their place in the file."""

    def __init__(self, runs: list[tuple[int, _Look]]) -> None:
        self._ends = [end for end, _ in runs]
        self._looks = [look for _, look in runs]
        self._last = (0, 0, _Look())  # the run that was asked for last: most questions are about it

    def at(self, place: int) -> _Look:
        begin, end, look = self._last
        if begin <= place < end:
            return look
        found = bisect_right(self._ends, place)
        if found >= len(self._ends):
            return _Look()
        begin = self._ends[found - 1] if found else 0
        self._last = (begin, self._ends[found], self._looks[found])
        return self._looks[found]


def _page(page: bytes, paragraphs: bool) -> list[tuple[int, _Look]]:
    count = page[_PAGE - 1]
    found = []
    width = 13 if paragraphs else 1
    for number in range(count):
        at = 4 * (count + 1) + width * number
        if at >= _PAGE - 1:
            break
        end = struct.unpack_from("<I", page, 4 * (number + 1))[0]
        begin = 2 * page[at]
        if not begin:
            found.append((end, _Look()))
            continue
        size = page[begin]
        if not paragraphs:
            found.append((end, _Look(0, *_words(page[begin + 1 : begin + 1 + size]))))
            continue
        # An even size stands in the second byte, behind a zero.
        data = (
            page[begin + 2 : begin + 2 + 2 * page[begin + 1]]
            if size == 0
            else page[begin + 1 : begin + 2 * size]
        )
        style = struct.unpack_from("<H", data)[0] if len(data) >= 2 else 0
        found.append((end, _Look(style, *_words(data[2:]))))
    return found


def _words(data: bytes) -> tuple[frozenset[int], int]:
    """The properties that are set, of those that matter here, and the outline level."""
    found, outline, at = set(), 9, 0
    while at + 2 <= len(data):
        word = struct.unpack_from("<H", data, at)[0]
        at += 2
        size = (1, 1, 2, 4, 2, 2, 0, 3)[word >> 13]
        if word >> 13 == 6:
            size = 1 + data[at] if at < len(data) else 1
            if word == 0xD608 and at + 2 <= len(data):
                size = 1 + struct.unpack_from("<H", data, at)[0]
        value = data[at : at + size]
        if word in (_IN_TABLE, _ROW_END, _LISTED, _DELETED, _HIDDEN) and any(value):
            found.add(word)
        elif word == _OUTLINE and value:
            outline = value[0]
        elif word == _RAISED and value[:1] == b"\x01":
            found.add(word)
        at += size
    return frozenset(found), outline
