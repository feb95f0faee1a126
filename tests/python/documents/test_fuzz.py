"""Some mutants of each format in every run; `fuzzing` says how to try many, and how to replay one that fails here."""

from __future__ import annotations

import pytest

from fuzzing.__main__ import tried
from fuzzing.judge import faults, verdict
from fuzzing.mutants import mutant
from fuzzing.seeds import seeds
from knarr.documents import Document, parse
from knarr.documents.registry import FORMATS
from knarr.documents.sections import Section
from knarr.errors import DocumentError

# So many that a format takes about two seconds of a processor; those whose files are read fast have more. Others have 250.
MUTANTS = {
    "pages": 30, "pdf": 50, "csv": 125, "text": 125, "rst": 150, "markdown": 150, "html": 175, "encrypted": 10, "image": 10, "pgp": 10, "xlsb": 10, "ppt": 500, "xls": 500,
    "fb2": 400, "subtitles": 400,
}  # fmt: skip


def test_every_format_has_a_seed_that_is_read() -> None:
    assert set(seeds()) == {known.name for known in FORMATS}
    for format, files in seeds().items():
        for seed in files:
            data = seed.pack(seed.parts)
            if format in ("image", "encrypted", "pgp", "xlsb"):
                with pytest.raises(DocumentError):
                    parse(data, seed.name)
            else:
                document = parse(data, seed.name)
                assert document.text.strip() and faults(document) == [], (format, seed.name)


@pytest.mark.parametrize("format", [*sorted(known.name for known in FORMATS), "pages"])
def test_damaged_files_are_read_or_refused_at_their_cost(format: str) -> None:
    wrong = {f"{format}:{number}": tried(format, number) for number in range(MUTANTS.get(format, 250))}
    assert {name: fault for name, fault in wrong.items() if fault} == {}, "python -m fuzzing --only NAME"


def test_a_mutant_is_the_same_wherever_it_is_made() -> None:
    for format in ("html", "docx", "msg"):
        assert [mutant(format, number) for number in range(5)] == [
            mutant(format, number) for number in range(5)
        ]
        assert len({mutant(format, number)[1] for number in range(20)}) > 10


def test_the_judge_finds_what_is_wrong() -> None:
    def document(title: str = "t", text: str = "a\n", **more: object) -> Document:
        return Document(title, text, Section(title, 0, 0, 0, len(text.encode())), "text", **more)  # type: ignore[arg-type]

    def failing() -> Document:
        raise KeyError("x")

    def silent() -> Document:
        raise DocumentError("")

    def slow() -> Document:
        return document(str(sum(range(60_000_000))))

    assert verdict(document, 2) == ""
    assert "KeyError" in verdict(failing, 2) and "says nothing" in verdict(silent, 2)
    assert "AssertionError" in verdict(lambda: document(text="a\r\n"), 2)
    for wrong in (
        document(""),
        document(text="a\0"),
        document(notes=("a\nb",)),
        document(notes=("",)),
        document(metadata={"A": "b"}),
        document(metadata={"a": None}),
    ):
        assert len(faults(wrong)) == 1
    assert "bytes of text from" in verdict(lambda: document(text="a" * 2_001_000), 2)


def test_the_judge_ends_what_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    def hangs() -> Document:
        while True:
            pass

    monkeypatch.setattr("fuzzing.judge.FREE_S", 0.01)
    assert "Hanging" in verdict(hangs, 2)
