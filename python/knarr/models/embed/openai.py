"""Embeddings from an OpenAI-compatible server.

A batch that is refused for its size is split, never resent as it was; 429 and 5xx are waited for as the server
asks, within the time of the batch; items are placed by their index, whatever their order.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from knarr.errors import EmbedderError, FailureKind
from knarr.models.embed.tokens import RegexTokenizer
from knarr.models.server.address import parse_address
from knarr.models.server.client import CONNECT_S, Lost, Reply, Server, read_json
from knarr.models.server.refusals import fix_for, is_busy, kind_of, message_of, wait_s

if TYPE_CHECKING:
    import httpx

Vectors = npt.NDArray[np.float32]

PREFIX = "KNARR_EMBED"

_BATCH = 64
_BUSY_TRIES = 6
_LOST_TRIES = 3
_TOO_LARGE = (400, 413, 422)
_MOST_DIM = 1 << 16
_VECTOR_BYTES = 400 << 10  # of JSON: 16,384 numbers of 24 characters
_OTHER_BYTES = 64 << 10
_LEAST_CHARS = 200  # a shorter text was not refused for its size
_OVERLONG = 1e15  # squares of larger numbers overflow float32


class OpenAIEmbedder:
    """`POST {url}/embeddings`. The width is asked of the server once, with a probe. Any thread may use it.

    timeout_s:  for one batch of up to 64 texts, all tries together
    connect_s:  for making a connection, all tries together
    transport, sleep, clock:  for tests

    Raises EmbedderError, with the `kind` of the failure.
    """

    def __init__(
        self,
        url: str,
        model: str,
        key: str = "",
        *,
        timeout_s: float = 60.0,
        connect_s: float = CONNECT_S,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        try:
            address = parse_address(url, key, PREFIX)
        except ValueError as error:
            raise EmbedderError(str(error), "unconfigured") from None
        self._server = Server(
            address, PREFIX, connect_s=connect_s, transport=transport, sleep=sleep, clock=clock
        )
        self._model = model.strip()
        self._timeout_s = timeout_s
        self._sleep = sleep
        self._clock = clock
        self._tokenizer = RegexTokenizer()
        self._dim = 0

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self._server.place!r}, {self._model!r})"

    @property
    def id(self) -> str:
        return f"openai:{self._model}:{self.dim}"

    @property
    def dim(self) -> int:
        if not self._dim:
            try:
                self._dim = len(self._post(["width"])[0])
            except _Refused as refused:
                raise self._error(refused.kind, str(refused)) from None
        return self._dim

    @property
    def tokenizer(self) -> RegexTokenizer:
        return self._tokenizer

    def embed(self, texts: Sequence[str]) -> Vectors:
        dim = self.dim
        rows: list[Vectors] = []
        for begin in range(0, len(texts), _BATCH):
            rows.extend(self._batch(list(texts[begin : begin + _BATCH])))
        out = np.empty((len(texts), dim), dtype=np.float32)
        for place, row in enumerate(rows):
            if row.shape != (dim,):
                raise self._error("broken", f"gave a vector of {len(row)} numbers, expected {dim}")
            norm = float(np.linalg.norm(row))
            if norm == 0.0:
                raise self._error("broken", f"gave a zero vector for text {place}")
            out[place] = row / norm
        return out

    def _batch(self, texts: list[str]) -> list[Vectors]:
        try:
            return self._post(texts)
        except _Refused as refused:
            if len(texts) > 1:
                half = len(texts) // 2
                return self._batch(texts[:half]) + self._batch(texts[half:])
            return [self._halves(texts[0], refused)]

    def _halves(self, text: str, refused: _Refused) -> Vectors:
        """One text that is too long by itself: the mean of its halves, so that nothing is cut."""
        if len(text) < _LEAST_CHARS:
            raise self._error(refused.kind, str(refused)) from None
        cut = text.rfind(" ", 0, len(text) // 2 + 1)
        cut = cut if cut > len(text) // 4 else len(text) // 2
        left, right = self._batch([text[:cut]])[0], self._batch([text[cut:]])[0]
        if left.shape != right.shape:
            raise self._error("broken", f"gave vectors of {len(left)} and of {len(right)} numbers")
        return np.asarray((left + right) / 2, dtype=np.float32)

    # -- the server ------------------------------------------------------------------------------------

    def _post(self, texts: list[str]) -> list[Vectors]:
        """A vector per text. Raises _Refused for a batch that may be too large."""
        until = self._clock() + self._timeout_s
        body = {"model": self._model, "input": texts}
        # Lone surrogates cannot be sent as UTF-8.
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        busy = lost = 0
        while True:
            try:
                reply = self._server.ask(
                    "POST",
                    "/embeddings",
                    left_s=until - self._clock(),
                    most_bytes=_OTHER_BYTES + _VECTOR_BYTES * len(texts),
                    content=content,
                )
            except Lost as loss:
                lost += 1
                if not loss.worth_again or lost >= _LOST_TRIES:
                    raise self._error(loss.kind, str(loss)) from None
                self._pause(2.0 ** (lost - 1), until, loss.kind, str(loss))
                continue
            if reply.status == 200:
                return self._in_order(reply, len(texts))
            kind = kind_of(reply.status, reply.text)
            told = self._told(reply, kind, len(texts))
            busy += 1
            if busy >= _BUSY_TRIES:
                raise self._error(kind, f"{told} (tried {busy} times)")
            wait = wait_s(reply.headers, busy - 1)
            self._pause(wait, until, kind, told)

    def _told(self, reply: Reply, kind: FailureKind, count: int) -> str:
        """What a busy server said. Raises for every other refusal."""
        message = message_of(reply.text, self._server.hide)
        fix = fix_for(reply.status, kind, PREFIX)
        told = f"answered {reply.status} for {count} texts: {message}" + (f" ({fix})" if fix else "")
        if is_busy(reply.status, reply.text):
            return f"is busy or broken, it {told}"
        if reply.status in _TOO_LARGE and kind == "refused":
            raise _Refused(kind, told)
        raise self._error(kind, told)

    def _pause(self, wait: float, until: float, kind: FailureKind, told: str) -> None:
        left = until - self._clock()
        if wait >= left:
            raise self._error(
                kind, f"{told} (the next try is due in {wait:.0f} s, {max(0, left):.0f} s are left)"
            )
        self._sleep(wait)

    def _in_order(self, reply: Reply, count: int) -> list[Vectors]:
        """The vectors of a reply, in the order of the texts."""
        try:
            body = read_json(reply.body)
        except ValueError:
            told = message_of(reply.text[:_OTHER_BYTES], self._server.hide)[:80]
            raise self._error(
                "protocol", f"replied with no JSON: {told!r}; {PREFIX}_URL should end in /v1"
            ) from None
        data = body.get("data") if isinstance(body, dict) else None
        if not isinstance(data, list) or len(data) != count:
            told = (
                str(len(data)) if isinstance(data, list) else repr(message_of(reply.text, self._server.hide))
            )
            raise self._error("empty" if data == [] else "protocol", f"expected {count} vectors, got {told}")
        rows: list[Vectors | None] = [None] * count
        for position, item in enumerate(data):
            index = item.get("index", position) if isinstance(item, dict) else None
            if not isinstance(index, int) or not 0 <= index < count or rows[index] is not None:
                raise self._error("protocol", f"replied with index {index!r:.40} among {count} texts")
            rows[index] = self._vector(item.get("embedding"))
        return [row for row in rows if row is not None]

    def _vector(self, numbers: Any) -> Vectors:
        """One vector, finite. Raises EmbedderError for anything else."""
        if not isinstance(numbers, list) or not 0 < len(numbers) <= _MOST_DIM:
            raise self._error(
                "protocol", f"replied with an embedding that is no list of numbers: {numbers!r:.40}"
            )
        if not all(type(number) in (float, int) and abs(number) < _OVERLONG for number in numbers):
            # Not a number is not below any bound, so NaN ends here too.
            raise self._error("broken", "expected finite numbers in an embedding, got others")
        return np.asarray(numbers, dtype=np.float32)

    def _error(self, kind: FailureKind, text: str) -> EmbedderError:
        return EmbedderError(f"{self._server.place} ({self._model}) {text}", kind)


class _Refused(Exception):
    """The server would not take this batch."""

    def __init__(self, kind: FailureKind, text: str) -> None:
        super().__init__(text)
        self.kind: FailureKind = kind
