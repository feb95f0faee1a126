"""Questions about versions are answered from history; no other question is taken for one."""

from __future__ import annotations

import pytest

import knarr
from knarr.language.history_asked import asked_versions
from support import WriteDocs

TEXT = "# Library handbook\n\nWelcome to the library.\n\n## Late fees\n\nThe late fee is {} euros for each item.\n{}"
MORE = "\n## Reservations\n\nA reservation costs 1 euro.\n"

OTHERS = [
    "What changed in the Error class in Node.js version 17.9.1 regarding the constructor?",
    "What version introduced a change for a more detailed description of the error code ERR_FS_CP_DIR_TO_NON_DIR in Node.js?",
    "When was the change about the newly added error code introduced to Node.js?",
    "Were examples about the partialDeepStrictEqual changed in any Node.js Assert version?",
    "What change was made to the way color modes are handled in Bootstrap v5.3.5?",
    "What dependency updates were included in Bootstrap v5.3.4?",
    "How is the assert module imported in Node.js version 17.9.1?",
    "What is the difference between assert.doesNotThrow() and assert.doesNotReject() in Node.js?",
    "How much has the effective tax rate of American Express changed between FY2021 and FY2022?",
    "How does Boeing's effective tax rate in FY2022 compare to FY2021?",
    "What is the stability level of the assert.CallTracker in Node.js version 20.19.0?",
    "Since when are the modules imported with node: syntax in Node.js Assert?",
    "What is the latest date to return a book?",
    "What did the author say about loans?",
]


@pytest.fixture
def library(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> knarr.KnowledgeBase:
    for fee, more in ((15, ""), (20, MORE), (25, MORE)):
        kb.add(write_docs({"handbook.md": TEXT.format(fee, more)}) / "handbook.md")
    guide = "# Guide\n\nThe guide of version {0}.\n\n## Rules\n\nRule {0} holds.\n"
    kb.add(write_docs({f"guides/guide_v{n}.md": guide.format(n) for n in (17, 18, 20)}))
    kb.add(write_docs({"other/fees.md": "# Fees\n\nIn 2023 the fee was 5 euros, in 2024 it was 6 euros.\n"}))
    return kb


def ask(kb: knarr.KnowledgeBase, question: str) -> tuple[knarr.Answer, list[str]]:
    answer = kb.ask(question, policy="extractive")
    return answer, [call.tool for call in kb.traces.get(answer.trace_id).calls()]


@pytest.mark.parametrize("question", OTHERS)
def test_other_questions_are_no_questions_about_versions(question: str) -> None:
    assert asked_versions(question) is None


@pytest.mark.parametrize(
    ("question", "status", "said", "cited"),
    [
        ("Which versions of the handbook are there?", "answered", ["3 versions", "The newest is 3"], {1, 2, 3}),
        ("What changed in the handbook between version 1 and 2?", "answered",
         ["1 section changed, 1 added", "“The late fee is 15 euros for each item.” became “The late fee is 20 euros"], {1, 2}),
        ("What changed in the handbook between 2 and 3?", "answered", ["20 euros", "25 euros"], {2, 3}),
        ("What changed in the late fees between version 1 and 3 of the handbook?", "answered", ["15 euros", "25 euros"], {1, 3}),
        ("What changed in the handbook between version 2 and 7?", "not_found", ["no version 7", "3 versions of handbook: 1, 2, 3"], set()),
        ("What did the handbook say about the late fee in version 1?", "answered", ["15 euros"], {1}),
        ("What did version 2 of the handbook say?", "answered", ["Welcome to the library."], {2}),
        ("What did the handbook say about fees in version 9?", "not_found", ["no version 9", "1, 2, 3"], set()),
        ("What did the handbook say about the fee on 1 May 2001?", "not_found", ["was not there on 2001-05-01"], set()),
        ("Does version 2 of the handbook exist?", "answered", ["Yes"], {2}),
    ],
)  # fmt: skip
def test_versions_in_the_base(
    library: knarr.KnowledgeBase, question: str, status: str, said: list[str], cited: set[int]
) -> None:
    answer, tools = ask(library, question)
    assert (answer.status, tools) == (status, ["History"])
    assert all(one in answer.text for one in said), answer.text
    assert {one.version for one in answer.citations} == cited
    for one in answer.citations:
        assert one.document == "viking://handbook"
        assert one.text in library.read(one.uri, as_of=one.version).text
    assert len(answer.now) == len(answer.citations)


@pytest.mark.parametrize(
    ("question", "status", "said", "cited"),
    [
        ("Which versions of the guide are there?", "answered", ["3 versions of guide: 17, 18, 20"], {"17", "18", "20"}),
        ("What is the latest version of the guide?", "answered", ["The newest version of guide is 20"], {"20"}),
        ("What changed in the guide between 17 and 18?", "answered", ["Rule 17 holds.", "Rule 18 holds."], {"17", "18"}),
        ("What changed between guide_v17 and guide_v20?", "answered", ["Rule 17 holds.", "Rule 20 holds."], {"17", "20"}),
        ("Does guide version 19 exist?", "answered", ["No, there is no version 19 of guide", "17, 18, 20"], {"17", "20"}),
        ("What changed in the guide between version 17 and 19?", "not_found", ["no version 19", "17, 18, 20"], set()),
    ],
)  # fmt: skip
def test_documents_that_are_versions_by_name(
    library: knarr.KnowledgeBase, question: str, status: str, said: list[str], cited: set[str]
) -> None:
    answer, tools = ask(library, question)
    assert (answer.status, tools) == (status, ["History"])
    assert all(one in answer.text for one in said), answer.text
    assert {one.document.rpartition("_v")[2] for one in answer.citations} == cited


def test_years_in_a_text_are_no_versions(library: knarr.KnowledgeBase) -> None:
    """A question of the form that means nothing that has versions so named goes the way of all questions."""
    answer, tools = ask(library, "What changed in the fee between 2023 and 2024?")
    assert tools[0] == "History" and "Search" in tools
    assert "no version" not in answer.text


def test_an_early_answer_is_no_answer_about_versions(library: knarr.KnowledgeBase) -> None:
    answer = library.ask(
        "What changed in the handbook between version 1 and 2?", policy="extractive", mode="vikingrag-e+"
    )
    assert answer.escalated and "1 section changed" in answer.text
