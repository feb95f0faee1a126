"""What passes between knarr and a chat model: a request, a reply, and one method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from knarr.types import ModelUsage


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One turn asked of a model.

    messages:    in the chat-completions form
    tools:       in that form too; none to get text
    schema:      a JSON schema that the reply's text must follow, where the server can hold a model to it
    max_tokens:  the most tokens of the reply, None for the server's bound
    timeout_s:   wall seconds for the whole turn, tries included; None for the client's bound
    """

    messages: Sequence[Mapping[str, Any]]
    tools: Sequence[Mapping[str, Any]] = ()
    schema: Mapping[str, Any] | None = None
    max_tokens: int | None = None
    timeout_s: float | None = None


@dataclass(frozen=True, slots=True)
class WishedCall:
    """A tool call as the model wrote it: nothing about it has been checked."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What a model said. `text` is without hidden reasoning, which is kept apart in `reasoning`;
    `cut` says that the server stopped it at a bound of tokens."""

    text: str
    calls: tuple[WishedCall, ...] = ()
    reasoning: str = ""
    cut: bool = False
    usage: ModelUsage = field(default_factory=ModelUsage)


class ChatModel(Protocol):
    """A chat model behind one method. May be used by several threads."""

    @property
    def name(self) -> str:
        """Names the model in traces and in the keys of what it made."""
        ...

    @property
    def window_tokens(self) -> int:
        """The most tokens of a request and its reply together."""
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of a text as this model counts them, or a cautious guess."""
        ...

    def chat(self, request: ChatRequest) -> ChatReply:
        """One turn. Raises ContextOverflow when the request does not fit the model's window, ChatError
        for every other failure that remains after its own tries."""
        ...
