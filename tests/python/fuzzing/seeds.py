"""Small whole files of every format, in parts that can be changed one by one: members of a package, streams of a
compound file, or all of a file that is one part."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from fuzzing.old_office import presentation, word, workbook
from fuzzing.packages import PACKAGES
from fuzzing.texts import TEXTS
from make_pdf import Bookmark, Page, appearance, garbled_pdf, pdf, prose, stream, widget
from make_zip import compound, zipped

MOST_FILE_BYTES = 60_000
_MOST_STREAMS = 60_000  # what `compound` can hold


@dataclass(frozen=True, eq=False)
class Seed:
    """A file as its name, its parts and what packs them; `fixed` are parts that stay as they are."""

    name: str
    parts: Mapping[str, bytes]
    pack: Callable[[Mapping[str, bytes]], bytes]
    fixed: frozenset[str] = frozenset()


def plain(name: str, data: bytes | str) -> Seed:
    """A file of one part."""
    return Seed(name, {"": data if isinstance(data, bytes) else data.encode()}, lambda parts: parts[""])


def package(name: str, data: bytes) -> Seed:
    """A zip archive, packed with the sizes and sums of what its members became."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        parts = {one.filename: file.read(one) for one in file.infolist()}
    fixed = frozenset({"mimetype"} & parts.keys())
    return Seed(name, parts, zipped, fixed)


def streams(name: str, parts: Mapping[str, bytes]) -> Seed:
    """A compound file."""
    return Seed(name, parts, _compound)


def _compound(parts: Mapping[str, bytes]) -> bytes:
    room = _MOST_STREAMS // max(1, len(parts))
    return compound({name: data[:room] for name, data in parts.items()})


def of_file(path: Path) -> Seed | None:
    """A file from elsewhere; None where it is too large or cannot be taken apart."""
    data = path.read_bytes()
    if not 0 < len(data) <= MOST_FILE_BYTES:
        return None
    name = "a" + path.suffix.lower()
    if not data.startswith(b"PK\x03\x04"):
        return plain(name, data)
    try:
        seed = package(name, data)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, ValueError, EOFError):
        return None
    # Pictures and fonts would take most of the changes.
    dull = {
        key
        for key in seed.parts
        if not key.endswith((".xml", ".rels", ".html", ".xhtml", ".opf", ".ncx", ".htm"))
    }
    small = sum(map(len, seed.parts.values())) <= 20 * MOST_FILE_BYTES and len(dull) < len(seed.parts)
    return Seed(name, seed.parts, seed.pack, frozenset(dull)) if small else None


def _pdfs() -> tuple[Seed, ...]:
    rows = [f"{label}    {figure}" for label, figure in (("Isle", 22), ("Cape", 9), ("Moor", 7))]
    page = Page().text(72, 740, "1. Fares", 16, bold=True).lines(72, 700, prose(6)).lines(72, 600, rows)
    for at, row in enumerate(("Line", "Isle", "Cape", "Moor")):
        page.text(72, 500 - 14 * at, row).text(200, 500 - 14 * at, str(22 + at)).text(
            300, 500 - 14 * at, str(9 * at)
        )
    columns = (
        Page()
        .lines(60, 700, [line[:40] for line in prose(8)])
        .lines(330, 700, [line[:40] for line in prose(8, 5)])
    )
    marks = [Bookmark("Fares", 0, 745.0, [Bookmark("Deep", 1)]), Bookmark("Rules", 1)]
    field = widget("Tx", (200, 695, 400, 712), "/T (f) /TU (Port) /V (Visby)")
    note = "/Subtype /Text /Rect [72 400 92 420] /Contents (A remark) /T (Ann)"
    shown = "/Subtype /FreeText /Rect [72 360 272 380] /Contents (Typed) /AP << /N 3 0 R >>"
    content = stream("\n".join(page.operators).encode("cp1252"))
    return (
        plain("a.pdf", pdf([page, columns], marks)),
        plain("a.pdf", pdf([page], contents=content)),
        plain("a.pdf", pdf([page], annotations=[field, note, shown], extra=[appearance("Typed")])),
        plain("a.pdf", garbled_pdf([page], "The ship carried cargo. " * 20)),
        plain("a.pdf", pdf([Page().image(), page])),
    )


def _compounds() -> dict[str, tuple[Seed, ...]]:
    message = {
        "__properties_version1.0": bytes(64),
        "__substg1.0_0037001F": "Fares".encode("utf-16-le"),
        "__substg1.0_0C1A001F": "Ann".encode("utf-16-le"),
        "__substg1.0_1000001F": "The body\n> quoted".encode("utf-16-le"),
        "__substg1.0_10130102": b"<p>The <b>body</b></p><table><tr><td>1<td>2</table>",
        "__attach_version1.0_#00000000/__substg1.0_3707001F": "a.csv".encode("utf-16-le"),
        "__attach_version1.0_#00000000/__substg1.0_37010102": b"Line,Fare\nIsle,22\n",
    }
    packed = dict(message) | {
        "__substg1.0_10090102": b"\x2a\0\0\0\x1e\0\0\0MELA\0\0\0\0{\\rtf1 hello \\par there}"
    }
    del packed["__substg1.0_1000001F"], packed["__substg1.0_10130102"]
    return {
        "doc": (
            streams("a.doc", word()),
            plain("a.doc", TEXTS["rtf"][0][1]),
            plain("a.doc", TEXTS["html"][0][1]),
        ),
        "xls": (streams("a.xls", {"Workbook": workbook()}),),
        "ppt": (streams("a.ppt", {"PowerPoint Document": presentation()}),),
        "msg": (streams("a.msg", message), streams("a.msg", packed)),
        "encrypted": (streams("a.docx", {"EncryptedPackage": bytes(600), "EncryptionInfo": bytes(100)}),),
    }


