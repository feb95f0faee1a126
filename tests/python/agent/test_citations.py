"""Quotes are checked against their own source, without a model (CHK-03)."""

from __future__ import annotations

import pytest

from knarr.agent import Agent, Decision, Quote, ScriptedPolicy
from knarr.language.citations import fault_of, fold, locate

FEES = "viking://handbook/loans/c_2.md"
LOAN = "viking://handbook/loans/c_1.md"
RENT = "viking://contracts/lease/c_2.md"

CASES = [
    ("a late fee of two crowns is charged", "not_found"),  # case differs
    ("A late fee of two crowns is charged", ""),
    ("A late fee  of two\ncrowns is\u00a0charged for each day", ""),
    ("The office waives the fee after an illness", ""),
    ("The of\ufb01ce waives the fee after an ill-ness", ""),
    ("> A late fee of two crowns is charged", ""),
    ("A late fee of nine crowns is charged", "not_found"),
    ("A late fee of two crowns \u2026 has been reported in writing", "stitched"),
    ("A late fee of two crowns has been reported in writing", "stitched"),
    ("A late fee of two crowns is nine hundred crowns a month", "stitched"),
    ("The rent is nine hundred crowns a month", "misattributed"),
    ("Either party may end this lease by giving", "misattributed"),
    ("the due date", "too_short"),
    ("", "too_short"),
]


@pytest.mark.parametrize(("text", "fault"), CASES)
def test_each_citation_is_checked(library, text, fault):
    script = [Decision.call("Read", uri=RENT), Decision.answer("See there.", Quote(FEES, text))]
    done = Agent(library, ScriptedPolicy(script), reranker=None).run("What is the fee?")
    if fault:
        assert [one.fault for one in done.trace.dropped] == [fault]
        # What was found is given instead, and nothing for the quote that fails.
        assert done.answer.status == "not_supported" and done.trace.proposed == "See there."
        assert [one.uri for one in done.answer.citations] == [RENT]
    else:
        assert [one.uri for one in done.answer.citations] == [FEES] and not done.trace.dropped
        kept = done.answer.citations[0]
        assert kept.text in "\n".join(library.documents["viking://handbook/loans"])


def test_a_quote_over_a_chunk_border_may_cite_the_document(library):
    quote = Quote("viking://handbook/loans/", "renewed once at the desk. # Fees A late fee")
    done = Agent(library, ScriptedPolicy([Decision.answer("x", quote)]), reranker=None).run(
        "What is the fee?"
    )
    assert done.answer.citations[0].lines == (2, 4)


def test_a_page_is_given_only_where_the_document_has_pages(library):
    library.pages = {"viking://contracts/lease": 9}
    quotes = (
        Quote(RENT, "The rent is nine hundred crowns a month"),
        Quote(LOAN, "A loan of equipment lasts fourteen days."),
    )
    done = Agent(library, ScriptedPolicy([Decision.answer("x", *quotes)]), reranker=None).run(
        "What is the fee?"
    )
    assert [piece.pages for piece in done.answer.citations] == [(9, 9), None]


def test_what_is_not_there_or_not_a_uri_is_not_found(library):
    quotes = (
        Quote("viking://no/such/thing", "A late fee of nine crowns"),
        Quote("http://example.org", "A late fee of nine crowns"),
    )
    done = Agent(library, ScriptedPolicy([Decision.answer("x", *quotes)]), reranker=None).run(
        "What is the fee?"
    )
    assert [one.fault for one in done.trace.dropped] == ["not_found", "not_found"]


def test_folding_keeps_track_of_places():
    text = "Line one ends in an ex-\n  ample; the \u201cof\ufb01ce\u201d  is\u00a0open."
    folded = fold(text)
    assert folded.text == 'Line one ends in an example; the "office" is open.'
    assert len(folded.origin) == len(folded.text)
    begin, end = locate("example; the office".replace("office", '"office"'), text)
    assert text[begin:end] == "ex-\n  ample; the \u201cof\ufb01ce\u201d"


def test_a_dash_between_words_is_no_hyphen():
    assert fold("pages 3 - 4 and -x").text == "pages 3 - 4 and -x"


def test_unspaced_scripts_count_characters():
    source = "第四章规定了借阅期限为十四天可以续借一次"
    assert fault_of("借阅期限为十四天可以", source, []) == ""
    assert fault_of("十四天", source, []) == "too_short"


def test_an_abstract_is_no_evidence(library):
    """Its words may be a model's: the same words count only where a document says them."""
    library.documents["viking://notes"] = ["The vault is opened at nine by two clerks."]
    read = library.read

    def with_abstract(uri, *more, **named):
        return (
            read("viking://notes/c_1.md", *more, **named)
            if uri.endswith(".abstract.md")
            else read(uri, *more, **named)
        )

    library.read = with_abstract
    script = [
        Decision.answer("At nine.", Quote("viking://notes/.abstract.md", "The vault is opened at nine"))
    ]
    done = Agent(library, ScriptedPolicy(script), reranker=None).run("When is the vault opened?")
    assert [one.fault for one in done.trace.dropped] == ["misattributed"]
