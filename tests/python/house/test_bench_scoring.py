"""The scoring of evidence, held to hand-made cases whose coverage can be counted on paper."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench_modules import bench_module

scoring = bench_module("bench.rag.scoring")
datasets = bench_module("bench.rag.datasets")
observed = bench_module("bench.rag.observed")

Evidence, Shown = scoring.Evidence, scoring.Shown


def words(first: int, last: int) -> str:
    """w1 w2 … as a text, both ends included."""
    return " ".join(f"w{number}" for number in range(first, last + 1))


def cover(span: str, *texts: str) -> float:
    return float(scoring.evidence_coverage(Evidence("d", span), [Shown(text, "d") for text in texts]))


@pytest.mark.parametrize(
    ("raw", "normal"),
    [
        ("The  Fee\n(in $)\tIS 1,000.50!", "the fee in is 1 000 50"),
        ("snake_case | `code`", "snake_case code"),
        ("Überprüfung—ÀÉ", "überprüfung àé"),
        ("  …  ", ""),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "a b 1 2"),
    ],
)
def test_normalise(raw: str, normal: str) -> None:
    assert scoring.normalise(raw) == normal


def test_grams_start_every_four_words_and_are_eight_long() -> None:
    assert scoring.grams(words(1, 17)) == [words(1, 8), words(5, 12), words(9, 16)]
    assert scoring.grams(words(1, 9)) == [words(1, 8)]


@pytest.mark.parametrize("count", [1, 7, 8])
def test_a_short_span_must_occur_whole(count: int) -> None:
    span = words(1, count)
    assert cover(span, f"before {span}, after") == 1.0
    assert cover(span, f"before {words(2, count)} after") == 0.0


def test_a_short_span_is_matched_by_whole_words() -> None:
    assert cover("3 credits", "Level: 3 Credits.") == 1.0
    assert cover("3 credits", "13 credits") == 0.0
    assert cover("3 credits", "3 creditsx") == 0.0


def test_coverage_is_the_share_of_grams() -> None:
    span = words(1, 20)  # grams at 1, 5, 9, 13
    assert cover(span, words(1, 20)) == 1.0
    assert cover(span, words(1, 12)) == 0.5
    assert cover(span, words(9, 20)) == 0.5
    assert cover(span, words(2, 8)) == 0.0
    assert cover(span, "") == 0.0
    assert cover(span) == 0.0


def test_shown_pieces_are_one_text_in_the_order_shown() -> None:
    assert cover(words(1, 20), words(1, 10), words(11, 20)) == 1.0
    assert cover(words(1, 20), words(11, 20), words(1, 10)) == 0.5  # grams at 1 and 13


def test_markup_and_case_do_not_matter() -> None:
    assert cover("Fee is **due** on the 1st of each month", "fee is due, on the 1st\nof each MONTH") == 1.0


def test_mean_over_spans_or_the_best_where_any_is_enough() -> None:
    spans = [Evidence("a", words(1, 8)), Evidence("b", words(101, 108))]
    shown = [Shown(words(1, 8), "a")]
    assert scoring.question_coverage(spans, shown) == 0.5
    assert scoring.question_coverage(spans, shown, mode="any") == 1.0


def test_the_best_alternative_counts() -> None:
    mine = [Evidence("a", words(1, 8)), Evidence("a", words(11, 18))]
    other = [Evidence("a", words(51, 58))]
    shown = [Shown(words(50, 60), "a")]
    assert scoring.question_coverage(mine, shown) == 0.0
    assert scoring.question_coverage(mine, shown, alternatives=[other]) == 1.0
    assert scoring.question_coverage(mine, shown, alternatives=[[], mine]) == 0.0


def test_a_copy_counts_unless_the_own_document_is_asked_for() -> None:
    spans = [Evidence("v18.md", words(1, 12))]
    copy = [Shown(words(1, 12), "v17.md")]
    assert scoring.question_coverage(spans, copy) == 1.0
    assert scoring.question_coverage(spans, copy, own_document=True) == 0.0
    assert scoring.question_coverage(spans, [*copy, Shown(words(1, 12), "v18.md")], own_document=True) == 1.0


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ((9, 9), 0.0),
        ((10, 10), 1.0),
        ((12, 12), 1.0),
        ((13, 13), 0.0),
        ((1, 10), 1.0),
        ((12, 40), 1.0),
        (None, 0.0),
    ],
)
def test_table_evidence_must_come_from_its_page_or_a_neighbour(
    pages: tuple[int, int] | None, expected: float
) -> None:
    table = Evidence("filing.pdf", "Net sales $ 14,694 $ 14,544", page=11)
    cells = "net sales | 14,544 | 14,694"  # other order, same words
    assert scoring.evidence_coverage(table, [Shown(cells, "filing.pdf", pages)]) == expected


def test_table_evidence_is_the_share_of_its_words() -> None:
    table = Evidence("filing.pdf", "net sales 2022 2023", page=1)
    assert scoring.evidence_coverage(table, [Shown("sales 2023", "filing.pdf", (1, 1))]) == 0.5
    assert scoring.evidence_coverage(table, [Shown("net sales 2022 2023", "other.pdf", (1, 1))]) == 0.0
    split = [Shown("net 2022", "filing.pdf", (1, 1)), Shown("sales 2023", "filing.pdf", (2, 2))]
    assert scoring.evidence_coverage(table, split) == 1.0


def test_gold_documents_are_scored_by_text_shown_from_them() -> None:
    shown = [Shown("text", "a"), Shown(" \n", "b"), Shown("more", "a")]
    assert scoring.gold_docs_share(["a"], shown) == 1.0
    assert scoring.gold_docs_share(["a", "b"], shown) == 0.5
    assert scoring.gold_docs_share(["c"], shown) == 0.0


def test_all_shown_is_at_least_four_fifths() -> None:
    assert scoring.all_shown(0.8)
    assert scoring.all_shown((0.7 + 0.8 + 0.9) / 3)
    assert not scoring.all_shown(0.79)


def test_an_abstention_is_an_answer_that_was_not_given() -> None:
    assert scoring.abstained("not_found") and scoring.abstained("no_answer")
    assert scoring.abstained("not_supported")
    assert not any(map(scoring.abstained, ("answered", "conflicting", "cut_off", "failed")))
    assert not scoring.abstained("budget_exhausted")


def test_a_set_is_loaded_and_sampled_the_same_each_time(tmp_path: Path) -> None:
    folder = tmp_path / "tiny"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "a.txt").write_text("one\ntwo\n\fthree\n\ffour", encoding="utf-8")
    (folder / "docs.jsonl").write_text(
        json.dumps({"doc": "docs/a.txt", "title": "A"}) + "\n", encoding="utf-8"
    )
    row = {
        "type": "t",
        "answerable": True,
        "gold_docs": ["docs/a.txt"],
        "question": "What is on it?",
        "answer": ["three", "3"],
        "evidence": [{"doc": "docs/a.txt", "text": "three", "page": 1}],
    }
    rows = [{**row, "id": "q0", "context": "the file A"}] + [{**row, "id": f"q{n}"} for n in range(1, 9)]
    (folder / "questions.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")

    (tiny,) = datasets.load_all(tmp_path)
    first = tiny.questions[0]
    assert (tiny.name, first.text) == ("tiny", "Based on the file A: What is on it?")
    assert (first.answer, first.evidence[0].page) == ("three / 3", 2)
    assert [tiny.page_of_line("docs/a.txt", line) for line in (1, 2, 3, 4)] == [1, 1, 2, 3]

    few, more = (datasets.sample(tiny.questions, limit) for limit in (3, 6))
    assert len(few) == 3 and {q.id for q in few} <= {q.id for q in more}
    assert few == datasets.sample(tiny.questions, 3)
    assert len(datasets.sample(tiny.questions, None)) == 9
    with pytest.raises(FileNotFoundError, match="huge"):
        datasets.load_all(tmp_path, ["huge"])


def test_quoted_blocks_are_found_in_an_observation_with_their_place() -> None:
    text = """Search in viking://set: 2 of 90 objects
[1] viking://set/A_paper/Intro/Intro_1.md (lines 3-9)
> First line
>
> viking://not/a/header
[2] viking://set/filing/.abstract.md (lines 1-40, pp. 2-5)
> Second
(3 more hits did not fit: ask for a smaller k)
viking://set/filing/Sales_1.md:12, p. 3
> third
viking://set/A_paper/Intro/Intro_1.md:7
> fourth
under viking://set/filing/
[3] Notes/Notes_1.md (lines 5-6, p. 4)
> fifth
[4] Notes/Notes_2.md (lines 7-7)
> sixth"""
    found = [(b.uri.removeprefix("viking://set/"), b.text, b.lines, b.pages) for b in observed.blocks(text)]
    assert found == [
        ("A_paper/Intro/Intro_1.md", "First line\n\nviking://not/a/header", (3, 9), None),
        ("filing/.abstract.md", "Second", (1, 40), (2, 5)),
        ("filing/Sales_1.md", "third", (12, 12), (3, 3)),
        ("A_paper/Intro/Intro_1.md", "fourth", (7, 7), None),
        ("filing/Notes/Notes_1.md", "fifth", (5, 6), (4, 4)),
        ("filing/Notes/Notes_2.md", "sixth", (7, 7), None),
    ]
