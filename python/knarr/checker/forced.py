"""Rules that force escalation: where the first round's answer is never enough, whatever its score.

Rules are values. A scope rule holds for questions that are asked in a place or mean it, a label rule for
documents with that label, a pattern rule for questions that match. A domain's preset names the kinds of
question in which a wrong figure or a missed exception is costly.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from knarr.errors import InvalidArgument
from knarr.uris import within


@dataclass(frozen=True, slots=True)
class Rule:
    """kind: "scope" (`value` a URI), "label" (a label, any case) or "pattern" (a regular expression,
    any case). `reason` is said in the trace."""

    kind: Literal["scope", "label", "pattern"]
    value: str
    reason: str


_YEAR = r"(?:FY\s?)?(?:19|20)\d\d"


def _patterns(*pairs: tuple[str, str]) -> tuple[Rule, ...]:
    return tuple(Rule("pattern", value, reason) for value, reason in pairs)


_COMPARED = (
    rf"\b{_YEAR}\b.*\b{_YEAR}\b|\b(?:year.over.year|yoy|compared? (?:to|with)|versus|vs\.?|change[sd]? (?:from|between|in|over)"
    r"|increased?|decreased?|growth|grew|decline[sd]?|difference between)\b"
)
_DEADLINES = (
    r"\b(?:deadline|due date|expir\w+|notice period|within (?:\w+ ){0,2}(?:days?|months?|years?)|no later than|how long|"
    r"(?:days?|months?|years?) (?:before|after|prior)|terminat\w+ date|renewal)\b"
)
_AMOUNTS = r"[$€£]\s?\d|\b\d[\d,.]* ?(?:%|percent|dollars?|euros?|usd|eur|million|billion)(?:\b|(?<=%))|\b(?:amount|cap|damages|penalt(?:y|ies)|fees?|price)\b"

PRESETS: dict[str, tuple[Rule, ...]] = {
    "legal": _patterns(
        (r"\b(?:shall|must|obligat\w+|liab\w+|indemnif\w+|warrant(?:y|ies)|breach\w*)\b", "legal: duties and liability"),
        (r"\b(?:except\w*|unless|notwithstanding|provided that|exclu\w+)\b", "legal: exceptions"),
        (_DEADLINES, "legal: deadlines and terms"),
        (_AMOUNTS, "legal: amounts"),
    ),
    "finance": _patterns(
        (_COMPARED, "finance: comparison over time"),
        (r"\b(?:margin|ratio|average|total|net|turnover|per share|eps|ebitda|percent(?:age)?|how much)\b", "finance: computed figures"),
        (_AMOUNTS, "finance: amounts"),
        (r"\b(?:guidance|forecast|restat\w+|impairment|going concern)\b", "finance: outlook and restatements"),
    ),
    "medical": _patterns(
        (r"\b(?:dos(?:e|es|age|ing)|mg|mcg|ml|milligrams?|units? per|titrat\w+|twice daily|how (?:much|many|often))\b", "medical: dosage"),
        (r"\b(?:contraindicat\w+|interact\w*|allerg\w+|side effects?|adverse|overdose|toxic\w*|warnings?)\b", "medical: safety"),
        (r"\b(?:pregnan\w+|breast.?feeding|lactat\w+|paediatric|pediatric|child(?:ren)?|infants?|renal|hepatic|elderly)\b", "medical: special patients"),
        (r"\b(?:diagnos\w+|first.line|treatment of choice|discontinu\w+|withdraw\w+)\b", "medical: diagnosis and treatment"),
    ),
    "compliance": _patterns(
        (r"\b(?:shall|must|required?|requirements?|mandatory|prohibit\w+|permitted|allowed|may (?:not|we|i|an?))\b", "compliance: what is required or allowed"),
        (r"\b(?:except\w*|exempt\w*|unless|waive\w*|deviat\w+)\b", "compliance: exceptions"),
        (_DEADLINES, "compliance: deadlines"),
        (r"\b(?:penalt(?:y|ies)|fines?|breach\w*|report(?:ing|able)?|notif\w+|retain\w*|retention)\b", "compliance: breaches and records"),
    ),
}  # fmt: skip


def rules_of(domain: str) -> tuple[Rule, ...]:
    """The preset of a domain; none for "". Raises InvalidArgument for an unknown one."""
    if domain and domain not in PRESETS:
        raise InvalidArgument(f"domain {domain!r}: expected one of {', '.join(PRESETS)}, or nothing")
    return PRESETS.get(domain, ())


def forced(
    question: str,
    scopes: str | Sequence[str],
    labels: Iterable[str] = (),
    rules: str | Iterable[Rule] = (),
) -> str:
    """The reason of the first rule that forces escalation, "" for none. `scopes` are where the question
    is asked and what it means, `labels` those of the documents shown; `rules` may name a domain."""
    places = [scopes] if isinstance(scopes, str) else list(scopes)
    marks = {label.casefold() for label in labels}
    for rule in rules_of(rules) if isinstance(rules, str) else rules:
        if _applies(rule, question, places, marks):
            return rule.reason
    return ""


def _applies(rule: Rule, question: str, places: Sequence[str], marks: set[str]) -> bool:
    if rule.kind == "scope":
        return any(within(place, rule.value) for place in places if place)
    if rule.kind == "label":
        return rule.value.casefold() in marks
    return _compiled(rule.value).search(question) is not None


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        raise InvalidArgument(f"rule {pattern!r}: not a regular expression ({error})") from error
