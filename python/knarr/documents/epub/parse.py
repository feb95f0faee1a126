"""EPUB to the one document model: the chapters in the order of the book's spine, its contents as headings.

A book's own table of contents says which chapters there are and what they are called; inside of one, the page's own
headings count. A chapter that has a name in the contents but no heading of its own gets that name as its heading,
and parts of the contents stand above their chapters. Pictures without a description are left out and counted;
a chapter that is encrypted or missing makes the document partial.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from dataclasses import dataclass
from urllib.parse import unquote

from lxml import etree

from knarr.documents.decode import Limits, decode
from knarr.documents.html.fragment import write_fragment
from knarr.documents.notes import said
from knarr.documents.properties import dublin_core
from knarr.documents.sections import Document, MetadataValue
from knarr.documents.writer import MarkdownWriter
from knarr.documents.xml import all_text, attribute_of, local
from knarr.documents.zip_parts import ZipParts
from knarr.errors import DocumentError
from knarr.language.plain import shortened

_PAGES = ("application/xhtml+xml", "text/html", "text/x-oeb1-document")
_PICTURE = re.compile(r"<(?:img|image)\b[^<>]{0,2000}>", re.IGNORECASE)
_SAID = re.compile(r"\balt\s{0,9}=\s{0,9}[\"'][^\"']", re.IGNORECASE)
_MAX_ENTRIES = 20_000
_MAX_DEPTH = 12
_TITLE_CHARS = 300


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line of the book's table of contents."""

    title: str
    level: int
    path: str
    whole: bool  # it points at the beginning of a page


def parse(data: bytes, name: str, limits: Limits) -> Document:
    """Read a book. Raises DocumentError with status "corrupt", "encrypted", "limit" or "no_text"."""
    book = _Book(ZipParts(data, "EPUB"), limits)
    book.write()
    if not book.written:
        status = "encrypted" if book.locked else "no_text"
        raise DocumentError(f"{name}: the book shows no text", status)
    metadata = book.metadata
    title = metadata.get("title", "")
    shown = title[0] if isinstance(title, tuple) else title
    document = book.writer.document("epub", str(shown), said(book.notes), metadata=metadata)
    document.status = "partial" if book.missing else "ok"
    return document


