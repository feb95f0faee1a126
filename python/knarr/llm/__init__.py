"""Chat models behind one method."""

from knarr.llm.types import ChatModel, ChatReply, ChatRequest, WishedCall

__all__ = ["ChatModel", "ChatReply", "ChatRequest", "WishedCall"]
