"""Rules that force escalation: values with a reason, in order, and presets that are not for every question."""

from __future__ import annotations

import pytest

from knarr.checker import PRESETS, Rule, forced, rules_of
from knarr.errors import InvalidArgument

RULES = (
    Rule("scope", "viking://lib/contracts", "contracts are read whole"),
    Rule("label", "secret", "labelled secret"),
    Rule("pattern", r"\bshall\b", "duties"),
)


@pytest.mark.parametrize(
    ("question", "scopes", "labels", "reason"),
    [
        ("Who signs?", ["viking://lib/contracts/2026/"], [], "contracts are read whole"),
        ("Who signs?", "viking://lib/contracts", [], "contracts are read whole"),
        ("Who signs?", ["viking://lib/contracts_old"], [], ""),
        ("Who signs?", ["viking://lib"], ["Secret"], "labelled secret"),
        ("What shall the tenant pay?", ["viking://lib"], [], "duties"),
        ("WHAT SHALL the tenant pay?", [], [], "duties"),
        ("Who is Marshall?", [], [], ""),
        ("What shall be paid?", ["viking://lib/contracts"], ["secret"], "contracts are read whole"),
        ("Who signs?", [], ["public"], ""),
    ],
)
def test_the_first_rule_that_applies_gives_its_reason(
    question: str, scopes: str | list[str], labels: list[str], reason: str
) -> None:
    assert forced(question, scopes, labels, RULES) == reason


def test_without_rules_nothing_is_forced() -> None:
    assert forced("What shall the dose be in 2023?", "viking://", ["secret"]) == ""
    assert rules_of("") == ()


@pytest.mark.parametrize(
    ("domain", "question", "word"),
    [
        ("legal", "What shall the tenant do on leaving?", "duties"),
        ("legal", "How many days is the notice period?", "deadlines"),
        ("legal", "Is there a cap of $2,000?", "amounts"),
        ("finance", "Did revenue grow from 2022 to 2023?", "comparison"),
        ("finance", "What is the operating margin?", "computed"),
        ("medical", "What is the dosage for adults?", "dosage"),
        ("medical", "May it be taken during pregnancy?", "patients"),
        ("compliance", "Must visitors be registered?", "required"),
        ("compliance", "How long are records retained?", "deadlines"),
    ],
)
def test_presets_catch_what_is_dear_in_their_domain(domain: str, question: str, word: str) -> None:
    reason = forced(question, "viking://", rules=domain)
    assert reason.startswith(domain) and word in reason


@pytest.mark.parametrize("domain", PRESETS)
def test_presets_leave_plain_questions_alone(domain: str) -> None:
    assert forced("Who founded the harbour museum?", "viking://", rules=domain) == ""


def test_what_is_no_rule_is_refused_with_the_way_to_mend_it() -> None:
    with pytest.raises(InvalidArgument, match="legal, finance, medical, compliance"):
        rules_of("cooking")
    with pytest.raises(InvalidArgument, match="regular expression"):
        forced("Who?", "viking://", rules=[Rule("pattern", "(", "broken")])
