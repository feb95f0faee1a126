"""The demo library, and `knarr demo` from end to end."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import knarr
from knarr.cli import main
from knarr.demo import library, questions
from knarr.documents import parse
from knarr.documents.sections import Document
from knarr.testing import HashEmbedder

RECORD = {"question", "status", "reason", "answer", "citations", "rounds", "tokens_shown", "ms"}


@functools.cache
def parsed() -> dict[str, Document]:
    """Every document of the library by its path without extension."""
    files = sorted(path for path in library().rglob("*") if path.is_file())
    return {
        path.relative_to(library()).with_suffix("").as_posix(): parse(path.read_bytes(), path.name)
        for path in files
    }


def depth(name: str) -> int:
    levels = {section.level for section in parsed()[name].root.walk()}
    return len(levels - {0})


def titles(name: str) -> list[str]:
    return [section.title for section in parsed()[name].root.walk()]


def test_the_library_is_small_and_read_in_full() -> None:
    assert sum(path.stat().st_size for path in library().rglob("*") if path.is_file()) < 400_000
    assert len(parsed()) == 9
    assert {document.format for document in parsed().values()} == {"markdown", "text", "docx", "pdf"}
    for name, document in parsed().items():
        document.check()
        assert document.status == "ok", name


def test_the_library_has_the_trees_a_reader_would_draw() -> None:
    assert depth("handbook/equipment/loans") == 3
    assert "Late returns" in titles("handbook/equipment/loans")
    assert depth("buoy-service-agreement") >= 2
    assert sum("ARTICLE" in title for title in titles("buoy-service-agreement")) == 9
    assert sum("Section" in title for title in titles("buoy-service-agreement")) >= 38
    assert titles("ocean-measurement-syllabus")[1:3] == ["About the course", "Aims"]
    report = parsed()["annual-report-2025"]
    assert depth("annual-report-2025") == 2
    assert "3.2 Availability in the Skarholm Sound" in titles("annual-report-2025")
    assert len(report.page_begins) == 7
    assert "Brennavik Instruments Annual Report 2025" not in " ".join(report.text.split()), "a running header"


def test_each_key_word_stands_in_its_document() -> None:
    for question in questions():
        texts = [" ".join(parsed()[name].text.split()) for name in question.evidence]
        for word in question.key_words:
            assert any(word in text for text in texts), (question.question, word)
    assert all("dental" not in document.text.lower() for document in parsed().values())
    assert sum(question.status == "not_found" for question in questions()) == 1


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> Iterator[HashEmbedder]:
    """`knarr.open` with an embedder that needs no model."""
    embedder = HashEmbedder(dim=256)
    real = knarr.open
    monkeypatch.setitem(vars(knarr), "open", functools.partial(real, embedder=embedder))
    monkeypatch.setattr("knarr.agent.agent.load_reranker", lambda *_: None)
    yield embedder


def run_demo(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as done:
        main(["demo", *arguments])
    out, err = capsys.readouterr()
    return int(done.value.code or 0), out, err


@pytest.mark.usefixtures("hashed")
def test_json_is_exactly_as_promised(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run_demo(capsys, "--json")
    assert (code, err) == (0, "")
    body = json.loads(out)
    assert set(body) == {"answers"}
    assert [answer["question"] for answer in body["answers"]] == [one.question for one in questions()]
    for answer in body["answers"]:
        assert set(answer) == RECORD
        for citation in answer["citations"]:
            assert set(citation) == {"uri", "lines", "text"}
            assert citation["uri"].startswith("viking://library/")
            first, last = citation["lines"]
            assert 1 <= first <= last


def test_text_shows_answers_evidence_and_cost(
    hashed: HashEmbedder, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    kept = str(tmp_path / "the demo.kb")
    code, out, _ = run_demo(capsys, "--keep", kept)
    assert code == 0
    assert "9 of 9 files searchable: 9 added" in out
    for one in questions():
        assert one.question in out
    for word in ("Evidence", "viking://library/", "rounds  tokens shown", "Go on with"):
        assert word in out
    assert f"knarr list viking://library --kb '{kept}'" in out
    paid = hashed.texts
    code, out, _ = run_demo(capsys, "--keep", kept)
    assert code == 0
    assert "9 unchanged" in out
    assert hashed.texts - paid <= 40, "only queries are embedded again"


@pytest.mark.usefixtures("hashed")
def test_nothing_is_left_behind(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    run_demo(capsys, "--json")
    assert list(tmp_path.iterdir()) == []


def test_answers_with_the_offline_model(capsys: pytest.CaptureFixture[str]) -> None:
    """What a newcomer sees: every question answered right, with its evidence."""
    pytest.importorskip("onnxruntime")
    code, out, _ = run_demo(capsys, "--json")
    assert code == 0
    for one, answer in zip(questions(), json.loads(out)["answers"], strict=True):
        assert answer["status"] == one.status, one.question
        shown = " ".join([answer["answer"], *(citation["text"] for citation in answer["citations"])])
        for word in one.key_words:
            assert word in " ".join(shown.split()), (one.question, word)
        for part in one.evidence:
            assert any(part in citation["uri"] for citation in answer["citations"]), (one.question, part)
