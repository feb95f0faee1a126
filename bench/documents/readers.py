"""What reads a file here: knarr, and the peers that are installed. Each gives text, headings and its cost.

A peer is left out, and named, where its package or program is missing, or where it does not claim a format. Costs
are processor seconds of this process and of its children, so that a busy machine changes no figure. Peers whose
output is Markdown have their headings read from it.

pymupdf4llm (AGPL) is a yardstick only: nothing of knarr uses it.
"""

from __future__ import annotations

import importlib.util
import os
import re
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_ATX = re.compile(r"[ ]{0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_MARKUP = re.compile(r"\*+|`+|(?<!\w)_+|_+(?!\w)|<[^>]{1,80}>|\[([^\]]*)\]\([^)]*\)|\\(?=[^\w\s])")
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader made of a file. `status` is "ok", "partial", or why there is no text."""

    text: str
    headings: tuple[str, ...] = ()
    pages: int = 0
    status: str = "ok"
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reader:
    """A program that reads files: which suffixes it claims, how it reads one, and what it needs installed."""

    name: str
    suffixes: frozenset[str]
    read: Callable[[Path], Reading]
    needs: str
    program: bool = False

    @property
    def installed(self) -> bool:
        """Whether the package, or the program, that it needs is here."""
        found = shutil.which(self.needs) if self.program else importlib.util.find_spec(self.needs)
        return found is not None


def cpu_seconds() -> float:
    """Processor time of this process, its ended children, and those that are still at work."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    living = 0
    for child in Path(f"/proc/{os.getpid()}/task").glob("*/children"):
        for pid in child.read_text().split():
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            living += int(fields[11]) + int(fields[12])
    return time.process_time() + ended.ru_utime + ended.ru_stime + living / _TICKS


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Raise TimeoutError in what takes longer; only on the main thread."""

    def give_up(*_: object) -> None:
        raise TimeoutError(f"more than {seconds} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def markdown_headings(text: str) -> tuple[str, ...]:
    """The titles of ATX headings outside of fenced code, without inline markup."""
    found, fence = [], ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            fence = (
                ""
                if mark and line.strip().strip(fence[0]) == "" and len(line.strip()) >= len(fence)
                else fence
            )
        elif mark:
            fence = mark[1]
        elif heading := _ATX.match(line):
            found.append(_MARKUP.sub(lambda markup: markup[1] or "", heading[1]).strip())
    return tuple(title for title in found if title)


def _knarr(path: Path) -> Reading:
    from knarr.documents.registry import parse
    from knarr.errors import DocumentError

    try:
        document = parse(path.read_bytes(), path.name)
    except DocumentError as error:
        return Reading("", status=error.status, notes=(str(error),))
    titles = tuple(section.title for section in document.root.walk() if section.level)
    return Reading(document.text, titles, len(document.page_begins), document.status, document.notes)


def _pdftotext(path: Path) -> Reading:
    done = subprocess.run(["pdftotext", "-q", str(path), "-"], capture_output=True, check=False)
    text = done.stdout.decode("utf-8", "replace")
    return Reading(text, pages=text.count("\f"))


def _pandoc(path: Path) -> Reading:
    done = subprocess.run(["pandoc", "-t", "gfm", "--wrap=none", str(path)], capture_output=True, check=False)
    return _from_markdown(done.stdout.decode("utf-8", "replace"))


def _kreuzberg(path: Path) -> Reading:
    import kreuzberg

    config = kreuzberg.ExtractionConfig(output_format="markdown", use_cache=False)
    return _from_markdown(str(kreuzberg.extract_file_sync(str(path), config=config).content))


def _markitdown(path: Path) -> Reading:
    import markitdown

    return _from_markdown(str(markitdown.MarkItDown(enable_plugins=False).convert(str(path)).text_content))


def _pymupdf(path: Path) -> Reading:
    import pymupdf

    with pymupdf.open(path) as document:
        return Reading("\n".join(page.get_text() for page in document), pages=len(document))


def _pymupdf4llm(path: Path) -> Reading:
    import pymupdf4llm

    return _from_markdown(str(pymupdf4llm.to_markdown(str(path), show_progress=False)))


def _trafilatura(path: Path) -> Reading:
    import trafilatura

    page = path.read_bytes()
    return _from_markdown(trafilatura.extract(page, output_format="markdown", include_comments=False) or "")


def _from_markdown(text: str) -> Reading:
    return Reading(text, markdown_headings(text))


_PDF, _WORD = frozenset({".pdf"}), frozenset({".docx"})
_PAGE = frozenset({".html", ".htm", ".xhtml"})
_MARKED = frozenset({".rst", ".md", ".org", ".adoc", ".tex", ".ipynb"})
_OFFICE = frozenset({".pptx", ".xlsx", ".xls", ".epub", ".odt", ".rtf", ".eml", ".msg", ".csv"})

READERS = (
    Reader("knarr", _PDF | _WORD | _PAGE | _MARKED | _OFFICE | {".txt"}, _knarr, "knarr"),
    Reader("pdftotext", _PDF, _pdftotext, "pdftotext", program=True),
    Reader(
        "pandoc",
        _WORD | _PAGE | (_MARKED - {".adoc"}) | {".epub", ".odt", ".rtf"},
        _pandoc,
        "pandoc",
        program=True,
    ),
    Reader("kreuzberg", _PDF | _WORD | _PAGE | _MARKED | _OFFICE, _kreuzberg, "kreuzberg"),
    Reader("markitdown", _PDF | _WORD | _PAGE | _OFFICE | {".ipynb"}, _markitdown, "markitdown"),
    Reader("pymupdf", _PDF, _pymupdf, "pymupdf"),
    Reader("pymupdf4llm", _PDF, _pymupdf4llm, "pymupdf4llm"),
    Reader("trafilatura", _PAGE, _trafilatura, "trafilatura"),
)
