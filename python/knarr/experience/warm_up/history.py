"""Historical questions with their vectors, and how near later ones are to them. No model, no engine."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa

from knarr.catalog import experience, vectors
from knarr.experience.warm_up.report import Similarity

Matrix = npt.NDArray[np.float32]
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)


@dataclass(frozen=True, slots=True)
class QuestionHistory:
    """Episodes that teach at present. `vectors` is (n, d) with unit rows; `pairs` are (source, target) URIs."""

    traces: tuple[str, ...]
    questions: tuple[str, ...]
    pairs: tuple[tuple[tuple[str, str], ...], ...]
    vectors: Matrix

    def __len__(self) -> int:
        return len(self.traces)


def load(connection: sa.Connection, model: str, dim: int) -> QuestionHistory:
    """The active episodes with at least one active edge whose question was embedded by `model`."""
    taught = experience.lessons(connection, experience.active_traces(connection))
    found = [
        (trace, lesson)
        for trace, lesson in taught
        if lesson.pairs and lesson.model == model and not _expired(lesson)
    ]
    stored = vectors.get(connection, [lesson.vector_hash for _, lesson in found], model)
    found = [(trace, lesson) for trace, lesson in found if lesson.vector_hash in stored]
    rows = [stored[lesson.vector_hash] for _, lesson in found]
    return QuestionHistory(
        tuple(trace for trace, _ in found),
        tuple(lesson.question for _, lesson in found),
        tuple(lesson.pairs for _, lesson in found),
        unit(np.stack(rows)) if rows else np.zeros((0, dim), dtype=np.float32),
    )


def _expired(lesson: experience.Lesson) -> bool:
    return lesson.expires_at_s is not None and lesson.expires_at_s <= time.time()


def unit(rows: Matrix) -> Matrix:
    """Rows of length one; a row of zeros stays."""
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Matrix = (rows / np.where(norms > 0, norms, 1.0)).astype(np.float32)
    return scaled


def similarity(
    history: QuestionHistory, later: Sequence[npt.NDArray[np.float32]], gamma: float
) -> Similarity:
    """The share of later questions' vectors that are near a historical one (the paper's similarity share)."""
    if not later or not len(history):
        return Similarity(len(later), len(history), gamma, 0.0)
    best = (unit(np.stack(later)) @ history.vectors.T).max(axis=1)
    quantiles = tuple((q, round(float(np.quantile(best, q)), 4)) for q in QUANTILES)
    # Equal texts have a cosine of one but for rounding.
    return Similarity(len(later), len(history), gamma, float((best >= gamma - 1e-6).mean()), quantiles)