@lru_cache(maxsize=1)
def seeds() -> dict[str, tuple[Seed, ...]]:
    """The seeds of each format, by its name in the registry."""
    found = {format: tuple(plain(*each) for each in files) for format, files in TEXTS.items()}
    found |= {format: tuple(package(*each) for each in files) for format, files in PACKAGES.items()}
    return found | _compounds() | {"pdf": _pdfs()}


def seeds_of(format: str) -> tuple[Seed, ...]:
    return seeds()[format]


_MARKUP = (
    "<sup>", "<figure>", "<td><pre>1", "<![CDATA[", "<svg xmlns='a'><![CDATA[", "<math>", "<mfrac><mi>a</mi>", "<br/>", "<p hidden>", "<ul><li>",
    "<table><tr><td rowspan=9 colspan=9>a", "<table>", "<tr><th>", "<h1>a</h1>", "<a href='#a'>", "&nbsp;", "&#55555;", "&#0;", "<!--", "-->", "</div>",
    "<div>", "<script>", "<title>", "<details><summary>", "<pre>", "<code>", "<dl><dt>a<dd>b", "<template>", "<select><option>", "<main>", "<article>",
)  # fmt: skip
_TOKENS: dict[str, tuple[str, ...]] = {
    "html": _MARKUP, "epub": _MARKUP, "eml": _MARKUP, "msg": _MARKUP, "fb2": _MARKUP,
    "markdown": (*_MARKUP, "[", "](", "![", "```", "~~~", "    ", "> ", "- ", "1. ", "# ", "===", "---", "|", "|-|", "$$", "[^1]:", "\\", "*", "__", "<https://", "{#a}", "+++\n", "---\na: "),
    "rst": (".. ", ".. a::\n", "``", "`a`_", "|a|", "::\n\n  ", "====  ====\n", "+---+\n", ":a: ", "* ", "#. ", "__", "====\n", "----\n", "  ", ".. [1] ", ":ref:`", ".. table::\n", "| "),
    "text": ("1. TITLE\n", "1.1 ", "(a) ", "(i) ", "ARTICLE I\n", "CHAPTER 2\n", "CONTENTS\n", "a .... 1\n", "\f", "===\n", "第1章\n", "제1조 ", "I.\n", "-\n", "“"),
    "csv": ('"', ",", ";", "\t", "\n", '""', '"a\nb"', "|", "1,5", "=A1"),
    "latex": ("\\begin{", "\\end{", "\\begin{tabular}{l|l}", "&", "\\\\", "\\multicolumn{9}{l}{", "\\footnote{", "\\section{", "$", "$$", "\\[", "\\newcommand{\\a}{\\a\\a}", "\\def\\b{", "\\verb|", "%", "{", "}", "\\item", "\\a", "\\'", "\\cite["),
    "asciidoc": ("|===\n", "----\n", "====\n", "[[", "<<a", "{a}", ":a: {a}\n", "= ", "== ", "--\n", "....\n", "* ", "a::\n", "image::", "footnote:[", "include::a[]\n", "|", ".2+|", "////\n", "[", "+\n"),
    "org": ("#+begin_src\n", "#+end_src\n", ":a:\n", ":END:\n", "[[", "][", "* ", "** TODO ", "| a ", "|-+-|\n", "#+TITLE: ", "[fn:1] ", "- ", "  ", "~", "="),
    "json": ("[", "{", '"', ":", ",", "null", "1e999", "\\ud800", "]", "}", '{"a":', "//"),
    "rtf": ("{", "}", "\\par", "\\cell", "\\row", "\\trowd", "\\intbl", "\\u9?", "\\'82", "\\bin9999 ", "{\\*\\", "\\ansicpg932", "\\f1", "\\footnote", "\\field", "\\v", "\\uc9", "\\u-10179?", "\\ls1\\ilvl9 ", "{\\pict ", "{\\object"),
    "subtitles": ("00:00:01.000 --> 00:00:02.000\n", "<v a>", "NOTE ", "STYLE\n", "\n\n", "1\n", "<00:00>", "99:99:99,999 --> "),
    "xml": (*_MARKUP, "&a;", "<!DOCTYPE a [", "<!ENTITY a 'b'>", "]>", "<?a", "<a:b>", "xmlns:a='b'", "<row>", "<entry morerows='9'>", "<sec><title>", "<item>", "<channel>"),
}  # fmt: skip
_LIKE = {
    "json lines": "json",
    "notebook": "json",
    "mbox": "eml",
    "doc": "rtf",
    "flat odf": "xml",
    "image": "csv",
}
_GENERAL = (
    " ",
    "\n",
    "a",
    "1",
    "- ",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    '"',
    "'",
    "=",
    "-",
    ".",
    ",",
    ";",
    ":",
    "|",
    "\\",
    "/",
    "*",
    "_",
    "#",
    "&",
    "--",
    "==",
    "[[",
    "{{",
)


@cache
def tokens_of(format: str) -> tuple[bytes, ...]:
    """What means something in the format, beside the words of its seeds."""
    own = _TOKENS.get(format) or _TOKENS.get(_LIKE.get(format, ""), _TOKENS["xml"])
    return tuple(token.encode() for token in (*own, *_GENERAL))
