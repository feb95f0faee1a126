"""How a question ends, and why: failures are said, answers checked, and no question costs nothing
(AG-07, AG-09, AG-10)."""

from __future__ import annotations

import asyncio

import pytest

import knarr
from knarr.agent import Agent, Budget, Decision, Draft, Escalation, ModelPolicy, Quote, ScriptedPolicy
from knarr.checker import Checked
from knarr.checker.final import FinalCheck
from knarr.errors import (
    CatalogError,
    ChatError,
    Corruption,
    EmbedderError,
    InvalidArgument,
    KnarrError,
    StorageError,
)
from knarr.language.asking import asks_nothing
from knarr.models.chat import ChatReply, ScriptedChat
from knarr.testing import HashEmbedder
from knarr.trace.record import Trace
from knarr.types import Verdict
from model_runs import FEES, SEARCH, STYLES, answering, calling, run, saying

QUESTION = "What is the late fee?"
QUOTE = Quote(FEES, "A late fee of two crowns is charged for each day")
READ = Decision.call("Read", uri=FEES)


class Failing:
    """A library of which one tool raises."""

    def __init__(self, library, tool: str, error: Exception) -> None:
        self._library, self._tool, self._error = library, tool, error

    def __getattr__(self, name):
        return self._raise if name == self._tool else getattr(self._library, name)

    def _raise(self, *_args, **_options):
        raise self._error


def ask(library, script, question=QUESTION, **options):
    return Agent(library, ScriptedPolicy(script), reranker=None).run(question, **options)


# ---------------------------------------------------------------------- failures

FAILED = [EmbedderError("down"), StorageError("disk"), CatalogError("gone"), Corruption("bad block")]


@pytest.mark.parametrize("error", FAILED, ids=lambda error: type(error).__name__)
def test_a_failure_before_anything_was_found_is_raised(library, error):
    for policy in (ScriptedPolicy(lambda _: Decision.call("Search", query="late fee")), None):
        agent = Agent(Failing(library, "search", error), policy, reranker=None)
        with pytest.raises(type(error), match=str(error)):
            agent.run(QUESTION)
        with pytest.raises(type(error)):
            asyncio.run(agent.arun(QUESTION))


@pytest.mark.parametrize("error", FAILED, ids=lambda error: type(error).__name__)
def test_a_failure_half_way_gives_what_was_found(library, error):
    search = Decision.call("Search", query="late fee")
    policy = ScriptedPolicy(lambda view: search if view.observations else READ)
    agent = Agent(Failing(library, "search", error), policy, reranker=None)
    for done in (agent.run(QUESTION), asyncio.run(agent.arun(QUESTION))):
        assert (done.answer.status, done.answer.reason) == ("failed", str(error))
        assert [piece.uri for piece in done.answer.citations] == [FEES]
        assert str(error) in done.answer.text and FEES in done.answer.text


@pytest.mark.parametrize(
    "error", [RuntimeError("boom"), TimeoutError("late"), KnarrError("odd"), ValueError("x")]
)
def test_an_error_inside_a_tool_is_never_told_as_not_found(library, error):
    """The history stays whole, and the policy may try another way; but "not found" is not for it to say."""
    nothing = Decision.answer("It is not there.", found=False)
    search = Decision.call("Search", query="late fee")
    with pytest.raises(KnarrError, match="Search failed"):
        ask(Failing(library, "search", error), [search, nothing])
    done = ask(Failing(library, "search", error), [READ, search, nothing])
    assert done.answer.status == "failed" and done.answer.reason.startswith("Search failed: ")
    other = ask(Failing(library, "search", error), [search, READ, Decision.answer("Two crowns.", QUOTE)])
    assert other.answer.status == "answered"


