"""A chat model that plays a script, for tests of code that talks to a model."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterable
from dataclasses import replace

from knarr.errors import ChatError
from knarr.models.chat.count import reply_texts, request_texts
from knarr.models.chat.types import ChatReply, ChatRequest
from knarr.types import ModelUsage

Line = ChatReply | str | Exception | Callable[[ChatRequest], ChatReply]


class ScriptedChat:
    """Plays one line per request: a reply (or its text), an exception to raise, or a function of the
    request. After the last line it raises ChatError.

    `requests` keeps every request as it was when it came. Tokens are counted by `RegexTokenizer`; a reply
    without usage is given one by that count, marked as estimated.
    """

    def __init__(
        self, replies: Iterable[Line] = (), *, name: str = "scripted", window_tokens: int = 8192
    ) -> None:
        from knarr.models.embed.tokens import RegexTokenizer  # brings NumPy, which a chat model does not need

        self.name = name
        self.window_tokens = window_tokens
        self.requests: list[ChatRequest] = []
        self._lines = iter(replies)
        self._tokenizer = RegexTokenizer()
        self._lock = threading.Lock()

    def count_tokens(self, text: str) -> int:
        return len(self._tokenizer.token_begins(text))

    def chat(self, request: ChatRequest) -> ChatReply:
        with self._lock:
            # The caller goes on writing to its history, so what was sent is copied.
            self.requests.append(copy.deepcopy(request))
            line = next(self._lines, None)
            asked = len(self.requests)
        if line is None:
            raise ChatError(f"the script has no reply number {asked}; give ScriptedChat more replies")
        if isinstance(line, Exception):
            raise line
        reply = (
            ChatReply(line)
            if isinstance(line, str)
            else line
            if isinstance(line, ChatReply)
            else line(request)
        )
        return reply if reply.usage.calls else replace(reply, usage=self._usage(request, reply))

    def _usage(self, request: ChatRequest, reply: ChatReply) -> ModelUsage:
        return ModelUsage(
            calls=1,
            prompt_tokens=sum(map(self.count_tokens, request_texts(request))),
            completion_tokens=sum(map(self.count_tokens, reply_texts(reply))),
            estimated=1,
        )
