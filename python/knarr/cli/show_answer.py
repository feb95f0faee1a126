"""How an answer looks, for `ask` and `demo`: text, quoted evidence, path, cost; and as JSON."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from knarr.cli import page
from knarr.uris import SCHEME, is_uri

if TYPE_CHECKING:
    from collections.abc import Callable

    from knarr.trace.record import CallRecord, Trace
    from knarr.types import Answer, AnswerStatus, Citation, QuoteNow

MAX_URIS = 5

# How a question ended, in plain words; the answer's reason follows them.
WORDS: dict[AnswerStatus, str] = {
    "answered": "answered",
    "conflicting": "the documents disagree",
    "not_found": "not found: the documents do not say",
    "not_supported": "not answered: what was proposed is not borne out",
    "cut_off": "cut off: the answer is not whole",
    "no_answer": "no answer",
    "budget_exhausted": "budget spent: the best that was found until then",
    "failed": "failed",
}


def timed(ask: Callable[[], Answer]) -> tuple[Answer, float]:
    """An answer and its wall milliseconds."""
    began = time.perf_counter()
    answer = ask()
    return answer, (time.perf_counter() - began) * 1e3


def answer_json(answer: Answer, ms: float) -> dict[str, Any]:
    """The record of an answer that `demo --json` promises; `ask --json` adds to it."""
    return {
        "question": answer.question,
        "status": answer.status,
        "reason": answer.reason,
        "answer": answer.text,
        "citations": [
            {"uri": one.uri, "lines": list(one.lines), "text": one.text} for one in answer.citations
        ],
        "rounds": answer.rounds,
        "tokens_shown": answer.usage.tokens_shown,
        "ms": round(ms, 1),
    }


def full_json(answer: Answer, ms: float, trace: Trace) -> dict[str, Any]:
    """What `ask --json` prints: the record above with pages, usage, path and trace id."""
    path = [
        {
            "round": one.number,
            "calls": [{"tool": c.tool, "arguments": c.arguments, "uris": list(c.uris)} for c in one.calls],
        }
        for one in trace.rounds
    ]
    citations = page.plain(answer.citations)
    usage = page.plain(answer.usage)
    past = {"as_of": trace.as_of, "now": page.plain(answer.now)} if trace.as_of else {}
    return (
        answer_json(answer, ms)
        | past
        | {
            "citations": citations,
            "usage": usage,
            "path": path,
            "mode": answer.mode,
            "escalated": answer.escalated,
            "verdict": page.plain(answer.verdict),
            "trace_id": answer.trace_id,
        }
    )


def show_answer(answer: Answer) -> None:
    """The answer and the evidence it quotes."""
    for line in answer.text.split("\n"):
        page.say(page.block(line, "  "))
    if answer.status != "answered":
        page.say(page.bad(page.block(f"{WORDS[answer.status]} ({answer.reason})", "  ")))
    page.say()
    if answer.citations:
        page.say(page.bold("Evidence"))
        for number, citation in enumerate(answer.citations, 1):
            _show_citation(number, citation, answer.now[number - 1] if answer.now else None)
        page.say()


def _show_citation(number: int, citation: Citation, now: QuoteNow | None) -> None:
    page.say(
        page.beside(f"  [{number}] {citation.uri}", page.place(citation.lines, citation.pages), "      ")
    )
    for line in _quoted(citation.text):
        page.say(line)
    if now is not None:
        from knarr.trace.view import now_in_words

        if told := now_in_words(citation, now):
            page.say(page.bad(page.block(told, "      ")))


def _quoted(text: str) -> list[str]:
    """A quote as lines, word for word. For a terminal, prose is joined and wrapped anew; the rows of
    a table are not."""
    mark = "      > "
    lines = [line for line in text.split("\n") if line.strip()]
    if not page.in_terminal():
        return [mark + line for line in lines]
    prose = not any("|" in line or "  " in line.strip() for line in lines)
    return [page.block(" ".join(lines), mark)] if prose else [mark + page.clean(line) for line in lines]


def show_path(trace: Trace) -> None:
    """What was called in each round, and the URIs that came back."""
    rounds = [one for one in trace.rounds if one.calls]
    if not rounds:
        return
    page.say(page.bold("Path"))
    for one in rounds:
        for at, call in enumerate(one.calls):
            _show_call(f"{one.number:>3}" if at == 0 else "   ", call)
    page.say()


def _show_call(number: str, call: CallRecord) -> None:
    given = _given(call.arguments)
    remark = call.error or call.note
    page.say(page.block(f"{call.tool} {given}", " " * 5, first=f"{number}  "))
    if remark:
        page.say(page.dim(page.block(f"({remark})", " " * 7)))
    for uri in call.uris[:MAX_URIS]:
        page.say(page.dim(f"       {uri}"))
    if len(call.uris) > MAX_URIS:
        page.say(page.dim(f"       and {len(call.uris) - MAX_URIS} more"))
    for edge in call.edges[:MAX_URIS]:
        line = f"an earlier question, {edge.similarity:.2f} alike, led to {edge.target}: {edge.question}"
        page.say(page.dim(page.block(line, " " * 7)))


def _given(arguments: dict[str, Any]) -> str:
    """The main argument of a call first, then the scope where it is not everything."""
    main = next((arguments[name] for name in ("query", "pattern", "uri") if arguments.get(name)), "")
    quoted = str(main) if is_uri(str(main)) else f'"{main}"' if main else ""
    scope = arguments.get("scope") or ""
    return f"{quoted} in {scope}" if scope and scope != SCHEME else quoted


def _show_verdict(answer: Answer) -> None:
    """What the check of the answer says, and whether mode "vikingrag-e+" went on from its first round."""
    went_on = " after the first round was not enough" if answer.escalated else ""
    page.say(page.bold("Check"))
    page.say(page.block(f"{answer.verdict.outcome}{went_on}: {answer.verdict.reason}", "  "))
    page.say()


def show_cost(answer: Answer, ms: float) -> None:
    """The check, rounds, tokens by tool, time, and the id to look the run up by."""
    _show_verdict(answer)
    usage = answer.usage
    tools = [
        f"{tool} {usage.tokens_by_tool.get(tool, 0):,} in {page.count(n, 'call')}"
        for tool, n in usage.calls.items()
    ]
    page.say(page.bold("Cost"))
    page.say(f"  {page.count(answer.rounds, 'round')}, {usage.tokens_shown:,} tokens shown, {ms:,.0f} ms")
    if tools:
        page.say(page.dim(f"  {'; '.join(tools)}"))
    if usage.model.calls:
        model = usage.model
        page.say(
            page.dim(
                f"  model: {page.count(model.calls, 'call')}, {model.prompt_tokens:,} tokens sent"
                f" ({model.cached_tokens:,} cached), {model.completion_tokens:,} written"
                + (f", {model.cost:.4f}" if model.cost else "")
            )
        )
    page.say(page.dim(f"  knarr trace {answer.trace_id}"))
