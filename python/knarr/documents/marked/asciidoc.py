"""AsciiDoc: titles by their equals signs, delimited blocks, tables, lists, attributes.

Inline marks stay, since they read as they do in Markdown; links and references become their words, attributes that the
file sets their values. Comments are left out; files that are included are named, not read.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter

from knarr.documents.decode import Limits, decode
from knarr.documents.marked.flow import LineFlow
from knarr.documents.notes import said
from knarr.documents.properties import properties
from knarr.documents.raised import marked, written
from knarr.documents.sections import Document
from knarr.documents.tables import Cell
from knarr.errors import DocumentError

_TITLE = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)$")
_ATTRIBUTE = re.compile(r":(!?[\w-]{1,80}!?):(?:[ \t]+(.*))?$")
_REFERENCE = re.compile(r"\{([\w-]{1,80})\}")
_URL = re.compile(r"(?:link:|xref:|mailto:|https?://|ftp://)[^\s\[\]<>\"]{1,500}\[([^\[\]]{0,300})\]")
_CROSS = re.compile(r"<<([^<>,]{1,200})(?:,([^<>]{1,300}))?>>")
_FOOTNOTE = re.compile(r"footnote:[\w-]{0,80}\[([^\[\]]{0,2000})\]")
_RAISED = re.compile(r"(?<=[\w)\]])\^([^\s^]{1,40})\^")
_LOWERED = re.compile(r"(?<=[\w)\]])~([^\s~]{1,40})~")
_ANCHOR = re.compile(r"\[\[[^\[\]]{1,200}\]\]|\[#[^\[\]]{1,200}\](?=#)|\(\(\([^()]{1,200}\)\)\)")
_MACRO = re.compile(
    r"(image|video|audio|include|toc|ifdef|ifndef|ifeval|endif)::([^\s\[\]]{0,500})\[(.{0,500})\][ \t]*$"
)
_LIST = re.compile(r"[ \t]*(\*{1,6}|-|\.{1,6}|\d{1,9}\.|<\d{1,4}>|<\.>)[ \t]+(\S.*)$")
_TERM = re.compile(r"([^\s:][^:]{0,200}(?::[^:]{1,100}){0,4}?)(:{2,4}|;;)(?:[ \t]+(.*))?$")
_DELIMITER = re.compile(r"(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|--|```\w{0,40}|[|,:!]===+)[ \t]*$")
_CELL = re.compile(r"(?<!\\)(?:(\d{1,3})\*|(\d{1,3})?(?:\.(\d{1,3}))?\+)?[<^>.]{0,3}[adehlmsv]?\|")
_COLUMNS = re.compile(r"cols\s{0,9}=\s{0,9}\"?([^\"\]]{1,200})\"?")
_UNREAD = ("/", "+")
_MAX_SUBSTITUTED = 1 << 20
_MAX_CELLS = 200_000


def parse(data: bytes, name: str, limits: Limits) -> Document:
    """Read an AsciiDoc file. Raises DocumentError as `decode` does."""
    decoded = decode(data, name, limits=limits)
    reader = _Reader()
    reader.read(decoded.text.split("\n"))
    if not reader.flow.writer.size_bytes:
        raise DocumentError(f"{name}: the file holds no text", "no_text")
    notes = (*decoded.notes, *said(reader.notes))
    return reader.flow.writer.document(
        "asciidoc", reader.title, notes, metadata=properties([("title", reader.title), *reader.stated])
    )


class _Reader:
    def __init__(self) -> None:
        self.flow = LineFlow()
        self.notes: Counter[str] = Counter()
        self.title = ""
        self.stated: list[tuple[str, str]] = []
        self._attributes: dict[str, str] = {}
        self._left = _MAX_SUBSTITUTED
        self._block = ""  # the attribute line above a block: [source,python]
        self._caption = ""
        self._footnotes: list[str] = []
        self._marks: dict[str, list[int]] = {}  # the lines of each delimiter

    def read(self, lines: list[str]) -> None:
        for number, line in enumerate(lines):
            if len(line) < 200 and (found := _DELIMITER.match(line)):
                self._marks.setdefault(found[1], []).append(number)
        at = 0
        while at < len(lines):
            at = self._line(lines, at)
        self.flow.flush()
        if self._footnotes:
            self.flow.writer.gap()
            self.flow.writer.put("".join(f"{text}\n" for text in self._footnotes))

    def _line(self, lines: list[str], at: int) -> int:
        line = lines[at].rstrip()
        if not line:
            self.flow.flush()
            return at + 1
        if line.startswith("//") and not line.startswith("////"):
            return at + 1
        delimiter = _DELIMITER.match(line) if len(line) < 200 else None
        if delimiter:
            return self._delimited(lines, at, delimiter[1])
        title = _TITLE.match(line)
        if title:
            words = title[2].removesuffix(title[1]) if title[2].endswith(f" {title[1]}") else title[2]
            self._titled(len(title[1]), words, lines, at)
            return at + 1
        if line == "+" or line in ("'''", "---", "***", "<<<"):
            return at + 1
        if line.startswith("[") and line.endswith("]") and len(line) < 500:
            self._block = line
            return at + 1
        if line.startswith(".") and len(line) > 1 and line[1] not in ". \t":
            self.flow.flush()
            self._caption = line[1:]
            return at + 1
        self._text(line)
        return at + 1

    def _text(self, line: str) -> None:
        attribute = _ATTRIBUTE.match(line)
        if attribute:
            self._attribute(attribute[1], attribute[2] or "")
            return
        macro = _MACRO.match(line)
        if macro:
            self._macro(macro[1], macro[2], macro[3])
            return
        self._say_caption()
        item = _LIST.match(line)
        term = None if item else _TERM.match(line)
        if item:
            self._item(item[1], item[2])
        elif term and term[2] in ("::", ":::", "::::", ";;"):
            self.flow.item(f"- {self._words(term[1])}: {self._words(term[3] or '')}")
        elif not (line[0] in " \t" and self.flow.goes_on(self._words(line))):
            self.flow.line(self._words(line))

    def _item(self, mark: str, text: str) -> None:
        depth = 1 if mark == "-" or mark[0] in "<" or mark[0].isdigit() else len(mark)
        shown = "1." if mark[0] == "." else mark if mark[0].isdigit() else "-"
        self.flow.item(f"{'  ' * (depth - 1)}{shown} {self._words(text)}")

    def _titled(self, signs: int, text: str, lines: list[str], at: int) -> None:
        words = self._words(text)
        if signs == 1 and not self.title:
            self.title = words
            author = lines[at + 1].strip() if at + 1 < len(lines) else ""
            if author and author[0] not in ":=/[" and "@" in author:
                self.stated.append(("author", author.partition("<")[0].strip() or author))
        self.flow.heading(signs, words)
        self._caption = self._block = ""

    def _attribute(self, name: str, value: str) -> None:
        self._attributes[name] = value
        if name in ("author", "description", "keywords", "revdate", "revnumber", "email") and value:
            self.stated.append((name, value))

    def _macro(self, kind: str, target: str, inside: str) -> None:
        if kind == "include":
            self.notes["included files not read:"] += 1
            self.flow.line(f"(includes {target})")
        elif kind in ("image", "video", "audio"):
            self._say_caption()
            words = inside.split(",")[0].strip().strip('"')
            self.flow.line(words if words and "=" not in words else f"({kind} {target})")
        elif kind.startswith("if") and inside:
            self.flow.line(self._words(inside))

    def _delimited(self, lines: list[str], at: int, mark: str) -> int:
        marks = self._marks.get("```" if mark.startswith("```") else mark, [])
        later = bisect_right(marks, at)
        # One that never ends is no block.
        end = marks[later] if later < len(marks) else at
        inside, caption = lines[at + 1 : end], self._caption
        sign = mark[-1] if mark != "--" and not mark.startswith("```") else mark[:2]
        if mark[1:].startswith("==") and mark[0] in "|,:!":
            self._say_caption()
            self._table(inside, mark[0])
        elif sign in _UNREAD:
            if sign == "/" and any(inside):
                self.notes["comment lines left out:"] += len(inside)
            elif inside:
                self.flow.fence(inside)
        elif (sign in ("-", ".", "``") and mark != "--") or (mark == "--" and "source" in self._block):
            if caption:
                self._say_caption()
            self.flow.fence(inside, _language(self._block))
        else:
            # Examples, side notes and quotations hold blocks themselves: only their frame goes.
            self._say_caption()
            self.flow.flush()
            return at + 1
        self._block = ""
        return end + 1

    def _say_caption(self) -> None:
        if self._caption:
            self.flow.flush()
            self.flow.line(self._words(self._caption))
            self.flow.flush()
            self._caption = ""

    def _table(self, lines: list[str], mark: str) -> None:
        if mark != "|":
            separator = {",": ",", ":": ":"}.get(mark, "!")
            rows = [
                [Cell(self._words(part)) for part in line.split(separator)] for line in lines if line.strip()
            ]
            self.flow.table(rows)
            return
        cells: list[Cell] = []
        first = 0
        for line in lines:
            if not line.strip():
                continue
            found = list(_CELL.finditer(line))
            head = line[: found[0].start()] if found else line
            if head.strip() and cells:
                cells[-1] = Cell(
                    f"{cells[-1].text} {self._words(head)}"[:5_000], cells[-1].columns, cells[-1].rows
                )
            for number, match in enumerate(found):
                end = found[number + 1].start() if number + 1 < len(found) else len(line)
                text = self._words(line[match.end() : end].strip().replace("\\|", "|"))
                cell = Cell(text, int(match[2] or 1) or 1, int(match[3] or 1) or 1)
                cells += [cell] * max(1, min(int(match[1] or 1), 100))
            first = first or sum(cell.columns for cell in cells)
            if len(cells) > _MAX_CELLS:
                self.notes["table cells left out"] = 1
                break
        self.flow.table(_rows(cells, _width(self._block) or first))

    def _words(self, text: str) -> str:
        if "{" in text:
            text = _REFERENCE.sub(self._value, text)
        text = _FOOTNOTE.sub(self._footnote, _ANCHOR.sub("", text))
        text = written(_RAISED.sub(lambda match: marked(match[1]), _LOWERED.sub(r"\1", text)))
        text = _URL.sub(lambda match: match[1].rstrip("^") or match[0][:-2].removeprefix("link:"), text)
        return _CROSS.sub(lambda match: match[2] or match[1], text)

    def _value(self, match: re.Match[str]) -> str:
        value = self._attributes.get(match[1])
        if value is None or self._left < len(value):
            return match[0]
        self._left -= len(value)
        return value

    def _footnote(self, match: re.Match[str]) -> str:
        if not match[1]:
            return ""
        self._footnotes.append(f"[^{len(self._footnotes) + 1}]: {match[1]}")
        return f"[^{len(self._footnotes)}]"


def _language(block: str) -> str:
    parts = [part.strip() for part in block.strip("[]").split(",")]
    found = parts[1] if len(parts) > 1 and parts[0].startswith("source") else ""
    return found if found.replace("+", "").replace("-", "").isalnum() else ""


def _width(block: str) -> int:
    found = _COLUMNS.search(block)
    if not found:
        return 0
    width = 0
    for part in re.split(r"[,;]", found[1]):
        times = re.match(r"\s*(\d{1,3})\*", part)
        width += int(times[1]) if times else 1
    return width


def _rows(cells: list[Cell], width: int) -> list[list[Cell]]:
    """Cells in rows of a width, where cells from above that go down take their places."""
    rows: list[list[Cell]] = []
    down: list[int] = [0] * max(1, min(width, 1_000))
    at = 0
    for cell in cells:
        while True:
            if at >= len(down) or not rows:
                rows.append([])
                down = [max(0, left - 1) for left in down] if len(rows) > 1 else down
                at = 0
                if all(down):
                    down = [0] * len(down)
            while at < len(down) and down[at]:
                at += 1
            if at < len(down):
                break
        rows[-1].append(cell)
        for place in range(at, min(at + cell.columns, len(down))):
            down[place] = cell.rows
        at += cell.columns
    return rows
