"""Judges of Algorithm 2: does a text support the question and its answer?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from knarr.checker.messages import marked
from knarr.errors import ContextOverflow
from knarr.language.citations import locate, too_short
from knarr.models.chat import ChatModel, ChatRequest, read_object
from knarr.models.prompts import prompt
from knarr.types import Citation, ModelUsage

Supports = Callable[[str, str, str], bool]
Texts = Sequence[tuple[str, str]]

PROMPT = "judge_v1"
SCHEMA = {
    "type": "object",
    "properties": {"supports": {"type": "array", "items": {"type": "integer"}}},
    "required": ["supports"],
    "additionalProperties": False,
}
# A cross-encoder reads a chunk in a few hundred milliseconds; cited chunks need no reading.
_MOST_READ = 8
_PIECE_TOKENS = 600
_GROUP_TOKENS = 4_000
_REPLY_TOKENS = 300


class Judge(Protocol):
    """Keeps the texts that support question and answer. Raises ChatError when it cannot be asked now."""

    def keep(self, question: str, answer: str, texts: Texts) -> list[bool]:
        """One word for each (URI, text), in their order."""
        ...


class RuleJudge:
    """Without a model: a text supports the answer when a citation of the answer stands in it word for word,
    or when `supports(question, answer, text)` says so, which is asked for the first few others."""

    def __init__(self, citations: Sequence[Citation], supports: Supports | None = None) -> None:
        self._quotes = [citation.text for citation in citations if not too_short(citation.text)]
        self._supports = supports

    def keep(self, question: str, answer: str, texts: Texts) -> list[bool]:
        kept = [any(locate(quote, text) is not None for quote in self._quotes) for _, text in texts]
        if self._supports is not None:
            for at in [at for at, known in enumerate(kept) if not known][:_MOST_READ]:
                kept[at] = self._supports(question, answer, texts[at][1])
        return kept


class ModelJudge:
    """Asks a chat model, a few thousand tokens of text at a time. What cannot be read keeps nothing.
    `usage` is what it has cost so far; for one thread at a time."""

    def __init__(self, chat: ChatModel, *, prompt: str = PROMPT) -> None:
        self._chat = chat
        self._prompt = prompt
        self.usage = ModelUsage()

    def keep(self, question: str, answer: str, texts: Texts) -> list[bool]:
        kept = [False] * len(texts)
        for group in self._groups(texts):
            for at in self._ask(question, answer, texts, group):
                kept[at] = True
        return kept

    def _groups(self, texts: Texts) -> list[list[int]]:
        """Places of texts that are shown together."""
        room = min(_GROUP_TOKENS, self._chat.window_tokens // 2)
        groups: list[list[int]] = []
        used = room
        for at, (_, text) in enumerate(texts):
            size = min(self._chat.count_tokens(text), _PIECE_TOKENS)
            if used + size > room:
                groups.append([])
                used = 0
            groups[-1].append(at)
            used += size
        return groups

    def _ask(self, question: str, answer: str, texts: Texts, group: list[int]) -> list[int]:
        pieces = [f"[{n}]\n{marked(self._cut(texts[at][1]))}" for n, at in enumerate(group, 1)]
        head = f"Question: {' '.join(question.split())}\nAnswer:\n{marked(answer)}"
        turns = [
            {"role": "system", "content": prompt(self._prompt)},
            {"role": "user", "content": "\n\n".join([head, *pieces])},
        ]
        try:
            reply = self._chat.chat(ChatRequest(turns, schema=SCHEMA, max_tokens=_REPLY_TOKENS))
        except ContextOverflow:
            if len(group) == 1:
                return []
            half = len(group) // 2
            return [
                at for part in (group[:half], group[half:]) for at in self._ask(question, answer, texts, part)
            ]
        self.usage = self.usage + reply.usage
        return [group[n - 1] for n in _numbers(reply.text) if 1 <= n <= len(group)]

    def _cut(self, text: str) -> str:
        size = self._chat.count_tokens(text)
        return text if size <= _PIECE_TOKENS else text[: len(text) * _PIECE_TOKENS // size]


def _numbers(text: str) -> list[int]:
    """The numbers of a reply; none unless it is an object with a list of whole numbers."""
    read = read_object(text)
    found = None if read.value is None or read.cut else read.value.get("supports")
    if not isinstance(found, list) or not all(type(n) is int for n in found):
        return []
    return found
