"""An ONNX sentence encoder with its `tokenizer.json`, run by onnxruntime on the CPU.

One text per run: padding changes the results of int8 models, and batches are slower on few cores. Many
texts run beside each other (see session.py), and a text's vector does not depend on how it was run.
The vector is the first token's (CLS) output, scaled to unit length. A text longer than the model
reads is cut into windows of nearly equal size, and its vector is the mean of theirs, weighted by
their tokens.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from knarr.errors import EmbedderError
from knarr.models.embed.session import OnnxModel, brief, onnx_session
from knarr.models.embed.tokens import Offsets, parted, pieces

if TYPE_CHECKING:
    import onnxruntime

Vectors = npt.NDArray[np.float32]


class HubTokenizer:
    """A `tokenizer.json`, without truncation, padding or special tokens. Safe to share by threads."""

    def __init__(self, path: Path) -> None:
        try:
            import tokenizers
        except ImportError:
            raise EmbedderError(
                "tokenizers is not installed: pip install 'knarr[local]'", "missing"
            ) from None
        if not path.is_file():
            raise EmbedderError(
                f"{path} is missing: an ONNX model folder holds model.onnx and tokenizer.json", "missing"
            )
        try:
            self._tokenizer = tokenizers.Tokenizer.from_file(str(path))
        except Exception as error:  # tokenizers raises nothing narrower
            raise EmbedderError(f"{path} is no tokenizer: {brief(error)}", "broken") from None
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def token_begins(self, text: str) -> Offsets:
        found = []
        for at, piece in pieces(text):
            spaced, spaces = parted(piece)
            offsets = self._tokenizer.encode(spaced, add_special_tokens=False).offsets
            begins = np.fromiter((begin for begin, _ in offsets), np.int64, len(offsets))
            found.append(at + begins - np.searchsorted(spaces, begins))
        return np.concatenate(found)

    def ids(self, text: str) -> list[int]:
        """Token ids without special tokens."""
        found: list[int] = []
        for _, piece in pieces(text):
            found.extend(self._tokenizer.encode(parted(piece)[0], add_special_tokens=False).ids)
        return found

    def id_of(self, token: str) -> int | None:
        """The id of a special token such as `[CLS]`; None where the vocabulary has none."""
        found: int | None = self._tokenizer.token_to_id(token)
        return found


def windows(ids: list[int], most: int) -> list[list[int]]:
    """Tokens in as few windows as hold at most `most` each, of nearly equal size; at least one."""
    count = max(1, -(-len(ids) // most))
    bounds = [len(ids) * part // count for part in range(count + 1)]
    return [ids[begin:end] for begin, end in itertools.pairwise(bounds)]


class OnnxEmbedder:
    """See the module. Thread-safe: onnxruntime sessions may run in parallel, and hold no GIL."""

    def __init__(self, folder: Path, *, threads: int = 0, max_tokens: int = 512) -> None:
        if not (folder / "model.onnx").is_file():
            raise EmbedderError(
                f"{folder / 'model.onnx'} is missing: KNARR_EMBEDDER is `local`, `openai`, or a folder with "
                "model.onnx and tokenizer.json",
                "missing",
            )
        self._tokenizer = HubTokenizer(folder / "tokenizer.json")
        self._max_tokens = max_tokens - 2
        self._model = OnnxModel(folder, threads)
        self._name, self._dim = _describe(folder)

    @property
    def id(self) -> str:
        return self._name

    @property
    def dim(self) -> int:
        return self._dim

    @property
    def tokenizer(self) -> HubTokenizer:
        return self._tokenizer

    def embed(self, texts: Sequence[str]) -> Vectors:
        out = np.empty((len(texts), self._dim), dtype=np.float32)

        def fill(session: onnxruntime.InferenceSession, place: int) -> None:
            out[place] = self._embed_one(session, texts[place])

        self._model.for_each(texts, fill)
        return out

    def _embed_one(self, session: onnxruntime.InferenceSession, text: str) -> Vectors:
        total = np.zeros(self._dim, dtype=np.float64)
        for window in windows(self._tokenizer.ids(text), self._max_tokens):
            total += self._run(session, window) * max(1, len(window))
        norm = float(np.linalg.norm(total))
        if not np.isfinite(norm) or norm == 0.0:
            raise EmbedderError(
                f"{self._name} gave no usable vector for a text of {len(text)} characters", "broken"
            )
        return (total / norm).astype(np.float32)

    def _run(self, session: onnxruntime.InferenceSession, ids: list[int]) -> npt.NDArray[np.float64]:
        cls, sep = self._tokenizer.id_of("[CLS]"), self._tokenizer.id_of("[SEP]")
        row = [cls] * (cls is not None) + ids + [sep] * (sep is not None)
        input_ids = np.asarray([row], dtype=np.int64)
        values = {
            "input_ids": input_ids,
            "attention_mask": np.ones_like(input_ids),
            "token_type_ids": np.zeros_like(input_ids),
        }
        feed = {spec.name: values[spec.name] for spec in session.get_inputs()}
        try:
            vector = np.asarray(session.run(None, feed)[0][0][0], dtype=np.float64)
        except Exception as error:  # a model that takes or gives something else than a sentence encoder does
            raise EmbedderError(f"{self._name} could not be run: {brief(error)}", "broken") from None
        if vector.shape != (self._dim,):
            raise EmbedderError(
                f"{self._name} gave a vector of shape {vector.shape}, expected ({self._dim},)", "broken"
            )
        unit: npt.NDArray[np.float64] = vector / np.linalg.norm(vector)
        return unit


def _describe(folder: Path) -> tuple[str, int]:
    """Name and width from `config.json`, else from the folder and the model's output."""
    config = folder / "config.json"
    try:
        described = json.loads(config.read_text(encoding="utf-8")) if config.is_file() else {}
    except (ValueError, RecursionError) as error:
        raise EmbedderError(f"{config} is no JSON: {brief(error)}", "broken") from None
    if not isinstance(described, dict):
        raise EmbedderError(f"{config}: expected an object with hidden_size", "broken")
    dim = described.get("hidden_size") or described.get("dim")
    if not dim:
        shape = onnx_session(folder, 1).get_outputs()[0].shape
        dim = shape[-1]
    if not isinstance(dim, int):
        raise EmbedderError(f"{config}: expected hidden_size, the width of a vector, got {dim!r}", "broken")
    name = str(described.get("_name_or_path") or folder.name)
    short = name.rstrip("/").split("/")[-1]
    return f"onnx:{short}:{dim}:{_digest(folder / 'model.onnx')[:12]}", dim


@cache
def _digest(model: Path) -> str:
    """The name alone would let another model of the same folder name pass for this one."""
    with model.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
