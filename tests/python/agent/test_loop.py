"""Algorithm 1: rounds, bounds, repeats and empty replies (AG-01, AG-02, AG-04, AG-06)."""

from __future__ import annotations

import asyncio
import json

import pytest

from knarr.agent import Agent, Budget, Decision, Quote, Run, ScriptedPolicy, ToolCall, View, chat_messages
from knarr.errors import KnarrError

FEES = "viking://handbook/loans/c_2.md"


def run(library, script, budget=None, scope="viking://", question="What is the late fee?"):
    return Agent(library, ScriptedPolicy(script), reranker=None).run(question, scope, budget=budget)


def answered(text="Two crowns."):
    return Decision.answer(text, Quote(FEES, "A late fee of two crowns is charged for each day"))


def test_search_then_answer(library):
    done = run(library, [Decision.call("Search", query="late fee"), answered()])
    assert (done.answer.status, done.answer.text, done.answer.rounds) == ("answered", "Two crowns.", 1)
    assert [piece.uri for piece in done.answer.citations] == [FEES]
    assert done.answer.citations[0].lines == (4, 4)
    assert done.answer.usage.calls == {"Search": 1}
    assert done.answer.usage.tokens_shown == sum(call.tokens for call in done.trace.calls()) > 0


def test_ask_keeps_the_trace(library):
    agent = Agent(library, ScriptedPolicy([answered()]), reranker=None)
    answer = agent.ask("What is the late fee?")
    assert [trace.id for trace in library.kept] == [answer.trace_id]


def test_the_async_runner_gives_the_same(library):
    script = [Decision(calls=(ToolCall("Search", {"query": "late fee"}), ToolCall("List", {}))), answered()]
    plain = run(library, script).trace
    agent = Agent(library, ScriptedPolicy(script), reranker=None)
    other = asyncio.run(agent.arun("What is the late fee?")).trace
    assert [call.text for call in plain.calls()] == [call.text for call in other.calls()]
    assert (plain.text, plain.citations, plain.status) == (other.text, other.citations, other.status)


MALFORMED = [
    "null",
    "[1]",
    '{"query":"x"} thanks',
    '{"query": \\n"x"}',
    '{"k":"five"}',
    '{"query":"x","colour":1}',
    '{"query":"' + "x" * 1_000_000 + '"}',
    "{" * 100_000,
    '"x"',
]


@pytest.mark.parametrize("raw", MALFORMED)
def test_malformed_arguments_get_a_bounded_reply(library, raw):
    policy = ScriptedPolicy([Decision(calls=(ToolCall("Search", raw),)), answered()])
    done = Agent(library, policy, reranker=None).run("What is the late fee?")
    reply = next(done.trace.calls())
    assert reply.error and reply.note == "malformed" and len(reply.text) < 500 and "Search" in reply.text
    assert done.answer.status == "answered"
    json.dumps(chat_messages(policy.views[-1].messages))
    assert len(json.dumps(reply.arguments)) < 1_000
    assert not [call for call in library.calls if call[0] == "search"]


@pytest.mark.parametrize(
    ("raw", "note"),
    [
        ('{"query":"late fee",}', "trailing comma removed"),
        ('  {"query":"late fee"}\n', ""),
        ('{"query":"a ,} b",}', "trailing comma removed"),
    ],
)
def test_harmless_slips_are_repaired_and_logged(library, raw, note):
    call = next(run(library, [Decision(calls=(ToolCall("Search", raw),)), answered()]).trace.calls())
    assert (call.error, call.note) == ("", note)


def test_no_arguments_are_an_empty_object(library):
    call = next(run(library, [Decision(calls=(ToolCall("List", ""),)), answered()]).trace.calls())
    assert not call.error and "viking://handbook/" in call.text


def test_unknown_tools_are_refused_with_the_real_names(library):
    names = ["serach", "execute_python", "Search "]
    script = [Decision.call(name, query="x") for name in names] + [
        Decision.call("Search", query="late fee"),
        answered(),
    ]
    done = run(library, script)
    calls = list(done.trace.calls())
    assert all("Search, List, Grep, Read" in call.text for call in calls[:3])
    assert [call for call in library.calls if call[0] == "search"] == [("search", "late fee")]
    assert done.answer.status == "answered"


