"""Nothing that may not be seen is told by any surface (SEC-04); 10,000 cases by hand: `python -m rights.leaks`."""

from __future__ import annotations

import pytest

import knarr.agent.agent
from rights.leaks import CASES, run_world
from rights.world import Leak, World


@pytest.fixture(autouse=True)
def _without_the_cross_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(knarr.agent.agent, "load_reranker", lambda *_: None)


@pytest.mark.parametrize("seed", range(2))
def test_no_surface_tells_what_may_not_be_seen(seed: int) -> None:
    assert run_world(seed) == CASES


def test_a_leak_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule that the base forgets, and one that it invents, are both noticed."""
    monkeypatch.setattr("knarr.rights.rules._concerns", lambda rule, key: rule.kind == "grant")
    with pytest.raises(Leak):
        for seed in range(3):
            run_world(seed)


def test_a_word_in_any_value_is_found() -> None:
    world = World.__new__(World)
    world.words = {"zq1x", "zq2x"}
    for value in ("a zq1x", ["zq1x"], {"key": ("zq1x",)}, knarr.NotFound("zq1x: no such"), Leak("zq1x")):
        assert world.found(value) == {"zq1x"}
