"""Positions: what a tool shows stands in the canonical text where it says, and on the page where its boxes are."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import knarr
from knarr.agent import Cite, Decision, Quote, ToolCall, View
from knarr.errors import InvalidArgument, NotFound
from knarr.testing import HashEmbedder, ScriptedPolicy
from knarr.uris import ABSTRACT_NAME, name_of
from make_pdf import Page, pdf, prose
from support import WriteDocs

TEXT = "# Ünder the tide\n\nfirst wörd\n\n## Harbour\n\nThe bell rings at noon — daily.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n## Größe\n\nend\n"


def objects(base: knarr.KnowledgeBase, uri: str) -> Iterator[knarr.Entry]:
    """Every entry below a document, sections and objects."""
    for entry in base.list(uri, limit=1000):
        yield entry
        if entry.is_directory:
            yield from objects(base, entry.uri)


def hold_ranges(base: knarr.KnowledgeBase, uri: str) -> int:
    """Every object of a document is where it says; how many there are."""
    whole = base.read(uri)
    text = whole.text.encode("utf-8")
    assert (whole.begin_byte, whole.end_byte, whole.source.bytes) == (0, len(text), (0, len(text)))
    found = 0
    for entry in objects(base, uri):
        passage = base.read(entry.uri)
        assert entry.source is not None and entry.source.bytes is not None
        begin, end = entry.source.bytes
        if name_of(entry.uri) == ABSTRACT_NAME:
            assert passage.source.bytes == (begin, end) and passage.begin_byte == 0
            continue
        assert (passage.begin_byte, passage.end_byte) == (begin, end) == passage.source.bytes
        assert text[begin:end].decode("utf-8") == passage.text
        assert text[:begin].count(b"\n") + 1 == passage.source.lines[0] == entry.source.lines[0]
        found += 1
    return found


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        TEXT.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + TEXT.encode(),
        TEXT.replace("\n", "\r\n").encode("utf-16"),
        TEXT.replace("first", f"![x](data:image/png;base64,{'QUJD' * 400})").encode(),
    ],
    ids=["plain", "crlf", "mark", "utf-16", "payload"],
)
def test_ranges_are_of_the_canonical_text(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, data: bytes
) -> None:
    """And lines are those of the file, whose bytes may be others."""
    kb.add(write_docs({"a.md": data}), into="viking://kb")
    assert hold_ranges(kb, "viking://kb/a") >= 5
    (match,) = kb.grep("bell", "viking://kb")
    text = kb.read("viking://kb/a").text.encode("utf-8")
    assert text[match.begin_byte : match.end_byte] == b"bell" and match.line == 7
    for hit in kb.search("bell", k=20, kinds=None):
        if hit.kind == "chunk":
            assert hit.source.bytes == kb.read(hit.uri).source.bytes
    assert kb.boxes(match) == ()


PIECE = st.one_of(
    st.sampled_from(
        ["# A\n", "## B\n", "\n", "- item\n", "| a | b |\n|---|---|\n| 1 | 2 |\n", "x" * 400 + " ", "\r\n"]
    ),
    st.text(st.characters(blacklist_categories=["Cs"]), max_size=40),
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PIECE, min_size=1, max_size=30), st.integers(1, 40), st.sampled_from(["md", "txt", "html"]))
def test_ranges_of_any_text(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[str], tokens: int, suffix: str
) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / f"a.{suffix}").write_bytes("".join(pieces).encode("utf-8"))
    with knarr.open(
        folder / "k", embedder=HashEmbedder(dim=8), settings=knarr.Settings(chunk_tokens=16)
    ) as base:
        report = base.add(folder / f"a.{suffix}", into="viking://kb")
        if report.files[0].change != "added":
            return
        uri = report.files[0].uri
        hold_ranges(base, uri)
        for entry in objects(base, uri):  # page by page it is the same text
            whole, at, shown = base.read(entry.uri), 0, ""
            while True:
                page = base.read(entry.uri, at, tokens)
                assert page.begin_byte == (at or whole.begin_byte)
                shown += page.text
                if page.next_offset is None:
                    break
                at = page.next_offset
            assert shown == whole.text


def test_bytes_before_a_part_are_its_beginning_and_those_beyond_it_are_refused(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs
) -> None:
    kb.add(write_docs({"a.md": TEXT}), into="viking://kb")
    (section,) = (entry for entry in objects(kb, "viking://kb/a") if entry.name.rstrip("/") == "Harbour")
    whole = kb.read(section.uri)
    assert whole.begin_byte > 20
    for at in (0, 1, whole.begin_byte):
        assert kb.read(section.uri, at) == whole
    later = kb.read(section.uri, whole.begin_byte + 12)
    assert whole.text.encode()[12:].decode() == later.text and later.end_byte == whole.end_byte
    with pytest.raises(InvalidArgument):
        kb.read(section.uri, whole.end_byte + 1)
    with pytest.raises(InvalidArgument):
        kb.read(section.uri, -1)


def test_an_excerpt_is_where_it_says(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    long = " ".join(f"wörd{n}" for n in range(400))
    kb.add(write_docs({"a.md": f"# A\n\n{long}\n\nneedle wörd7\n"}), into="viking://kb")
    text = kb.read("viking://kb/a").text.encode("utf-8")
    found = kb.grep(r"wörd\d*7\b|needle", "viking://kb", limit=100).matches
    assert len(found) > 30
    for match in found:
        excerpt = match.excerpt.encode("utf-8")
        assert text[match.excerpt_byte : match.excerpt_byte + len(excerpt)] == excerpt
        assert match.excerpt_byte <= match.begin_byte < match.excerpt_byte + len(excerpt)


# ---------------------------------------------------------------------- pages


def report_file(words: str = "The bell rings at noon on the quay.") -> bytes:
    pages = [Page().text(72, 720, "Rates", 16, bold=True).lines(72, 690, prose(4))]
    pages.append(Page().text(72, 720, "Bells", 16, bold=True).text(72, 690, words))
    return pdf(pages)


def ask_bell(base: knarr.KnowledgeBase, quote: str = "The bell rings at noon") -> knarr.Answer:
    (match,) = base.grep("bell", literal=True)
    policy = ScriptedPolicy(
        [
            Decision.call("Read", uri=match.uri),
            Decision.answer("The bell rings at noon.", Quote(match.uri, quote)),
        ]
    )
    return base.ask("When does the bell ring?", policy=policy)


def test_a_citation_knows_its_bytes_and_boxes(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    kb.add(write_docs({"a.pdf": report_file()}), into="viking://kb")
    uri = "viking://kb/a"
    assert hold_ranges(kb, uri)
    (citation,) = ask_bell(kb).citations
    assert citation.bytes is not None and citation.version == 1
    text = kb.read(uri).text.encode("utf-8")
    assert text[slice(*citation.bytes)].decode() == citation.text == "The bell rings at noon"
    (box,) = citation.boxes
    assert (box.page, citation.pages) == (2, (2, 2))
    assert abs(box.left - 72) < 1 and 72 + 90 < box.right < 72 + 112 and box.bottom < 690 < box.top < 702
    assert kb.boxes(citation) == citation.boxes
    (match,) = kb.grep("noon")
    (noon,) = kb.boxes(match)
    assert noon.right == box.right and noon.left > box.left
    hit = kb.search("bell", k=1)[0]
    assert kb.boxes(hit) == kb.boxes(hit.uri) == kb.boxes(kb.read(hit.uri))
    assert kb.boxes(uri, *citation.bytes) == citation.boxes
    assert {found.page for found in kb.boxes(uri)} == {1, 2}
    shape = kb.document(uri).pages[0]
    assert (shape.left, shape.bottom, shape.right, shape.top, shape.rotation) == (0, 0, 612, 792, 0)


def test_boxes_are_kept_in_the_trace(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    kb.add(write_docs({"a.pdf": report_file()}), into="viking://kb")
    answer = ask_bell(kb)
    assert kb.traces.get(answer.trace_id).citations == answer.citations
    assert answer.citations[0].boxes


def test_boxes_follow_a_move_an_update_and_a_removal(
    tmp_path: Path, embedder: HashEmbedder, write_docs: WriteDocs
) -> None:
    with knarr.open(tmp_path / "k", embedder=embedder) as kb:
        kb.add(write_docs({"a.pdf": report_file()}), into="viking://kb")
        (old,) = ask_bell(kb).citations
        kb.move("viking://kb/a", "viking://kb/b")
    with knarr.open(tmp_path / "k", embedder=embedder) as kb:
        (moved,) = ask_bell(kb).citations
        assert moved.document == "viking://kb/b" and moved.boxes == old.boxes
        kb.move("viking://kb/b", "viking://kb/a")
        kb.add(
            write_docs({"a.pdf": report_file("At one the bell rings twice on the quay.")}), into="viking://kb"
        )
        (new,) = ask_bell(kb, "the bell rings twice").citations
        assert new.version == 2 and new.boxes[0].left > old.boxes[0].left + 20
        # What was quoted is no longer there, so no place is given for it.
        assert kb.boxes(old) == ()
        assert kb.boxes(replace(old, version=0, bytes=None)) == kb.boxes(old.uri)
        kb.remove("viking://kb/a")
        with sqlite3.connect(tmp_path / "k" / "catalog.sqlite") as database:
            assert database.execute("SELECT count(*) FROM pages").fetchone() == (0,)
        assert kb.boxes(new) == ()
        with pytest.raises(NotFound):
            kb.document("viking://kb/a")


def test_a_search_unpacks_no_box(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb.add(write_docs({"a.pdf": report_file()}), into="viking://kb")

    def refuse(*_args: object) -> None:
        raise AssertionError("boxes were read")

    monkeypatch.setattr("knarr.catalog.page_boxes.touching", refuse)
    assert kb.search("bell").hits and kb.grep("bell").matches and kb.read("viking://kb/a").text
    with pytest.raises(AssertionError):
        kb.boxes("viking://kb/a")


def test_arguments_of_boxes(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    kb.add(write_docs({"a.pdf": report_file()}), into="viking://kb")
    for wrong in (3, None, object()):
        with pytest.raises(InvalidArgument):
            kb.boxes(wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument):
        kb.boxes("viking://kb/a", 9, 3)
    with pytest.raises(NotFound):
        kb.boxes("viking://kb/a/none")
    assert kb.boxes("viking://kb") == ()


# ---------------------------------------------------------------------- metadata, and bases of an older knarr

FRONT = "---\ntitle: Tides\nauthor: A. Moor\ntags: [sea, moon]\nyear: 2024\n---\n\n# Tides\n\nThey rise.\n"


def test_what_a_document_says_of_itself(
    tmp_path: Path, embedder: HashEmbedder, monkeypatch: pytest.MonkeyPatch, write_docs: WriteDocs
) -> None:
    said: dict[str, object] = {
        "author": "A. Moor", "tags": ("sea", "moon"), "year": 2024, "share": 0.5, "final": True,
        "odd": float("nan"), "big": 10**5000, "cut": "\ud800x", "long": "y" * 9_000,
    }  # fmt: skip
    _say(monkeypatch, said)
    with knarr.open(tmp_path / "k", embedder=embedder) as kb:
        report = kb.add(write_docs({"a.md": FRONT}), into="viking://kb")
        assert any("metadata" in note for note in report.files[0].notes)
        kb.move("viking://kb/a", "viking://kb/b")
    with knarr.open(tmp_path / "k", embedder=embedder) as kb:
        document = kb.document("viking://kb/b/Tides")
        found = document.metadata
        (entry,) = (entry for entry in kb.list("viking://kb") if entry.is_directory)
        assert entry.metadata == found
        assert {name: found[name] for name in ("author", "tags", "year", "share", "final")} == {
            name: said[name] for name in ("author", "tags", "year", "share", "final")
        }
        assert (found["odd"], found["cut"], len(str(found["long"])), len(str(found["big"]))) == (
            "nan",
            "?x",
            4_000,
            4_000,
        )
        assert (document.uri, document.version, document.format) == ("viking://kb/b", 1, "markdown")
        assert document.path.endswith("docs/a.md") and len(document.content_hash) == 64
        _say(monkeypatch, {"author": "B. Lee"})
        kb.add(write_docs({"a.md": FRONT + "\nand fall\n"}), into="viking://kb")
        assert kb.document("viking://kb/b").metadata == {"author": "B. Lee"}


def test_metadata_is_bounded(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs, monkeypatch: pytest.MonkeyPatch
) -> None:
    _say(monkeypatch, {f"key{n}": ("z" * 500,) * 50 for n in range(1000)})
    report = kb.add(write_docs({"a.md": FRONT}), into="viking://kb")
    stored = kb.document("viking://kb/a").metadata
    assert stored and len(str(stored)) < 40_000
    assert any("metadata" in note for note in report.files[0].notes)


def _say(monkeypatch: pytest.MonkeyPatch, metadata: dict[str, object]) -> None:
    """Make every parsed document say this of itself."""
    from knarr.writing import ingest

    real = knarr.documents.parse  # type: ignore[attr-defined]

    def parse(data: bytes, name: str, **more: object) -> object:
        document = real(data, name, **more)
        document.metadata = metadata
        return document

    monkeypatch.setattr(ingest, "parse", parse)


def test_a_base_of_an_older_knarr_opens_and_learns_when_it_is_read_again(
    tmp_path: Path, embedder: HashEmbedder, write_docs: WriteDocs, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = write_docs({"a.pdf": report_file()})
    with knarr.open(tmp_path / "k", embedder=embedder) as kb:
        kb.add(docs, into="viking://kb")
        (old,) = ask_bell(kb).citations
    with sqlite3.connect(tmp_path / "k" / "catalog.sqlite") as database:
        database.execute("DROP TABLE pages")
        database.execute("ALTER TABLE documents DROP COLUMN metadata")
        database.execute("DELETE FROM document_seals")
    with knarr.open(tmp_path / "k", embedder=embedder) as kb:
        (found,) = ask_bell(kb).citations
        assert found == replace(old, boxes=())
        assert kb.document("viking://kb/a").metadata == {} and kb.document("viking://kb/a").pages == ()
        assert kb.boxes("viking://kb/a") == ()
        assert kb.add(docs, into="viking://kb").files[0].change == "unchanged"
    monkeypatch.setattr("knarr.writing.ingest.RECIPE_VERSION", 10_000)
    with knarr.open(tmp_path / "k", embedder=embedder) as kb:
        assert kb.add(docs, into="viking://kb").files[0].change == "updated"
        assert ask_bell(kb).citations[0].boxes == old.boxes


def test_every_passage_shown_to_a_policy_is_where_it_says(
    kb: knarr.KnowledgeBase, write_docs: WriteDocs
) -> None:
    """What Search, Grep and Read show, and the citations made of it by number."""
    prose_of = "\n\n".join(
        f"Gáte {n} opens at dusk, {n} hours after the bell; nobody passes it later." for n in range(60)
    )
    rows = "\n".join(f"| gate {n} | {n * 7} |" for n in range(80))
    kb.add(
        write_docs({"a.md": f"# Gátes\n\n{prose_of}\n\n## Tolls\n\n| gate | toll |\n|---|---|\n{rows}\n"}),
        into="viking://kb",
    )
    text = kb.read("viking://kb/a").text.encode("utf-8")
    views: list[View] = []

    def decide(view: View) -> Decision:
        views.append(view)
        if not view.observations:
            return Decision(
                (
                    ToolCall("Search", {"query": "toll of gate 44"}),
                    ToolCall("Search", {"query": "gate 7 opens"}),
                    ToolCall("Grep", {"pattern": "gate 4."}),
                    ToolCall("Read", {"uri": "viking://kb/a/Gátes/Tolls", "max_tokens": 60}),
                )
            )
        return Decision.answer("Gate 44: 308.", *(Cite(piece.number) for piece in view.shown[:6]))

    answer = kb.ask("What is the toll of gate 44?", policy=ScriptedPolicy(decide))
    shown = views[-1].shown
    assert len({piece.uri for piece in shown}) > 3
    for piece in shown:
        data = piece.text.encode("utf-8")
        assert text[piece.begin_byte : piece.begin_byte + len(data)] == data
        assert piece.source.bytes == (piece.begin_byte, piece.begin_byte + len(data))
    trace = kb.traces.get(answer.trace_id)
    cited = (*trace.citations, *trace.folded)
    assert cited
    for citation in cited:
        assert citation.bytes is not None and citation.version == 1
        assert text[slice(*citation.bytes)].decode() == citation.text
        assert citation.lines[0] == text[: citation.bytes[0]].count(b"\n") + 1