def test_what_the_policy_got_wrong_is_an_observation(library):
    wrong = [Decision.call("Grep", pattern="(["), Decision.call("Read", uri="viking://nowhere")]
    done = ask(library, [*wrong, Decision.answer("It is not there.", found=False)])
    assert done.answer.status == "not_found" and all(call.error for call in done.trace.calls())
    assert done.answer.reason == "no evidence of an answer where it looked: nothing was looked up"


@pytest.mark.parametrize("style", ["auto", *STYLES])
@pytest.mark.parametrize("mode", ["vikingrag", "vikingrag-e", "vikingrag-e+"])
def test_a_server_that_cannot_be_asked_at_all_is_an_error(library, style, mode):
    chat = ScriptedChat([ChatError("cannot be reached")] * 3)
    agent = Agent(library, ModelPolicy(chat, style=style), reranker=None)
    with pytest.raises(ChatError, match="cannot be reached"):
        agent.ask(QUESTION, mode=mode)
    with pytest.raises(ChatError, match=r"has no reply|cannot be reached"):
        asyncio.run(agent.aask(QUESTION, mode=mode))
    assert len(chat.requests) <= 4


@pytest.mark.parametrize("kind", ["unreachable", "unauthorised", "unknown_model", "quota", "timeout"])
def test_a_failure_that_has_nothing_to_do_with_tools_is_met_once(library, kind):
    error = ChatError("no")
    error.kind = kind
    chat = ScriptedChat([error, error])
    with pytest.raises(ChatError):
        Agent(library, ModelPolicy(chat), reranker=None).ask(QUESTION)
    assert len(chat.requests) == 1


@pytest.mark.parametrize("style", STYLES)
def test_a_server_that_breaks_before_anything_was_found(library, style):
    listed = calling(style, ("List", "{}"))
    done = run(library, ScriptedChat([listed, ChatError("gone")]), style)
    assert done.answer.status == "failed" and "gone" in done.answer.reason
    assert done.answer.text.endswith("No evidence was found.")


def test_a_failing_embedder_of_a_knowledge_base(tmp_path, write_docs):
    class Down(HashEmbedder):
        down = False

        def embed(self, texts):
            if self.down:
                raise EmbedderError("the embedder is down")
            return super().embed(texts)

    embedder = Down(dim=64)
    with knarr.open(tmp_path / "x.kb", embedder=embedder) as base:
        base.add(write_docs({"a.md": "# Fees\n\nA late fee of two crowns is charged for each day.\n"}))
        embedder.down = True
        with pytest.raises(EmbedderError, match="is down"):
            base.ask(QUESTION, policy="extractive")
        assert base.traces.list() == []


# ---------------------------------------------------------------------- every answer is checked


modes = pytest.mark.parametrize("mode", ["vikingrag", "vikingrag-e", "vikingrag-e+"])


@modes
def test_an_answer_without_a_citation_never_stands(library, mode):
    done = ask(library, lambda view: Decision.answer("Two crowns.") if view.observations else READ, mode=mode)
    assert done.answer.status == "not_supported" and done.answer.verdict.outcome == "insufficient"
    assert "Two crowns." not in done.answer.text and done.trace.proposed == "Two crowns."
    assert done.answer.reason and done.answer.citations  # what was found


@modes
def test_an_answer_whose_quotes_all_fail_never_stands(library, mode):
    false = Decision.answer("Nine crowns.", Quote(FEES, "A late fee of nine crowns is charged for each day"))
    done = ask(library, lambda view: false if view.observations else READ, mode=mode)
    assert done.answer.status == "not_supported" and "Nine" not in done.answer.text


def test_every_answer_carries_its_reason_and_verdict(library):
    endings = {
        "answered": [READ, Decision.answer("Two crowns.", QUOTE)],
        "not_found": [READ, Decision.answer("It is not there.", found=False)],
        "not_supported": [READ, Decision.answer("Two crowns.")],
        "no_answer": [READ, *[Decision()] * 9],
        "budget_exhausted": [Decision.call("Search", query=f"fee {n}") for n in range(9)],
    }
    for status, script in endings.items():
        done = ask(library, script, budget=Budget(rounds=3))
        assert done.answer.status == done.trace.status == status
        assert done.answer.reason == done.trace.reason != ""
        assert isinstance(done.answer.verdict, Verdict) and done.answer.verdict == done.trace.verdict
        assert Trace.from_json(done.trace.dumps()) == done.trace
    assert "rounds: 3" in done.answer.reason


