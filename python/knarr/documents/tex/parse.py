"""LaTeX to the one document model, without running TeX.

Sectioning commands make sections. Paragraphs lose the commands that only dress them; equations stay in LaTeX, between
dollar signs; tables become tables where their cells can be told apart; code is a fence. Macros of one's own without
arguments are replaced by their text. What a file takes in from others (`\\input`) is named, not read.
"""

from __future__ import annotations

import re
from collections import Counter

from knarr.documents.decode import Limits, decode
from knarr.documents.marked.flow import LineFlow
from knarr.documents.notes import said
from knarr.documents.properties import properties
from knarr.documents.raised import raised
from knarr.documents.sections import Document, MetadataValue
from knarr.documents.tables import Cell
from knarr.documents.tex.scanner import Scanner
from knarr.documents.tex.words import ACCENTED, ACCENTS, SYMBOLS
from knarr.errors import DocumentError
from knarr.language.plain import one_line

_LEVELS = {
    "part": 1, "chapter": 2, "section": 3, "subsection": 4, "subsubsection": 5, "paragraph": 6, "subparagraph": 7,
    "frametitle": 5, "addchap": 2, "addsec": 3,
}  # fmt: skip
_EQUATIONS = frozenset((
    "equation", "align", "gather", "multline", "eqnarray", "displaymath", "math", "flalign", "alignat", "dmath", "IEEEeqnarray",
))  # fmt: skip
_VERBATIM = frozenset(("verbatim", "lstlisting", "minted", "Verbatim", "alltt", "code", "listing"))
_TABLES = frozenset(("tabular", "tabularx", "tabulary", "longtable", "array", "supertabular", "tblr"))
_DRAWINGS = frozenset(("tikzpicture", "picture", "pspicture", "pgfpicture"))
# Commands whose arguments are no text: how many of them.
_MUTE = {
    "label": 1, "vspace": 1, "hspace": 1, "usepackage": 1, "documentclass": 1, "bibliographystyle": 1, "pagestyle": 1,
    "thispagestyle": 1, "setcounter": 2, "addtocounter": 2, "setlength": 2, "addtolength": 2, "newcounter": 1,
    "hypersetup": 1, "definecolor": 3, "color": 1, "graphicspath": 1, "geometry": 1, "pagenumbering": 1, "cline": 1,
    "cmidrule": 1, "rule": 2, "fontsize": 2, "input@": 1, "newtheorem": 2, "theoremstyle": 1, "index": 1, "phantom": 1,
    "addcontentsline": 3, "markboth": 2, "markright": 1, "renewcommand": 2, "newenvironment": 3, "renewenvironment": 3,
    "DeclareMathOperator": 2, "captionsetup": 1, "lstset": 1, "usetikzlibrary": 1, "selectlanguage": 1, "vskip": 0,
    "fontfamily": 1, "fontseries": 1, "fontshape": 1, "usetheme": 1, "usecolortheme": 1, "hyphenation": 1, "bibitem@": 1,
    "setbeamertemplate": 1, "providecommand": 2, "newcommand": 2, "titleformat": 5, "titlespacing": 4, "linespread": 1,
    "stepcounter": 1, "refstepcounter": 1, "enlargethispage": 1, "pagecolor": 1, "arraybackslash": 0,
}  # fmt: skip
_CITES = re.compile(r"[a-zA-Z]*cite[a-zA-Z]*\*?")
_META = {"title": "title", "author": "author", "date": "date", "subtitle": "subtitle"}
_FILES = frozenset(("input", "include", "subfile", "import", "subimport", "lstinputlisting", "verbatiminput"))


