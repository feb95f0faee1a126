"""XML documents to the one document model: sections by their titles, whatever the vocabulary calls them.

Which elements are sections, paragraphs, lists, tables and code is known for DocBook, JATS, DITA and TEI (`vocabulary`).
What these do not know is read through: its text is kept. Any other XML is an outline of its elements. Document types
are cut off and never read; entities that they declare as plain text are written out.
"""

from __future__ import annotations

from collections import Counter

from lxml import etree

from knarr.documents.decode import Limits
from knarr.documents.html.blocks import BlockWriter
from knarr.documents.html.fragment import write_fragment
from knarr.documents.notes import said
from knarr.documents.properties import properties, title_of
from knarr.documents.raised import raised
from knarr.documents.sections import Document, MetadataValue
from knarr.documents.tables import table_text
from knarr.documents.writer import MarkdownWriter
from knarr.documents.xml import FAULTY, RAISED, all_text, local, parse_text
from knarr.documents.xml_docs import vocabulary as words
from knarr.documents.xml_docs.feeds import write_feed, write_opml
from knarr.documents.xml_docs.outline import write_outline
from knarr.documents.xml_docs.tables import rows_of
from knarr.errors import DocumentError
from knarr.language.plain import one_line, shortened


def parse(data: bytes, name: str, limits: Limits) -> Document:
    """Read an XML file. Raises DocumentError as `decode` does, "corrupt" for what is no XML, "no_text"."""
    root, faults = parse_text(data, name, limits)
    writer, kind, notes = MarkdownWriter(), local(root), Counter[str]()
    metadata: dict[str, MetadataValue] = {}
    title = ""
    known = words.PARAGRAPHS | words.SECTIONS
    if kind in words.ROOTS or (kind == "fragment" and any(local(one) in known for one in root)):
        reader = _Reader(writer)
        metadata = _metadata(root)
        title = str(metadata.get("title", ""))
        reader.document(root, title)
        notes = reader.notes
    elif kind == "opml":
        metadata = write_opml(writer, root)
        title = str(metadata.get("title", ""))
    elif kind in ("rss", "feed", "RDF") and next(root.iter("{*}item", "{*}entry"), None) is not None:
        metadata, more = write_feed(writer, root, limits)
        title, faults = title_of(metadata), (*faults, *more)
    elif kind == "html":
        title, more = write_fragment(etree.tostring(root, encoding="unicode"), writer, limits)
        faults = (*faults, *more)
    else:
        write_outline(writer, root)
    if not writer.size_bytes:
        raise DocumentError(f"{name}: the document holds no text", "no_text")
    document = writer.document("xml", title, (*faults, *said(notes)), metadata=metadata)
    document.status = "partial" if any(fault.startswith(FAULTY) for fault in faults) else "ok"
    return document


