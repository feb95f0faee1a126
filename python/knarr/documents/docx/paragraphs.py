"""One Word paragraph: the text that a reader sees, and how it looks.

Insertions count and deletions do not. A field counts with its result, not with its instruction. An
alternate content counts once, with the first alternative that has text. Text boxes anchored in a
paragraph are handed back apart, since they are beside it on the page.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from lxml import etree

from knarr.documents.docx.drawings import description, drawn_part
from knarr.documents.docx.styles import Look, Style, Styles, attribute, child, local, look_of, number
from knarr.documents.math import latex, omml
from knarr.documents.raised import marked, written
from knarr.documents.symbols import readable_symbols, symbol, symbol_font
from knarr.language.plain import one_line, shortened

# Elements whose text is not part of what the reader sees in the line.
_SKIPPED = frozenset({
    "pPr", "rPr", "del", "moveFrom", "instrText", "delText", "delInstrText", "rt", "sdtPr", "sdtEndPr", "tbl",
    "annotationRef", "footnoteRef", "endnoteRef", "sectPr",
})  # fmt: skip
_BREAKS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_EQUATIONS = {"oMath": latex.inline, "oMathPara": latex.display}
_NOTES = {"footnoteReference": "", "endnoteReference": "e"}
MAX_LINKS = 20
MAX_LINK_CHARS = 300
_DESCRIBED = frozenset(("docPr", "shape"))
_HYPERLINK = re.compile(r'HYPERLINK\s+"([^"]+)"')
# Of the words that a comment is on, so much is quoted.
_ANCHOR_PIECES, _ANCHOR_CHARS = 20, 80


@dataclass(slots=True)
class Paragraph:
    """A paragraph as a reader sees it.

    text:     without its label; line breaks as "\\n"
    outline:  1 to 9 when it stands in the outline, else None
    label:    automatic number or bullet; depth: its list level, from 0
    look:     of the whole text: bold, caps or underlined only when all of it is; size of most of it
    lead_chars: length of the bold words that open the text, 0 when none or all of it is bold
    style:    name of its style
    notes:    ids of the footnotes ("3"), endnotes ("e3") and comments ("c3") it refers to
    boxed:    it stands in a text box, beside the text
    code:     it is in a style for source code, or all of it in letters of one width
    """

    text: str
    outline: int | None = None
    label: str = ""
    depth: int = 0
    look: Look = field(default_factory=Look)
    lead_chars: int = 0
    style: str = ""
    notes: tuple[str, ...] = ()
    boxed: bool = False
    code: bool = False


@dataclass(slots=True)
class Runs:
    """Pieces of text with their looks, as they are gathered from one paragraph."""

    pieces: list[str] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    boxes: list[etree._Element] = field(default_factory=list)
    drawn: list[str] = field(default_factory=list)  # relation ids of charts and diagrams
    described: int = 0  # pictures whose description is in the text
    opened: dict[str, int] = field(default_factory=dict)  # comments, and the piece at which each begins
    hidden: int = 0

    def add(self, text: str, look: Look) -> None:
        """One more piece; hidden text is counted and left out."""
        if look.hidden:
            self.hidden += len(text)
        elif text:
            self.pieces.append(text)
            self.looks.append(look)

    def count(self) -> int:
        """How much has been gathered."""
        return sum(map(len, (self.pieces, self.boxes, self.notes, self.drawn)))

    def text(self) -> str:
        """The text, tidied, and after it the addresses that its links hide, in Markdown's form."""
        lines = _joined(self.pieces, self.looks).replace("\xa0", " ").split("\n")
        text = "\n".join(line.strip() for line in lines).strip()
        shown = _bare(text)
        links = dict.fromkeys(link for link in self.links if len(link) <= MAX_LINK_CHARS)
        hidden = [link for link in list(links)[:MAX_LINKS] if _bare(link) not in shown]
        return " ".join([text, *(f"<{link}>" for link in hidden)]) if text else ""

    def source(self) -> str:
        """The text as source code: its lines with their indentation."""
        lines = "".join(self.pieces).replace("\xa0", " ").split("\n")
        return "\n".join(line.rstrip() for line in lines)

    def lead_chars(self) -> int:
        """How many characters of `text()` the bold words at its beginning take; 0 when all of it is bold."""
        for at, (piece, look) in enumerate(zip(self.pieces, self.looks, strict=True)):
            if not look.bold and piece.strip():
                return len(_joined(self.pieces[:at], self.looks[:at]).strip())
        return 0

    def look(self) -> Look:
        """The look that all of the text has, and the size of most of it."""
        sizes: Counter[int | None] = Counter()
        bold, caps, underline, mono = True, True, True, True
        for piece, look in zip(self.pieces, self.looks, strict=True):
            words = sum(map(str.isalnum, piece))
            if not words:
                continue
            sizes[look.size] += words
            bold, underline = bold and bool(look.bold), underline and bool(look.underline)
            caps = caps and (bool(look.caps) or piece == piece.upper())
            mono = mono and bool(look.mono)
        if not sizes:
            return Look()
        return Look(sizes.most_common(1)[0][0], bold, caps, underline, mono=mono)


def _joined(pieces: list[str], looks: list[Look]) -> str:
    """The text of pieces, raised ones written as such."""
    parts = (marked(piece) if look.raised else piece for piece, look in zip(pieces, looks, strict=True))
    return written("".join(parts))


def _bare(address: str) -> str:
    return re.sub(r"^(https?://(www\.)?|mailto:)", "", address.lower()).rstrip("/")


