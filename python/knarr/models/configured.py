"""The chat model that the settings name, made once and shared by all who ask it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from knarr.config import Settings
from knarr.errors import ChatError

if TYPE_CHECKING:
    from knarr.models.chat import ChatModel


class ConfiguredChat:
    """Knows at once whether there is a model; makes its client at the first request. Thread-safe."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._chat: ChatModel | None = None
        self._lock = threading.Lock()

    @property
    def exists(self) -> bool:
        """Whether the settings name a server."""
        return bool(self._settings.chat_url.strip())

    def model(self) -> ChatModel:
        """The model, the same object at every call. Raises ChatError when the settings name none."""
        from knarr.models.chat import load_chat

        with self._lock:
            self._chat = self._chat or load_chat(self._settings)
            if self._chat is None:
                raise ChatError(
                    "no chat model: set KNARR_CHAT_URL to an OpenAI-compatible server", "unconfigured"
                )
            return self._chat
