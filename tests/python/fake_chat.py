"""A chat server that plays a script, well-behaved or not, and checks every request strictly.

`FakeChat(reply, reply, …)`: a reply is a text, a completion (dict), an `httpx.Response`, an exception of
the transport, or a function of the request's body that gives one of these. `history_faults(messages)`
serves by itself for models that are scripted without HTTP.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import httpx

from knarr.models.chat import OpenAIChat

Reply = str | dict[str, Any] | httpx.Response | Exception | Callable[[dict[str, Any]], Any]

USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


def completion(
    content: Any = None, *, finish: str = "stop", usage: Any = None, **message: Any
) -> dict[str, Any]:
    """The body of a completion with one choice."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": content, **message},
        "finish_reason": finish,
    }
    return {"object": "chat.completion", "choices": [choice], "usage": USAGE if usage is None else usage}


def tool_call(call_id: Any, name: Any, arguments: Any) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def streamed(
    *deltas: Any, finish: str | None = "stop", usage: Any = None, done: bool = True
) -> httpx.Response:
    """A stream of events: each delta is that of a message, or a whole line when it is a string."""
    lines = [delta if isinstance(delta, str) else _event(delta) for delta in deltas]
    if finish is not None:
        lines.append(_event({}, finish))
    if usage is not None:
        lines.append("data: " + json.dumps({"choices": [], "usage": usage}))
    text = "\n\n".join([*lines, "data: [DONE]"] if done else lines) + "\n\n"
    return httpx.Response(200, headers={"content-type": "text/event-stream"}, text=text)


def _event(delta: Mapping[str, Any], finish: str | None = None) -> str:
    return "data: " + json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


class FakeChat:
    """The server at `url`. Its clock moves only when somebody sleeps.

    requests:  bodies of the chat requests, in order      paths:  of every request
    waits:     seconds slept                              faults: what was wrong with the requests
    """

    url = "http://chat.test/v1"

    def __init__(self, *replies: Reply, models: Any = None, props: Any = None) -> None:
        self._replies = list(replies)
        self._models = models
        self._props = props
        self.requests: list[dict[str, Any]] = []
        self.headers: list[httpx.Headers] = []
        self.paths: list[str] = []
        self.waits: list[float] = []
        self.faults: list[str] = []
        self.now = 1000.0
        self.transport = httpx.MockTransport(self._answer)

    def chat(self, model: str = "m", key: str = "", **options: Any) -> OpenAIChat:
        """A client of this server."""
        return OpenAIChat(
            self.url,
            model,
            key,
            transport=self.transport,
            sleep=self.sleep,
            clock=lambda: self.now,
            **options,
        )

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def check(self) -> None:
        """Raises AssertionError when a request was at fault."""
        assert not self.faults, self.faults

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.paths.append(request.url.path)
        self.headers.append(request.headers)
        if request.method == "GET":
            body = self._models if request.url.path.endswith("/models") else self._props
            return _response(body) if body is not None else httpx.Response(404, text="not here")
        try:
            body = json.loads(request.content.decode("utf-8"))
        except ValueError as error:
            self.faults.append(f"a request that is not JSON: {error}")
            return httpx.Response(400, text="not JSON")
        self.requests.append(body)
        self.faults.extend(request_faults(body))
        if not self._replies:
            self.faults.append(f"request {len(self.requests)} has no reply in the script")
            return httpx.Response(401, text="the script is over")
        return _response(self._replies.pop(0), body)


def _response(reply: Any, body: Any = None) -> httpx.Response:
    if isinstance(reply, Exception):
        raise reply
    if isinstance(reply, httpx.Response):
        return reply
    if isinstance(reply, str):
        return httpx.Response(200, json=completion(reply))
    if callable(reply):
        return _response(reply(body), body)
    return httpx.Response(200, json=reply)


def request_faults(body: Mapping[str, Any]) -> list[str]:
    """What a strict server would refuse in a chat request."""
    faults = history_faults(body.get("messages") or [])
    if not isinstance(body.get("model"), str) or not body["model"]:
        faults.append("no model")
    if "tools" in body and not body["tools"]:
        faults.append("an empty list of tools")
    for tool in body.get("tools") or []:
        if tool.get("type") != "function" or not (tool.get("function") or {}).get("name"):
            faults.append(f"no tool: {tool!r}")
    return faults


def history_faults(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """What is wrong with a conversation: an assistant's calls must each be answered, in order, by one
    tool message that is not empty; ids are used once; arguments are JSON objects; texts are texts."""
    faults: list[str] = []
    waiting: list[str] = []
    seen: set[str] = set()
    if not messages:
        faults.append("no messages")
    for place, message in enumerate(messages):
        role, content = message.get("role"), message.get("content")
        if role == "tool":
            expected = waiting.pop(0) if waiting else None
            if message.get("tool_call_id") != expected or expected is None:
                faults.append(
                    f"message {place} answers {message.get('tool_call_id')!r}, expected {expected!r}"
                )
            if not isinstance(content, str) or not content.strip():
                faults.append(f"message {place}: a tool message without text")
            continue
        if waiting:
            faults.append(f"message {place} comes before the replies to {waiting}")
            waiting = []
        if role not in ("system", "user", "assistant"):
            faults.append(f"message {place} has the role {role!r}")
        calls = message.get("tool_calls")
        if calls is not None:
            faults.extend(f"message {place}: {fault}" for fault in _call_faults(calls, seen))
            waiting = [call.get("id") for call in calls]
        if not calls and (not isinstance(content, str) or not content.strip()):
            faults.append(f"message {place} of {role!r} says nothing")
    if waiting:
        faults.append(f"calls without a reply: {waiting}")
    return faults


def _call_faults(calls: Iterable[Mapping[str, Any]], seen: set[str]) -> list[str]:
    calls = list(calls)
    faults = [] if calls else ["an empty list of calls"]
    for call in calls:
        call_id, function = call.get("id"), call.get("function") or {}
        if not isinstance(call_id, str) or not call_id or call_id in seen:
            faults.append(f"the id {call_id!r} is empty or used before")
        seen.add(str(call_id))
        if call.get("type") != "function" or not function.get("name"):
            faults.append(f"no function: {call!r}")
        try:
            if not isinstance(json.loads(function.get("arguments")), dict):
                faults.append(f"arguments that are no object: {function.get('arguments')!r}")
        except (TypeError, ValueError):
            faults.append(f"arguments that are no JSON: {function.get('arguments')!r}")
    return faults
