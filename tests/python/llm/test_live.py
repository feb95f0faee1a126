"""A real server, when KNARR_CHAT_URL names one."""

from __future__ import annotations

import json
import os

import pytest

from knarr.config import Settings
from knarr.models.chat import ChatRequest, OpenAIChat, load_chat, read_object

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(not os.environ.get("KNARR_CHAT_URL"), reason="KNARR_CHAT_URL names no server"),
]

SCHEMA = {
    "type": "object",
    "properties": {"fee": {"type": "integer"}, "currency": {"type": "string"}},
    "required": ["fee", "currency"],
    "additionalProperties": False,
}
ASK = ChatRequest(
    [
        {"role": "system", "content": "You read loan terms and fill in JSON."},
        {"role": "user", "content": "> The late fee is 15 crowns.\n\nWhat is the late fee?"},
    ],
    schema=SCHEMA,
    max_tokens=60,
)


@pytest.fixture(scope="module")
def chat() -> OpenAIChat:
    found = load_chat(Settings())
    assert found is not None
    return found


def test_the_server_tells_its_model_and_window(chat: OpenAIChat) -> None:
    assert chat.name and "/" not in chat.name[:1]
    assert chat.window_tokens >= 1024


@pytest.mark.parametrize("stream", [False, True])
def test_a_schema_is_held_and_usage_reported(stream: bool) -> None:
    settings = Settings()
    chat = OpenAIChat(settings.chat_url, settings.chat_model, settings.chat_key, stream=stream)
    first, again = chat.chat(ASK), chat.chat(ASK)
    for reply in (first, again):
        read = read_object(reply.text)
        assert read.value is not None and set(read.value) == {"fee", "currency"}, reply
        assert isinstance(read.value["fee"], int)
        assert reply.usage.prompt_tokens > 0 and not reply.usage.estimated
        assert 0 <= reply.usage.cached_tokens <= reply.usage.prompt_tokens
    print(json.dumps([str(first.usage), str(again.usage)]))


def test_a_text_of_more_than_a_few_tokens_is_cut_where_it_was_bound(chat: OpenAIChat) -> None:
    reply = chat.chat(
        ChatRequest([{"role": "user", "content": "Count from 1 to 100 in words."}], max_tokens=8)
    )
    assert reply.cut and reply.usage.completion_tokens <= 8