def test_a_trace_of_an_older_version_still_opens(library):
    body = ask(library, [READ, Decision.answer("Two crowns.", QUOTE)]).trace.to_json()
    for name in ("reason", "verdict", "proposed", "folded"):
        del body[name]
    trace = Trace.from_json(body)
    assert (trace.reason, trace.verdict, trace.proposed, trace.folded) == ("", None, "", ())


@pytest.mark.parametrize("style", STYLES)
def test_a_model_is_told_once_what_is_missing(library, style):
    chat = ScriptedChat([calling(style, SEARCH), saying(style, "Two."), saying(style, "Two crowns.", 1)])
    done = run(library, chat, style)
    assert done.answer.status == "answered" and done.answer.text == "Two crowns."
    assert "does not bear it out" in chat.requests[2].messages[-1]["content"]
    stubborn = ScriptedChat([calling(style, SEARCH), *[saying(style, "Two.")] * 9])
    done = run(library, stubborn, style)
    assert done.answer.status == "not_supported" and len(stubborn.requests) == 3
    assert FEES in done.answer.text and done.trace.proposed == "Two."


@pytest.mark.parametrize("style", STYLES)
def test_the_model_may_go_on_looking_after_the_check(library, style):
    script = [
        calling(style, ("List", "{}")),
        saying(style, "Two crowns."),
        calling(style, SEARCH),
        saying(style, "Two crowns.", {"n": 1, "words": "late fee of two crowns"}),
    ]
    done = run(library, ScriptedChat(script), style)
    assert (done.answer.status, done.answer.rounds) == ("answered", 2)


def test_the_retry_lies_within_the_budget(library):
    chat = ScriptedChat([calling("native", SEARCH), *[saying("native", "Two.")] * 3])
    done = run(library, chat, budget=Budget(rounds=1))
    assert len(chat.requests) == 2 and done.answer.status == "not_supported"
    assert "rounds: 1" in done.answer.reason and done.trace.spent == "rounds"


def told(check: FinalCheck, monkeypatch):
    cases = []
    monkeypatch.setattr("knarr.agent.session.final_check", lambda case: cases.append(case) or check)
    return cases


def test_what_is_missing_is_said_without_words_of_documents(library, monkeypatch):
    missing = ("the year 2025", "viking://a/SYSTEM_obey", "x" * 500, "a\nb")
    told(FinalCheck("not_supported", Verdict("insufficient", "no"), "2025 is missing", missing), monkeypatch)
    chat = ScriptedChat([calling("native", SEARCH), *[saying("native", "Two.", 1)] * 2])
    done = run(library, chat)
    said = chat.requests[-1].messages[-1]["content"]
    assert "the year 2025" in said and "SYSTEM" not in said and len(said) < 600 and "\n" not in said
    assert done.answer.reason == "2025 is missing"


def test_a_conflict_is_its_own_ending(library, monkeypatch):
    told(FinalCheck("conflicting", Verdict("insufficient", "two values"), "30 and 90 days"), monkeypatch)
    done = ask(library, [READ, Decision.answer("Thirty.", QUOTE)])
    assert done.answer.status == "conflicting" and done.answer.text == "30 and 90 days\nThirty."
    assert done.answer.citations


class Satisfied:
    """A checker that finds everything sufficient."""

    def check(self, _case):
        return Checked(Verdict("sufficient", "all of it is there", score=0.9, threshold=0.8))


def early(library, script):
    escalation = Escalation(Satisfied())
    agent = Agent(library, ScriptedPolicy(script), reranker=None, escalation=escalation)
    return agent.run(QUESTION, mode="vikingrag-e+")


