"""Every other parser takes time in proportion to its file too (SEC-03): units that a format may repeat, and shapes that no
small file has, the same in each format and through a whole base."""

from __future__ import annotations

import base64
import contextlib
import json
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import knarr
from fuzzing.judge import verdict
from growth import is_linear
from knarr.documents import parse
from knarr.errors import DocumentError
from knarr.testing import HashEmbedder
from knarr.writing.receipt import AddReport
from make_docx import docx, p
from make_zip import epub, odf, relations, zipped

_SMALL = 2_000
_MARKS = (
    "[",
    "[[",
    "{",
    "{{",
    "(",
    "<",
    "|",
    "`",
    "*",
    "_",
    "==",
    "--",
    '"',
    ",",
    ";",
    "\\",
    "&",
    "-\n",
    "a\n",
    "  a\n ",
    "# a\n",
)
_UNITS = {
    "a.adoc": ("|===\n", "----\n", "<<a", "{a}", "a::", "= a\n", "* a\n", ":a: {a}\n", "--\n", "[[a]]\n"),
    "a.org": ("#+begin_src\n", ":a:\n", "[[a", "* a :b:\n", "| a ", "[fn:1] ", "#+a: b\n"),
    "a.tex": (
        "\\footnote{", "$", "\\[", "\\begin{a}", "\\begin{", "\\a[", "\\verb|", "\\item", "\\'", "%", "\\caption{\\a", "\\newcommand{\\a}{b}",
        "\\begin{tabular}{l}", "&", "\\\\",
    ),
    "a.rst": (".. a::\n", "::\n\n  ", "====\n", "+--+\n", ":a: b\n", "`a`_ ", "|a|", ".. |a| replace:: b\n", "== ==\n", "* a\n\n  "),
    "a.rtf": ("{\\rtf1", "\\'82", "\\u9?", "\\cell", "\\row", "\\par ", "}", "{\\footnote", "{\\field", "\\bin9", "{\\*\\a"),
    "a.csv": ('"a",', "a;b\n", '""', "a\tb,c\n"),
    "a.vtt": ("00:01.000 --> 00:02.000\n", "<v a>", "<v", "1\n", "NOTE\n"),
    "a.eml": ("Subject: =?utf-8?Q?", "--b\n", "> ", "Content-Type: multipart/mixed; boundary=b\n", "a: b\n"),
    "a.json": ('{"a":', '{"a":1}\n', "[1],", "null"),
    "a.ipynb": ('{"cells":[', '"'),
    "a.xml": ("<a>", "&a;", "<!--", "<!DOCTYPE", "<![CDATA[", "<a b='", "<a1", "&#55555;"),
}  # fmt: skip


@pytest.mark.parametrize("name", _UNITS)
def test_costs_are_linear(name: str) -> None:
    def work(text: str) -> None:
        with contextlib.suppress(DocumentError):
            parse(text.encode(), name)

    assert [unit for unit in (*_MARKS, *_UNITS[name]) if not is_linear(work, unit, _SMALL)] == []


def _slide(text: str) -> bytes:
    spaces = "xmlns:a='a' xmlns:p='p' xmlns:r='r'"
    return zipped(
        {
            "_rels/.rels": relations(a=("officeDocument", "ppt/presentation.xml")),
            "ppt/presentation.xml": f"<p:presentation {spaces}><p:sldIdLst><p:sldId r:id='r1'/></p:sldIdLst></p:presentation>",
            "ppt/_rels/presentation.xml.rels": relations(r1=("slide", "s.xml")),
            "ppt/s.xml": f"<p:sld {spaces}><p:cSld><p:spTree>{text}</p:spTree></p:cSld></p:sld>",
        }
    )


def _sheet(rows: str) -> bytes:
    return zipped(
        {
            "_rels/.rels": relations(a=("officeDocument", "xl/workbook.xml")),
            "xl/workbook.xml": "<workbook xmlns:r='r'><sheets><sheet name='a' r:id='r1'/></sheets></workbook>",
            "xl/_rels/workbook.xml.rels": relations(r1=("worksheet", "s.xml")),
            "xl/s.xml": f"<worksheet><sheetData>{rows}</sheetData></worksheet>",
        }
    )


