"""A cross-encoder orders passages for a query: it reads both together and gives one logit.

The logit is for ordering only: it is no probability, and its scale is the model's own. Each run takes one pair,
since padding changes the results of int8 models, and several runs go on beside each other. A passage that does
not fit is scored by its best window. Results are remembered, because a loop meets the same passage again.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from knarr.errors import EmbedderError, InvalidArgument
from knarr.models.embed.local import reranking_model
from knarr.models.embed.onnx import HubTokenizer, windows
from knarr.models.embed.parallel import available_cores
from knarr.models.embed.session import OnnxModel

_LOG = logging.getLogger("knarr.models.embed")
_REMEMBERED = 4_096


class Reranker:
    """Thread-safe; the model is loaded at the first call. `max_tokens` counts a whole pair."""

    def __init__(self, folder: Path, *, threads: int = 0, max_tokens: int = 512) -> None:
        if max_tokens < 16:
            raise InvalidArgument(f"expected max_tokens >= 16, got {max_tokens}")
        self._folder = folder
        self._max_tokens = max_tokens
        self._lock = threading.Lock()
        self._model = OnnxModel(folder, threads)
        self._tokenizer: HubTokenizer | None = None
        # By hash, so that an entry takes the same room however long the texts.
        self._remembered: OrderedDict[bytes, float] = OrderedDict()

    def scores(self, query: str, passages: Sequence[str]) -> npt.NDArray[np.float32]:
        """A logit per passage, shape (n,); higher fits better. Raises EmbedderError."""
        with self._lock:
            known = {passage: self._remembered.get(_pair(query, passage)) for passage in passages}
        fresh = [passage for passage, score in known.items() if score is None]
        if fresh:
            tokenizer = self._open()
            asked = tokenizer.ids(query)[: self._max_tokens // 2]
            found = [0.0] * len(fresh)

            def fill(session: Any, place: int) -> None:
                found[place] = self._best_window(session, tokenizer, asked, fresh[place])

            self._model.for_each(fresh, fill)
            known |= dict(zip(fresh, found, strict=True))
        self._remember(query, known)
        return np.asarray([known[passage] for passage in passages], dtype=np.float32)

    def _remember(self, query: str, scores: Mapping[str, float | None]) -> None:
        with self._lock:
            for passage, score in scores.items():
                if score is not None:
                    key = _pair(query, passage)
                    self._remembered[key] = score
                    self._remembered.move_to_end(key)
            while len(self._remembered) > _REMEMBERED:
                self._remembered.popitem(last=False)

    def _best_window(self, session: Any, tokenizer: HubTokenizer, asked: list[int], passage: str) -> float:
        room = self._max_tokens - 3 - len(asked)
        return max(
            self._run(session, tokenizer, asked, window) for window in windows(tokenizer.ids(passage), room)
        )

    def _run(self, session: Any, tokenizer: HubTokenizer, query: list[int], passage: list[int]) -> float:
        cls, sep = tokenizer.id_of("[CLS]"), tokenizer.id_of("[SEP]")
        if cls is None or sep is None:
            raise EmbedderError(
                f"{self._folder}: the tokenizer has no [CLS] and [SEP], which a cross-encoder needs"
            )
        row = np.asarray([[cls, *query, sep, *passage, sep]], dtype=np.int64)
        kinds = np.zeros_like(row)
        kinds[0, len(query) + 2 :] = 1
        values = {"input_ids": row, "attention_mask": np.ones_like(row), "token_type_ids": kinds}
        feed = {spec.name: values[spec.name] for spec in session.get_inputs()}
        score = float(session.run(None, feed)[0].reshape(-1)[0])
        if not np.isfinite(score):
            raise EmbedderError(f"{self._folder.name} gave the score {score}")
        return score

    def _open(self) -> HubTokenizer:
        with self._lock:
            if self._tokenizer is None:
                self._tokenizer = HubTokenizer(self._folder / "tokenizer.json")
            return self._tokenizer


def _pair(query: str, passage: str) -> bytes:
    """The key of a query with a passage."""
    digest = hashlib.sha256(query.encode("utf-8", "replace"))
    digest.update(b"\xff")  # in no UTF-8 text
    digest.update(passage.encode("utf-8", "replace"))
    return digest.digest()


def load_reranker(threads: int = 0) -> Reranker | None:
    """The offline reranker for up to `threads` threads at once, 0 for one per core; one object for all who
    ask for as many. None (and a line in the log) where it is not installed. A damaged model raises
    EmbedderError."""
    return _shared(threads or available_cores())


@cache
def _shared(threads: int) -> Reranker | None:
    try:
        return Reranker(reranking_model(), threads=threads)
    except EmbedderError as error:
        if "SHA-256" in str(error):
            raise
        _LOG.info("no reranker: %s", error)
        return None
