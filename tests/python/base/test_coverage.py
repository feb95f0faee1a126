"""What goes in is listed, found, readable and counted: ingest through all rooms (ING-02 to ING-12)."""

from __future__ import annotations

from pathlib import Path

import pytest

import knarr
import make_docx
import make_pdf
from knarr.testing import HashEmbedder
from support import WriteDocs


def sections(kb: knarr.KnowledgeBase, uri: str) -> list[str]:
    return [entry.name for entry in kb.list(uri) if entry.is_directory]


FENCES = {
    "a": "# Real\n\n~~~\n# fake\n\ttab \u00a0end  \n~~~\n\n# Next\n",
    "b": "# Real\n\n````\n```\n# fake\n````\n\n# Next\n",
    "c": "# Real\n\n   ```\n   # fake\n   `````\n\n# Next\n",
    "d": "# Real\n\n```\n# fake\n",
    "e": "# Real\n\ntext\n\n    # fake\n\n# Next\n",
}


def test_headings_are_never_found_inside_code(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    kb.add(write_docs({f"{name}.md": text for name, text in FENCES.items()}), into="viking://f")
    for name, text in FENCES.items():
        expected = ["Real"] if name == "d" else ["Real", "Next"]
        assert sections(kb, f"viking://f/{name}") == expected
        (match,) = kb.grep("# fake", f"viking://f/{name}", literal=True)
        assert match.section == ("Real",)
        assert kb.read(f"viking://f/{name}").text == text


def test_nothing_is_lost_around_unusual_headings(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    first = "---\ntitle: T\nkey: value\nother: 1\n---\n\nIntro words.\n\nGuide\n=====\n\ntext\n\nSub\n---\n\n## Notes ##\n\n## C#\n\nx"
    docs = write_docs(
        {"1.md": first, "2.md": "plain one\nplain two\n", "3.md": "---\n\n# Kept\n\n---\n\nend\n"}
    )
    kb.add(docs, into="viking://u")
    (intro,) = kb.grep("Intro words", "viking://u/1")
    assert intro.line == 7 and "Intro words." in kb.read(intro.uri).text
    assert sections(kb, "viking://u/1") == ["Guide"]
    assert sections(kb, "viking://u/1/Guide") == ["Sub", "Notes", "C#"]
    assert "plain one\nplain two" in kb.read("viking://u/2").text
    assert sections(kb, "viking://u/3") == ["Kept"]
    assert [m.line for m in kb.grep("^---$", "viking://u/3")] == [1, 5]


def test_byte_order_marks_and_utf16(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    text = "# First\r\n\r\nbody\r\n"
    docs = write_docs(
        {"8.md": b"\xef\xbb\xbf" + text.encode(), "16.md": b"\xff\xfe" + text.encode("utf-16-le")}
    )
    kb.add(docs, into="viking://b")
    matches = kb.grep("^body$", "viking://b")
    assert sorted(match.document for match in matches) == ["viking://b/16", "viking://b/8"]
    assert all(match.line == 3 and match.section == ("First",) for match in matches)
    for name in ("8", "16"):
        assert sections(kb, f"viking://b/{name}") == ["First"]
        assert "\ufeff" not in kb.read(f"viking://b/{name}").text


ROWS = [["Port", "Owner"], *([f"p-{n:03}", f"team-{n:03}"] for n in range(1, 301))]


def html_table() -> str:
    cells = "".join(f"<tr><td>{a}</td><td>{b}</td></tr>" for a, b in ROWS[1:])
    return f"<h1>Ports</h1><table><tr><th>Port</th><th>Owner</th></tr>{cells}</table>"


@pytest.mark.parametrize("form", ["md", "html", "docx"])
def test_a_split_table_keeps_its_column_names(
    tmp_path: Path, embedder: HashEmbedder, write_docs: WriteDocs, form: str
) -> None:
    markdown = "# Ports\n\n| Port | Owner |\n|---|---|\n" + "".join(f"| {a} | {b} |\n" for a, b in ROWS[1:])
    word = make_docx.docx(make_docx.p("Ports", style="Heading1") + make_docx.table(ROWS))
    content: str | bytes = {"md": markdown, "html": html_table(), "docx": word}[form]
    settings = knarr.Settings(chunk_tokens=120)
    with knarr.open(tmp_path / "t.kb", embedder=embedder, settings=settings) as base:
        base.add(write_docs({f"ports.{form}": content}), into="viking://t")
        (match,) = base.grep("p-250", "viking://t")
        hits = [hit for hit in base.search("Port p-250", "viking://t", k=50) if hit.uri == match.uri]
        assert hits and "columns: Port, Owner" in hits[0].preview
        whole = base.read("viking://t/ports").text
        assert whole.count("Owner") == 1
        for first, second in ROWS[1:]:
            (row,) = [line for line in whole.splitlines() if first in line]
            assert second in row


def test_pdf_pages_are_counted_named_and_cited(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    pages = [
        make_pdf.Page()
        .text(50, 760, "ACME Manual")
        .lines(50, 700, [f"Body word of page {n} with some more text."] * 5)
        for n in range(1, 6)
    ]
    pages[2] = make_pdf.Page().image()
    kb.add(
        write_docs({"m.pdf": make_pdf.pdf(pages), "scan.pdf": make_pdf.pdf([make_pdf.Page().image()])}),
        into="viking://p",
    )
    report = kb.add(write_docs({}), into="viking://p")
    files = {file.path: file for file in report.files}
    assert (
        files["m.pdf"].status == "partial"
        and files["m.pdf"].missing_pages == (3,)
        and files["m.pdf"].pages == 5
    )
    assert files["scan.pdf"].status == "no_text" and not report.ok
    matches = kb.grep("Body word of page 4", "viking://p/m")
    assert {match.page for match in matches} == {4}
    assert all(hit.source.pages is not None for hit in kb.search("body word", "viking://p/m", k=20))


def test_what_the_receipt_counts_is_what_search_can_return(tmp_path: Path, write_docs: WriteDocs) -> None:
    with knarr.open(tmp_path / "wide.kb", embedder=HashEmbedder(1024)) as kb:
        check_each_vector_is_its_own_chunks(kb, write_docs)


def check_each_vector_is_its_own_chunks(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    parts = [f"# Part {n}\n\nnumber{n} text\n\n" for n in range(100)]
    parts[7] = "# Part 7\n\n \t \n\n"
    parts[22] = "# Part 22\n\n" + "long22 words here. " * 3000 + "\n\n"
    report = kb.add(write_docs({"d.md": "".join(parts)}), into="viking://c")
    (file,) = report.files
    assert file.chunks == len(kb.search("text", "viking://c", k=1000))
    for n in (0, 6, 8, 21, 23, 99):
        assert kb.search(f"number{n} text", "viking://c", k=1)[0].source.section == (f"Part {n}",)
    # The over-long part is split, never cut.
    assert (
        sum(
            kb.read(hit.uri).text.count("long22")
            for hit in kb.search("long22", "viking://c/d/Part_22", k=1000)
        )
        == 3000
    )


def test_a_wide_folder_is_added_and_added_again_for_nothing(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, embedder: HashEmbedder
) -> None:
    docs = write_docs({f"c{n:03}/f.md": f"# T\n\nword {n}\n" for n in range(150)})
    report = kb.add(docs, into="viking://w")
    assert report.count("added") == 150
    abstract = kb.list("viking://w").abstract
    assert "c000" in abstract and len(abstract) < 2000
    embedder.calls = 0
    assert kb.add(docs, into="viking://w").count("unchanged") == 150 and embedder.calls == 0


def test_grep_tells_its_outcomes_apart(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    kb.add(write_docs({"d.md": "one\r\ntwo\r\n\r\nend", "wide.txt": "needle " * 5000}), into="viking://g")
    assert kb.grep("one$").outcome == "matches" and kb.grep("nothing here").outcome == "no_matches"
    assert [m.line for m in kb.grep("^$", "viking://g/d")] == [3]
    for bad, error in (("([", knarr.InvalidArgument), ("", knarr.InvalidArgument), (r"(?<=a)b", knarr.Unsupported),
                       (r"(a)\1", knarr.Unsupported), ("a{1,50000}", knarr.InvalidArgument)):  # fmt: skip
        with pytest.raises(error):
            kb.grep(bad)
    with pytest.raises(knarr.NotFound):
        kb.grep("one", "viking://none")
    wide = kb.grep("needle", "viking://g/wide", limit=20)
    assert wide.total == 5000 and len(wide) == 20 and wide.next_offset == 20
    assert max(len(match.excerpt) for match in wide) <= 250
    more = kb.grep("needle", "viking://g/wide", limit=20, offset=20)
    assert more.matches[0].begin_byte > wide.matches[-1].begin_byte
