"""Embeddings from an OpenAI-compatible server.

A batch that is refused for its size is split, never resent as it was; 429 and 5xx are waited for
with the server's own Retry-After; items are placed by their index, whatever their order.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import httpx
import numpy as np
import numpy.typing as npt

from knarr.errors import EmbedderError
from knarr.models.embed.tokens import RegexTokenizer

Vectors = npt.NDArray[np.float32]

_BATCH = 64
_TRIES = 6
_TOO_LARGE = (400, 413, 422)


class OpenAIEmbedder:
    """`POST {url}/embeddings`. The width is asked of the server once, with a probe."""

    def __init__(
        self,
        url: str,
        model: str,
        key: str = "",
        *,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.Client(
            base_url=url.rstrip("/"), headers=headers, timeout=60.0, transport=transport
        )
        self._model = model
        self._sleep = sleep
        self._tokenizer = RegexTokenizer()
        self._dim = 0

    @property
    def id(self) -> str:
        return f"openai:{self._model}:{self.dim}"

    @property
    def dim(self) -> int:
        if not self._dim:
            self._dim = len(self._post(["width"])[0])
        return self._dim

    @property
    def tokenizer(self) -> RegexTokenizer:
        return self._tokenizer

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows: list[list[float]] = []
        for begin in range(0, len(texts), _BATCH):
            rows.extend(self._batch(list(texts[begin : begin + _BATCH])))
        if not rows:
            return np.empty((0, self.dim), dtype=np.float32)
        try:
            out = np.asarray(rows, dtype=np.float32)
        except ValueError as error:
            raise EmbedderError(f"{self._model} gave vectors of different widths") from error
        if out.shape != (len(texts), self.dim) or not np.isfinite(out).all():
            raise EmbedderError(
                f"{self._model}: expected finite vectors ({len(texts)}, {self.dim}), got {out.shape}"
            )
        norms = np.linalg.norm(out, axis=1, keepdims=True)
        if (norms == 0).any():
            raise EmbedderError(f"{self._model} gave a zero vector for text {int(np.argmin(norms))}")
        unit: Vectors = (out / norms).astype(np.float32)
        return unit

    def _batch(self, texts: list[str]) -> list[list[float]]:
        try:
            return self._post(texts)
        except _Refused as refused:
            if len(texts) > 1:
                half = len(texts) // 2
                return self._batch(texts[:half]) + self._batch(texts[half:])
            return [self._halves(texts[0], refused)]

    def _halves(self, text: str, refused: _Refused) -> list[float]:
        """One text that is too long by itself: the mean of its halves, so that nothing is cut."""
        if len(text) < 200:
            raise EmbedderError(str(refused)) from None
        cut = text.rfind(" ", 0, len(text) // 2 + 1)
        cut = cut if cut > len(text) // 4 else len(text) // 2
        left, right = self._batch([text[:cut]])[0], self._batch([text[cut:]])[0]
        return [(a + b) / 2 for a, b in zip(left, right, strict=True)]

    def _post(self, texts: list[str]) -> list[list[float]]:
        for attempt in range(_TRIES):
            try:
                reply = self._client.post("/embeddings", json={"model": self._model, "input": texts})
            except httpx.HTTPError as error:
                if attempt + 1 == _TRIES:
                    raise EmbedderError(f"no answer from {self._client.base_url}: {error}") from error
                self._sleep(2.0**attempt)
                continue
            if reply.status_code in _TOO_LARGE:
                raise _Refused(f"{self._client.base_url} refused {len(texts)} texts: {reply.text[:200]}")
            if reply.status_code == 429 or reply.status_code >= 500:
                self._sleep(_retry_after(reply, attempt))
                continue
            if reply.status_code != 200:
                raise EmbedderError(
                    f"{self._client.base_url} answered {reply.status_code}: {reply.text[:200]}"
                )
            return _in_order(reply.json(), len(texts), self._model)
        raise EmbedderError(f"{self._client.base_url} was busy {_TRIES} times; try again later")


class _Refused(Exception):
    """The server would not take this batch."""


def _retry_after(reply: httpx.Response, attempt: int) -> float:
    try:
        return min(60.0, max(0.0, float(reply.headers["retry-after"])))
    except (KeyError, ValueError):
        return 2.0**attempt


def _in_order(body: Any, count: int, model: str) -> list[list[float]]:
    data = body.get("data") if isinstance(body, dict) else None
    if not isinstance(data, list) or len(data) != count:
        raise EmbedderError(
            f"{model}: expected {count} vectors, got {len(data) if isinstance(data, list) else body!r:.100}"
        )
    rows: list[list[float] | None] = [None] * count
    for position, item in enumerate(data):
        index = item.get("index", position)
        if not isinstance(index, int) or not 0 <= index < count or rows[index] is not None:
            raise EmbedderError(f"{model}: a reply with index {index!r} among {count} texts")
        rows[index] = item["embedding"]
    return [row for row in rows if row is not None]
