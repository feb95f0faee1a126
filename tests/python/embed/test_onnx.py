"""The offline model: unit vectors, windows for long texts, clear errors when it is not there."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

import numpy as np
import pytest

from knarr.config import Settings
from knarr.errors import EmbedderError
from knarr.models.embed import count_tokens, load_embedder
from knarr.models.embed.local import embedding_model, model_folder
from knarr.models.embed.onnx import OnnxEmbedder


@pytest.fixture(scope="module")
def model() -> OnnxEmbedder:
    return OnnxEmbedder(embedding_model(), threads=1)


def test_vectors_are_of_unit_length_and_meaningful(model: OnnxEmbedder) -> None:
    out = model.embed(
        ["A fee is due when a payment is late.", "Late payment costs money.", "Cats sleep all day.", ""]
    )
    assert out.shape == (4, model.dim) and out.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(out, axis=1), 1.0, rtol=1e-5)
    assert out[0] @ out[1] > out[0] @ out[2] + 0.1


def test_a_long_text_is_covered_to_its_end(model: OnnxEmbedder) -> None:
    filler = "The harbour was quiet and the boats lay still. " * 70
    ending = "Quantum chromodynamics describes the strong interaction of quarks. " * 60
    short, long = model.embed([filler, filler + ending])
    query = model.embed(["quarks and the strong force"])[0]
    assert count_tokens(model.tokenizer, filler) > 510
    assert query @ long > query @ short + 0.05


def test_token_offsets_are_code_points(model: OnnxEmbedder) -> None:
    text = "Größe 測 ok"
    begins = model.tokenizer.token_begins(text)
    assert begins[0] == 0 and text[begins[-1] :] == "ok"


def test_an_unusable_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match=r"model\.onnx is missing"):
        load_embedder(Settings(embedder=str(tmp_path)))


def test_without_the_models_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise importlib.metadata.PackageNotFoundError(name)

    model_folder.cache_clear()
    monkeypatch.setattr(importlib.metadata, "distribution", missing)
    with pytest.raises(EmbedderError, match=r"knarr\[local\]"):
        embedding_model()
    model_folder.cache_clear()
