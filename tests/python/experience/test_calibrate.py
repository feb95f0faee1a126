"""What a similarity means, read off traces: activations with a known answer."""

from __future__ import annotations

import functools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import knarr
from by_hand import FEE, ILL, LOAN, ROOM, MakeTrace, call, cite
from knarr.cli import main
from knarr.config import Settings
from knarr.errors import InvalidArgument
from knarr.experience.calibrate import (
    GRID,
    Activation,
    PastRun,
    activations,
    calibrated,
    lower_bound,
    table,
)
from knarr.experience.warm_up.history import QuestionHistory, similarity, unit
from knarr.testing import HashEmbedder

A, B, C, D = (f"viking://kb/d/{name}_1.md" for name in "abcd")


def at(cosine: float) -> npt.NDArray[np.float32]:
    """A unit vector with this cosine to (1, 0)."""
    return np.array([cosine, math.sqrt(1 - cosine * cosine)], dtype=np.float32)


def history(*lessons: tuple[str, float, list[tuple[str, str]]]) -> QuestionHistory:
    """(question, its cosine to (1, 0), pairs); traces are h0, h1, …"""
    return QuestionHistory(
        tuple(f"h{n}" for n in range(len(lessons))),
        tuple(question for question, _, _ in lessons),
        tuple(tuple(pairs) for _, _, pairs in lessons),
        np.stack([at(cosine) for _, cosine, _ in lessons]) if lessons else np.zeros((0, 2), np.float32),
    )


def run(trace: str = "r", question: str = "asked", **more: Any) -> PastRun:
    values: dict[str, Any] = {
        "scope": "viking://kb",
        "seeds": frozenset({A}),
        "right": frozenset({B}),
        "vector": at(1.0),
    }
    return PastRun(trace, question, **(values | more))


def test_an_activation_needs_its_source_among_the_hits_and_its_target_in_scope() -> None:
    held = history(("q0", 0.9, [(A, B), (A, C), (D, B)]))
    assert activations(held, [run()]) == [
        Activation(0, pytest.approx(0.9), True),
        Activation(0, pytest.approx(0.9), False),
    ]
    assert activations(held, [run(seeds=frozenset({C}))]) == []
    assert activations(held, [run(scope="viking://kb/other")]) == []
    assert activations(held, []) == [] == activations(history(), [run()])


def test_of_several_edges_to_a_target_the_nearest_counts() -> None:
    held = history(("q0", 0.7, [(A, B)]), ("q1", 0.9, [(A, B)]), ("q2", 0.2, [(A, C)]))
    assert activations(held, [run()]) == [Activation(0, pytest.approx(0.9), True)]  # 0.2 is below the grid


def test_a_run_is_not_held_against_itself_or_its_own_question() -> None:
    held = history(("q0", 0.9, [(A, B)]), ("ASKED", 0.9, [(A, B)]))
    assert activations(held, [run(trace="h0")]) == []
    assert len(activations(held, [run(trace="h7")])) == 1


def test_table_counts() -> None:
    found = [
        Activation(0, 0.9, True),
        Activation(0, 0.8, False),
        Activation(1, 0.8, True),
        Activation(2, 0.6, False),
    ]
    rows = {row.gamma: row for row in table(found, runs=4, grid=(0.6, 0.8, 0.9, 0.95))}
    assert sorted(rows) == [0.6, 0.8, 0.9]
    low, middle, high = rows[0.6], rows[0.8], rows[0.9]
    assert (low.activations, low.precision, low.questions, low.helped) == (4, 0.5, 3, 0.5)
    assert (middle.activations, middle.precision, middle.questions) == (3, pytest.approx(2 / 3), 2)
    assert (high.activations, high.precision, high.questions, high.helped) == (1, 1.0, 1, 0.25)
    assert low.bound == lower_bound(0.5, 3)  # three questions, not four activations