_PACKED: dict[str, tuple[Callable[[str], bytes], tuple[str, ...]]] = {
    "a.docx": (docx, (p("a"), p("a", outline=0), f"<w:tbl><w:tr><w:tc>{p('a')}</w:tc></w:tr></w:tbl>", p("<w:ins><w:r/></w:ins>"))),
    "a.odt": (
        lambda text: odf("text", text),
        ("<text:p>a</text:p>", "<text:h text:outline-level='1'>a</text:h>", "<text:list><text:list-item/></text:list>",
         "<table:table><table:table-row><table:table-cell table:number-columns-repeated='99'/></table:table-row></table:table>"),
    ),
    "a.ods": (
        lambda text: odf("spreadsheet", f"<table:table>{text}</table:table>"),
        ("<table:table-row table:number-rows-repeated='99'><table:table-cell><text:p>a</text:p></table:table-cell></table:table-row>",),
    ),
    "a.epub": (lambda text: epub({"a.xhtml": text}), ("<h1>a</h1>", "<sup>a</sup>", "<aside id='a'/>", "<table><tr><td>a</td></tr></table>")),
    "a.pptx": (
        _slide,
        ("<p:sp><p:txBody><a:p><a:r><a:t>a</a:t></a:r></a:p></p:txBody></p:sp>", "<p:grpSp><p:grpSpPr/></p:grpSp>",
         "<p:graphicFrame><a:tbl><a:tr><a:tc/></a:tr></a:tbl></p:graphicFrame>"),
    ),
    "a.xlsx": (_sheet, ("<row><c t='inlineStr'><is><t>a</t></is></c></row>", "<row r='9'><c r='XFD9'><v>1</v></c></row>", "<row/>")),
}  # fmt: skip


@pytest.mark.parametrize("name", _PACKED)
def test_costs_of_packages_are_linear(name: str) -> None:
    make, units = _PACKED[name]

    def work(text: str) -> None:
        with contextlib.suppress(DocumentError):
            parse(make(text.removesuffix("\nThe end of it.")), name)

    assert [unit for unit in units if not is_linear(work, unit, 4 * _SMALL)] == []


def _notebook(text: str) -> str:
    return json.dumps({"cells": [{"cell_type": "markdown", "source": text}]})


def _letter(text: str) -> str:
    return f"Subject: s\nContent-Type: text/plain; charset=utf-8\n\n{text}"


_WRAPPED: dict[str, Callable[[str], str]] = {"a.ipynb": _notebook, "a.eml": _letter}
_SHAPES = {
    "one line": "word " * 200_000,
    "short lines": "ab\n" * 100_000,
    "columns": ",".join(["ab"] * 10_000) + "\n" + ",".join(["cd"] * 10_000) + "\n",
    "cells": "| a " * 10_000 + "|\n" + "|-" * 10_000 + "|\n" + "| b " * 10_000 + "|\n",
    "deep": "".join("  " * at + "- a\n" for at in range(300)),
    "braces": "{" * 50_000 + "}" * 50_000,
}
_NAMES = (
    "a.md",
    "a.html",
    "a.txt",
    "a.rst",
    "a.adoc",
    "a.org",
    "a.tex",
    "a.csv",
    "a.json",
    "a.ipynb",
    "a.eml",
    "a.xml",
    "a.rtf",
)


@pytest.mark.parametrize("name", _NAMES)
def test_shapes_that_no_small_file_has(name: str) -> None:
    wrong = {}
    for shape, text in _SHAPES.items():
        data = _WRAPPED.get(name, str)(text).encode()
        wrong[shape] = verdict(lambda data=data: parse(data, name), len(data))  # type: ignore[misc]
    assert {shape: fault for shape, fault in wrong.items() if fault} == {}


# -- through a base --------------------------------------------------------------------------------------

_SAME = {
    "a.md": "# Same\n\nText.\n\n",
    "a.html": "<h1>Same</h1><p>Text.</p>\n",
    "a.rst": "Same\n====\n\nText.\n\n",
    "a.txt": "1. SAME\n\nText.\n\n",
    "a.ipynb": "# Same\n\nText.\n\n",
    "a.eml": "# Same\n\nText.\n\n",
}
_PNG = base64.b64encode(random.Random(0).randbytes(100_000)).decode()


def _added(folder: Path, name: str, text: str) -> tuple[float, AddReport]:
    """The processor time of adding a file to a new base, and the receipt."""
    path = folder / name
    path.write_text(_WRAPPED.get(name, str)(text), encoding="utf-8")
    base = folder / f"{time.monotonic_ns()}.kb"
    with knarr.open(base, embedder=HashEmbedder(dim=16)) as kb:
        begin = time.process_time()
        report = kb.add(path, into="viking://a")
        return time.process_time() - begin, report


@pytest.mark.parametrize("name", _SAME)
def test_equal_headings_and_brackets_cost_a_base_what_they_are(name: str, tmp_path: Path) -> None:
    for unit, few in ((_SAME[name], 500), ("[", 12_500)):
        _added(tmp_path, name, unit)
        bound = 3 * 8 * max(0.02, _added(tmp_path, name, unit * few)[0])
        assert any(_added(tmp_path, name, unit * few * 8)[0] <= bound for _ in range(3)), unit


@pytest.mark.parametrize("name", _SAME)
def test_a_picture_in_a_file_is_named_and_not_embedded(name: str, tmp_path: Path) -> None:
    address = f"data:image/png;base64,{_PNG}"
    text = (
        f"<p>before <img src='{address}'> after" if name == "a.html" else f"before ![duck]({address}) after\n"
    )
    _, report = _added(tmp_path, name, text)
    assert report.total("chunks") <= 2 and report.total("tokens") < 100
    assert any("named and left out: 1" in note for one in report.files for note in one.notes)