def test_history_has_one_reply_per_call_in_order(library):
    calls = (
        ToolCall("Search", {"query": "late fee"}, id="a"),
        ToolCall("Read", {"uri": "viking://nowhere"}, id="a"),
        ToolCall("Gerp", {"pattern": "fee"}, id=""),
        ToolCall("Grep", {"pattern": "(["}, id="d"),
    )
    policy = ScriptedPolicy([Decision(calls=calls, text="let me look"), answered()])
    Agent(library, policy, reranker=None).run("What is the late fee?")
    messages = chat_messages(policy.views[-1].messages)
    strict(messages)
    assistant = messages[2]
    assert assistant["content"] == "let me look" and len(assistant["tool_calls"]) == 4
    assert len({call["id"] for call in assistant["tool_calls"]}) == 4


def strict(messages):
    """A checker as strict as a server: roles in order, every call answered once, at once, not empty."""
    assert [message["role"] for message in messages[:2]] == ["system", "user"]
    waiting = []
    for message in messages[2:]:
        if message["role"] == "tool":
            assert waiting and message["tool_call_id"] == waiting.pop(0) and message["content"]
            continue
        assert not waiting
        waiting = [call["id"] for call in message.get("tool_calls", [])]
        for call in message.get("tool_calls", []):
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
        assert message.get("tool_calls") or message["content"]
    assert not waiting


class Faulty:
    """A library whose search breaks in ways it should not."""

    def __init__(self, library, error):
        self._library, self._error = library, error

    def __getattr__(self, name):
        return getattr(self._library, name)

    def search(self, *_args, **_kwargs):
        raise self._error


@pytest.mark.parametrize(
    "error", [RuntimeError("secret /path/to/file"), KnarrError("disk " * 500), MemoryError()]
)
def test_a_failing_tool_is_an_observation(library, error):
    done = run(Faulty(library, error), [Decision.call("Search", query="x"), answered()])
    call = next(done.trace.calls())
    assert call.error and len(call.text) < 400 and "secret" not in call.text
    assert done.answer.status == "answered"


@pytest.mark.parametrize("text", ["", "  \n ", "<think>the fee is two crowns</think>", "<think>never closed"])
def test_an_empty_reply_is_no_answer(library, text):
    script = [Decision.call("Read", uri=FEES)] + [Decision.answer(text)] * 9
    policy = ScriptedPolicy(script)
    done = Agent(library, policy, reranker=None).run("What is the late fee?", budget=Budget(nudges=2))
    assert done.answer.status == "no_answer"
    assert len(policy.views) == 1 + 3
    assert "two crowns" not in done.answer.text.splitlines()[0] and FEES in done.answer.text
    assert [piece.uri for piece in done.answer.citations] == [FEES]
    strict(chat_messages(policy.views[-1].messages))


def test_text_around_reasoning_is_kept(library):
    quote = Quote(FEES, "A late fee of two crowns is charged for each day")
    done = run(library, [Decision.answer("Two <think>or three?</think>crowns.", quote)])
    assert (done.answer.text, done.answer.status) == ("Two crowns.", "answered")


def test_a_nudged_policy_may_still_answer(library):
    assert run(library, [Decision(), answered()]).answer.status == "answered"


def test_not_found_is_a_status(library):
    assert run(library, [Decision.answer("Nothing there.", found=False)]).answer.status == "not_found"


def test_repeats_are_noticed_and_not_run(library):
    done = run(library, lambda _view: Decision.call("Search", query="late fee"), Budget(rounds=5))
    calls = list(done.trace.calls())
    assert len(calls) == 5 and [call.note for call in calls] == ["", *["repeated"] * 4]
    assert all(call.tokens < 60 for call in calls[1:])
    assert len([call for call in library.calls if call[0] == "search"]) == 1
    assert (done.answer.status, done.trace.spent) == ("budget_exhausted", "rounds")
    assert done.answer.citations


def test_equal_calls_in_one_round_and_with_defaults_spelt_out_are_repeats(library):
    calls = (ToolCall("Search", {"query": "late fee"}), ToolCall("Search", {"query": "late fee", "k": 10}))
    done = run(library, [Decision(calls=calls), answered()])
    assert [call.note for call in done.trace.calls()] == ["", "repeated"]


