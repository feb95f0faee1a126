"""Counting tokens for a model whose tokenizer is not at hand.

Our own count splits a text roughly as sub-word vocabularies do, and errs towards more tokens: digits stand
alone, as many models read them, and letters beyond a–z in pairs. It is never less than a quarter of the UTF-8
bytes. On English prose, contracts and tables of figures it is 3 to 50 per cent above the count of a vocabulary
of 150 000; on Greek or Hindi it may be below. Therefore the tokens that the server reports for a request are
compared with our count of the same request, and the highest of the latest ratios scales the count from then on.
An estimate that is too high wastes a little room; one that is too low overflows the window.
"""

from __future__ import annotations

import json
import re
import threading
from collections import deque
from collections.abc import Iterator
from math import ceil

from knarr.models.chat.types import ChatReply, ChatRequest

_TOKEN = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]|[a-zA-Z]{1,6}|[^\W\d_]{1,2}|\d|[^\w\s]|_|\n+"
)
_UNSEEN = 1.1  # the ratio until a server has reported
_HIGHEST = 4.0
_KEPT = 8
_LEAST_COUNT = 200  # smaller requests say more about the chat template than about the text
_MESSAGE_TOKENS = 4  # role and marks around a message


def own_count(text: str) -> int:
    """Tokens of a text by our own rule, before any ratio."""
    return max(sum(1 for _ in _TOKEN.finditer(text)), ceil(len(text.encode("utf-8", "replace")) / 4))


def request_texts(request: ChatRequest) -> Iterator[str]:
    """Every text of a request that a model reads: contents, calls and tools."""
    for message in request.messages:
        content = message.get("content")
        if content:
            yield content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        for call in message.get("tool_calls") or ():
            yield json.dumps(call.get("function", {}), ensure_ascii=False)
    for tool in request.tools:
        yield json.dumps(tool, ensure_ascii=False)


def reply_texts(reply: ChatReply) -> list[str]:
    """Every text that a model wrote in a reply: its answer, its reasoning and its calls."""
    return [reply.text, reply.reasoning, *(call.name + call.arguments for call in reply.calls)]


class TokenCounter:
    """A cautious count that learns from what the server reports. Any thread may use it."""

    def __init__(self) -> None:
        self._ratios: deque[float] = deque(maxlen=_KEPT)
        self._ratio = _UNSEEN
        self._lock = threading.Lock()

    @property
    def ratio(self) -> float:
        """Tokens of the server per token of ours, in [1, 4]."""
        return self._ratio

    def count(self, text: str) -> int:
        return ceil(own_count(text) * self._ratio)

    def count_request(self, request: ChatRequest) -> int:
        return ceil(_own_request(request) * self._ratio)

    def learn(self, request: ChatRequest, reported_tokens: int) -> None:
        """Compare a prompt's tokens, as the server counts them, with our own count."""
        own = _own_request(request)
        if own < _LEAST_COUNT:
            return
        with self._lock:
            self._ratios.append(reported_tokens / own)
            self._ratio = min(_HIGHEST, max(1.0, *self._ratios))


def _own_request(request: ChatRequest) -> int:
    marks = _MESSAGE_TOKENS * len(request.messages)
    return marks + sum(own_count(text) for text in request_texts(request))
