"""Notebooks (IPYNB): text as Markdown, code in fences, what it printed below it.

Headings come from the cells of Markdown. Of an output in several forms the text is read, or a table where HTML has one;
pictures are named, tracebacks shortened to what went wrong.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from knarr.documents.data.json_text import load_json
from knarr.documents.decode import Limits, decode
from knarr.documents.html.fragment import write_fragment
from knarr.documents.markdown.parse import parse as parse_markdown
from knarr.documents.notes import said
from knarr.documents.properties import properties
from knarr.documents.sections import Document, MetadataValue
from knarr.documents.writer import MarkdownWriter
from knarr.errors import DocumentError
from knarr.language.plain import one_line

_ANSI = re.compile(r"\x1b\[[0-9;?]{0,20}[A-Za-z]")
_TICKS = re.compile(r"`+")
_MAX_HTML_CHARS = 1 << 20
_MAX_OUTPUT_CHARS = 20_000
_NAME = re.compile(r"[A-Za-z0-9+#._-]{1,30}")


def parse(data: bytes, name: str, limits: Limits) -> Document:
    """Read a notebook. Raises DocumentError as `decode` does, "corrupt" for what is none, "no_text"."""
    decoded = decode(data, name, limits=limits)
    notebook = load_json(decoded.text, name)
    reader = _Notebook(limits, _language(notebook))
    for cell in _cells(notebook, name):
        reader.cell(cell)
    if not reader.writer.size_bytes:
        raise DocumentError(f"{name}: the notebook holds no text", "no_text")
    metadata = _metadata(notebook)
    notes = (*decoded.notes, *said(reader.notes))
    title = next((one.title for one in reader.writer.headings if one.level == 1), "")
    return reader.writer.document("notebook", str(metadata.get("title", title)), notes, metadata=metadata)


def _cells(notebook: Any, name: str) -> list[dict[str, Any]]:
    if not isinstance(notebook, dict):
        raise DocumentError(f"{name}: not a notebook")
    found = notebook.get("cells")
    if not isinstance(found, list):
        # Before version 4 cells were in sheets.
        sheets = notebook.get("worksheets")
        found = [
            cell
            for sheet in (sheets if isinstance(sheets, list) else [])
            if isinstance(sheet, dict) and isinstance(sheet.get("cells"), list)
            for cell in sheet["cells"]
        ]
        if not isinstance(sheets, list):
            raise DocumentError(f"{name}: not a notebook")
    return [cell for cell in found if isinstance(cell, dict)]


def _metadata(notebook: Any) -> dict[str, MetadataValue]:
    metadata = notebook.get("metadata")
    if not isinstance(metadata, dict):
        return {}
    found: list[tuple[str, str]] = []
    if isinstance(metadata.get("title"), str):
        found.append(("title", metadata["title"]))
    authors = metadata.get("authors")
    found += [
        ("author", one["name"])
        for one in (authors if isinstance(authors, list) else [])
        if isinstance(one, dict) and isinstance(one.get("name"), str)
    ]
    return properties(found)


def _language(notebook: dict[str, Any]) -> str:
    """The programming language of the code, "" if it is not told."""
    metadata = notebook.get("metadata")
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        about = metadata.get(key) if isinstance(metadata, dict) else None
        found = about.get(name) if isinstance(about, dict) else None
        if isinstance(found, str) and _NAME.fullmatch(found):
            return found.lower()
    return ""


class _Notebook:
    def __init__(self, limits: Limits, language: str) -> None:
        self.writer = MarkdownWriter()
        self.notes: Counter[str] = Counter()
        self._limits = limits
        self._language = language

    def cell(self, cell: dict[str, Any]) -> None:
        kind = cell.get("cell_type")
        text = _text(cell.get("source", cell.get("input", "")))
        if kind == "markdown":
            self._markdown(text)
            self.notes["pictures left out:"] += (
                len(cell["attachments"]) if isinstance(cell.get("attachments"), dict) else 0
            )
        elif kind == "heading":
            level = str(cell.get("level", "1"))
            self.writer.gap()
            self.writer.heading(int(level) if level in "123456" else 1, one_line(text) or "Heading")
        elif kind == "code":
            self._fence(text, "code", self._language)
            outputs = cell.get("outputs")
            for output in outputs if isinstance(outputs, list) else []:
                if isinstance(output, dict):
                    self._output(output)
        elif text.strip():
            self._fence(text, "")

    def _markdown(self, text: str) -> None:
        if not text.strip():
            return
        document = parse_markdown(text.encode("utf-8", "replace"), "cell", self._limits)
        self.writer.gap()
        self.writer.include(document)
        self.notes.update(dict.fromkeys(document.notes, 1))

    def _output(self, output: dict[str, Any]) -> None:
        kind = output.get("output_type")
        if kind == "stream":
            self._fence(_text(output.get("text", "")), "output")
        elif kind in ("error", "pyerr"):
            self._fence(f"{_text(output.get('ename', ''))}: {_text(output.get('evalue', ''))}", "output")
            self.notes["tracebacks shortened:"] += 1
        else:
            data = output.get("data")
            self._shown(data if isinstance(data, dict) else output)

    def _shown(self, data: dict[str, Any]) -> None:
        html = _text(data.get("text/html", data.get("html", "")))
        plain = _text(data.get("text/plain", data.get("text", "")))
        if "<table" in html and len(html) <= _MAX_HTML_CHARS:
            page = MarkdownWriter()
            _, notes = write_fragment(html, page, self._limits)
            self.notes.update(dict.fromkeys(notes, 1))
            if page.size_bytes:
                self.writer.gap()
                self.writer.include(page.document("notebook", "", ()))
                return
        for name in ("text/markdown", "text/latex"):
            if isinstance(data.get(name), (str, list)):
                self._say(_text(data[name]))
                return
        if any(key.startswith("image/") or key in ("png", "jpeg", "svg") for key in data):
            self.notes["pictures left out:"] += 1
        if any(key.startswith("application/") for key in data) and not plain:
            self.notes["outputs of other kinds left out:"] += 1
        self._fence(plain, "output")

    def _say(self, text: str) -> None:
        if text.strip():
            self.writer.gap()
            self.writer.put(text.strip("\n") + "\n")

    def _fence(self, text: str, kind: str, language: str = "") -> None:
        text = _ANSI.sub("", text).strip("\n")
        if kind == "output" and len(text) > _MAX_OUTPUT_CHARS:
            end = text.rfind("\n", 0, _MAX_OUTPUT_CHARS // 2)
            text = (
                text[: end if end > 0 else _MAX_OUTPUT_CHARS // 2] + "\n…\n" + text[-_MAX_OUTPUT_CHARS // 2 :]
            )
            self.notes["long outputs shortened:"] += 1
        if text.strip():
            marks = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(text)), default=0))
            lead = "Output:\n\n" if kind == "output" else ""
            self.writer.gap()
            self.writer.put(f"{lead}{marks}{language}\n{text}\n{marks}\n")


def _text(value: Any) -> str:
    """A text, or the lines of one."""
    if isinstance(value, list):
        value = "".join(one for one in value if isinstance(one, str))
    text = value if isinstance(value, str) else ""
    return (
        text.replace("\r\n", "\n")
        .replace("\r", "\n")
        .encode("utf-8", "replace")
        .decode()
        .replace("\0", "\ufffd")
    )
