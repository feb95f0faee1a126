"""DOCX to the one document model.

The file is read directly (zip and XML, within the bounds of `docx_package`), because what counts
here — outline levels along style chains, text boxes, automatic numbers, tracked changes — lies
below what document libraries show. Headers and footers are left out, and the receipt says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import PurePath

from lxml import etree

from knarr.documents.docx.body import Block, BodyReader
from knarr.documents.docx.headings import TITLE_BLOCKS, Mark, find_headings, is_title
from knarr.documents.docx.numbering import BULLET, Numbering
from knarr.documents.docx.package import Package
from knarr.documents.docx.paragraphs import Paragraph, RunReader
from knarr.documents.docx.styles import Styles, attribute
from knarr.documents.sections import Document, Heading, Table, section_tree
from knarr.documents.tables import one_line
from knarr.errors import DocumentError

_NOTE_PARTS = {"footnotes": "", "endnotes": "e"}


def parse(data: bytes, name: str) -> Document:
    """Read a DOCX file.

    `name` is its file name, for the title where the document has none. Raises DocumentError with
    status "corrupt", "encrypted", "limit", "unsupported", or "no_text".
    """
    package = Package(data)
    try:
        return _read(package, name)
    except RecursionError as error:
        raise DocumentError("elements are nested deeper than is read", "limit") from error


def _read(package: Package, name: str) -> Document:
    main = package.main_part()
    root = package.xml(main)
    if root is None:
        raise DocumentError(f"the package has no {main}")
    relations = package.relations(main)
    parts = dict(relations.values())
    styles = Styles(_part(package, parts, "styles"))
    numbering = Numbering(_part(package, parts, "numbering"), styles)
    reader = BodyReader(styles, numbering, RunReader(styles, relations))
    blocks = [block for body in root.iterchildren("{*}body") for block in reader.blocks(body)]
    notes = _notes(package, parts, reader)
    marks, remark = find_headings(blocks)
    writer = _Writer(notes)
    at = 0
    while at < len(blocks):
        mark = marks.get(at)
        if mark is None:
            writer.body(blocks[at])
        else:
            writer.heading([b for b in blocks[at : at + mark.paragraphs] if isinstance(b, Paragraph)], mark)
        at += mark.paragraphs if mark else 1
    writer.flush_notes()
    if not writer.text:
        raise DocumentError("the document holds no text", "no_text")
    return writer.document(_title(blocks, name), _remarks(relations, reader, remark))


def _part(package: Package, parts: dict[str, str], kind: str) -> etree._Element | None:
    return package.xml(parts[kind]) if kind in parts else None


def _notes(package: Package, parts: dict[str, str], reader: BodyReader) -> dict[str, str]:
    """Id of a footnote ("3") or endnote ("e3") → its text."""
    found: dict[str, str] = {}
    for kind, prefix in _NOTE_PARTS.items():
        root = _part(package, parts, kind)
        for element in () if root is None else root:
            if attribute(element, "type", "normal") == "normal":
                texts = [_plain(block) for block in reader.blocks(element)]
                found[prefix + attribute(element, "id")] = one_line(" ".join(texts))
    return found


def _plain(block: Block) -> str:
    return f"{block.label} {block.text}".strip() if isinstance(block, Paragraph) else block.text


def _title(blocks: list[Block], name: str) -> str:
    for block in blocks[:TITLE_BLOCKS]:
        if isinstance(block, Paragraph) and is_title(block):
            return one_line(block.text)
    return PurePath(name).stem or "document"


def _remarks(relations: dict[str, tuple[str, str]], reader: BodyReader, remark: str) -> tuple[str, ...]:
    kinds = [kind for kind, _ in relations.values()]
    remarks = [remark] if remark else []
    if "header" in kinds or "footer" in kinds:
        remarks.append("page headers and footers left out")
    if "image" in kinds:
        remarks.append(f"pictures left out: {kinds.count('image')}")
    if reader.hidden_chars:
        remarks.append(f"characters of hidden text left out: {reader.hidden_chars}")
    return tuple(remarks)


@dataclass(slots=True)
class _Writer:
    """Blocks to canonical text. Blocks stand a blank line apart; list items only a line."""

    notes: dict[str, str]
    text: list[str] = field(default_factory=list)
    size_bytes: int = 0
    headings: list[Heading] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    _pending: dict[str, str] = field(default_factory=dict)
    _in_list: bool = False

    def heading(self, lines: list[Paragraph], mark: Mark) -> None:
        """A heading of one or two lines, or one that opens its own paragraph."""
        self.flush_notes()
        self._gap()
        first, rest = lines[0], ""
        if mark.lead_chars:
            first, rest = replace(first, text=first.text[: mark.lead_chars]), first.text[mark.lead_chars :]
        title = one_line(" ".join([*(_labelled(line) for line in (first, *lines[1:]))]))
        begin_byte = self.size_bytes
        self._write(f"{'#' * min(mark.level, 6)} {title}\n")
        self.headings.append(Heading(title, mark.level, begin_byte, self.size_bytes))
        if rest:
            self._gap()
            self._write(_unmarked(rest.lstrip()) + "\n")
        self._refer(lines)

    def body(self, block: Block) -> None:
        """Anything that is no heading."""
        if not isinstance(block, Paragraph):
            self._gap()
            self.tables.append(block.at(self.size_bytes))
            self._write(block.text)
            return
        self._gap(in_list=bool(block.label))
        self._write((_indented(block) if block.label else _unmarked(block.text)) + "\n")
        self._refer([block])

    def flush_notes(self) -> None:
        """Footnotes stand at the end of the section that refers to them."""
        if self._pending:
            self._gap()
            self._write("".join(f"[^{id_}]: {text}\n" for id_, text in self._pending.items()))
            self._pending.clear()

    def document(self, title: str, remarks: tuple[str, ...]) -> Document:
        root = section_tree(title, self.size_bytes, self.headings)
        text = "".join(self.text)
        return Document(title, text, root, "docx", tables=tuple(self.tables), notes=remarks)

    def _refer(self, blocks: list[Paragraph]) -> None:
        for block in blocks:
            # Popped: a note is written once, however often it is referred to.
            self._pending.update((id_, text) for id_ in block.notes if (text := self.notes.pop(id_, "")))

    def _gap(self, in_list: bool = False) -> None:
        if self.text and not (in_list and self._in_list):
            self._write("\n")
        self._in_list = in_list

    def _write(self, text: str) -> None:
        self.text.append(text)
        self.size_bytes += len(text.encode("utf-8"))


def _labelled(block: Paragraph) -> str:
    return block.text if block.label in ("", BULLET) else f"{block.label} {block.text}"


def _indented(block: Paragraph) -> str:
    indent = "  " * min(block.depth, 8)
    return f"{indent}{block.label} " + block.text.replace("\n", f"\n{indent}  ")


def _unmarked(text: str) -> str:
    """Body text that would read as a Markdown heading gets its mark escaped."""
    return "\n".join(f"\\{line}" if line.startswith("#") else line for line in text.split("\n"))
