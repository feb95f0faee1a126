"""For tests, yours too: an embedder that needs no model, and scripted policies and chat models."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from knarr.agent.policy import ScriptedPolicy
from knarr.models.chat.scripted import ScriptedChat
from knarr.models.embed.tokens import RegexTokenizer


class HashEmbedder:
    """A bag of hashed words: texts that share words are near each other, and the same text always has
    the same vector. `calls` and `texts` count what it was asked."""

    def __init__(self, dim: int = 64, name: str = "hash") -> None:
        self._dim = dim
        self._name = name
        self._tokenizer = RegexTokenizer()
        self.calls = 0
        self.texts = 0

    @property
    def id(self) -> str:
        return f"{self._name}:{self._dim}"

    @property
    def dim(self) -> int:
        return self._dim

    @property
    def tokenizer(self) -> RegexTokenizer:
        return self._tokenizer

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.calls += 1
        self.texts += len(texts)
        out = np.zeros((len(texts), self._dim), dtype=np.float64)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                seed = int.from_bytes(hashlib.blake2b(word.encode("utf-8"), digest_size=8).digest(), "little")
                out[row] += np.random.default_rng(seed).standard_normal(self._dim)
            if not out[row].any():
                out[row, 0] = 1.0
        unit: npt.NDArray[np.float32] = (out / np.linalg.norm(out, axis=1, keepdims=True)).astype(np.float32)
        return unit


__all__ = ["HashEmbedder", "ScriptedChat", "ScriptedPolicy"]