def test_an_early_answer_passes_the_same_check(library, monkeypatch):
    cases = told(
        FinalCheck("not_supported", Verdict("insufficient", "no"), "the focus is missing"), monkeypatch
    )
    done = early(library, [Decision.answer("Early.", QUOTE), Decision.answer("Not there.", found=False)])
    [check] = done.trace.checks
    assert (check.action, check.cause) == ("escalated", "the focus is missing") and len(cases) == 1
    assert done.answer.status == "not_found" and done.answer.verdict.outcome == "insufficient"


def test_an_early_answer_that_was_cut_off_goes_on(library):
    cut = Decision(draft=Draft("Two cro", (QUOTE,), cut=True))
    done = early(library, [cut, Decision.answer("Two crowns.", QUOTE)])
    assert (done.answer.status, done.answer.text) == ("answered", "Two crowns.")
    assert done.trace.checks[0].cause == "the candidate was cut off"


def test_a_judge_cannot_pass_a_candidate_that_found_nothing(library):
    nothing = Decision.answer("It is not there.", found=False)
    done = early(library, [nothing, nothing])
    assert done.answer.status == "not_found" and done.trace.checks[0].action == "escalated"


def test_a_policy_may_ask_for_a_retry(library):
    class Patient(ScriptedPolicy):
        retries = 2

    script = [READ, *[Decision.answer("Two.")] * 2, Decision.answer("Two crowns.", QUOTE)]
    policy = Patient(script)
    assert Agent(library, policy, reranker=None).run(QUESTION).answer.status == "answered"
    assert len(policy.views) == 4


# ---------------------------------------------------------------------- what asks nothing

IDLE = [
    "?",
    "ok",
    "OK!",
    "…",
    "...",
    "so what is it then",
    "Hi",
    "thank you",
    "and?",
    "¿?",
    "—",
    "🙂",
    "Please tell me",
]
ASKING = [
    "fee?",
    "Who is Will?",
    "What is IT?",
    "何日ですか",
    "Gebühr",
    "42",
    "was kostet das",
    "¿cuándo?",
    "срок?",
]


@pytest.mark.parametrize("question", IDLE)
def test_nothing_is_paid_for_a_question_that_asks_nothing(library, question):
    for policy in (ScriptedPolicy([READ]), ModelPolicy(ScriptedChat([ChatReply("Two.")])), None):
        done = Agent(library, policy, reranker=None).run(question, mode="vikingrag-e+")
        assert done.answer.status == "no_answer" and not list(done.trace.calls())
        assert done.answer.reason.startswith("the question asks nothing") and done.answer.text
    assert library.calls == [call for call in library.calls if call[0] in ("list", "read")]


@pytest.mark.parametrize("question", ASKING)
def test_what_may_mean_something_is_looked_up(library, question):
    assert not asks_nothing(question)
    assert list(Agent(library, None, reranker=None).run(question).trace.calls())


@pytest.mark.parametrize("question", ["", "  \n"])
def test_an_empty_question_is_refused(library, question):
    with pytest.raises(InvalidArgument):
        ask(library, [READ], question)


def test_the_last_answer_of_a_script_is_the_old_form_too(library):
    for style in STYLES:
        done = run(library, ScriptedChat([calling(style, SEARCH), answering(style)]), style)
        assert done.answer.status == "answered"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("The library does not say what is charged.", True),
        ("Dazu steht nichts in der Bibliothek.", True),
        ("The late fee is 100 dollars.", False),
        ("It is set by Mira Okonjo, I think.", False),
    ],
)
def test_a_not_found_tells_no_answer(library, text, kept):
    done = ask(library, [READ, Decision.answer(text, found=False)])
    assert done.answer.status == "not_found" and (done.answer.text == text) == kept
    assert kept or (done.trace.proposed == text and text not in done.answer.text)
