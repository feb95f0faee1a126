"""DOCX to the one document model.

The file is read directly (zip and XML, within the bounds of `package`), because what counts here —
outline levels along style chains, text boxes, automatic numbers, tracked changes — is hidden by
document libraries. Blocks stand a blank line apart, list items only a line. Footnotes and comments follow the
paragraph, list or table that refers to them. Lines of source code are fenced, charts are tables of their data, and
pictures stand as what somebody wrote they show. Page headers and footers are left out, and the receipt says so.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace

from lxml import etree

from knarr.documents.decode import Limits
from knarr.documents.docx.body import Block, BodyReader
from knarr.documents.docx.headings import TITLE_BLOCKS, WordHeading, find_headings, is_title
from knarr.documents.docx.numbering import BULLET, Numbering
from knarr.documents.docx.package import Package
from knarr.documents.docx.paragraphs import Paragraph, RunReader
from knarr.documents.docx.styles import Styles, attribute
from knarr.documents.properties import office_metadata
from knarr.documents.sections import Document
from knarr.documents.symbols import UNKNOWN
from knarr.documents.writer import MarkdownWriter
from knarr.errors import DocumentError
from knarr.language.plain import one_line

_TICKS = re.compile("`{3,}")
_PICTURE = re.compile(r"(?:figure|fig\.|abb|bild|illustration|chart|equation|formula)", re.IGNORECASE)
_FOOTNOTE_PARTS = {"footnotes": "", "endnotes": "e", "comments": "c"}


def parse(data: bytes, name: str, limits: Limits) -> Document:
    """Read a DOCX file. Its own bounds (see `package`) are tighter than `limits`.

    Raises DocumentError with status "corrupt", "encrypted", "limit", "unsupported", or "no_text".
    """
    package = Package(data)
    try:
        return _read(package)
    except RecursionError as error:
        raise DocumentError("elements are nested deeper than is read", "limit") from error


def _read(package: Package) -> Document:
    main = package.main_part()
    root = package.xml(main)
    if root is None:
        raise DocumentError(f"the package has no {main}")
    relations = package.relations(main)
    parts = dict(relations.values())
    styles = Styles(_part(package, parts, "styles"))
    numbering = Numbering(_part(package, parts, "numbering"), styles)

    def part(id_: str) -> tuple[str, etree._Element | None]:
        kind, target = relations.get(id_, ("", ""))
        return kind, package.xml(target) if target else None

    reader = BodyReader(styles, numbering, RunReader(styles, relations), part)
    blocks = _typed([block for body in root.iterchildren("{*}body") for block in reader.blocks(body)])
    footnotes = _footnotes(package, parts, reader)
    flow = _Flow(footnotes)
    headings, remark = find_headings(blocks)
    at = 0
    while at < len(blocks):
        heading = headings.get(at)
        if heading is None:
            code = _code(blocks, headings, at)
            if code:
                flow.code(code)
            else:
                flow.body(blocks[at])
            at += len(code) or 1
        else:
            lines = blocks[at : at + heading.paragraphs]
            flow.heading([block for block in lines if isinstance(block, Paragraph)], heading)
            at += heading.paragraphs
    flow.flush()
    if not flow.writer.size_bytes:
        raise DocumentError("the document holds no text", "no_text")
    notes = _notes(relations, reader, remark, footnotes)
    return flow.writer.document("docx", _title(blocks), notes, metadata=office_metadata(package))


def _typed(blocks: list[Block]) -> list[Block]:
    """The blocks; where most of the text is in letters of one width, as a typewriter has them, none is code."""
    paragraphs = [block for block in blocks if isinstance(block, Paragraph)]
    code = sum(len(block.text) for block in paragraphs if block.code)
    if 2 * code <= sum(len(block.text) for block in blocks):
        return blocks
    return [
        replace(block, code=False, text="\n".join(map(str.strip, block.text.split("\n"))).strip())
        if isinstance(block, Paragraph) and block.code
        else block
        for block in blocks
    ]


def _code(blocks: list[Block], headings: Mapping[int, WordHeading], begin: int) -> list[Paragraph]:
    """The lines of source code from a block on."""
    found: list[Paragraph] = []
    for at in range(begin, len(blocks)):
        block = blocks[at]
        if at in headings or not isinstance(block, Paragraph) or not block.code or block.label:
            break
        found.append(block)
    return found


def _part(package: Package, parts: dict[str, str], kind: str) -> etree._Element | None:
    return package.xml(parts[kind]) if kind in parts else None


def _footnotes(package: Package, parts: dict[str, str], reader: BodyReader) -> dict[str, str]:
    """Id of a footnote ("3"), endnote ("e3") or comment ("c3") → what is written of it."""
    found: dict[str, str] = {}
    for kind, prefix in _FOOTNOTE_PARTS.items():
        root = _part(package, parts, kind)
        for element in () if root is None else root:
            if attribute(element, "type", "normal") == "normal":
                texts = [_plain(block) for block in reader.blocks(element)]
                id_, text = attribute(element, "id"), one_line(" ".join(texts))
                if text:
                    lead = _comment_lead(element, reader) if kind == "comments" else f"[^{prefix}{id_}]"
                    found[prefix + id_] = f"{lead}: {text}"
    return found


def _comment_lead(comment: etree._Element, reader: BodyReader) -> str:
    """Whose comment it is, and on which words."""
    author = one_line(attribute(comment, "author")) or "unknown"
    words = reader.runs.anchors.get(attribute(comment, "id"), "")
    return f"Comment by {author} on “{words}”" if words else f"Comment by {author}"


def _plain(block: Block) -> str:
    return f"{block.label} {block.text}".strip() if isinstance(block, Paragraph) else block.text


def _title(blocks: list[Block]) -> str:
    """The first paragraph in Word's style for titles, "" when none of the first blocks is in it."""
    for block in blocks[:TITLE_BLOCKS]:
        if isinstance(block, Paragraph) and is_title(block):
            return one_line(block.text)
    return ""


