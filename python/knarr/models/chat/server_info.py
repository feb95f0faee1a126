"""What a server says about its models: their names, and how many tokens fit in a window."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

DEFAULT_WINDOW = 8192
_LEAST_WINDOW = 256
_MOST_WINDOW = 1 << 30  # a larger number is no window
_MOST_NAME_CHARS = 200

# Servers name the window in many ways; the length a model was trained with is not among them, since a
# server may have loaded it with less.
_WINDOW_FIELDS = (
    "n_ctx",
    "loaded_context_length",
    "max_model_len",
    "context_length",
    "context_window",
    "max_context_length",
    "max_input_tokens",
)
_NO_CHAT = ("embed", "rerank")
_INNER = ("meta", "top_provider", "default_generation_settings", "limits")


def listed(body: Any) -> list[Mapping[str, Any]]:
    """The entries of GET /models that have an id."""
    data = body.get("data") if isinstance(body, dict) else body
    entries = data if isinstance(data, list) else []
    return [entry for entry in entries if isinstance(entry, dict) and _is_name(entry.get("id"))]


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and value.isprintable() and 0 < len(value.strip()) <= _MOST_NAME_CHARS


def first_chat_model(body: Any) -> str:
    """The first model of GET /models, one that only embeds or ranks aside; "" when there is none."""
    names = [str(entry["id"]) for entry in listed(body)]
    return next(iter(_talking(names) or names), "")


def _talking(names: Iterable[str]) -> list[str]:
    return [name for name in names if not any(word in name.lower() for word in _NO_CHAT)]


def window_in(entry: Any, depth: int = 3) -> int:
    """The window in tokens as an entry of /models, or /props, gives it, at most `depth` levels down; 0 when it
    gives none."""
    if not isinstance(entry, dict) or not depth:
        return 0
    for name in _WINDOW_FIELDS:
        value = entry.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and _LEAST_WINDOW <= value <= _MOST_WINDOW:
            return value
    return next((found for name in _INNER if (found := window_in(entry.get(name), depth - 1))), 0)


def names_listed(body: Any, most: int) -> str:
    """Names of chat models in GET /models for a message, "" when there are none."""
    names = _talking(str(entry["id"]) for entry in listed(body))
    return ", ".join(names[:most]) + (" …" if len(names) > most else "")


def ask_window(get: Callable[[str, str], Any], model: str) -> int:
    """The window of `model` as the server gives it, else DEFAULT_WINDOW. `get(path, beside)` returns the JSON at a
    path, with an ending of the server's own path left out; None when there is none."""
    entries = listed(get("/models", ""))
    entry = next((entry for entry in entries if entry["id"] == model), None)
    if entry is None and len(entries) == 1:
        entry = entries[0]
    return window_in(entry) or window_in(get("/props", "/v1")) or DEFAULT_WINDOW