class _Reader:
    """Writes the elements of a document as blocks."""

    def __init__(self, writer: MarkdownWriter) -> None:
        self.notes: Counter[str] = Counter()
        self._blocks = BlockWriter(writer)
        self._writer = writer
        self._footnotes: list[str] = []
        self._count = 0
        self._last = ""  # character written
        self._lists: list[int | None] = []

    def document(self, root: etree._Element, title: str) -> None:
        if title:
            self._heading(title, 1)
        self._children(root, 1)
        self._blocks.flush()
        self._write_footnotes()

    def _children(self, element: etree._Element, level: int) -> None:
        self._text(element.text)
        for child in element:
            self._element(child, level)
            self._text(child.tail)

    def _text(self, text: str | None) -> None:
        if text and (text.strip() or " " in text or "\n" in text):
            self._blocks.inline(text)
            self._last = text[-1]

    def _element(self, element: etree._Element, level: int) -> None:
        kind = local(element)
        if not kind or kind in words.SKIPPED:
            return
        if kind in words.INFO:
            self._information(element, level)
        elif kind in words.SECTIONS:
            self._blocks.flush()
            self._section(element, level)
        elif kind in words.TITLES:
            # A section's own title was written when it began; this is that of a figure, a list or a note.
            if (
                local(element.getparent()) not in words.SECTIONS
                and element.getparent().getparent() is not None
            ):
                self._block(element, level)
        elif kind in words.TABLES:
            self._table(element, level)
        elif kind in words.CODE:
            self._blocks.preformatted(all_text(element).strip("\n"))
        elif kind in words.BULLETS or kind in words.NUMBERED:
            self._list(element, kind, level)
        elif kind in words.EQUATIONS:
            self._equation(element, kind)
        elif kind in words.FOOTNOTES:
            self._footnote(element)
        elif kind in words.PICTURES:
            self._picture(element, level)
        else:
            self._plain(element, kind, level)

    def _plain(self, element: etree._Element, kind: str, level: int) -> None:
        if kind in words.PARAGRAPHS:
            self._block(element, level)
        elif kind in words.QUOTES:
            self._blocks.open_container("> ", "> ")
            self._children(element, level)
            self._blocks.close_container()
        elif kind in words.NOTES:
            self._blocks.flush()
            self._blocks.inline(f"{kind.capitalize()}: ")
            self._children(element, level)
            self._blocks.flush()
        elif kind in ("varlistentry", "glossentry", "dlentry", "def-item"):
            self._entry(element, level)
        elif kind in (
            "surname",
            "given-names",
            "year",
            "name",
            "string-name",
            "source",
            "kwd",
            "personname",
            "firstname",
        ):
            self._children(element, level)
            self._blocks.inline(" ")
        elif kind in RAISED:
            self._raised(element)
        elif kind in ("break", "lb"):
            self._blocks.line_break()
        elif kind in (
            "ref",
            "figure",
            "fig",
            "mediaobject",
            "caption",
            "table-wrap",
            "body",
            "back",
            "div",
            "lg",
            "sp",
            "step",
        ):
            self._blocks.flush()
            self._children(element, level)
            self._blocks.flush()
        else:
            self._children(element, level)

    def _raised(self, element: etree._Element) -> None:
        text = all_text(element).strip()
        refers = next(element.iter("{*}xref", "{*}link"), None) is not None and not text.startswith("[")
        self._text(f"[{text}]" if refers and text else raised(text, self._last))

    def _block(self, element: etree._Element, level: int) -> None:
        self._blocks.flush()
        self._children(element, level)
        self._blocks.flush()

    def _section(self, element: etree._Element, level: int) -> None:
        title = self._title(element) or words.NAMED.get(local(element), "")
        if title:
            self._write_footnotes()
            label = next((one_line(all_text(one)) for one in element.iterchildren("{*}label")), "")
            self._heading(f"{label} {title}" if label else title, level + 1)
        self._text(element.text)
        for child in element:
            if local(child) != "label":
                self._element(child, level + 1 if title else level)
                self._text(child.tail)
        self._blocks.flush()

    def _title(self, element: etree._Element) -> str:
        for child in element:
            kind = local(child)
            if kind in words.TITLES:
                return shortened(all_text(child), 500)
            if kind in words.INFO or kind == "refnamediv":
                return self._title(child)
        return ""

    def _heading(self, title: str, level: int) -> None:
        self._blocks.flush()
        self._blocks.inline(one_line(title))
        self._blocks.heading(level)

    def _information(self, element: etree._Element, level: int) -> None:
        """What stands before the text: its abstract is text, the rest is metadata."""
        for one in element.iter("{*}abstract"):
            self._section(one, level)
        for one in element.iter("{*}legalnotice"):
            self._children(one, level)
        self._blocks.flush()

    def _list(self, element: etree._Element, kind: str, level: int) -> None:
        numbered = kind in words.NUMBERED or element.get("list-type", "") in ("order", "arabic", "number")
        self._blocks.flush()
        self._lists.append(0 if numbered else None)
        for child in element:
            if local(child) in words.ITEMS:
                count = self._lists[-1]
                self._lists[-1] = None if count is None else count + 1
                mark = "- " if count is None else f"{count + 1}. "
                self._blocks.open_container(mark, " " * len(mark))
                self._children(child, level)
                self._blocks.close_container()
            else:
                self._element(child, level)
        self._blocks.flush()
        self._lists.pop()
        if not self._lists:
            self._blocks.end_list()

    def _entry(self, element: etree._Element, level: int) -> None:
        self._blocks.open_container("- ", "  ")
        for child in element:
            if local(child) in words.TERMS:
                self._blocks.inline(one_line(all_text(child)) + ": ")
            else:
                self._children(child, level)
                self._blocks.flush()
        self._blocks.close_container()

    def _table(self, element: etree._Element, level: int) -> None:
        self._blocks.flush()
        for child in element:
            if local(child) in ("title", "caption", "label"):
                self._block(child, level)
        for rows, heads in rows_of(element):
            table = table_text(rows, max(1, heads))
            if table is not None:
                self._blocks.table(table)
                continue
            for row in rows:
                for cell in row:
                    self._blocks.inline(cell.text)
                    self._blocks.flush()
        for foot in element.iterchildren("{*}table-wrap-foot"):
            self._children(foot, level)

    def _equation(self, element: etree._Element, kind: str) -> None:
        tex = next((one for one in element.iter("{*}tex-math", "{*}annotation")), None)
        text = one_line(all_text(element if tex is None else tex))
        begin, end = text.find(r"\begin{document}"), text.find(r"\end{document}")
        if begin >= 0 and end > begin:
            text = text[begin + 16 : end]
        text = text.strip().strip("$").strip()
        if not text:
            self.notes["equations that are pictures left out:"] += any(
                True for _ in element.iter("{*}graphic")
            )
            return
        marks = "$" if tex is not None else ""
        if kind.startswith("inline") or kind == "formula":
            self._blocks.inline(f"{marks}{text}{marks}")
        else:
            self._blocks.flush()
            self._blocks.inline(f"{marks * 2}{text}{marks * 2}")
            self._blocks.flush()

    def _footnote(self, element: etree._Element) -> None:
        text = one_line(all_text(element))
        if text:
            self._count += 1
            mark = f"[^{self._count}]"
            self._blocks.inline(mark)
            self._footnotes.append(f"{mark}: {text}")

    def _write_footnotes(self) -> None:
        self._blocks.flush()
        if self._footnotes:
            self._writer.gap()
            self._writer.put("".join(f"{text}\n" for text in self._footnotes))
            self._footnotes.clear()

    def _picture(self, element: etree._Element, level: int) -> None:
        self.notes["pictures left out:"] += 1
        self._children(element, level)