class RunReader:
    """Reads the runs of paragraphs. It is kept from one paragraph to the next, since a field may span
    several: the stack of open fields says for each whether its instruction or its result is being read.
    `anchors` has the first words that each comment is on, `unknown_symbols` counts what no table knows."""

    def __init__(self, styles: Styles, relations: dict[str, tuple[str, str]]) -> None:
        self._styles = styles
        self._relations = relations
        self.anchors: dict[str, str] = {}
        self.unknown_symbols = 0
        self._fields: list[str] = []
        self._instructions = 0  # of the open fields, those whose instruction is being read

    def read(self, paragraph: etree._Element, style: Style, before: Runs | None = None) -> Runs:
        """The runs of one `w:p`, after those of the paragraph that it continues."""
        runs = Runs() if before is None else before
        self._walk(paragraph, style.look, runs)
        return runs

    def _walk(self, parent: etree._Element, look: Look, runs: Runs) -> None:
        for element in parent:
            name = local(element)
            if name in _SKIPPED:
                if name == "instrText" and self._fields and (link := _HYPERLINK.search(element.text or "")):
                    runs.links.append(link[1])
            elif name == "r":
                self._walk(element, self._run_look(element, look), runs)
            elif name == "t":
                self._text(element.text or "", look, runs)
            elif name in _BREAKS:
                self._text(_BREAKS[name], look, runs)
            elif name in _EQUATIONS:
                self._equation(element, look, runs)
            elif name == "sym":
                self._symbol(element, look, runs)
            elif name == "fldChar":
                self._field(attribute(element, "fldCharType"))
                runs.add(_form_value(child(element, "ffData")), look)
            elif name in _NOTES:
                id_ = _NOTES[name] + attribute(element, "id")
                runs.notes.append(id_)
                runs.add(f"[^{id_}]", look)
            elif name.startswith("comment"):
                self._comment(name, attribute(element, "id"), runs)
            elif name == "txbxContent":
                runs.boxes.append(element)
            elif name in _DESCRIBED:
                self._picture(element, runs)
                self._walk(element, look, runs)
            elif part := drawn_part(element):
                runs.drawn.append(part)
            elif name == "AlternateContent":
                self._alternate(element, look, runs)
            else:
                if name == "hyperlink":
                    self._link(element, runs)
                self._walk(element, look, runs)

    def _run_look(self, run: etree._Element, base: Look) -> Look:
        properties = child(run, "rPr")
        if properties is None:
            return base
        style = attribute(child(properties, "rStyle"), "val")
        if style:
            base = self._styles.character(style).over(base)
        return look_of(properties).over(base)

    def _text(self, text: str, look: Look, runs: Runs) -> None:
        if not self._instructions:
            shown, unknown = readable_symbols(text, look.font or "")
            self.unknown_symbols += unknown
            runs.add(shown, look)

    def _equation(self, element: etree._Element, look: Look, runs: Runs) -> None:
        write = _EQUATIONS[local(element)]
        if not self._instructions and (text := write(omml.equation(element))):
            runs.add(text, look)

    def _symbol(self, element: etree._Element, look: Look, runs: Runs) -> None:
        """A `w:sym`: a code in a font of its own, whose high byte says nothing."""
        code = attribute(element, "char")
        if re.fullmatch("[0-9A-Fa-f]{1,4}", code):
            point, font = int(code, 16), attribute(element, "font")
            plain = 0x100 <= point < 0xD800 or (point < 0x100 and not symbol_font(font))
            shown = (chr(point) if point >= 0x20 else "") if plain else symbol(point, font)
            self.unknown_symbols += not shown
            if not self._instructions:
                runs.add(shown, look)

    def _picture(self, element: etree._Element, runs: Runs) -> None:
        if not self._instructions and (text := description(element)):
            runs.described += 1
            apart = runs.pieces and not runs.pieces[-1].endswith((" ", "\n"))
            runs.add(f"{' ' if apart else ''}[Picture: {text}]", Look())

    def _comment(self, mark: str, id_: str, runs: Runs) -> None:
        if mark == "commentRangeStart":
            runs.opened[id_] = len(runs.pieces)
        elif mark == "commentRangeEnd":
            begin = runs.opened.get(id_, 0)
            words = one_line("".join(runs.pieces[begin : begin + _ANCHOR_PIECES])[: 2 * _ANCHOR_CHARS])
            self.anchors[id_] = shortened(words, _ANCHOR_CHARS)
        elif mark == "commentReference":
            runs.notes.append(f"c{id_}")

    def _field(self, kind: str) -> None:
        if kind == "begin":
            self._fields.append("instruction")
            self._instructions += 1
        elif kind in ("separate", "end") and self._fields:
            self._instructions -= self._fields.pop() == "instruction"
            if kind == "separate":
                self._fields.append("result")

    def _alternate(self, element: etree._Element, look: Look, runs: Runs) -> None:
        for option in element:
            before = runs.count()
            self._walk(option, look, runs)
            if before != runs.count():
                return

    def _link(self, element: etree._Element, runs: Runs) -> None:
        for key, id_ in element.attrib.items():
            if str(key).endswith("}id"):
                kind, target = self._relations.get(str(id_), ("", ""))
                if kind == "hyperlink" and re.match(r"(https?|mailto):", target):
                    runs.links.append(target)


def _form_value(form: etree._Element | None) -> str:
    """What a field of a form shows that no run holds: the mark of a check box, the choice from a list."""
    box, choices = child(form, "checkBox"), child(form, "ddList")
    if box is not None:
        state = child(box, "checked")
        state = child(box, "default") if state is None else state
        on = state is not None and attribute(state, "val", "1") not in ("0", "false", "off")
        return "[x] " if on else "[ ] "
    entries = (
        [] if choices is None else [attribute(one, "val") for one in choices.iterchildren("{*}listEntry")]
    )
    chosen = number(child(choices, "result")) or number(child(choices, "default")) or 0
    return entries[chosen] if 0 <= chosen < len(entries) else ""
