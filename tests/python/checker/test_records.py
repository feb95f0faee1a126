"""What recorded runs say: labels for the calibration, a report without NaN, and both on the command line."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import knarr
from knarr.checker import scorer_of
from knarr.checker.calibration import NEVER
from knarr.checker.records import from_records, labelled, report
from knarr.cli import main
from knarr.errors import InvalidArgument, NotFound
from knarr.testing import HashEmbedder
from knarr.trace.record import CheckRecord, Trace
from knarr.types import Gate, ModelUsage, Verdict
from make_traces import full_trace


def run(
    number: int,
    score: float,
    *,
    action: str = "shadow",
    agrees: bool | None = True,
    judge: str = "rules",
    **verdict: Any,
) -> Trace:
    """A recorded run whose candidate scored `score`, threshold 0.6."""
    outcome = verdict.pop("outcome", "sufficient" if score >= 0.6 else "insufficient")
    told = Verdict(
        outcome, verdict.pop("reason", "by score"), score=score, threshold=0.6, judge=judge, **verdict
    )
    check = CheckRecord(1, "candidate", told, action, told.reason, 800, 12.0, ModelUsage(calls=1), agrees)
    return full_trace(id=f"{number:016x}", mode="vikingrag-e+", checks=(check,))


LATE_FEE = "How high is the late fee in 2026?"  # what every recorded run here asks


def shadows(good: int, bad: int) -> list[Trace]:
    """Runs in shadow: the good ones score 0.9, the bad ones 0.7."""
    runs = [run(number, 0.9) for number in range(good)]
    return runs + [run(1000 + number, 0.7, agrees=False) for number in range(bad)]


def test_runs_in_shadow_label_themselves() -> None:
    name, found = from_records(labelled(shadows(40, 20)), 0.05)
    assert name == "rules" and found.n == 60 and found.insufficient == 20
    assert 0.7 < found.threshold_for(LATE_FEE) <= 0.9 and list(found.groups) == ["how_many"]
    assert found.skipped_share == pytest.approx(40 / 60)


def test_labels_given_by_hand_come_before_what_runs_say() -> None:
    runs = shadows(40, 20)
    labels = {trace.id: False for trace in runs[:30]}
    found = from_records(labelled(runs, labels), 0.05)[1]
    assert found.n == 30 and found.insufficient == 30 and found.skipped_share == 0.0


def test_an_early_answer_that_was_not_sampled_and_a_forced_run_label_nothing() -> None:
    forced = run(1, 0.0, action="escalated", reason="rule: legal: duties", outcome="unknown")
    answered = run(2, 0.9, action="answered", agrees=None)
    escalated = run(3, 0.4, action="escalated", agrees=False)
    assert labelled([forced, answered, escalated]) == []
    with pytest.raises(InvalidArgument, match="no labelled run"):
        from_records([], 0.05)


def test_sampled_runs_never_lower_the_threshold_below_their_own() -> None:
    sampled = [run(number, 0.9, action="resampled") for number in range(60)]
    found = from_records(labelled(sampled), 0.05)[1]
    assert found.threshold_for(LATE_FEE) == 0.6 and "kept at 0.600" in found.groups["how_many"].reason
    assert from_records(labelled(shadows(60, 0)), 0.05)[1].threshold_for(LATE_FEE) == 0.0


def test_each_type_of_question_is_calibrated_on_its_own_runs() -> None:
    others = [
        replace(one, id=f"{at:016x}", question="Who pays the fee?")
        for at, one in enumerate(shadows(0, 30), 5000)
    ]
    few = [
        replace(one, id=f"{at:016x}", question="Why is there a fee?")
        for at, one in enumerate(shadows(9, 0), 6000)
    ]
    found = from_records(labelled([*shadows(60, 0), *others, *few]), 0.05)[1]
    assert found.threshold_for(LATE_FEE) == 0.0
    assert 0.7 < found.threshold_for("Who is it?") <= 1.0 and found.groups["who"].n == 30
    assert found.groups["why_how"].never and "too few" in found.groups["why_how"].reason


def test_judges_are_never_mixed() -> None:
    runs = [*shadows(30, 0), *(run(2000 + n, 0.8, judge="judge-7b", agrees=False) for n in range(40))]
    assert from_records(labelled(runs), 0.05)[0] == "judge-7b"
    name, found = from_records(labelled(runs), 0.05, judge="rules")
    assert name == "rules" and found.n == 30
    with pytest.raises(InvalidArgument, match="judged by nobody"):
        from_records(labelled(runs), 0.05, judge="nobody")


def test_an_unknown_verdict_is_never_skipped_by_a_calibration() -> None:
    runs = [*shadows(60, 0), *(run(3000 + n, 0.0, outcome="unknown", agrees=False) for n in range(10))]
    found = from_records(labelled(runs), 0.05)[1]
    assert found.threshold_for(LATE_FEE) > 0.0


def test_a_report_counts_unknowns_apart() -> None:
    gate = Gate("years", False, "2024 is not in the evidence")
    runs = [
        run(1, 0.9, action="answered", agrees=None),
        run(2, 0.9, action="resampled", agrees=True),
        run(3, 0.9, action="resampled", agrees=False),
        run(4, 0.05, action="escalated", agrees=None, gates=(gate,)),
        run(5, 0.4, action="escalated", agrees=None),
        run(6, 0.4, action="escalated", agrees=None, judge="judge-7b", said="insufficient"),
        run(7, 0.0, action="escalated", agrees=None, outcome="unknown", reason="unreadable verdict: empty"),
        run(8, 0.8, agrees=True),
        run(9, 0.3, agrees=False),
        run(10, 0.0, action="escalated", outcome="unknown", reason="rule: legal: duties", agrees=None),
    ]
    found = report(runs)
    assert (found.checked, found.forced) == (9, 1)
    assert (found.answered, found.escalated, found.shadow, found.resampled) == (1, 4, 2, 2)
    assert (found.unknown, found.scored) == (1, 8)
    assert found.causes == {"gate years": 1, "judge": 1, "score": 2, "unknown": 1}
    assert (found.skips_seen, found.skips_wrong) == (3, 1)
    assert (found.resampled_seen, found.resampled_wrong) == (2, 1)
    assert found.wrong_share == pytest.approx(1 / 3)
    assert found.wrong_at_most is not None and 0.8 < found.wrong_at_most < 1.0
    assert found.model.calls == 10


def test_a_report_of_nothing_has_no_number_where_there_is_none() -> None:
    found = report([])
    assert found.wrong_share is None and found.wrong_at_most is None and found.ms == 0.0


@pytest.mark.parametrize(
    ("wrong", "seen", "bound"),
    [(0, 59, 0.0495), (0, 10, 0.2589), (5, 100, 0.1023), (10, 10, 1.0), (100, 20_000, 0.00593)],
)
def test_the_upper_end_is_the_exact_one(wrong: int, seen: int, bound: float) -> None:
    runs = replace(report([]), skips_seen=seen, skips_wrong=wrong)
    assert runs.wrong_at_most == pytest.approx(bound, rel=0.01)


# ---------------------------------------------------------------------- in a knowledge base


def test_a_calibration_is_kept_for_its_judge(kb: knarr.KnowledgeBase) -> None:
    for trace in shadows(40, 20):
        kb.library.store_trace(trace)
    assert kb.checker.threshold() is None
    found = kb.checker.calibrate(alpha=0.05)
    assert found.scorer == scorer_of("rules")
    assert kb.checker.threshold("rules", LATE_FEE) == found.threshold_for(LATE_FEE)
    assert kb.checker.threshold() == kb.checker.threshold("rules", "Where is it?") == NEVER
    assert kb.checker.calibration() == found
    assert kb.checker.threshold("judge-7b") is None
    again = kb.checker.calibrate({trace.id: True for trace in shadows(30, 0)}, 0.05)
    assert kb.checker.threshold("rules", LATE_FEE) == again.threshold_for(LATE_FEE) == 0.0


def test_a_label_of_a_run_that_is_not_there_is_refused(kb: knarr.KnowledgeBase) -> None:
    with pytest.raises(NotFound):
        kb.checker.calibrate({"feedfeedfeedfeed": True})


def test_a_calibration_of_another_way_of_scoring_is_not_used(kb: knarr.KnowledgeBase) -> None:
    for trace in shadows(40, 0):
        kb.library.store_trace(trace)
    kb.checker.calibrate()
    stored = json.loads(kb._catalog.get("checker_calibration:rules") or "")
    kb._catalog.put("checker_calibration:rules", json.dumps({**stored, "scorer": "rules:score-0"}))
    assert kb.checker.threshold() is None and "scored in another way" in kb.checker.outdated()


def test_a_calibration_of_the_older_form_is_not_used(kb: knarr.KnowledgeBase) -> None:
    assert kb.checker.outdated() == ""
    old = {
        "threshold": 0.1,
        "alpha": 0.05,
        "n": 60,
        "insufficient": 1,
        "wrongly_skipped": 0,
        "risk_bound": 0.02,
    }
    for text in (json.dumps({**old, "scorer": scorer_of("rules")}), "not json", "[]"):
        kb._catalog.put("checker_calibration:rules", text)
        assert kb.checker.threshold("rules", LATE_FEE) is None and "older form" in kb.checker.outdated()


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def knarr_(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `knarr checker ARGS` over a base that holds 60 runs in shadow."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(vars(knarr), "open", functools.partial(knarr.open, embedder=HashEmbedder()))
    with knarr.open(tmp_path / "runs.kb") as base:
        for trace in shadows(40, 20):
            base.library.store_trace(trace)

    def call(*arguments: str, kb: str = "runs.kb") -> tuple[int, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as done:
            main(["checker", *arguments, "--kb", kb])
        out, err = capsys.readouterr()
        return int(done.value.code or 0), out, err

    return call


def test_calibrate_on_the_command_line(knarr_: Run) -> None:
    code, out, err = knarr_("calibrate", "--alpha", "0.05", "--json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert found["n"] == 60 and found["never"] is False
    assert 0.7 < found["groups"]["how_many"]["threshold"] <= 0.9
    code, out, _ = knarr_("report")
    assert code == 0 and "threshold: how many 0.7" in out
    code, out, _ = knarr_("calibrate", "--alpha", "0.01")
    assert code == 0 and "how many  never" in out and "too few" in out
    code, out, _ = knarr_("report")
    assert code == 0 and "threshold: never early" in out


def test_a_report_says_that_an_older_calibration_is_not_used(knarr_: Run, tmp_path: Path) -> None:
    with knarr.open(tmp_path / "runs.kb") as base:
        base._catalog.put(
            "checker_calibration:rules", json.dumps({"threshold": 0.1, "scorer": scorer_of("rules")})
        )
    code, out, err = knarr_("report")
    assert code == 0 and "the checker's own" in out and "calibrate" in err


def test_labels_from_a_file(knarr_: Run, tmp_path: Path) -> None:
    lines = [json.dumps({"trace_id": trace.id, "sufficient": True}) for trace in shadows(40, 0)]
    (tmp_path / "labels.jsonl").write_text("\n".join([*lines, ""]), encoding="utf-8")
    code, out, _ = knarr_("calibrate", "--labels", "labels.jsonl", "--json")
    assert code == 0 and json.loads(out)["n"] == 40


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        '{"trace_id": "0000000000000000"}',
        '{"trace_id": 1, "sufficient": true}',
        "[]",
        '{"trace_id": "0", "sufficient": "yes"}',
    ],
)
def test_a_bad_label_names_its_line(knarr_: Run, tmp_path: Path, line: str) -> None:
    good = json.dumps({"trace_id": shadows(1, 0)[0].id, "sufficient": True})
    (tmp_path / "labels.jsonl").write_text(f"{good}\n{line}\n", encoding="utf-8")
    code, _, err = knarr_("calibrate", "--labels", "labels.jsonl")
    assert code == 1 and "line 2" in err and err.count("\n") == 1


def test_report_on_the_command_line(knarr_: Run, tmp_path: Path) -> None:
    code, out, _ = knarr_("report")
    assert code == 0 and "60 in shadow" in out and "20 of 60" in out and "nan" not in out.lower()
    _, out, _ = knarr_("report", "--json")
    found = json.loads(out)
    assert found["checked"] == 60 and found["skips_wrong"] == 20 and found["calibration"] is None
    with knarr.open(tmp_path / "empty.kb"):
        pass
    code, out, err = knarr_("report", kb="empty.kb")
    assert code == 3 and out == "" and "vikingrag-e+" in err
