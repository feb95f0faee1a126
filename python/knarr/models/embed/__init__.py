"""Embedders: text in, unit vectors out.

`load_embedder(settings)` picks one; anything with the four members of `Embedder` will do as well.
May import: types, errors, config.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from knarr.config import Settings
from knarr.errors import EmbedderError, KnarrError
from knarr.models.embed.tokens import Tokenizer, count_tokens

Vectors = npt.NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into vectors.

    id:         names the model and its settings; a catalog made with one id refuses another
    dim:        width of a vector
    tokenizer:  counts tokens as the model does
    """

    @property
    def id(self) -> str: ...
    @property
    def dim(self) -> int: ...
    @property
    def tokenizer(self) -> Tokenizer: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of unit length, shape (len(texts), dim), in the order of `texts`. Texts longer than
        the model reads are covered whole, not cut. Raises EmbedderError."""
        ...


def embed_checked(embedder: Embedder, texts: Sequence[str], otherwise: str) -> Vectors:
    """The vectors of texts, shape (len(texts), dim), all finite. Raises EmbedderError for others, and in place of
    whatever an embedder of the user's own raises; its message ends with `otherwise`, which says what became of the
    work."""
    try:
        matrix = np.asarray(embedder.embed(texts), dtype=np.float32)
    except KnarrError:
        raise
    except Exception as error:
        raise EmbedderError(f"{embedder.id}: {type(error).__name__}: {error}; {otherwise}") from error
    if matrix.shape != (len(texts), embedder.dim) or not np.isfinite(matrix).all():
        raise EmbedderError(
            f"{embedder.id}: expected finite vectors ({len(texts)}, {embedder.dim}), got {matrix.shape}; {otherwise}",
            "broken",
        )
    return matrix


def load_embedder(settings: Settings) -> Embedder:
    """The embedder that the settings name. Raises EmbedderError with the mend when it is not there."""
    if settings.embedder == "openai":
        from knarr.models.embed.openai import OpenAIEmbedder

        return OpenAIEmbedder(
            settings.embed_url,
            settings.embed_model,
            settings.embed_key,
            timeout_s=settings.embed_timeout_s,
            connect_s=settings.connect_timeout_s,
        )
    from knarr.models.embed.local import embedding_model
    from knarr.models.embed.onnx import OnnxEmbedder

    folder = settings.model_folder()
    return OnnxEmbedder(embedding_model() if folder is None else folder, threads=settings.embed_threads)


__all__ = ["Embedder", "Tokenizer", "Vectors", "count_tokens", "embed_checked", "load_embedder"]
