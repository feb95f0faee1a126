"""The messages of a run, M(t) in Algorithm 1, always well formed.

First the system prompt and the question, then for each round one assistant message with its calls and exactly
one tool message per call id, in order. Arguments are stored as checked JSON and never as a model wrote them, so
that the next request is valid whatever the last reply was.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from knarr.agent.values import Message, Observation
from knarr.models.prompts import prompt

SYSTEM_PROMPT = "agent_v2"
LAST_TURN = "Now answer from what was shown, without further calls, or say what is missing."
NUDGE = "Your reply was empty. Call a tool, or answer the question, or say that the library does not hold the answer."


class MessageHistory:
    """The messages so far. Not for use from several threads.

    hint: which documents the question may mean, from `Resolution.hint`. Their names are document text, so they
    stand on marked lines and never in the system message."""

    def __init__(self, question: str, scope: str, hint: str = "") -> None:
        self._question = question
        lines = [f"Scope: {scope}", *([hint] if hint else []), f"Question: {question}"]
        self._messages = [Message("system", prompt(SYSTEM_PROMPT)), Message("user", "\n".join(lines))]

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages so far."""
        return tuple(self._messages)

    def add_round(self, text: str, observations: Sequence[Observation]) -> None:
        """One assistant turn with the calls of these observations, and then the observations."""
        self._messages.append(Message("assistant", text, tuple(seen.call for seen in observations)))
        self._messages.extend(
            Message("tool", seen.text or "(empty)", call_id=seen.id) for seen in observations
        )

    def add_reply(self, text: str) -> None:
        """An assistant turn without calls."""
        self._messages.append(Message("assistant", text or "(empty)"))

    def add_user(self, text: str) -> None:
        """A user turn."""
        self._messages.append(Message("user", text))

    def add_last_turn(self) -> None:
        """Ask for the answer, with the question once more: it may stand far above by now."""
        self.add_user(f"{LAST_TURN}\nQuestion: {self._question}")


def chat_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages in the chat-completions form that OpenAI-compatible servers take."""
    return [_chat(message) for message in messages]


def _chat(message: Message) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.call_id, "content": message.content}
    if not message.calls:
        return {"role": message.role, "content": message.content}
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.tool, "arguments": json.dumps(call.written(), ensure_ascii=False)},
        }
        for call in message.calls
    ]
    return {"role": "assistant", "content": message.content or None, "tool_calls": calls}
