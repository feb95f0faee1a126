"""Org: headings by their stars, blocks, tables, lists, drawers.

Links become their words; keywords of tasks stay in headings, their tags go. Drawers, comments and headings marked
COMMENT serve the author: they are left out and named.
"""

from __future__ import annotations

import re
from collections import Counter

from knarr.documents.decode import Limits, decode
from knarr.documents.marked.flow import LineFlow
from knarr.documents.notes import said
from knarr.documents.properties import properties
from knarr.documents.raised import marked, written
from knarr.documents.sections import Document
from knarr.documents.tables import Cell
from knarr.errors import DocumentError

_HEADING = re.compile(r"(\*{1,32})[ \t]+(\S.*)$")
_TAGS = re.compile(r"(?<=[ \t]):(?:[\w@#%]{1,60}:){1,20}[ \t]*$")
_KEYWORD = re.compile(r"#\+(\w[\w-]{0,60}):[ \t]*(.*)$")
_BEGIN = re.compile(r"[ \t]*#\+begin_(\w{1,40})(?:[ \t]+(\S{1,60}))?", re.IGNORECASE)
_END = re.compile(r"[ \t]*#\+end_\w{1,40}[ \t]*$", re.IGNORECASE)
_RAISED = re.compile(r"(?<=[\w)\]])\^\{([^{}]{1,40})\}")
_LOWERED = re.compile(r"(?<=[\w)\]])_\{([^{}]{1,40})\}")
_LINK = re.compile(r"\[\[([^\[\]]{1,500})\](?:\[([^\[\]]{1,500})\])?\]")
_FOOTNOTE = re.compile(r"\[fn:([\w-]{1,60})\]")
_LIST = re.compile(r"([ \t]*)([-+]|\d{1,9}[.)]|(?<=[ \t])\*)[ \t]+(\S.*)$")
_DRAWER = re.compile(r"[ \t]*:([\w-]{1,60}):[ \t]*$")
_CODE = frozenset(("src", "example", "export", "verbatim"))
_METADATA = frozenset(("author", "date", "email", "description", "keywords", "language", "subtitle"))


def parse(data: bytes, name: str, limits: Limits) -> Document:
    """Read an Org file. Raises DocumentError as `decode` does."""
    decoded = decode(data, name, limits=limits)
    reader = _Reader(decoded.text.split("\n"))
    reader.read()
    if not reader.flow.writer.size_bytes:
        raise DocumentError(f"{name}: the file holds no text", "no_text")
    notes = (*decoded.notes, *said(reader.notes))
    return reader.flow.writer.document(
        "org", reader.title, notes, metadata=properties([("title", reader.title), *reader.stated])
    )


class _Reader:
    def __init__(self, lines: list[str]) -> None:
        self.flow = LineFlow()
        self.notes: Counter[str] = Counter()
        self.title = ""
        self.stated: list[tuple[str, str]] = []
        self._lines = lines
        self._at = 0
        self._silent = 0  # the level of a heading marked COMMENT
        # Looking for an end that is not there is done once for each kind.
        self._endless: set[str] = set()

    def read(self) -> None:
        while self._at < len(self._lines):
            line = self._lines[self._at].rstrip()
            self._at += 1
            self._line(line)
        self.flow.flush()

    def _line(self, line: str) -> None:
        heading = _HEADING.match(line)
        if heading:
            self._heading(len(heading[1]), heading[2])
        elif self._silent:
            return
        elif not line or _END.match(line):
            self.flow.flush()
        elif begin := _BEGIN.match(line):
            self._block(begin[1].lower(), begin[2] or "")
        elif keyword := _KEYWORD.match(line.strip()):
            self._keyword(keyword[1].lower(), keyword[2].strip())
        elif line.lstrip().startswith("# ") or line.strip() == "#":
            self.notes["comment lines left out:"] += 1
        elif (drawer := _DRAWER.match(line)) and self._until(":end:", "drawer") is not None:
            self.notes[f"drawers left out ({drawer[1].lower()}):"] += 1
        elif line.lstrip().startswith("|"):
            self._table(line)
        elif line.lstrip().startswith(": ") or line.strip() == ":":
            self._literal(line)
        elif item := _LIST.match(line):
            indent = " " * min(len(item[1].expandtabs()), 20)
            mark = item[2] if item[2][0].isdigit() else "-"
            self.flow.item(f"{indent}{mark} {_words(item[3]).replace(' :: ', ': ')}")
        elif not (line[0] in " \t" and self.flow.goes_on(_words(line))):
            self.flow.line(_words(line))

    def _heading(self, level: int, text: str) -> None:
        if self._silent and level > self._silent:
            return
        self._silent = 0
        text = _TAGS.sub("", text).rstrip()
        if text.startswith("COMMENT ") or text == "COMMENT":
            self.flow.flush()
            self._silent = level
            self.notes["headings marked COMMENT left out:"] += 1
            return
        self.flow.heading(level, _words(text))

    def _keyword(self, name: str, value: str) -> None:
        if name == "title" and value:
            self.title = f"{self.title} {_words(value)}".strip()
        elif name in _METADATA and value:
            self.stated.append((name, value))
        elif name == "caption" and value:
            self.flow.flush()
            self.flow.line(_words(value))
        elif name == "include":
            self.notes["included files not read:"] += 1

    def _block(self, kind: str, argument: str) -> None:
        if kind == "comment":
            if self._until("#+end_comment", kind) is not None:
                self.notes["comment lines left out:"] += 1
            return
        if kind in _CODE:
            lines = self._until(f"#+end_{kind}", kind)
            if lines is not None:
                indent = min((len(one) - len(one.lstrip()) for one in lines if one.strip()), default=0)
                self.flow.fence([one[indent:].rstrip() for one in lines], argument if kind == "src" else "")
        # Quotations, centred text and verses hold text: their frame alone goes.

    def _literal(self, line: str) -> None:
        lines = [line.strip()[2:]]
        while self._at < len(self._lines) and (text := self._lines[self._at].strip()).startswith(":"):
            if text != ":" and not text.startswith(": "):
                break
            lines.append(text[2:])
            self._at += 1
        self.flow.fence(lines)

    def _table(self, line: str) -> None:
        rows: list[list[Cell]] = []
        heads = 0
        while True:
            text = line.strip()
            if text.startswith("|-"):
                heads = heads or len(rows)
            else:
                cells = text.strip("|").split("|")
                if not all(re.fullmatch(r"\s*(?:<[lrc]?\d{0,4}>|/|[<>])?\s*", cell) for cell in cells):
                    rows.append([Cell(_words(cell.strip())) for cell in cells])
            if self._at >= len(self._lines) or not self._lines[self._at].lstrip().startswith("|"):
                break
            line = self._lines[self._at]
            self._at += 1
        self.flow.table(rows, heads)

    def _until(self, end: str, kind: str) -> list[str] | None:
        """The lines up to an end, which is passed; None where there is none."""
        if kind in self._endless:
            return None
        for at in range(self._at, len(self._lines)):
            if self._lines[at].strip().lower() == end:
                found = self._lines[self._at : at]
                self._at = at + 1
                return found
        self._endless.add(kind)
        return None


def _words(text: str) -> str:
    text = _LINK.sub(lambda match: match[2] or match[1].removeprefix("file:"), text)
    text = written(_RAISED.sub(lambda match: marked(match[1]), _LOWERED.sub(r"\1", text)))
    return _FOOTNOTE.sub(lambda match: f"[^{match[1]}]", text)