def test_lower_bound() -> None:
    # By hand: 100 of 100 with z = 1.2816 is 1 / (1 + z²/100).
    assert lower_bound(1.0, 100) == pytest.approx(1 / (1 + 1.2816**2 / 100))
    assert lower_bound(0.5, 0) == 0.0 == pytest.approx(lower_bound(0.0, 20), abs=1e-9)
    bounds = [lower_bound(0.8, count) for count in (1, 5, 25, 125, 10_000)]
    assert bounds == sorted(bounds) and all(bound < 0.8 for bound in bounds)


def known(wrong_below: float, runs: int = 120) -> tuple[QuestionHistory, list[PastRun]]:
    """Runs with cosines spread over (0.5, 1): right exactly where theirs is at least `wrong_below`."""
    held = history(("q0", 1.0, [(A, B)]))
    made = []
    for number in range(runs):
        cosine = 0.5 + 0.5 * (number + 0.5) / runs
        right = frozenset({B} if cosine >= wrong_below else {C})
        made.append(run(f"r{number}", f"asked {number}", right=right, vector=at(cosine)))
    return held, made


def test_the_lowest_gamma_that_is_precise_enough_is_found() -> None:
    held, runs = known(wrong_below=0.75)
    report = calibrated(held, runs, in_use=0.8, target=0.8, least=20)
    assert report.chosen and (report.runs, report.episodes) == (120, 1)
    # At g, (1 - 0.75) / (1 - g) are right: 0.8 of them at 0.69, and with caution a little above it.
    assert 0.69 <= report.gamma <= 0.75
    below = [row for row in report.rows if row.gamma < report.gamma]
    (row,) = (row for row in report.rows if row.gamma == report.gamma)
    assert row.bound >= 0.8 and below and all(one.bound < 0.8 for one in below)
    stricter = calibrated(held, runs, in_use=0.8, target=0.9, least=20)
    assert stricter.chosen and stricter.gamma > report.gamma


def test_without_enough_the_one_in_use_stays_and_it_says_why() -> None:
    held, runs = known(wrong_below=0.75)
    few = calibrated(held, runs[:30], in_use=0.83, least=50)
    assert (few.chosen, few.gamma) == (False, 0.83) and "too few activations: 30" in few.reason
    wrong = calibrated(*known(wrong_below=2.0), in_use=0.83)
    assert (wrong.chosen, wrong.gamma) == (
        False,
        0.83,
    ) and "no gamma reaches a precision of 0.80" in wrong.reason
    none = calibrated(history(), runs, in_use=0.83)
    assert (none.chosen, none.rows) == (False, ()) and "no question was answered" in none.reason
    late = calibrated(held, runs, in_use=0.83, least=119)  # precise gammas have too few activations
    assert not late.chosen


@pytest.mark.parametrize("target", [0.0, 1.0, -1.0, 8.0, float("nan")])
def test_a_target_is_a_share(target: float) -> None:
    with pytest.raises(InvalidArgument, match="precision between 0 and 1"):
        calibrated(history(), [], 0.8, target)


def test_similarity_by_hand() -> None:
    held = history(("q0", 1.0, [(A, B)]), ("q1", 0.0, [(A, B)]))
    later = [at(1.0) * 3, at(0.8), at(0.75), at(-1.0)]
    near = similarity(held, later, 0.8)
    assert (near.later, near.historical, near.share) == (4, 2, 0.5)
    assert dict(near.quantiles)[0.5] == pytest.approx(0.775, abs=1e-3)
    assert np.linalg.norm(unit(np.array([[0.0, 0.0], [3.0, 4.0]], np.float32)), axis=1).tolist() == [0.0, 1.0]


# ---------------------------------------------------------------- over a knowledge base


def teach(base: knarr.KnowledgeBase, make_trace: MakeTrace, number: int) -> None:
    """Six stored and learnt runs about fees that cite FEE, and one about rooms that cites ROOM."""
    for at_, word in enumerate(["late", "overdue", "delayed", "tardy", "slow", "belated"]):
        question = f"how many crowns does one pay for a {word} return"
        trace = make_trace(question, [call("Search", [LOAN, ILL])], [cite(base, FEE)], id=f"fee{number}{at_}")
        base.library.store_trace(trace)
        base.experience.learn(trace)
    trace = make_trace(
        "when are rooms booked", [call("Search", [ILL])], [cite(base, ROOM)], id=f"room{number}"
    )
    base.library.store_trace(trace)
    base.experience.learn(trace)


