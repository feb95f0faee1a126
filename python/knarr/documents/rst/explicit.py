"""Explicit markup, the blocks that begin with two dots: directives, footnotes, targets, substitutions, comments.

Targets and substitutions were read before (`inline.References`). What no reader of the printed page sees is left out, and
counted in `left_out`, so that the receipt names it.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from knarr.documents.rst import directives
from knarr.documents.rst.directives import Directive, directive
from knarr.documents.rst.inline import Inline
from knarr.documents.rst.lines import indented
from knarr.documents.rst.output import Output
from knarr.documents.rst.tables import Drawn
from knarr.documents.tables import Cell

_NOTE = re.compile(r"\.\. \[(?P<label>\d{1,4}|#[\w.-]{0,60}|\*|[A-Za-z][\w.:+-]{0,60})\](?: +|$)")
_TARGET = re.compile(r"\.\. _(?:`[^`]{1,200}`|(?:[^:\\]|\\.|:(?=\S)){1,200}):|\.\. __:|__(?: |$)")
_META = re.compile(r":(?P<name>[^:]{1,100}):\s*(?P<value>.*)$")


class BlockReader(Protocol):
    """What explicit markup asks of the reader of blocks, in which it stands and whose blocks it holds."""

    out: Output
    inline: Inline

    def blocks(self, lines: Sequence[str], depth: int = 0, *, titles: bool = False) -> None: ...

    def body(self, lines: Sequence[str], at: int, column: int) -> tuple[list[str], int]: ...

    def table(self, drawn: Drawn | None, lines: Sequence[str], title: str = "") -> None: ...


class Explicit:
    """Reads explicit markup for `reader`; `metadata` is what `meta` directives say."""

    def __init__(self, reader: BlockReader) -> None:
        self._reader = reader
        self.left_out: Counter[str] = Counter()
        self.metadata: dict[str, str] = {}

    def read(self, lines: Sequence[str], at: int, depth: int, titles: bool) -> int:
        """Read the block that begins at a line; the line after it."""
        line = lines[at]
        if head := directives.HEAD.match(line):
            body, after = indented(lines, at + 1)
            # What defines a substitution was read before.
            if not line.startswith(".. |"):
                self._directive(directive(head, body), depth, titles)
            return after
        if note := _NOTE.match(line):
            body, after = self._reader.body(lines, at, note.end())
            label = note["label"]
            mark = f"[{label}] " if label[0].isalpha() else f"[^{label.lstrip('#') or '#'}]: "
            with self._reader.out.item(mark, tight=at > 0 and bool(lines[at - 1])):
                self._reader.blocks(body, depth + 1)
            return after
        if _TARGET.match(line):
            return indented(lines, at + 1)[1]
        # An empty comment ends a block and takes nothing along.
        if line == ".." and (at + 1 == len(lines) or not lines[at + 1]):
            return at + 1
        self.left_out["comments"] += 1
        return indented(lines, at + 1)[1]

    def _directive(self, found: Directive, depth: int, titles: bool) -> None:
        out, kind = self._reader.out, found.kind
        if kind in directives.SILENT and not (found.content and kind in ("role", "module")):
            return
        if kind == "meta":
            self._meta(found)
        elif kind == "raw":
            self.left_out["raw blocks for other formats"] += 1
        elif kind in directives.INCLUDED:
            self.left_out["other files that this one includes"] += 1
            out.block(f"({kind}: {found.argument})")
        elif kind in directives.IMAGES:
            self._image(found, depth)
        elif kind in directives.CODE:
            self._code(found)
        elif kind in ("list-table", "flat-table", "csv-table"):
            self._table(found)
        elif kind == "toctree":
            out.gap()
            out.lines([f"- {self._reader.inline.text(line)}" for line in found.content if line])
        else:
            self._blocks(found, depth, titles)

    def _blocks(self, found: Directive, depth: int, titles: bool) -> None:
        """A directive that holds blocks, behind a label, a signature or a title."""
        reader, kind = self._reader, found.kind
        if found.draws_from_code:
            self.left_out["places that Sphinx fills from source code"] += 1
        if kind in directives.TRANSPARENT:
            reader.blocks(found.content, depth, titles=titles)
            return
        if kind in directives.ADMONITIONS:
            self._admonition(found, depth)
            return
        argument = (
            ""
            if kind in directives.WRAPPERS and not (found.describes and _is_signature(found))
            else found.argument
        )
        if argument and (found.describes or found.draws_from_code):
            for line in argument.split("\n"):
                reader.out.block(f"`{line.rstrip(chr(92))}`")
        elif argument:
            title = reader.inline.text(argument)
            reader.out.block(f"**{title}**" if found.content or kind == "rubric" else title)
        reader.blocks(found.content, depth + 1, titles=titles)

    def _admonition(self, found: Directive, depth: int) -> None:
        label = directives.ADMONITIONS[found.kind]
        text = found.argument
        if found.is_versioned:
            version, _, text = text.partition(" ")
            label = f"{label} {version}"
        content = [text, *found.content] if text else found.content
        with self._reader.out.item(f"**{label}:** ", tight=False):
            self._reader.blocks(content, depth + 1)

    def _code(self, found: Directive) -> None:
        out, inline = self._reader.out, self._reader.inline
        if caption := found.options.get("caption"):
            out.block(inline.text(caption))
        content = found.content
        own = "" if found.kind in ("code", "code-block", "sourcecode") else found.argument
        if own and found.kind in ("math", "productionlist", "doctest"):
            content = [*own.split("\n"), *content]
        if found.kind == "math":
            out.gap()
            out.lines(["$$", *filter(None, content), "$$"])
        else:
            out.fence(content, found.argument.split("\n")[0] if not own else "")

    def _image(self, found: Directive, depth: int) -> None:
        shown = self._reader.inline.words(found.options.get("alt", ""))
        self._reader.out.block(f"![{shown}]({found.argument.replace(chr(10), '')})")
        self._reader.blocks(found.content, depth + 1)

    def _meta(self, found: Directive) -> None:
        fields = [*(f":{name}: {value}" for name, value in found.options.items()), *found.content]
        for line in fields:
            if match := _META.match(line):
                self.metadata.setdefault(match["name"].split()[0].lower(), match["value"].strip())

    def _table(self, found: Directive) -> None:
        rows = _csv_rows(found) if found.kind == "csv-table" else _list_rows(found.content)
        if not rows and {"file", "url"} & found.options.keys():
            self.left_out["other files that this one includes"] += 1
        heads = found.options.get("header-rows", "")
        count = int(heads) if heads.isdecimal() and len(heads) < 3 else 0
        title = self._reader.inline.text(found.argument)
        self._reader.table(Drawn(rows, count + ("header" in found.options)), found.content, title)


def _is_signature(found: Directive) -> bool:
    """Whether `class` describes a class of a program, not the look of what follows."""
    return ":" in found.kind or "(" in found.argument or bool(found.content)


def _list_rows(lines: Sequence[str]) -> list[list[Cell]]:
    """The rows of a list of lists."""
    rows: list[list[Cell]] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        if line[:2] in ("* ", "- ") and line[2:].lstrip()[:1] in ("*", "-"):
            body, after = indented(lines, at + 1)
            rows.append(_list_cells([line[2:].lstrip(), *body]))
            at = after
        else:
            at += 1
    return rows


def _list_cells(lines: Sequence[str]) -> list[Cell]:
    cells: list[list[str]] = []
    for line in lines:
        if line[:2] in ("* ", "- ") or line in ("*", "-"):
            cells.append([line[2:]])
        elif cells:
            cells[-1].append(line)
    return [Cell("\n".join(cell).strip()) for cell in cells]


def _csv_rows(found: Directive) -> list[list[Cell]]:
    mark = found.options.get("delim", ",")
    mark = {"tab": "\t", "space": " "}.get(mark, mark[:1] or ",")
    lines = [*([found.options["header"]] if "header" in found.options else []), *found.content]
    try:
        read = csv.reader(lines, delimiter=mark, skipinitialspace=True)
        return [[Cell(cell) for cell in row] for row in read if row]
    except (csv.Error, TypeError):
        return []