def parse(data: bytes, name: str, limits: Limits) -> Document:
    """Read a LaTeX file. Raises DocumentError as `decode` does."""
    decoded = decode(data, name, limits=limits)
    reader = _Reader(Scanner(decoded.text))
    reader.read()
    writer = reader.flow.writer
    if not writer.size_bytes:
        raise DocumentError(f"{name}: the file shows no text", "no_text")
    notes = (*decoded.notes, *said(reader.notes))
    title = str(reader.metadata.get("title", ""))
    return writer.document(
        "latex",
        title,
        notes,
        metadata=properties((key, str(value)) for key, value in reader.metadata.items()),
    )


class _Reader:
    def __init__(self, scanner: Scanner) -> None:
        self.flow = LineFlow()
        self.notes: Counter[str] = Counter()
        self.metadata: dict[str, MetadataValue] = {}
        self._scanner = scanner
        self._words: list[str] = []
        self._lists: list[int | None] = []  # of each open list: how many items it had, None for bullets
        self._item = ""
        self._footnotes: list[str] = []
        self._least = 9

    def read(self) -> None:
        whole = r"\begin{document}" in self._scanner.text
        self._least = min(
            (level for name, level in _LEVELS.items() if f"\\{name}{{" in self._scanner.text), default=3
        )
        body = not whole
        for kind, value in self._scanner.tokens():
            if kind == "command":
                if body or value in _META or value in ("begin", "newcommand", "def", "renewcommand"):
                    if value == "begin" and not body:
                        body = self._scanner.argument().strip() == "document"
                    elif not self._command(value):
                        break
            elif body:
                self._text(kind, value)
        self._end_paragraph()
        self._flush_footnotes()

    def _text(self, kind: str, value: str) -> None:
        if kind == "blank":
            self._end_paragraph()
        elif kind == "math":
            self._words.append(value)
        elif kind == "display":
            self._end_paragraph()
            self._words.append(value)
            self._end_paragraph()
        else:
            self._words.append(value)

    # -- commands ----------------------------------------------------------------------------------------

    def _command(self, name: str) -> bool:
        """Take a command; whether the document goes on after it."""
        scanner, plain = self._scanner, name.rstrip("*")
        if plain in _LEVELS:
            self._heading(plain)
        elif plain in _META:
            self._meta(plain)
        elif name == "maketitle":
            self._title_block()
        elif name == "begin":
            self._begin(scanner.argument().strip())
        elif name == "end":
            ended = scanner.argument().strip()
            self._end(ended)
            return ended != "document"
        elif name in ("footnote", "thanks", "footnotetext"):
            self._footnote()
        elif name == "item":
            self._begin_item()
        elif name in ("par", "\\", "newline", "linebreak", "newpage", "clearpage", "hline"):
            scanner.option()
            if name in ("\\", "newline", "linebreak"):
                self._words.append("\n")
            else:
                self._end_paragraph()
        else:
            self._other(name, plain)
        return True

    def _other(self, name: str, plain: str) -> None:
        scanner = self._scanner
        if plain in _FILES:
            self.notes[f"files taken in, not read: {one_line(scanner.argument())[:80]}"] += 1
        elif plain == "includegraphics":
            scanner.option()
            scanner.argument()
            self.notes["pictures left out:"] += 1
        elif plain in ("newcommand", "renewcommand", "providecommand", "def"):
            scanner.define(plain)
        elif plain in ("caption", "captionof"):
            scanner.option()
            if plain == "captionof":
                scanner.argument()
            self._end_paragraph()
            self._words.append(self._plain(scanner.argument()))
            self._end_paragraph()
        elif _CITES.fullmatch(plain):
            scanner.option()
            note = scanner.option()
            self._words.append(f"[{one_line(scanner.argument())}{', ' + note if note else ''}]")
        elif plain in ("ref", "eqref", "pageref", "autoref", "cref", "Cref", "nameref"):
            self._words.append(f"[{one_line(scanner.argument())}]")
        elif plain == "href":
            scanner.argument()
            self._words.append(self._plain(scanner.argument()))
        elif plain == "textsuperscript":
            last = next((word[-1] for word in reversed(self._words) if word), "")
            self._words.append(raised(self._plain(scanner.argument()), last))
        elif plain in ("verb", "lstinline"):
            self._words.append(f"`{scanner.verb()}`")
        elif plain == "bibitem":
            label = scanner.option()
            key = scanner.argument().strip()
            self._end_paragraph()
            self._words.append(f"[{self._plain(label) if label else key}] ")
        elif plain == "appendix":
            self._end_paragraph()
        elif plain in ("textcolor", "colorbox", "parbox", "raisebox", "scalebox", "resizebox", "multirow"):
            for _ in range(2 if plain in ("resizebox", "multirow") else 1):
                scanner.option()
                scanner.argument()
            scanner.option()
        elif plain in _MUTE:
            scanner.option()
            for _ in range(_MUTE[plain]):
                scanner.argument()
                scanner.option()
        elif plain in ACCENTS:
            self._words.append(_accented(plain, scanner.letter()))
        elif plain in SYMBOLS:
            self._words.append(SYMBOLS[plain])
        else:
            expansion = scanner.macro(name)
            if expansion is None:
                scanner.skip_option()
            else:
                self._words.append(self._plain(expansion))

    def _heading(self, name: str) -> None:
        self._end_paragraph()
        self._flush_footnotes()
        self._scanner.option()
        title = self._plain(self._scanner.argument())
        self.flow.heading(max(1, _LEVELS[name] - self._least + 1), title)

    def _meta(self, name: str) -> None:
        self._scanner.option()
        text = one_line(self._plain(self._scanner.argument()))
        if text:
            self.metadata.setdefault(name, text)

    def _title_block(self) -> None:
        """What the title page shows: people search for authors too."""
        self._end_paragraph()
        for name in ("title", "subtitle", "author", "date"):
            text = str(self.metadata.get(name, ""))
            if text:
                self.flow.line(text)
                self.flow.flush()

    def _footnote(self) -> None:
        self._scanner.option()
        text = one_line(self._plain(self._scanner.argument()))
        if text:
            mark = f"[^{self._scanner.number()}]"
            self._words.append(mark)
            self._footnotes.append(f"{mark}: {text}")

    def _flush_footnotes(self) -> None:
        if self._footnotes:
            self.flow.flush()
            self.flow.end_list()
            self.flow.writer.gap()
            self.flow.writer.put("".join(f"{text}\n" for text in self._footnotes))
            self._footnotes.clear()

    # -- environments ------------------------------------------------------------------------------------

    def _begin(self, name: str) -> None:
        plain, scanner = name.rstrip("*"), self._scanner
        if plain in _EQUATIONS:
            self._end_paragraph()
            inside = scanner.environment(name)
            self._words.append(f"$${inside.strip()}$$")
            self._end_paragraph()
        elif plain in _VERBATIM:
            self._end_paragraph()
            scanner.option()
            language = scanner.argument() if plain == "minted" else ""
            lines = scanner.environment(name, raw=True).strip("\n").split("\n")
            self.flow.fence([line.rstrip() for line in lines], language if language.isalnum() else "")
        elif plain in _TABLES:
            self._table(name, plain)
        elif plain in _DRAWINGS:
            scanner.environment(name)
            self.notes["drawings left out:"] += 1
        elif plain in ("itemize", "enumerate", "description", "compactitem", "compactenum"):
            self._end_paragraph()
            scanner.option()
            self._lists.append(0 if "enum" in plain else None)
        elif plain == "abstract":
            self._end_paragraph()
            self.flow.heading(1, "Abstract")
        elif plain == "thebibliography":
            self._end_paragraph()
            scanner.argument()
            self._flush_footnotes()
            self.flow.heading(1, "References")
        elif plain == "comment":
            scanner.environment(name, raw=True)
            self.notes["comments left out:"] += 1
        elif plain == "frame":
            self._end_paragraph()
            scanner.option()
            title = self._plain(scanner.argument_if_any())
            if title:
                self.flow.heading(5 - self._least + 1 if self._least < 5 else 1, title)
        else:
            self._end_paragraph()
            option = scanner.option()
            if plain in ("minipage", "multicols", "wrapfigure", "adjustbox", "column", "block", "tabbing"):
                option = scanner.argument_if_any() if plain == "block" else ""
                if plain != "block":
                    scanner.argument_if_any()
            if plain in (
                "theorem",
                "lemma",
                "definition",
                "proposition",
                "corollary",
                "example",
                "remark",
                "proof",
            ):
                self._words.append(f"{plain.capitalize()}{f' ({self._plain(option)})' if option else ''}. ")

    def _end(self, name: str) -> None:
        self._end_paragraph()
        plain = name.rstrip("*")
        if plain in ("itemize", "enumerate", "description", "compactitem", "compactenum") and self._lists:
            self._lists.pop()
            if not self._lists:
                self.flow.end_list()

    def _begin_item(self) -> None:
        self._end_paragraph()
        label = self._scanner.option()
        count = self._lists[-1] if self._lists else None
        if count is not None:
            self._lists[-1] = count + 1
        mark = "-" if count is None else f"{count + 1}."
        indent = "  " * min(max(len(self._lists) - 1, 0), 8)
        self._item = f"{indent}{mark} " + (f"{one_line(self._plain(label))}: " if label else "")

    def _table(self, name: str, plain: str) -> None:
        scanner = self._scanner
        scanner.option()
        if plain in ("tabularx", "tabulary"):
            scanner.argument()
        scanner.argument()
        inside = scanner.environment(name)
        self._end_paragraph()
        inside = re.sub(
            r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot)\b", "", inside
        )
        rows = []
        for row in re.split(r"\\\\(?:\s{0,20}\[[^\]]{0,40}\])?|\\tabularnewline", inside):
            cells = [self._cell(cell) for cell in re.split(r"(?<!\\)&", row)]
            if any(cell.text for cell in cells):
                rows.append(cells)
        self.flow.table(rows)

    def _cell(self, text: str) -> Cell:
        found = re.match(
            r"\s{0,200}\\multicolumn\s{0,9}\{\s{0,9}(\d{1,3})\s{0,9}\}\s{0,9}\{[^{}]{0,80}\}", text
        )
        if found:
            return Cell(one_line(self._plain(text[found.end() :])), int(found[1]) or 1)
        return Cell(one_line(self._plain(text)))

    # -- text --------------------------------------------------------------------------------------------

    def _plain(self, text: str) -> str:
        """The words of an argument: no sections, no environments."""
        if "\\" not in text and not any(mark in text for mark in "{}~$%-`'"):
            return text
        inner = _Reader(self._scanner.inside(text))
        for kind, value in inner._scanner.tokens():
            if kind == "command":
                if value in ("begin", "end", "item") or value.rstrip("*") in _LEVELS:
                    inner._scanner.argument_if_any()
                    inner._words.append(" ")
                else:
                    inner._command(value)
            else:
                inner._words.append(" " if kind == "blank" else value)
        self.notes.update(inner.notes)
        self.metadata = {**inner.metadata, **self.metadata}
        self._footnotes += inner._footnotes
        return "".join(inner._words).strip()

    def _end_paragraph(self) -> None:
        lines = [one_line(line) for line in "".join(self._words).split("\n")]
        self._words.clear()
        text = "\n".join(filter(None, lines))
        if self._item:
            item, self._item = self._item, ""
            self.flow.item(item + text.replace("\n", "\n" + " " * 2))
        elif text:
            if self._lists and self.flow.goes_on(text):
                return
            self.flow.line(text)
            self.flow.flush()


def _accented(command: str, letter: str) -> str:
    return ACCENTED.get(command + letter) or letter + ACCENTS[command] if letter else ""
