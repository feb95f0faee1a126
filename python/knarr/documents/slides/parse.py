"""PPTX to the one document model.

Every slide is a section under its title, in the order of the show, and a page. Its shapes follow by position, top to
bottom; text keeps its paragraphs and bullets, tables are tables, charts give the figures that the file keeps, diagrams
their text, pictures their description. The speaker's notes and the comments end the slide. Hidden slides are read
and named; sections of slides are headings above them. Footers, dates and slide numbers are left out and named.
"""

from __future__ import annotations

from collections import Counter

from lxml import etree

from knarr.documents.charts import chart_table, chart_text
from knarr.documents.decode import Limits
from knarr.documents.notes import said
from knarr.documents.ole.container import refuse_encrypted_package
from knarr.documents.properties import office_metadata
from knarr.documents.sections import Document
from knarr.documents.slides.shapes import Shape, shapes_of
from knarr.documents.tables import table_text
from knarr.documents.writer import MarkdownWriter
from knarr.documents.xml import attribute_of
from knarr.documents.zip_parts import ZipParts
from knarr.errors import DocumentError
from knarr.language.plain import one_line, shortened

_TITLES = ("title", "ctrTitle")
_TITLE_CHARS = 300
_MOST_SLIDES = 16  # that may share notes: those are a slide's own, and each time they are read anew
_FURNITURE = ("ftr", "dt", "sldNum", "hdr")


def parse(data: bytes, name: str, limits: Limits) -> Document:
    """Read a presentation. Raises DocumentError with status "corrupt", "encrypted", "limit" or "no_text"."""
    refuse_encrypted_package(data)
    deck = _Deck(ZipParts(data, "PPTX"))
    deck.write()
    if not deck.has_text:
        raise DocumentError(f"{name}: the slides hold no text", "no_text")
    metadata = office_metadata(deck.parts)
    title = str(metadata.get("title", ""))
    if title.lower() in ("powerpoint presentation", "powerpoint-präsentation", "présentation powerpoint"):
        title = ""
    return deck.writer.document("pptx", title or deck.first_title, said(deck.notes), metadata=metadata)


