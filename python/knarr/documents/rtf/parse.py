"""RTF to the one document model.

One pass over the tokens with a stack of groups. Paragraphs with an outline level or in a style called "heading 1" make
sections; rows of cells make tables; notes stand at the end of their section; list labels are kept as they are
written. Headers and footers, pictures, hidden and deleted text, embedded objects are left out and named.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace

from knarr.documents.decode import Limits
from knarr.documents.notes import said
from knarr.documents.properties import properties
from knarr.documents.raised import marked, written
from knarr.documents.rtf.tokens import SIGNS, WORDS, charset, code_page, tokens
from knarr.documents.sections import Document, MetadataValue
from knarr.documents.symbols import symbol
from knarr.documents.tables import Cell, table_text
from knarr.documents.writer import MarkdownWriter
from knarr.errors import DocumentError
from knarr.language.plain import one_line, shortened

_LEFT_OUT = {
    "header": "page headers and footers left out", "headerl": "page headers and footers left out",
    "headerr": "page headers and footers left out", "headerf": "page headers and footers left out",
    "footer": "page headers and footers left out", "footerl": "page headers and footers left out",
    "footerr": "page headers and footers left out", "footerf": "page headers and footers left out",
    "pict": "pictures left out:", "objdata": "embedded objects left out:",
}  # fmt: skip
_SILENT = frozenset((
    "colortbl", "listtable", "listoverridetable", "rsidtbl", "generator", "themedata", "colorschememapping", "datastore",
    "latentstyles", "xmlnstbl", "fldinst", "bkmkstart", "bkmkend", "nonshppict", "filetbl", "revtbl", "template", "pnseclvl",
    "listname", "panose", "falt", "atnid", "atnref", "atndate", "atntime", "atnparent", "datafield", "formfield", "xe", "tc",
    "ftnsep", "ftnsepc", "ftncn", "aftnsep", "aftnsepc", "aftncn", "sp", "shpinst", "objclass", "objname", "background",
    "blipuid", "picprop", "htmltag", "mhtmltag", "wgrffmtfilter", "pgptbl", "mmathPr", "nonesttables", "userprops", "docvar",
))  # fmt: skip
_INFO = {
    "title": "title",
    "author": "author",
    "subject": "subject",
    "keywords": "keywords",
    "doccomm": "description",
}
_HEADING = re.compile(
    r"(?:heading|überschrift|titre|título|titolo|заголовок|kop|rubrik|nagłówek)\s*([1-9])\b", re.IGNORECASE
)
_MAX_GROUPS = 5_000_000
_FIRST = re.compile(rb"\s{0,40}\{\\[a-z]")


def parse(data: bytes, name: str, limits: Limits) -> Document:
    """Read an RTF file. Raises DocumentError with status "corrupt", "limit" or "no_text"."""
    if len(data) > 4 * limits.text_bytes:
        raise DocumentError(
            f"{name}: {len(data):,} bytes of RTF, the limit is {4 * limits.text_bytes:,}", "limit"
        )
    if not _FIRST.match(data.removeprefix(b"\xef\xbb\xbf")):
        raise DocumentError(f"{name}: not an RTF file")
    reader = RtfReader()
    reader.read(data)
    if not reader.writer.size_bytes:
        raise DocumentError(f"{name}: the document holds no text", "no_text")
    title = str(reader.metadata.get("title", "")) or reader.title
    return reader.writer.document("rtf", title, said(reader.notes), metadata=reader.metadata)


def rtf_text(data: bytes, limits: Limits) -> str:
    """The text of RTF inside of another file, "" where there is none."""
    if len(data) > 4 * limits.text_bytes:
        return ""
    reader = RtfReader()
    reader.read(data)
    return reader.writer.document("rtf", "", ()).text


@dataclass(slots=True)
class _State:
    """What a group inherits and may change for itself."""

    into: str = "body"  # where text goes: body, skip, fonts, styles, note, label, info:title, …
    font: int = -1
    stand_ins: int = 1
    hidden: bool = False
    raised: bool = False
    outline: int = -1
    style: int = 0
    in_table: bool = False


@dataclass(slots=True)
class _Note:
    """A footnote or comment that is being read, and the paragraph that it interrupts."""

    lead: str
    held: list[str] = field(default_factory=list)


class RtfReader:
    """Reads one file; `writer`, `notes` and `metadata` are what came of it."""

    def __init__(self) -> None:
        self.writer = MarkdownWriter()
        self.notes: Counter[str] = Counter()
        self.metadata: dict[str, MetadataValue] = {}
        self.title = ""
        self._page = "cp1252"
        self._fonts: dict[int, str] = {}
        self._symbols: dict[int, str] = {}
        self._default_font = -1
        self._font_name = ""
        self._styles: dict[int, str] = {}
        self._style_levels: dict[int, int] = {}
        self._style_name = ""
        self._state = _State()
        self._stack: list[_State] = []
        self._bytes = bytearray()
        self._text: list[str] = []
        self._label = ""
        self._skip = 0
        self._star = False
        self._note: list[tuple[int, _Note]] = []
        self._footnotes: list[str] = []
        self._count = 0
        self._cells: list[Cell] = []
        self._rows: list[list[Cell]] = []
        self._cell_parts: list[str] = []
        self._in_list = False
        self._high = 0

    def read(self, data: bytes) -> None:
        for count, (kind, value, number) in enumerate(tokens(data.decode("latin-1"))):
            if count > 40 * _MAX_GROUPS:
                break
            if kind == "brace":
                self._open() if value == "{" else self._close()
            elif kind == "word":
                self._word(value, number)
            elif kind == "byte":
                self._byte(int(value, 16))
            elif kind == "sign":
                self._sign(value)
            else:
                self._put(value, raw=True)
        self._end_paragraph()
        self._end_table()
        self._flush_notes()

    # -- groups ------------------------------------------------------------------------------------------

    def _open(self) -> None:
        self._flush_bytes()
        if len(self._stack) >= _MAX_GROUPS:
            raise DocumentError("groups are nested deeper than is read", "limit")
        self._stack.append(self._state)
        self._state = replace(self._state)
        self._skip, self._star = 0, False

    def _close(self) -> None:
        self._flush_bytes()
        self._skip, self._star = 0, False
        ended = self._state
        if not self._stack:
            return
        self._state = self._stack.pop()
        if ended.into == "fonts" and self._state.into != "fonts":
            self._font_name = ""
        if ended.into.startswith("info:") and self._state.into != ended.into:
            self._end_info(ended.into[5:])
        elif ended.into == "styles":
            self._end_style(ended)
        if self._note and len(self._stack) < self._note[-1][0]:
            self._end_note()

    def _end_info(self, key: str) -> None:
        text = shortened(written("".join(self._text)), 1_000)
        self._text.clear()
        if text:
            for name, value in properties([(key, text)]).items():
                self.metadata.setdefault(name, value)

    def _end_style(self, ended: _State) -> None:
        name = self._style_name.strip(" ;")
        if name:
            self._styles[ended.style] = name
            found = _HEADING.match(name)
            if found:
                self._style_levels[ended.style] = int(found[1])
            elif ended.outline >= 0:
                self._style_levels[ended.style] = ended.outline + 1
        self._style_name = ""

    def _begin_note(self, lead: str) -> None:
        if self._state.into != "body":
            self._state.into = "skip"
            return
        self._note.append((len(self._stack), _Note(lead, self._text)))
        self._text = []

    def _end_note(self) -> None:
        _, note = self._note.pop()
        text = one_line(written("".join(self._text)))
        self._text = note.held
        if text:
            self._footnotes.append(f"{note.lead}: {text}")

    # -- words -------------------------------------------------------------------------------------------

    def _word(self, word: str, number: int | None) -> None:
        if self._skip and word not in ("u", "uc"):
            self._skip -= 1
            return
        state = self._state
        if word == "u":
            self._unicode(number or 0)
            return
        if word in WORDS:
            self._put(WORDS[word])
            return
        self._flush_bytes()
        if self._star:
            self._star = False
            if word not in (
                "shppict",
                "shptxt",
                "footnote",
                "annotation",
                "atnauthor",
                "pn",
                "pntext",
                "cs",
                "objdata",
            ):
                state.into = "skip"
        if word in _LEFT_OUT:
            if state.into == "body":
                self.notes[_LEFT_OUT[word]] = (
                    self.notes[_LEFT_OUT[word]] + 1 if _LEFT_OUT[word][-1] == ":" else 1
                )
            state.into = "skip"
        elif word in _SILENT:
            state.into = "skip"
        elif state.into != "skip":
            self._live(word, number, state)

    def _live(self, word: str, number: int | None, state: _State) -> None:
        value = 0 if number is None else number
        if word in ("par", "sect", "page"):
            self._end_paragraph()
        elif word == "pard":
            state.outline, state.style, state.in_table = -1, 0, False
        elif word == "plain":
            state.hidden = state.raised = False
        elif word in ("v", "deleted"):
            state.hidden = number != 0
        elif word in ("super", "up", "nosupersub", "sub"):
            state.raised = (word == "super" and number != 0) or (word == "up" and value > 3)
        elif word == "intbl":
            state.in_table = True
        elif word == "trowd":
            self._begin_row()
        elif word in ("cell", "nestcell"):
            self._end_cell()
        elif word in ("row", "nestrow"):
            self._end_row()
        elif word == "outlinelevel":
            state.outline = value if 0 <= value < 9 else -1
        elif word in ("s", "cs", "ds", "ts"):
            state.style = value if word == "s" else (-1 if state.into == "styles" else state.style)
        else:
            self._setting(word, value, state)

    def _setting(self, word: str, value: int, state: _State) -> None:
        if word == "f":
            state.font = value
        elif word == "deff":
            self._default_font = value
        elif word == "uc":
            state.stand_ins = min(max(value, 0), 8)
        elif word == "ansicpg":
            self._page = code_page(value)
        elif word == "mac":
            self._page = "mac_roman"
        elif word == "fcharset" and state.into == "fonts":
            self._fonts[state.font] = charset(value)
        elif word == "cpg" and state.into == "fonts":
            self._fonts[state.font] = code_page(value)
        elif word == "fonttbl":
            state.into = "fonts"
        elif word == "stylesheet":
            state.into = "styles"
        elif word == "info":
            state.into = "info"
        elif state.into == "info":
            state.into = f"info:{_INFO[word]}" if word in _INFO else "skip"
        elif word in ("listtext", "pntext"):
            state.into, self._label = "label", ""
        elif word == "footnote":
            self._count += 1
            self._text.append(f"[^{self._count}]")
            self._begin_note(f"[^{self._count}]")
        elif word == "annotation":
            self._begin_note("Comment")

    # -- characters --------------------------------------------------------------------------------------

    def _unicode(self, number: int) -> None:
        self._flush_bytes()
        point = number + 0x10000 if number < 0 else number
        self._skip = self._state.stand_ins
        if 0xD800 <= point < 0xDC00:
            self._high = point
            return
        if 0xDC00 <= point < 0xE000:
            point = 0x10000 + ((self._high - 0xD800) << 10) + (point - 0xDC00) if self._high else 0xFFFD
        self._high = 0
        if not 0 < point < 0x110000:
            return
        if 0xF000 <= point <= 0xF0FF:
            self._put(symbol(point, self._symbols.get(self._state.font, "")))
        else:
            self._put(chr(point))

    def _byte(self, byte: int) -> None:
        if self._skip:
            self._skip -= 1
        else:
            self._bytes.append(byte)

    def _sign(self, sign: str) -> None:
        if self._skip:
            self._skip -= 1
        elif sign == "*":
            self._star = True
        elif sign in "\r\n":
            self._flush_bytes()
            if self._state.into != "skip":
                self._end_paragraph()
        elif sign in SIGNS:
            self._put(SIGNS[sign], raw=sign in "\\{}")

    def _flush_bytes(self) -> None:
        if self._bytes:
            data = bytes(self._bytes)
            self._bytes.clear()
            font = self._state.font if self._state.font >= 0 else self._default_font
            codec = self._fonts.get(font, "") or self._page
            if codec == "symbol":
                text = "".join(symbol(byte, self._symbols.get(font, "symbol")) for byte in data)
            else:
                text = data.decode(codec, "replace")
            self._put(text)

    def _put(self, text: str, *, raw: bool = False) -> None:
        if raw and self._skip:
            dropped = min(self._skip, len(text))
            self._skip -= dropped
            text = text[dropped:]
        self._star = False
        # A letter in ASCII may be the second byte of a character.
        if raw and self._bytes and self._codec_is_wide() and text and self._is_half():
            self._bytes += text[0].encode("latin-1")
            text = text[1:]
        self._flush_bytes()
        into = self._state.into
        if not text or into == "skip":
            return
        if into == "body" or into.startswith("info:"):
            if self._state.hidden:
                self.notes["characters of hidden or deleted text left out:"] += len(text)
            else:
                self._text.append(marked(text) if self._state.raised else text)
        elif into == "label":
            self._label += text[:40]
        elif into == "styles" and len(self._style_name) < 200:
            self._style_name += text
        elif into == "fonts" and len(self._font_name) < 200:
            self._font_name = text.strip(" ;") or self._font_name
            self._symbols[self._state.font] = self._font_name

    def _codec_is_wide(self) -> bool:
        font = self._state.font if self._state.font >= 0 else self._default_font
        return (self._fonts.get(font, "") or self._page) in (
            "cp932",
            "cp949",
            "gb18030",
            "big5hkscs",
            "johab",
        )

    def _is_half(self) -> bool:
        font = self._state.font if self._state.font >= 0 else self._default_font
        tail = bytes(self._bytes[-16:])
        return "\ufffd" in tail.decode(self._fonts.get(font, "") or self._page, "replace")

    # -- blocks ------------------------------------------------------------------------------------------

    def _take(self) -> str:
        lines = written("".join(self._text)).split("\n")
        self._text.clear()
        label, self._label = one_line(self._label), ""
        text = "\n".join(filter(None, map(one_line, lines)))
        if not label or not text:
            return text
        mark = label if any(map(str.isalnum, label)) else "-"
        return f"{mark} {text}"

    def _end_paragraph(self) -> None:
        if self._note:
            self._text.append(" ")
            return
        if self._state.in_table:
            text = self._take()
            if text:
                self._cell_parts.append(text)
            return
        labelled = bool(self._label.strip())
        text = self._take()
        if not text:
            return
        if self._cells or self._rows:
            self._end_table()
        level = self._state.outline + 1 or self._style_levels.get(self._state.style, 0)
        if level:
            self._flush_notes(keep=_marks(text))
            self.writer.gap()
            self.writer.heading(level, one_line(text).removeprefix("- "))
        else:
            style = self._styles.get(self._state.style, "").casefold()
            if style == "title" and not self.title:
                self.title = one_line(text)
            if not (labelled and self._in_list):
                self.writer.gap()
            self.writer.put(text + "\n")
        self._in_list = labelled

    def _begin_row(self) -> None:
        if self._cells and not self._text and not self._cell_parts:
            self._end_row()

    def _end_cell(self) -> None:
        text = self._take()
        if text:
            self._cell_parts.append(text)
        self._cells.append(Cell(" ".join(self._cell_parts)))
        self._cell_parts = []

    def _end_row(self) -> None:
        if self._cells:
            self._rows.append(self._cells)
            self._cells = []

    def _end_table(self) -> None:
        """Write the rows that were read; text that no cell ended is text."""
        self._end_row()
        rows, self._rows = self._rows, []
        table = table_text(rows) if rows else None
        if table is not None:
            self.writer.gap()
            self.writer.table(table)
        for row in rows if table is None else ():
            for cell in row:
                if cell.text:
                    self.writer.gap()
                    self.writer.put(f"{cell.text}\n")
        rest, self._cell_parts = self._cell_parts, []
        for text in rest:
            self.writer.gap()
            self.writer.put(f"{text}\n")
        self._in_list = False

    def _flush_notes(self, keep: frozenset[str] = frozenset()) -> None:
        kept = [text for text in self._footnotes if text.partition(":")[0] in keep]
        texts = [text for text in self._footnotes if text not in kept]
        if texts:
            self.writer.gap()
            self.writer.put("".join(f"{text}\n" for text in texts))
        self._footnotes = kept


def _marks(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\[\^\d{1,6}\]", text))
