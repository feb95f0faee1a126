"""A cross-encoder that orders passages for a query: reads both together, gives one logit.

The logit is for ordering only: it is no probability, and its scale is the model's own. One pair per
run, since padding changes the results of int8 models; a passage that does not fit is scored by its
best window. Results are remembered, because a loop meets the same passage again.
"""

from __future__ import annotations

import itertools
import logging
import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from knarr.embed.local import reranking_model
from knarr.embed.onnx import HubTokenizer, onnx_session
from knarr.errors import EmbedderError

_LOG = logging.getLogger("knarr.embed")
_REMEMBERED = 4_096


class Reranker:
    """Thread-safe; the model is loaded at the first call. `max_tokens` counts a whole pair."""

    def __init__(self, folder: Path, *, threads: int = 0, max_tokens: int = 512) -> None:
        if max_tokens < 16:
            raise ValueError(f"expected max_tokens >= 16, got {max_tokens}")
        self._folder = folder
        self._threads = threads
        self._max_tokens = max_tokens
        self._lock = threading.Lock()
        self._session: Any = None
        self._tokenizer: HubTokenizer | None = None
        self._remembered: OrderedDict[tuple[str, str], float] = OrderedDict()

    def scores(self, query: str, passages: Sequence[str]) -> npt.NDArray[np.float32]:
        """A logit per passage, shape (n,); higher fits better. Raises EmbedderError."""
        return np.asarray([self._score(query, passage) for passage in passages], dtype=np.float32)

    def _score(self, query: str, passage: str) -> float:
        key = (query, passage)
        with self._lock:
            if key in self._remembered:
                self._remembered.move_to_end(key)
                return self._remembered[key]
        score = self._best_window(query, passage)
        with self._lock:
            self._remembered[key] = score
            while len(self._remembered) > _REMEMBERED:
                self._remembered.popitem(last=False)
        return score

    def _best_window(self, query: str, passage: str) -> float:
        session, tokenizer = self._open()
        asked = tokenizer.ids(query)[: self._max_tokens // 2]
        ids = tokenizer.ids(passage)
        room = self._max_tokens - 3 - len(asked)
        count = max(1, -(-len(ids) // room))
        bounds = [len(ids) * part // count for part in range(count + 1)]
        return max(
            self._run(session, tokenizer, asked, ids[begin:end]) for begin, end in itertools.pairwise(bounds)
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

    def _open(self) -> tuple[Any, HubTokenizer]:
        with self._lock:
            if self._session is None or self._tokenizer is None:
                self._tokenizer = HubTokenizer(self._folder / "tokenizer.json")
                self._session = onnx_session(self._folder, self._threads)
            return self._session, self._tokenizer


@cache
def load_reranker(threads: int = 0) -> Reranker | None:
    """The offline reranker, shared by the process; None (and a line in the log) where it is not
    installed. A damaged model raises EmbedderError."""
    try:
        return Reranker(reranking_model(), threads=threads)
    except EmbedderError as error:
        if "SHA-256" in str(error):
            raise
        _LOG.info("no reranker: %s", error)
        return None