def _metadata(root: etree._Element) -> dict[str, MetadataValue]:
    title = _first(
        root,
        "./{*}front/{*}article-meta/{*}title-group/{*}article-title",
        "./{*}info/{*}title",
        "./{*}articleinfo/{*}title",
        "./{*}bookinfo/{*}title",
        "./{*}title",
        "./{*}teiHeader//{*}titleStmt/{*}title",
        ".//{*}article-meta//{*}article-title",
    )
    found = [("title", title)]
    for path in (
        "./{*}front/{*}article-meta/{*}contrib-group/{*}contrib",
        "./*/{*}author",
        "./*/{*}authorgroup/{*}author",
        "./{*}teiHeader//{*}titleStmt/{*}author",
    ):
        found += [("author", _name(one)) for one in root.iterfind(path)]
    found.append(("date", _published(root) or _first(root, "./*/{*}date", "./*/{*}pubdate")))
    found.append(("journal", _first(root, "./{*}front/{*}journal-meta//{*}journal-title")))
    keywords = root.iterfind("./{*}front/{*}article-meta/{*}kwd-group//{*}kwd")
    found += [("keywords", all_text(one)) for one in keywords]
    return properties(found)


def _published(root: etree._Element) -> str:
    """The date of a journal's article, as far as it is known."""
    element = root.find("./{*}front/{*}article-meta/{*}pub-date")
    parts = []
    for name in ("year", "month", "day") if element is not None else ():
        found = one_line(element.findtext("{*}" + name, ""))
        if not found.isdecimal():
            break
        parts.append(found.zfill(2))
    return "-".join(parts)


def _first(root: etree._Element, *paths: str) -> str:
    for path in paths:
        found = root.find(path)
        if found is not None and (text := shortened(all_text(found), 500)):
            return text
    return ""


def _name(element: etree._Element) -> str:
    parts = [
        one_line(all_text(one))
        for tag in ("given-names", "firstname", "surname", "foreName")
        for one in element.iter("{*}" + tag)
    ]
    return shortened(" ".join(dict.fromkeys(filter(None, parts))) or all_text(element), 200)