def test_gamma_is_chosen_from_stored_runs_and_in_use_at_once(
    base: knarr.KnowledgeBase, make_trace: MakeTrace, tmp_path: Path
) -> None:
    assert base.experience.gamma == 0.8
    teach(base, make_trace, 0)
    dry = base.experience.calibrate(0.5, least=5, dry_run=True)
    assert dry.chosen and base.experience.gamma == 0.8
    report = base.experience.calibrate(0.5, least=5)
    assert report == dry and (report.runs, report.episodes) == (7, 7)
    assert base.experience.gamma == report.gamma != 0.8 and report.gamma in GRID
    figures = json.loads(base._catalog.get("gamma_figures") or "")
    assert figures["embedder"] == base.embedder.id and figures["precision"] == 1.0
    base.close()
    with knarr.open(tmp_path / "test.kb", embedder=HashEmbedder(dim=64)) as again:
        assert again.experience.gamma == report.gamma
    settings = Settings(gamma=0.9)
    with knarr.open(tmp_path / "test.kb", embedder=HashEmbedder(dim=64), settings=settings) as by_hand:
        assert by_hand.experience.gamma == 0.9


def test_a_calibration_that_finds_nothing_changes_nothing(
    base: knarr.KnowledgeBase, make_trace: MakeTrace
) -> None:
    teach(base, make_trace, 0)
    base.experience.calibrate(0.5, least=5)
    kept = base.experience.gamma
    report = base.experience.calibrate(0.99, least=5)
    assert not report.chosen and report.gamma == base.experience.gamma == kept


def test_a_question_asked_again_says_nothing_about_others(
    base: knarr.KnowledgeBase, make_trace: MakeTrace
) -> None:
    for name in ("aa1", "aa2"):
        trace = make_trace(
            "what does a late return cost", [call("Search", [LOAN])], [cite(base, FEE)], id=name
        )
        base.library.store_trace(trace)
        base.experience.learn(trace)
    assert base.experience.calibrate(0.5, least=1, dry_run=True).rows == ()
    other = make_trace(
        "what does a late return cost me", [call("Search", [LOAN])], [cite(base, FEE)], id="bb1"
    )
    base.library.store_trace(other)  # stored, not learnt: it is held against both
    (row, *_) = base.experience.calibrate(0.5, least=1, dry_run=True).rows
    assert (row.activations, row.precision, row.questions) == (1, 1.0, 1)


def test_quarantined_and_forgotten_runs_are_no_history(
    base: knarr.KnowledgeBase, make_trace: MakeTrace
) -> None:
    teach(base, make_trace, 0)
    base.experience.quarantine("room0")
    assert base.experience.calibrate(least=5, dry_run=True).episodes == 6
    base.experience.forget("fee00")
    assert base.experience.calibrate(least=5, dry_run=True).episodes == 5


def test_command(
    base: knarr.KnowledgeBase, make_trace: MakeTrace, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("KNARR_KB", str(tmp_path / "test.kb"))
    monkeypatch.setitem(vars(knarr), "open", functools.partial(knarr.open, embedder=HashEmbedder(dim=64)))
    monkeypatch.setattr("knarr.experience.calibrate.LEAST_ACTIVATIONS", 5)

    def command(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as done:
            main(["experience", "calibrate", *arguments])
        out, err = capsys.readouterr()
        return int(done.value.code or 0), out, err

    code, out, _ = command()
    assert code == 3 and "gamma 0.80 stays: no question was answered" in out
    teach(base, make_trace, 0)
    code, out, err = command("--target", "0.5", "--dry-run")
    assert code == 0 and err == "not stored: --dry-run\n" and base.experience.gamma == 0.8
    assert out.splitlines()[0] == "gamma  activations  right  at least  questions helped"
    assert "7 runs, 7 episodes with edges" in out and "the lowest gamma whose precision" in out
    code, out, err = command("--target", "0.5", "--json")
    body = json.loads(out)
    assert (code, err) == (0, "") and body["chosen"] and base.experience.gamma == body["gamma"]
