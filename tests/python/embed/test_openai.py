"""The OpenAI-compatible embedder against a server that misbehaves (ING-12, VEC-04)."""

from __future__ import annotations

import json
from collections.abc import Callable

import httpx
import numpy as np
import pytest

from knarr.errors import EmbedderError
from knarr.models.embed.openai import OpenAIEmbedder

Handler = Callable[[list[str], int], httpx.Response]


def vector(text: str) -> list[float]:
    return [float(len(text)), 1.0, float(sum(map(ord, text)) % 97)]


def good(texts: list[str]) -> httpx.Response:
    data = [{"index": n, "embedding": vector(text)} for n, text in enumerate(texts)]
    return httpx.Response(200, json={"data": data[::-1]})


def embedder(handler: Handler) -> tuple[OpenAIEmbedder, list[list[str]], list[float]]:
    asked: list[list[str]] = []
    waits: list[float] = []

    def answer(request: httpx.Request) -> httpx.Response:
        texts = json.loads(request.content)["input"]
        asked.append(texts)
        return handler(texts, len(asked))

    transport = httpx.MockTransport(answer)
    return OpenAIEmbedder("http://server/v1", "m", transport=transport, sleep=waits.append), asked, waits


def expected(texts: list[str]) -> np.ndarray:
    rows = np.asarray([vector(text) for text in texts], dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_items_are_placed_by_index_and_batches_kept_small() -> None:
    made, asked, _ = embedder(lambda texts, _: good(texts))
    texts = [f"text {n} " + "x" * n for n in range(150)]
    np.testing.assert_allclose(made.embed(texts), expected(texts), rtol=1e-6)
    assert max(len(batch) for batch in asked) <= 64
    assert made.id == "openai:m:3"


def test_a_batch_refused_for_size_is_split_not_resent() -> None:
    def limited(texts: list[str], _: int) -> httpx.Response:
        return good(texts) if sum(map(len, texts)) <= 400 else httpx.Response(413, text="too large")

    made, asked, _ = embedder(limited)
    texts = [f"text number {n}" for n in range(100)]
    np.testing.assert_allclose(made.embed(texts), expected(texts), rtol=1e-6)
    assert len({tuple(batch) for batch in asked}) == len(asked)


def test_one_text_over_the_limit_is_covered_in_halves() -> None:
    def limited(texts: list[str], _: int) -> httpx.Response:
        return good(texts) if max(map(len, texts)) <= 300 else httpx.Response(400, text="too long")

    made, _, _ = embedder(limited)
    out = made.embed(["short", "word " * 200, "end"])
    assert out.shape == (3, 3) and np.isfinite(out).all()
    np.testing.assert_allclose(out[[0, 2]], expected(["short", "end"]), rtol=1e-6)


def test_busy_answers_are_waited_for_as_the_server_says() -> None:
    def busy(texts: list[str], count: int) -> httpx.Response:
        return httpx.Response(429, headers={"retry-after": "3"}) if count <= 2 else good(texts)

    made, asked, waits = embedder(busy)
    assert made.embed(["a b", "c"]).shape == (2, 3)
    assert waits == [3.0, 3.0] and len(asked) >= 3


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"data": []}, "expected 1 vectors"),
        ({"error": "x"}, "expected 1 vectors"),
        ({"data": [{"index": 7, "embedding": [1.0]}]}, "index 7"),
        ({"data": [{"index": 0, "embedding": [0.0, 0.0]}]}, "zero vector"),
    ],
)
def test_replies_that_do_not_fit_are_refused(body: object, message: str) -> None:
    made, _, _ = embedder(lambda _texts, _count: httpx.Response(200, json=body))
    with pytest.raises(EmbedderError, match=message):
        made.embed(["a"])


def test_a_server_that_stays_away_is_an_error_in_the_end() -> None:
    made, asked, _ = embedder(lambda _texts, _count: httpx.Response(503))
    with pytest.raises(EmbedderError, match="busy"):
        made.embed(["a"])
    assert len(asked) == 6
    made, _, _ = embedder(lambda _texts, _count: httpx.Response(401, text="no key"))
    with pytest.raises(EmbedderError, match="401"):
        made.embed(["a"])