def _notes(
    relations: dict[str, tuple[str, str]], reader: BodyReader, remark: str, unwritten: dict[str, str]
) -> tuple[str, ...]:
    kinds = [kind for kind, _ in relations.values()]
    notes = [remark] if remark else []
    if "header" in kinds or "footer" in kinds:
        notes.append("page headers and footers left out")
    if "image" in kinds:
        described = f", of {reader.described} the description is kept" if reader.described else ""
        notes.append(f"pictures left out: {kinds.count('image')}{described}")
    if objects := sum(kind in ("oleObject", "package", "control") for kind in kinds):
        notes.append(f"embedded objects left out: {objects}")
    if drawn := kinds.count("chartEx"):
        notes.append(f"charts of a kind that is not read left out: {drawn}")
    if reader.hidden_chars:
        notes.append(f"characters of hidden text left out: {reader.hidden_chars}")
    if comments := sum(id_.startswith("c") for id_ in unwritten):
        notes.append(f"comments on text that is not there left out: {comments}")
    if reader.runs.unknown_symbols:
        notes.append(f"{UNKNOWN}: {reader.runs.unknown_symbols}")
    return tuple(notes)


class _Flow:
    """Word's blocks in order, on their way to the writer."""

    def __init__(self, footnotes: dict[str, str]) -> None:
        self.writer = MarkdownWriter()
        self._footnotes = footnotes
        self._pending: dict[str, str] = {}  # footnotes of what was written last
        self._in_list = False
        self._caption: Paragraph | None = None  # held back for the table that may come
        self._after_table = False

    def heading(self, lines: list[Paragraph], heading: WordHeading) -> None:
        """A heading of one or two lines, or one that opens its own paragraph."""
        self.flush()
        self._gap()
        first, rest = lines[0], ""
        if heading.lead_chars:
            first = replace(first, text=lines[0].text[: heading.lead_chars])
            rest = lines[0].text[heading.lead_chars :]
        self.writer.heading(heading.level, one_line(" ".join(map(_labelled, (first, *lines[1:])))))
        if rest:
            self._gap()
            self.writer.put(_unmarked(rest.lstrip()) + "\n")
        self._refer(lines)

    def body(self, block: Block) -> None:
        """A block that is no heading."""
        if not (isinstance(block, Paragraph) and block.label and self._in_list):
            self._write_notes()
        caption, self._caption = self._caption, None
        if isinstance(block, Paragraph):
            self._paragraphs(caption)
            if _is_table_caption(block):
                self._caption = block
            else:
                self._paragraphs(block)
            return
        if caption is not None and not block.title:
            block = replace(block, title=one_line(_labelled(caption)), notes=(*caption.notes, *block.notes))
        else:
            self._paragraphs(caption)
        self._gap()
        self.writer.table(block)
        self._after_table = True
        self._refer([block])

    def _paragraphs(self, block: Paragraph | None) -> None:
        """A paragraph, if there is one; a caption below a table names it, when it is not followed by a table."""
        if block is None:
            return
        tables = self.writer.tables
        if self._after_table and _is_table_caption(block) and not tables[-1].title:
            tables[-1] = replace(tables[-1], title=one_line(_labelled(block)))
        self._after_table = False
        self._gap(in_list=bool(block.label))
        self.writer.put((_indented(block) if block.label else _unmarked(block.text)) + "\n")
        self._refer([block])

    def code(self, lines: list[Paragraph]) -> None:
        """Lines of source code, as they stand."""
        self.flush()
        self._gap()
        text = textwrap.dedent("\n".join(line.text for line in lines)).strip("\n")
        fence = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(text)), default=0))
        self.writer.put(f"{fence}\n{text}\n{fence}\n")
        self._refer(lines)

    def flush(self) -> None:
        """Write what is held back: a caption that no table follows, and footnotes."""
        caption, self._caption = self._caption, None
        self._paragraphs(caption)
        self._write_notes()

    def _write_notes(self) -> None:
        """Write the footnotes that the last paragraph, list or table refers to."""
        if self._pending:
            self._gap()
            self.writer.put("".join(f"{text}\n" for text in self._pending.values()))
            self._pending.clear()

    def _refer(self, blocks: Sequence[Block]) -> None:
        for block in blocks:
            # Popped: a footnote is written once, however often it is referred to.
            texts = ((id_, self._footnotes.pop(id_, "")) for id_ in block.notes)
            self._pending.update((id_, text) for id_, text in texts if text)

    def _gap(self, in_list: bool = False) -> None:
        if not (in_list and self._in_list):
            self.writer.gap()
        self._in_list = in_list


def _is_table_caption(block: Paragraph) -> bool:
    """Whether a paragraph is in Word's style for captions, and not that of a picture."""
    return "caption" in block.style.casefold() and not _PICTURE.match(block.text)


def _labelled(block: Paragraph) -> str:
    return block.text if block.label in ("", BULLET) else f"{block.label} {block.text}"


def _indented(block: Paragraph) -> str:
    indent = "  " * min(block.depth, 8)
    return f"{indent}{block.label} " + block.text.replace("\n", f"\n{indent}  ")


def _unmarked(text: str) -> str:
    """Body text that would read as a Markdown heading gets its mark escaped."""
    return "\n".join(f"\\{line}" if line.startswith("#") else line for line in text.split("\n"))
