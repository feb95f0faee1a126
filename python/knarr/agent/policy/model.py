"""Any chat model drives the loop: the history becomes a request, and the reply a decision.

Nothing a model says leaves this module as an exception. A reply that cannot be read is a fault that the loop tells
the model about, and so is an answer before anything was looked up. A server that fails raises ChatError, and the
loop decides whether there is something to give. Reasoning is never an answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from knarr.agent.failures import usage_of
from knarr.agent.policy.model_history import MESSAGE_TOKENS, Omissions, Sizes, fit, fold, sent_messages
from knarr.agent.policy.model_messages import (
    ANSWER,
    NATIVE_PROMPT,
    SCHEMA_PROMPT,
    answer_tool,
    decision_schema,
    native_messages,
    schema_messages,
    tool_schemas,
    tools_as_text,
)
from knarr.agent.policy.model_probe import Style, known_style, probe, remember_style
from knarr.agent.policy.model_reply import (
    MOST_CALLS,
    TEXT_CHARS,
    broke_off,
    read_answer,
    read_text,
    visible,
)
from knarr.agent.tools import SEARCH, TOOLS
from knarr.agent.values import Decision, Message, ToolCall, View
from knarr.errors import ChatError, ContextOverflow, FailureKind, InvalidArgument
from knarr.language.plain import one_line
from knarr.models.chat import ChatModel, ChatReply, ChatRequest, WishedCall
from knarr.models.prompts import prompt
from knarr.types import ModelUsage
from knarr.uris import above, as_directory

_REPLY_SHARE = 8  # one part in eight of the window is kept for the reply
_LEAST_REPLY, _MOST_REPLY = 256, 16_384
_CALL_SHARE = 5  # one part in five of the room for messages may be one observation
_LEAST_CALL = 64
_SHRINKS = 3  # how often a request that the server found too long is made shorter
_LAST_TURN_S = 10.0  # given to the last turn when the time is over
_NOTES = "model"
LOOK_FIRST = (
    f"Nothing has been looked up yet, and only what the library shows counts. Call {SEARCH.name} first."
)


@dataclass(slots=True)
class _Spent:
    """What one decision has cost so far, failed tries included."""

    usage: ModelUsage = field(default_factory=ModelUsage)


@dataclass(slots=True)
class _Run:
    """The notes of one run. `roomy`: a reply was cut off, so replies have twice the room from then on."""

    style: Style | None = None
    sure: bool = True
    roomy: bool = False
    omitted: Omissions = field(default_factory=Omissions)


class ModelPolicy:
    """Decides by asking a chat model. One object serves many runs and threads.

    style:         "native" tool calls, "schema" (a JSON object, for servers and models without tool
                   calls), or "auto": found out by one tiny request, once per chat model object
    history:       "append" sends all that was shown; "fold" replaces what is of no more use by its URIs. In
                   long runs folding sends a quarter less, but spoils prefix caches: with cached tokens at a
                   tenth of the price it costs as much, and evidence is lost (bench/rag/history.py)
    reply_tokens:  the most tokens of a reply, None for an eighth of the window
    """

    def __init__(
        self,
        chat: ChatModel,
        *,
        style: Literal["auto", "native", "schema"] = "auto",
        history: Literal["append", "fold"] = "append",
        reply_tokens: int | None = None,
    ) -> None:
        for name, value, known in (
            ("style", style, ("auto", "native", "schema")),
            ("history", history, ("append", "fold")),
        ):
            if value not in known:
                raise InvalidArgument(f"{name}: expected one of {', '.join(known)}, got {value!r}")
        if reply_tokens is not None and reply_tokens < 1:
            raise InvalidArgument(f"expected reply_tokens >= 1 or None, got {reply_tokens}")
        self._chat = chat
        self._style = style
        self._history = history
        self._reply = reply_tokens

    retries = 1  # of a draft that does not pass its check

    @property
    def model_name(self) -> str:
        """Names the chat model in traces; "" while the server does not tell."""
        try:
            return self._chat.name
        except (ChatError, OSError):
            return ""

    @property
    def call_tokens(self) -> int | None:
        """The most tokens of one observation, so that several fit the window beside each other. None
        while the model does not state its window."""
        try:
            return max(_LEAST_CALL, (self._limit() - self._overhead("schema")) // _CALL_SHARE)
        except (ChatError, OSError):
            return None

    def decide(self, view: View) -> Decision:
        run = view.notes.setdefault(_NOTES, _Run())
        spent = _Spent()
        try:
            style = self._settled_style(run, view, spent)
            reply = self._ask(run, view, style, spent)
            if broke_off(reply) and not run.roomy and self._reply_room(roomy=True) > self._reply_room():
                run.roomy = True
                reply = self._ask(run, view, style, spent)
        except ChatError as error:
            error.usage = spent.usage
            raise
        except OSError as error:
            kind: FailureKind = "timeout" if isinstance(error, TimeoutError) else "unreachable"
            failed = ChatError(one_line(str(error)) or type(error).__name__, kind)
            failed.usage = spent.usage
            raise failed from error
        if not run.sure:
            remember_style(self._chat, style)  # the server is there, so it was the tool that it refused
            run.sure = True
        decision = _decision(reply, view, style, spent.usage)
        return replace(decision, left_out=run.omitted.left_out(view))

    def _settled_style(self, run: _Run, view: View, spent: _Spent) -> Style:
        """The run's style; finding it out may cost a request."""
        if run.style is None:
            run.style = known_style(self._chat) if self._style == "auto" else self._style
        if run.style is None:
            run.style, cost, run.sure = probe(self._chat, _seconds(view))
            spent.usage += cost
            if run.sure:
                remember_style(self._chat, run.style)
        return run.style

    def _ask(self, run: _Run, view: View, style: Style, spent: _Spent) -> ChatReply:
        """The reply. A request that the server finds too long is made shorter a few times."""
        for tried in range(_SHRINKS + 1):
            window = self._chat.window_tokens
            request = self._request(run, view, style)
            try:
                reply = self._chat.chat(request)
            except ContextOverflow as error:
                spent.usage += usage_of(error)
                if tried == _SHRINKS:
                    raise
                if self._chat.window_tokens >= window:  # else the server has named its window
                    run.omitted.most = self._shorter(request)
            except (ChatError, OSError) as error:
                spent.usage += usage_of(error)
                raise
            else:
                spent.usage += reply.usage
                return reply
        raise AssertionError("unreachable")

    def _request(self, run: _Run, view: View, style: Style) -> ChatRequest:
        """What to send now. Raises ContextOverflow when not even the question fits."""
        sizes = Sizes(self._chat.count_tokens)
        if self._history == "fold":
            fold(view, run.omitted, sizes)
        limit = self._limit(roomy=run.roomy)
        limit = limit if run.omitted.most is None else min(run.omitted.most, limit)
        room = limit - self._overhead(style)
        while fit(view, run.omitted, sizes, room):
            request = self._rendered(sent_messages(view, run.omitted), view, style, run.roomy)
            over = _size(request, sizes) - limit
            if over <= 0:
                return request
            room -= max(over, room // 50)
        raise ContextOverflow("the question does not fit the model's window")

    def _shorter(self, request: ChatRequest) -> int:
        """The tokens for the next try after a request that was too long: half of what follows the question
        goes."""
        sizes = Sizes(self._chat.count_tokens)
        whole = _size(request, sizes)
        return whole - (whole - _size(replace(request, messages=request.messages[:2]), sizes)) // 2

    def _rendered(
        self, messages: Sequence[Message], view: View, style: Style, roomy: bool = False
    ) -> ChatRequest:
        native = style == "native"
        return ChatRequest(
            native_messages(messages) if native else schema_messages(messages),
            tools=[*tool_schemas(view.tools), answer_tool()] if native else (),
            schema=None if native else _schema(view),
            max_tokens=self._reply_room(roomy=roomy),
            timeout_s=_seconds(view),
        )

    def _reply_room(self, *, roomy: bool = False) -> int:
        """Tokens of a reply; twice as many after one was cut off, as far as half the window."""
        window = self._chat.window_tokens
        room = self._reply
        if room is None:
            room = min(_MOST_REPLY, max(_LEAST_REPLY, window // _REPLY_SHARE))
        return max(room, min(2 * room, window // 2)) if roomy else room

    def _limit(self, *, roomy: bool = False) -> int:
        """Tokens of a request: the window without the reply."""
        return self._chat.window_tokens - self._reply_room(roomy=roomy)

    def _overhead(self, style: Style) -> int:
        """Tokens that a style adds to the history: its prompt and the tools."""
        tools = (
            [json.dumps(tool) for tool in (*tool_schemas(TOOLS), answer_tool())]
            if style == "native"
            else [tools_as_text(TOOLS)]
        )
        own = prompt(NATIVE_PROMPT if style == "native" else SCHEMA_PROMPT)
        return sum(map(self._chat.count_tokens, [own, *tools]))


def _decision(reply: ChatReply, view: View, style: Style, usage: ModelUsage) -> Decision:
    """What the reply says: its calls, its call of Answer, or its text. In the last turn calls of tools are of no
    use."""
    answers = [call for call in reply.calls if _is_answer(call)]
    calls = [call for call in reply.calls if not _is_answer(call)][:MOST_CALLS]
    if calls and not view.final:
        wished = tuple(ToolCall(call.name, call.arguments, call.id) for call in calls)
        return Decision(calls=wished, text=visible(reply.text)[:TEXT_CHARS], usage=usage)
    if answers:
        decision = read_answer(answers[0].arguments, view.shown, usage, cut=reply.cut)
    else:
        schema = style == "schema"
        decision = read_text(reply.text, view.shown, usage, schema=schema, final=view.final, cut=reply.cut)
    if decision.draft is not None and not view.observations and not view.final:
        return Decision(text=decision.text, usage=usage, fault=LOOK_FIRST)
    return decision


def _is_answer(call: WishedCall) -> bool:
    return call.name.strip().casefold() == ANSWER.casefold()


def _schema(view: View) -> dict[str, Any]:
    numbers = sorted({piece.number for piece in view.shown if piece.number})
    return decision_schema(view.tools, numbers, _known(view), looked=bool(view.observations))


def _known(view: View) -> list[str]:
    """The URIs that a model can know from what it was shown, and the places above them, inside the run's
    scope."""
    named = [found.uri for found in view.resolution.candidates]
    named += [uri for seen in view.observations for uri in seen.uris]
    known = {view.scope: None}
    inside = as_directory(view.scope)
    for uri in named:
        places = (uri, *map(as_directory, above(uri)))
        for place in places:
            if not place.startswith(inside) or place == inside or place in known:
                break
            known[place] = None
    return list(known)


def _size(request: ChatRequest, sizes: Sizes) -> int:
    """Tokens of all texts of a request, and of the marks around them."""
    texts = [text for message in request.messages for text in _texts(message)]
    texts += [json.dumps(tool) for tool in request.tools]
    return sum(map(sizes.text, texts)) + MESSAGE_TOKENS * len(request.messages)


def _texts(message: Mapping[str, Any]) -> list[str]:
    calls = [json.dumps(call, ensure_ascii=False) for call in message.get("tool_calls", ())]
    return [message["content"] or "", *calls]


def _seconds(view: View) -> float | None:
    """Wall seconds for a turn; None for the model's own bound."""
    if view.remaining_s is None:
        return None
    return max(view.remaining_s, _LAST_TURN_S if view.final else 0.1)