def test_alternating_calls_end_by_faults(library):
    def script(view: View) -> Decision:
        return Decision.call("Search", query=("late fee", "rent")[view.round % 2])

    done = run(library, script, Budget(rounds=50, faults=4))
    assert (done.trace.spent, done.answer.status) == ("faults", "budget_exhausted")
    assert len(list(done.trace.calls())) == 2 + 4


def test_rounds_are_a_hard_limit_with_a_last_turn(library):
    views: list[View] = []

    def script(view: View) -> Decision:
        views.append(view)
        return (
            answered("From what was shown.")
            if view.final
            else Decision.call("Search", query=f"fee {view.round}")
        )

    done = run(library, script, Budget(rounds=5))
    assert done.answer.rounds == 5 and done.answer.status == "budget_exhausted"
    assert done.answer.text == "From what was shown." and done.answer.citations
    assert views[-1].final and views[-1].tools == ()


def test_calls_of_the_last_turn_are_not_run(library):
    done = run(library, lambda view: Decision.call("Search", query=f"fee {view.round}"), Budget(rounds=2))
    assert len(list(done.trace.calls())) == 2
    assert done.answer.status == "budget_exhausted" and done.answer.citations and done.answer.text


def test_tokens_are_a_hard_limit(library):
    library.documents["viking://long/text"] = [f"word{n} " * 400 for n in range(20)]
    budget = Budget(rounds=50, tokens=300, call_tokens=120)
    done = run(
        library, lambda view: Decision.call("Read", uri=f"viking://long/text/c_{view.round}.md"), budget
    )
    assert done.trace.spent == "tokens"
    assert done.answer.usage.tokens_shown <= 300 + 120
    assert done.answer.status == "budget_exhausted"


class Ticking:
    """A clock that moves by half a second with each look."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 0.5
        return self.now


def test_time_is_a_hard_limit(library):
    policy = ScriptedPolicy(lambda view: Decision.call("Search", query=f"fee {view.round}"))
    done = Agent(library, policy, reranker=None, clock=Ticking()).run(
        "What is the late fee?", budget=Budget(rounds=500, timeout_s=6.0)
    )
    assert (done.trace.spent, done.answer.status) == ("time", "budget_exhausted")
    assert len(list(done.trace.calls())) < 6


def test_too_many_calls_in_one_round(library):
    calls = tuple(ToolCall("Grep", {"pattern": f"fee{n}"}) for n in range(40))
    done = run(library, [Decision(calls=calls), answered()], Budget(calls=4))
    assert [call.note for call in done.trace.calls()].count("too many") == 36


def test_calls_outside_the_scope_are_refused(library):
    script = [
        Decision.call("Read", uri="viking://contracts/lease/c_2.md"),
        Decision.call("Search", query="rent", scope="viking://contracts"),
        Decision.call("Grep", pattern="rent", scope="viking://handbook_2"),
        Decision.call("List", uri="viking://"),
        Decision.call("Read", uri="file:///etc/passwd"),
        answered(),
    ]
    done = run(library, script, scope="viking://handbook")
    assert all(call.error for call in done.trace.calls())
    assert not any("nine hundred" in call.text for call in done.trace.calls())
    cited = run(
        library,
        [Decision.answer("x", Quote("viking://contracts/lease/c_2.md", "The rent is nine hundred crowns"))],
        scope="viking://handbook",
    )
    assert not cited.answer.citations


def test_bad_questions_and_budgets_raise_before_anything_is_run(library):
    agent = Agent(library, ScriptedPolicy([]), reranker=None)
    for wrong in (
        lambda: agent.run("  "),
        lambda: agent.run("x", k=0),
        lambda: agent.run("x", "file:///"),
        lambda: Budget(rounds=0),
        lambda: Budget(timeout_s=0.0),
    ):
        with pytest.raises(ValueError) as caught:
            wrong()
        assert isinstance(caught.value, KnarrError)
    assert library.calls == [] or all(call[0] != "search" for call in library.calls)


def test_a_policy_that_returns_something_else_is_told(library):
    with pytest.raises(TypeError, match="Decision") as caught:
        run(library, lambda _view: "an answer")
    assert isinstance(caught.value, KnarrError)


def test_runs_are_values(library):
    done = run(library, [answered()])
    assert (
        isinstance(done, Run)
        and done.trace.policy == "ScriptedPolicy"
        and done.trace.question == "What is the late fee?"
    )
