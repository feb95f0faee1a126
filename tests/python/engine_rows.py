"""For tests of `Engine`: rows to put into one."""

from __future__ import annotations

import numpy as np

from knarr.engine import Engine, Floats

DIM = 16


def vectors(n: int, seed: int = 0, dim: int = DIM) -> Floats:
    return np.random.default_rng(seed).standard_normal((n, dim)).astype(np.float32)


def unit(rows: Floats) -> Floats:
    normed: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return normed


def names(engine: Engine, uri: str) -> list[str]:
    return [entry.name for entry in engine.list(uri).entries]
