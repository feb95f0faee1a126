"""Which document a question means."""

from __future__ import annotations

import pytest

from knarr.agent.mentions import read_mentions
from knarr.agent.outline import scope_index
from knarr.agent.scope import ScopeIndex
from knarr.agent.scope_index import ScopeEntry
from knarr.language.words import meets, versions

NAMES = [
    "viking://courses/cs466_sp21_info",
    "viking://courses/syllabus-2",
    "viking://courses/Syllabus_Chem111-Fa22",
    "viking://filings/BESTBUY_2023_10K",
    "viking://filings/BESTBUY_2024Q2_10Q",
    "viking://filings/MGMRESORTS_2022Q4_EARNINGS",
    "viking://filings/JOHNSON_JOHNSON_2022_10K",
    "viking://manuals/errors_nodejs_17.9.1",
    "viking://manuals/errors_nodejs_18.20.8",
    "viking://manuals/assert_nodejs_18.20.8",
    "viking://wiki/Never_Cry_Wolf_film",
    "viking://wiki/Aisa_Senda",
    "viking://manuals/Release_v5.3.4-twbs_bootstrap",
]


@pytest.fixture(scope="module")
def index() -> ScopeIndex:
    heads = [ScopeEntry(uri, "", "Some first lines of text.") for uri in NAMES]
    contracts = [
        ScopeEntry(
            "viking://contracts/EX-10.16",
            "",
            "SPONSORSHIP AGREEMENT\nmade between Sabre Racing, Inc. and Long Road Lubricants on 3 May",
        ),
        ScopeEntry(
            "viking://contracts/EX-10.17",
            "",
            "SUPPLY AGREEMENT\nmade between Delta Foods, Inc. and Long Road Lubricants",
        ),
        ScopeEntry(
            "viking://papers/1909.01860",
            "A Survey of \u201cVisual\u201d Question Answering: Past and Future",
            "# A Survey",
        ),
        ScopeEntry("viking://papers", "", is_folder=True),
    ]
    return ScopeIndex([*heads, *contracts])


NAMED = [
    (
        'Based on the syllabus "cs466_sp21_info": When is the exam?',
        "courses/cs466_sp21_info",
        "When is the exam?",
    ),
    ('Based on the syllabus "syllabus-2": Where is the room?', "courses/syllabus-2", "Where is the room?"),
    ("According to cs466_sp21_info, when is the exam?", "courses/cs466_sp21_info", "when is the exam?"),
    (
        "Consider the SPONSORSHIP AGREEMENT between SABRE RACING, INC. and Long Road Lubricants. Who pays? Quote the clause.",
        "contracts/EX-10.16",
        "Who pays?",
    ),
    (
        'Based on the paper "A Survey of "Visual" Question Answering: Past and Future": which models?',
        "papers/1909.01860",
        "which models?",
    ),
    (
        "Who pays in the supply agreement between Delta Foods and Long Road Lubricants?",
        "contracts/EX-10.17",
        None,
    ),
]


@pytest.mark.parametrize(("question", "meant", "core"), NAMED)
def test_a_named_document_holds_the_search(index, question, meant, core):
    found = index.resolve(question)
    assert [candidate.uri for candidate in found.candidates] == [f"viking://{meant}"]
    assert not found.wide and found.core == (core or found.core)
    assert found.candidates[0].confidence > 0.7


HINTED = [
    ("What was the gross margin of Best Buy in FY2023?", "filings/BESTBUY_2023_10K"),
    ("Which region was the best for MGM during FY2022?", "filings/MGMRESORTS_2022Q4_EARNINGS"),
    ("How often has JnJ sold its inventory in FY2022?", "filings/JOHNSON_JOHNSON_2022_10K"),
    ("How often has J&J sold its inventory in 2022?", "filings/JOHNSON_JOHNSON_2022_10K"),
    ("Which label released Never Cry Wolf?", "wiki/Never_Cry_Wolf_film"),
]