class _Deck:
    def __init__(self, parts: ZipParts) -> None:
        self.parts = parts
        self.notes: Counter[str] = Counter()
        self.writer = MarkdownWriter()
        self.first_title = ""
        self.has_text = False
        self._told: Counter[str] = Counter()
        self._main = parts.office_document("ppt/presentation.xml")
        root = parts.xml(self._main)
        if root is None:
            raise DocumentError(f"the package has no {self._main}")
        self._root = root
        self._relations = parts.relations(self._main)
        self._authors = self._comment_authors()

    def write(self) -> None:
        begins = self._sections()
        depth = 2 if begins else 1
        for number, element in enumerate(self._root.iterfind("{*}sldIdLst/{*}sldId"), 1):
            _, path = self._relations.get(_relation(element), ("", ""))
            slide = self.parts.xml(path) if path else None
            if slide is None:
                self.notes["slides missing from the file:"] += 1
                continue
            self.writer.turn_to(number - 1)
            section = begins.get(element.get("id", ""))
            if section:
                self.writer.gap()
                self.writer.heading(1, section)
            self._slide(slide, path, number, depth)
        if self.parts.has("ppt/vbaProject.bin"):
            self.notes["macros left out"] += 1

    def _slide(self, slide: etree._Element, path: str, number: int, depth: int) -> None:
        relations = self.parts.relations(path)
        shapes = shapes_of(slide)
        title = next((shape for shape in shapes if shape.placeholder in _TITLES and shape.text), None)
        words = one_line(title.text) if title else ""
        hidden = slide.get("show") in ("0", "false")
        if hidden:
            self.notes["hidden slides read:"] += 1
        shown = shortened(words, _TITLE_CHARS) or f"Slide {number}"
        self.writer.gap()
        self.writer.heading(depth, shown + (" (hidden slide)" if hidden else ""), shown)
        self.first_title = self.first_title or words
        self.has_text = self.has_text or bool(words)
        for shape in shapes:
            if shape is not title:
                self._shape(shape, relations)
        for kind, target in relations.values():
            if kind in ("notesSlide", "comments"):
                self._told[target] += 1
                if self._told[target] > _MOST_SLIDES:
                    self.notes["notes and comments that many slides share left out on some:"] += 1
                    continue
            if kind == "notesSlide":
                self._notes(target)
            elif kind == "comments":
                self._comments(target)

    def _shape(self, shape: Shape, relations: dict[str, tuple[str, str]]) -> None:
        if shape.placeholder in _FURNITURE:
            if shape.text:
                self.notes["footers, dates and slide numbers left out:"] += 1
            return
        if shape.hidden and (shape.text or shape.rows):
            self.notes["hidden shapes read:"] += 1
        self._say(shape.text)
        if shape.rows:
            self._table(shape)
        if shape.kind == "picture":
            self.notes["pictures left out:"] += 1
        if shape.said:
            self._say(f"Picture: {shape.said}" if shape.kind == "picture" else shape.said)
        if shape.relation:
            self._linked(shape, relations)

    def _table(self, shape: Shape) -> None:
        table = table_text(shape.rows)
        self.has_text = True
        if table is not None:
            self.writer.gap()
            self.writer.table(table)
            return
        for row in shape.rows:
            for cell in row:
                self._say(cell.text)

    def _linked(self, shape: Shape, relations: dict[str, tuple[str, str]]) -> None:
        """A chart, diagram or embedded object that stands in a part of its own."""
        kind, target = relations.get(shape.relation, ("", ""))
        root = self.parts.xml(target) if kind in ("chart", "diagramData") else None
        if root is None:
            self.notes["embedded objects, charts of other kinds and media left out:"] += 1
        elif kind == "chart":
            self._say(chart_text(root, with_values=True))
            table = chart_table(root)
            if table is not None:
                self.writer.gap()
                self.writer.table(table)
        else:
            for point in root.iter("{*}pt"):
                text = one_line(" ".join("".join(p.itertext()) for p in point.iterfind(".//{*}p")))
                self._say(f"- {text}" if text else "")

    def _notes(self, path: str) -> None:
        root = self.parts.xml(path)
        for shape in () if root is None else shapes_of(root):
            if shape.placeholder == "body" and shape.text:
                self._say("Notes: " + shape.text)

    def _comments(self, path: str) -> None:
        root = self.parts.xml(path)
        for comment in () if root is None else root.iter("{*}cm"):
            author = self._authors.get(comment.get("authorId", ""), "unknown")
            text = one_line(" ".join(one.text or "" for one in comment.iter("{*}text", "{*}t")))
            if text:
                self._say(f"Comment by {author}: {text}")

    def _comment_authors(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for kind, target in self._relations.values():
            if kind in ("commentAuthors", "authors"):
                root = self.parts.xml(target)
                for author in () if root is None else root:
                    found[author.get("id", "")] = one_line(author.get("name", "")) or "unknown"
        return found

    def _sections(self) -> dict[str, str]:
        """The first slide of each named section of slides → its name."""
        found: dict[str, str] = {}
        for section in self._root.iter("{*}section"):
            first = next(section.iter("{*}sldId"), None)
            name = one_line(section.get("name", ""))
            if first is not None and name:
                found[first.get("id", "")] = shortened(name, _TITLE_CHARS)
        return found if len(found) > 1 else {}

    def _say(self, text: str) -> None:
        if text:
            self.has_text = True
            self.writer.gap()
            self.writer.put(text + "\n")


def _relation(element: etree._Element) -> str:
    """The `r:id` of an element that has an `id` too."""
    return next(
        (str(value) for key, value in element.attrib.items() if str(key).endswith("}id")), ""
    ) or attribute_of(element, "id")
