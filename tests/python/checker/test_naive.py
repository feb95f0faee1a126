"""The naive checker of the benches, which the product's is compared with."""

from __future__ import annotations

import json

from bench_modules import bench_module
from checker.cases import case, evidence
from knarr.testing import ScriptedChat

NaiveChecker = bench_module("bench.rag.naive").NaiveChecker
FEE = evidence("fees", "Visiting boats pay a fee of eleven euros a night, due on arrival.", title="Fees")
ASKED = case("What fee do visiting boats pay a night?", FEE)


def test_the_naive_judge_is_held_by_the_same_reading() -> None:
    yes = json.dumps({"reason": "it is all there", "verdict": "sufficient"})
    chat = ScriptedChat([yes])
    assert NaiveChecker(chat).check(ASKED).verdict.outcome == "sufficient"
    for text in ("Yes", "", yes + "\n" + yes.replace("sufficient", "insufficient")):
        assert NaiveChecker(ScriptedChat([text, text])).check(ASKED).verdict.outcome == "unknown"


def test_the_naive_rule_knows_no_constraints() -> None:
    piece = evidence("results", "The revenue in 2023 was 41 million euros.", score=7.0)
    asked = case("What was the revenue in 2024?", piece)
    assert NaiveChecker().check(asked).verdict.outcome == "sufficient"
    assert NaiveChecker(bound_logit=8.0).check(asked).verdict.outcome == "insufficient"
