"""The offline cross-encoder, where it is installed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import knarr
from knarr.agent import Agent
from knarr.config import Settings
from knarr.errors import EmbedderError
from knarr.models import rerank
from knarr.models.embed.parallel import available_cores
from knarr.models.rerank import Reranker, load_reranker

FITS = "A late fee of two crowns is charged for each day."
OTHER = "The harbour was built in 1911."


@pytest.fixture(scope="module")
def reranker() -> Reranker:
    found = load_reranker(threads=1)
    if found is None:
        pytest.skip("the extra `local` is not installed")
    return found


def test_orders_passages(reranker):
    scores = reranker.scores("What is the late fee?", [OTHER, FITS])
    assert scores.shape == (2,) and scores.dtype == np.float32 and scores[1] > scores[0] + 2


def test_a_long_passage_is_scored_by_its_best_window(reranker):
    long = f"{OTHER} " * 120 + FITS + f" {OTHER}" * 120
    assert (
        reranker.scores("What is the late fee?", [long])[0]
        > reranker.scores("What is the late fee?", [OTHER])[0]
    )


def test_empty_and_huge_texts_are_fine(reranker):
    assert np.isfinite(reranker.scores("", [""])).all()
    assert np.isfinite(reranker.scores("fee " * 2_000, [FITS])).all()
    assert reranker.scores("x", []).shape == (0,)


def test_threads_agree(reranker):
    fresh = Reranker(reranker._folder, threads=1)
    texts = [f"{FITS} {n}" for n in range(6)]
    alone = reranker.scores("late fee", texts)
    with ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(lambda _: fresh.scores("late fee", texts), range(4)))
    assert all((row == alone).all() for row in rows)


def test_one_for_all_who_ask_for_as_many_threads(reranker):
    assert load_reranker(1) is reranker
    assert load_reranker() is load_reranker(available_cores()) is load_reranker(0)


def test_agents_and_checkers_use_as_many_threads_as_the_settings_say(tmp_path, embedder, monkeypatch):
    asked = []

    def load(threads: int = 0) -> None:
        asked.append(threads)

    monkeypatch.setattr("knarr.agent.agent.load_reranker", load)
    monkeypatch.setattr(rerank, "load_reranker", load)
    with knarr.open(tmp_path / "test.kb", embedder=embedder, settings=Settings(embed_threads=3)) as kb:
        note = tmp_path / "fee.md"
        note.write_text(f"# Fees\n\n{FITS}\n")
        kb.add(note, into="viking://kb")
        kb.ask("What is the late fee?", mode="vikingrag-e+")
        Agent(kb.library)
    assert asked == [3] * len(asked) and len(asked) >= 3


def test_absent_is_none_and_damaged_is_an_error(monkeypatch):
    def missing() -> None:
        raise EmbedderError("no offline model is installed")

    def damaged() -> None:
        raise EmbedderError("model.onnx has SHA-256 0, expected 1")

    rerank._shared.cache_clear()
    try:
        monkeypatch.setattr(rerank, "reranking_model", missing)
        assert load_reranker() is None
        rerank._shared.cache_clear()
        monkeypatch.setattr(rerank, "reranking_model", damaged)
        with pytest.raises(EmbedderError, match="SHA-256"):
            load_reranker()
    finally:
        rerank._shared.cache_clear()