@pytest.mark.parametrize(("question", "meant"), HINTED)
def test_a_hinted_document_is_searched_beside_the_rest(index, question, meant):
    found = index.resolve(question)
    assert found.wide and found.candidates[0].uri == f"viking://{meant}"
    assert found.core == question


def test_a_dotted_version_holds_the_search(index):
    found = index.resolve("What changed in Bootstrap v5.3.4?")
    assert [c.uri for c in found.candidates] == [
        "viking://manuals/Release_v5.3.4-twbs_bootstrap"
    ] and not found.wide
    assert index.resolve("What changed in Bootstrap v5.3.9?").wide


def test_a_version_meets_its_own_documents_only(index):
    found = index.resolve("What are errors in Node.js version 18 for?")
    assert {c.uri for c in found.candidates} == {
        "viking://manuals/errors_nodejs_18.20.8",
        "viking://manuals/assert_nodejs_18.20.8",
    }
    assert found.candidates[0].uri.endswith("errors_nodejs_18.20.8") and found.wide


@pytest.mark.parametrize(
    "question",
    [
        "What is the weather like?",
        'Based on the syllabus "PHYS 999 Quantum": When is the exam?',
        "Consider the LOAN AGREEMENT between Nobody Ltd. and Somebody Else Inc.. Who pays?",
        "as is an it",
        "?",
        "In version 99, what changed?",
    ],
)
def test_in_doubt_the_search_stays_wide(index, question):
    found = index.resolve(question)
    assert found.wide and not [c for c in found.candidates if c.reason != "hinted"]


def test_a_scope_bounds_the_candidates(index):
    question = 'Based on the syllabus "cs466_sp21_info": When is the exam?'
    assert index.resolve(question, "viking://filings").candidates == ()
    assert index.resolve(question, "viking://courses/").candidates


def test_versions():
    assert versions("in Node.js 16.20.2 and v18", named=True) == [(16, 20, 2), (18,)]
    assert versions("versions 3.4 and 3.5", named=True) == [(3, 4), (3, 5)]
    assert versions("SPARK-31967 costs 20 crowns", named=True) == []
    assert meets((18,), (18, 20, 8)) and not meets((18,), (17, 18)) and not meets((), (1,))


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000,
        "Based on " * 3000,
        '"' * 4000,
        "in the " * 4000 + "paper",
        "Consider the A. " * 2000,
        "agreement between " * 2000,
    ],
)
def test_no_question_takes_long(index, text):
    index.resolve(text)
    read_mentions(text)


def test_the_index_follows_the_library(library):
    first = scope_index(library)
    assert scope_index(library) is first
    assert {entry.uri.rstrip("/") for entry in first.entries if not entry.is_folder} == set(library.documents)
    library.documents["viking://contracts/new_lease"] = ["LEASE of the new shed"]
    library.seq += 1
    assert len(scope_index(library)) == len(first) + 1


def test_an_outline_gives_the_same_index(library):
    walked = scope_index(library).entries

    class Listed:
        def __getattr__(self, name):
            return getattr(library, name)

        def outline(self, head_chars=3000):
            return [
                (uri, uri.rsplit("/", 1)[1], "\n".join(text)[:head_chars])
                for uri, text in library.documents.items()
            ]

    assert set(scope_index(Listed()).entries) == set(walked)


@pytest.mark.parametrize(
    ("question", "core"),
    [
        (
            "Which law governs the supply agreement between A Inc. and B Ltd?",
            "Which law governs the supply agreement?",
        ),
        ("What does the lease between Ann and Bob say about pets?", "What does the lease say about pets?"),
        ('What language does the paper "A Survey of X" use?', "What language does the paper use?"),
        ("What is the fee in the course syllabus?", "What is the fee in the course syllabus?"),
    ],
)
def test_names_in_the_middle_of_a_question_are_not_what_is_asked(question: str, core: str) -> None:
    assert read_mentions(question).core == core
