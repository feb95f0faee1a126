"""Historical questions written by a chat model, one call per chunk.

What comes back is text from outside: it is put on one line, bounded, and refused where it copies the chunk or
speaks of it as one. Whatever fails, the chunk is asked about by rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from knarr.errors import ChatError, ContextOverflow
from knarr.experience.warm_up.material import DocumentMaterial, Material
from knarr.experience.warm_up.naming import visible_line
from knarr.experience.warm_up.questions import MOST_CHARS, HistoricalQuestion, asks, rule_question, walk
from knarr.models.chat import ChatModel, ChatRequest, read_object
from knarr.models.prompts import prompt
from knarr.types import ModelUsage

PROMPT = "questions_v1"
PER_CHUNK = 2
_REPLY_TOKENS = 400
_MOST_PROMPT_TOKENS = 3000
_LEAST_TOKENS = 128
_FAILURES_IN_A_ROW = 3
_ABOUT_TEXT = ("the passage", "the text", "this passage", "this text", "the excerpt", "quoted", "above")
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"questions": {"type": "array", "items": {"type": "string", "maxLength": MOST_CHARS}}},
    "required": ["questions"],
    "additionalProperties": False,
}


def by_model(
    sources: Iterable[DocumentMaterial], count: int, seed: int, chat: ChatModel
) -> tuple[Sequence[HistoricalQuestion], int, ModelUsage]:
    """At most `count` questions, how many of them were made by rule, and what the model cost.

    A model that fails several times in a row is asked no more."""
    found: dict[str, HistoricalQuestion] = {}
    usage, fallbacks, failures = ModelUsage(), 0, 0
    for source, material, turn in walk(sources, seed):
        if len(found) >= count:
            break
        made: list[str] = []
        if turn == 0 and failures < _FAILURES_IN_A_ROW:
            try:
                made, spent = _written(material, chat)
                usage, failures = usage + spent, 0
            except ChatError:
                failures += 1
        elif failures < _FAILURES_IN_A_ROW:
            continue  # the model was asked for all it has to ask here
        new = [HistoricalQuestion(text, material.uri, "model") for text in made]
        if not new:
            by_rule = rule_question(source, material, turn, seed)
            new = [] if by_rule is None else [by_rule]
        for one in new[: count - len(found)]:
            if one.text.lower() not in found:
                found[one.text.lower()] = one
                fallbacks += one.kind != "model"
    return list(found.values()), fallbacks, usage


def _written(material: Material, chat: ChatModel) -> tuple[list[str], ModelUsage]:
    """The questions that a model writes for a chunk; none where its reply cannot be read."""
    share = 1.0
    for _ in range(3):
        turn = messages(material, chat, share)
        try:
            reply = chat.chat(ChatRequest(turn, schema=_SCHEMA, max_tokens=_REPLY_TOKENS))
        except ContextOverflow:
            share /= 2
            continue
        value = read_object(reply.text).value
        listed = value.get("questions") if value is not None else None
        texts = [text for text in listed if isinstance(text, str)] if isinstance(listed, list) else []
        return [text for text in map(visible_line, texts[:PER_CHUNK]) if _fit(text, material)], reply.usage
    return [], ModelUsage()


def messages(material: Material, chat: ChatModel, share: float = 1.0) -> list[dict[str, Any]]:
    """A system message of our own words, and the chunk with its names on marked lines."""
    system = prompt(PROMPT).replace("{{count}}", str(PER_CHUNK))
    place = " / ".join(visible_line(title) for title in material.titles)
    head = (
        f"Document:\n{_marked(material.called)}\nPlace:\n{_marked(place) or '> (its beginning)'}\nPassage:\n"
    )
    room = min(_MOST_PROMPT_TOKENS, chat.window_tokens - _REPLY_TOKENS) - chat.count_tokens(system + head)
    body = _cut(_marked(material.text), chat, max(_LEAST_TOKENS, int(room * share)))
    return [{"role": "system", "content": system}, {"role": "user", "content": head + body}]


def _marked(text: str) -> str:
    """Every line marked, whatever sign a reader may take for the end of a line."""
    return "\n".join(f"> {line}" for line in text.splitlines() if line.strip())


def _cut(text: str, chat: ChatModel, most_tokens: int) -> str:
    size = chat.count_tokens(text)
    if size <= most_tokens:
        return text
    end = int(len(text) * most_tokens / size)
    return text[: max(text.rfind(" ", 0, end), 2)]


def _fit(question: str, material: Material) -> bool:
    plain = question.lower()
    return (
        0 < len(question) <= MOST_CHARS
        and question.endswith("?")
        and not any(words in plain for words in _ABOUT_TEXT)
        and asks(question.partition(f"{material.called}: ")[2] or question, material.text)
    )