class _Book:
    def __init__(self, parts: ZipParts, limits: Limits) -> None:
        self.writer = MarkdownWriter()
        self.notes: Counter[str] = Counter()
        self.missing = self.written = 0
        self._parts, self._limits = parts, limits
        self._path = self._package_path()
        root = parts.loose_xml(self._path)
        if root is None:
            raise DocumentError(f"the book has no {self._path}")
        self._root = root
        self._folder = posixpath.dirname(self._path)
        self._items = {one.get("id", ""): one for one in root.iterfind("{*}manifest/{*}item")}
        self.locked = self._locked()
        element = root.find("{*}metadata")
        self.metadata: dict[str, MetadataValue] = {} if element is None else dublin_core(element)

    def write(self) -> None:
        contents: dict[str, list[_Entry]] = {}
        for entry in self._contents():
            contents.setdefault(entry.path.lower(), []).append(entry)
        for reference in self._root.iterfind("{*}spine/{*}itemref"):
            item = self._items.get(reference.get("idref", ""))
            if item is None:
                continue
            path = self._at(self._folder, item.get("href", ""))
            if "nav" in item.get("properties", "").split():
                self.notes["the book's table of contents left out"] = 1
            elif item.get("media-type", "") in _PAGES or path.lower().endswith((".html", ".xhtml", ".htm")):
                self._chapter(path, contents.pop(path.lower(), []))
            else:
                self.notes["pages that are pictures left out:"] += 1

    def _chapter(self, path: str, entries: list[_Entry]) -> None:
        data = self._parts.read(path)
        if data is None or path.lower() in self.locked:
            self.missing += 1
            self.notes["chapters that are encrypted or missing:"] += 1
            return
        if not data.strip():
            return
        try:
            decoded = decode(data, path, declared="utf-8", limits=self._limits)
        except DocumentError as error:
            self.missing += 1
            self.notes[f"chapter not read: {error}"] += 1
            return
        self.notes["pictures without a description left out:"] += sum(
            _SAID.search(one[0]) is None for one in _PICTURE.finditer(decoded.text)
        )
        page = MarkdownWriter()
        _, notes = write_fragment(decoded.text, page, self._limits)
        self.notes.update((*decoded.notes, *notes))
        for entry in entries:
            if (entry.whole and not page.headings) or (entry.whole and not _is_said(entry, page)):
                self.writer.gap()
                self.writer.heading(entry.level, entry.title)
                self.written += 1
        if not page.size_bytes:
            return
        first = page.headings[0] if page.headings else None
        named = next((entry for entry in entries if first and _same(entry.title, first.title)), None)
        deeper = max(0, named.level - first.level) if named and first else 0
        above = next((entry.level for entry in reversed(entries) if entry.whole and not named), 0)
        self.writer.gap()
        self.writer.include(page.document("epub", "", ()), deeper or above)
        self.written += 1

    def _package_path(self) -> str:
        container = self._parts.loose_xml("META-INF/container.xml")
        for element in () if container is None else container.iter("{*}rootfile"):
            if element.get("full-path"):
                return str(element.get("full-path"))
        found = next((path for path in self._parts.names if path.lower().endswith(".opf")), None)
        if found is None:
            raise DocumentError("the book names no package")
        return found

    def _locked(self) -> frozenset[str]:
        """The parts that are encrypted; fonts may be, and are no text."""
        root = self._parts.loose_xml("META-INF/encryption.xml")
        found = () if root is None else root.iter("{*}CipherReference")
        return frozenset(unquote(attribute_of(one, "URI")).lstrip("/").lower() for one in found)

    def _contents(self) -> list[_Entry]:
        nav = next((one for one in self._items.values() if "nav" in one.get("properties", "").split()), None)
        if nav is not None:
            path = self._at(self._folder, nav.get("href", ""))
            found = self._nav(path)
            if found:
                return found
        spine = self._root.find("{*}spine")
        ncx = self._items.get("" if spine is None else spine.get("toc", ""))
        if ncx is None:
            ncx = next(
                (one for one in self._items.values() if one.get("media-type") == "application/x-dtbncx+xml"),
                None,
            )
        return [] if ncx is None else self._ncx(self._at(self._folder, ncx.get("href", "")))

    def _tree(self, path: str) -> etree._Element | None:
        try:
            return self._parts.loose_xml(path)
        except DocumentError:
            self.notes["the book's table of contents is damaged"] = 1
            return None

    def _nav(self, path: str) -> list[_Entry]:
        root = self._tree(path)
        if root is None:
            return []
        found: list[_Entry] = []
        for nav in root.iter("{*}nav"):
            if "toc" not in attribute_of(nav, "type", "toc").split():
                continue
            for link in nav.iter("{*}a"):
                level, above = 0, link.getparent()
                while above is not None and above is not nav:
                    level += local(above) == "ol"
                    above = above.getparent()
                self._entry(found, all_text(link), min(max(level, 1), _MAX_DEPTH), path, link.get("href", ""))
            return found
        return found

    def _ncx(self, path: str) -> list[_Entry]:
        root = self._tree(path)
        found: list[_Entry] = []
        if root is None:
            return found
        stack = [(one, 1) for one in reversed(root.findall("{*}navMap/{*}navPoint"))]
        while stack:
            point, level = stack.pop()
            label, content = point.find("{*}navLabel"), point.find("{*}content")
            if label is not None and content is not None:
                self._entry(found, all_text(label), min(level, _MAX_DEPTH), path, content.get("src", ""))
            stack += [(one, level + 1) for one in reversed(point.findall("{*}navPoint"))]
        return found

    def _entry(self, found: list[_Entry], title: str, level: int, path: str, target: str) -> None:
        title = shortened(title, _TITLE_CHARS)
        if title and len(found) < _MAX_ENTRIES:
            page, _, place = target.partition("#")
            where = self._at(posixpath.dirname(path), page)
            seen = any(entry.path == where for entry in found[-1:])
            found.append(_Entry(title, level, where, not place or not seen))

    @staticmethod
    def _at(folder: str, target: str) -> str:
        return posixpath.normpath(posixpath.join(folder, unquote(target.partition("#")[0]))).lstrip("/")


def _is_said(entry: _Entry, page: MarkdownWriter) -> bool:
    """Whether the page itself begins with the title of the contents, or with a heading that goes for it."""
    return any(_same(entry.title, heading.title) for heading in page.headings[:4]) or (
        page.headings[0].begin_byte < 200
    )


def _same(first: str, second: str) -> bool:
    left, right = ("".join(filter(str.isalnum, one.casefold())) for one in (first, second))
    return left == right or (min(len(left), len(right)) > 3 and (left in right or right in left))
