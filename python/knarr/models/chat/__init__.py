"""Chat models behind one method.

`load_chat(settings)` gives the one that the settings name; anything with the members of `ChatModel` will do as
well. types.py is the interface; client.py talks to a server, turn by turn (turn.py), through what servers take
(wire.py), refuse (refusals.py), reply (replies.py, stream.py, structured.py) and say of themselves
(server_info.py). Bytes are exchanged by knarr.models.server.
May import: models' prompts and server, types, errors, config.
"""

from __future__ import annotations

from knarr.config import Settings
from knarr.models.chat.client import OpenAIChat
from knarr.models.chat.scripted import ScriptedChat
from knarr.models.chat.structured import ParsedObject, read_object
from knarr.models.chat.types import ChatModel, ChatReply, ChatRequest, WishedCall


def load_chat(settings: Settings) -> OpenAIChat | None:
    """The chat model of the settings, None when they name no server. Asks the server nothing yet; raises
    ChatError for an address that is none."""
    if not settings.chat_url.strip():
        return None
    return OpenAIChat(
        settings.chat_url,
        settings.chat_model,
        settings.chat_key,
        window=settings.chat_window,
        timeout_s=settings.chat_timeout_s,
        connect_s=settings.connect_timeout_s,
        prices=settings.chat_prices,
    )


__all__ = [
    "ChatModel",
    "ChatReply",
    "ChatRequest",
    "OpenAIChat",
    "ParsedObject",
    "ScriptedChat",
    "WishedCall",
    "load_chat",
    "read_object",
]
