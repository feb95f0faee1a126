"""Gold for a folder of public files, from what the files themselves say of their structure.

    python -m bench.documents.make_gold FOLDER --out GOLD [--suffixes .pdf .docx .rst] [--most 60]

Copies the files it finds gold for into GOLD and writes `gold.jsonl` there.

- PDF: headings are the entries of an embedded outline of at least five, nine tenths of which are lines of the text;
  the copy has no outline and no structure tags, so that readers must find them by looks. Prose are runs of 16 words that pdftotext and
  PyMuPDF read alike, so this gold is silver: it holds only what two peers agree on, and favours them.
  Values are those of filled-in form fields and of free text, as pypdf reads them; such files are copied as they are.
- DOCX: prose are the paragraphs, headings those of a style that is, or is based on, a heading.
- RST: headings as pandoc reads them.

Needs pypdf, pymupdf, pdftotext and pandoc. Nothing that it makes belongs in a repository.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.documents import gold
from bench.documents.gold import Gold
from bench.documents.readers import at_most
from bench.documents.scores import plain, title_key
from lxml import etree

_FEWEST_ENTRIES, _LEAST_FOUND = 5, 0.9
_RUN_WORDS, _MOST_RUNS = 16, 400
_MOST_PAGES = 150
LONGEST_S = 40
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_HEADING_STYLE = re.compile(r"(heading|berschrift|titre|titolo|rubrik|标题|見出し)\s*\d", re.IGNORECASE)


def pdf(path: Path, copy: Path) -> Gold | None:
    """Gold of a PDF; writes the copy that it belongs to. None where it has none."""
    import pypdf

    reader = pypdf.PdfReader(path)
    if reader.is_encrypted or not 0 < len(reader.pages) <= _MOST_PAGES:
        return None
    values = tuple(_values(reader))
    if values:
        shutil.copy(path, copy)
        return Gold(copy.name, values=values)
    texts = [_pdftotext(path), _pymupdf(path)]
    headings = _outline(reader, texts[1])
    prose = _agreed(*texts)
    if not headings and len(prose) < 3:
        return None
    writer = pypdf.PdfWriter()
    for page in reader.pages:
        writer.add_page(page)
    writer.root_object.pop("/StructTreeRoot", None)
    writer.write(copy)
    return Gold(copy.name, prose, headings)


def _values(reader: Any) -> Iterator[str]:
    for name, field in (reader.get_fields() or {}).items():
        value = field.get("/V")
        if field.get("/FT") == "/Tx" and isinstance(value, str) and value.strip() and value.strip() != name:
            yield value.strip()
    for page in reader.pages:
        for annotation in page.get("/Annots") or ():
            held = annotation.get_object()
            if held.get("/Subtype") == "/FreeText" and (text := str(held.get("/Contents") or "").strip()):
                yield text


def _outline(reader: Any, text: str) -> tuple[str, ...]:
    def flat(entries: Any) -> Iterator[str]:
        for entry in entries:
            if isinstance(entry, list):
                yield from flat(entry)
            elif title := " ".join(str(entry.title or "").split()):
                yield title

    titles = list(flat(reader.outline))
    lines = {title_key(line) for line in text.split("\n")}
    both = {title_key(left + " " + right) for left, right in itertools.pairwise(text.split("\n"))}
    found = [title for title in titles if title_key(title) in lines or title_key(title) in both]
    enough = len(titles) >= _FEWEST_ENTRIES and len(found) >= _LEAST_FOUND * len(titles)
    return tuple(titles) if enough else ()


def _agreed(one: str, other: str) -> tuple[str, ...]:
    words, text = plain(one).split(), plain(other)
    runs = (" ".join(words[at : at + _RUN_WORDS]) for at in range(0, len(words) - _RUN_WORDS, _RUN_WORDS))
    agreed = [run for run in runs if f" {run} " in text and sum(map(str.isalpha, run)) > 2 * _RUN_WORDS]
    return tuple(agreed[:: 1 + len(agreed) // _MOST_RUNS])


def _pdftotext(path: Path) -> str:
    done = subprocess.run(["pdftotext", "-q", str(path), "-"], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace")


def _pymupdf(path: Path) -> str:
    import pymupdf

    with pymupdf.open(path) as document:
        return "\n".join(page.get_text() for page in document)


def docx(path: Path, copy: Path) -> Gold | None:
    """Gold of a Word file, read from its XML without any of our code."""
    with zipfile.ZipFile(path) as package:
        names = package.namelist()
        body = etree.fromstring(package.read("word/document.xml"))
        styles = etree.fromstring(package.read("word/styles.xml")) if "word/styles.xml" in names else None
    headed = _heading_styles(styles) if styles is not None else frozenset()
    prose, headings = [], []
    for paragraph in body.iter(f"{_WORD}p"):
        text = "".join(node.text or "" for node in paragraph.iter(f"{_WORD}t")).strip()
        style = paragraph.find(f"{_WORD}pPr/{_WORD}pStyle")
        if text and style is not None and style.get(f"{_WORD}val") in headed:
            headings.append(text)
        elif len(text.split()) > 3:
            prose.append(text)
    shutil.copy(path, copy)
    return Gold(copy.name, tuple(prose), tuple(headings)) if prose or headings else None


def _heading_styles(styles: Any) -> frozenset[str]:
    based: dict[str, str] = {}
    heads: set[str] = set()
    for style in styles.iter(f"{_WORD}style"):
        key = style.get(f"{_WORD}styleId") or ""
        name, base = style.find(f"{_WORD}name"), style.find(f"{_WORD}basedOn")
        based[key] = base.get(f"{_WORD}val") if base is not None else ""
        if name is not None and _HEADING_STYLE.match(name.get(f"{_WORD}val") or ""):
            heads.add(key)
    for _ in range(9):
        heads |= {key for key, base in based.items() if base in heads}
    return frozenset(heads)


def rst(path: Path, copy: Path) -> Gold | None:
    """The headings of a reStructuredText file as pandoc reads them."""
    done = subprocess.run(["pandoc", "-f", "rst", "-t", "json", str(path)], capture_output=True, check=False)
    if done.returncode:
        return None
    tree = json.loads(done.stdout)
    titles = [_inline(block["c"][2]) for block in tree["blocks"] if block["t"] == "Header"]
    if title := tree["meta"].get("title"):
        titles.insert(0, _inline(title["c"]))
    shutil.copy(path, copy)
    return Gold(copy.name, headings=tuple(titles)) if titles else None


def _inline(nodes: Any) -> str:
    parts = []
    for node in nodes:
        kind, content = node["t"], node.get("c")
        if kind == "Str":
            parts.append(content)
        elif kind in ("Space", "SoftBreak"):
            parts.append(" ")
        elif kind in ("Code", "Math"):
            parts.append(content[1])
        elif content:
            parts.append(
                _inline(
                    content[-1] if kind in ("Quoted", "Span") else content[1] if kind == "Link" else content
                )
            )
    return "".join(parts)


MAKERS: dict[str, Callable[[Path, Path], Gold | None]] = {".pdf": pdf, ".docx": docx, ".rst": rst}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--suffixes", nargs="*", default=sorted(MAKERS))
    parser.add_argument("--most", type=int, default=60, help="files of each suffix, spread over the folder")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    found = (
        row
        for suffix in options.suffixes
        for row in _some(
            sorted(options.folder.rglob(f"*{suffix}")), MAKERS[suffix], options.out, options.most
        )
    )
    print(gold.save(options.out, found), "files with gold", file=sys.stderr)


def _some(
    paths: list[Path], make: Callable[[Path, Path], Gold | None], out: Path, most: int
) -> Iterator[Gold]:
    made = 0
    for number, path in enumerate(paths):
        if made == most:
            return
        try:
            with at_most(LONGEST_S):
                found = make(path, out / f"{number:04d}-{path.name}")
        except Exception as error:  # what a peer cannot read gives no gold
            print(f"{path.name}: {type(error).__name__}", file=sys.stderr)
            continue
        if found is not None:
            made += 1
            yield found


if __name__ == "__main__":
    main()
