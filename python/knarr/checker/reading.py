"""From a judge's reply to a judgement, or to the reason why it cannot be read. Nothing unclear is ever a
pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from knarr.checker.types import Evidence
from knarr.language.citations import bare
from knarr.language.plain import shortened
from knarr.models.chat import read_object
from knarr.types import Sufficiency

KINDS = ("entity", "time", "scope", "quantity", "negation")
_MOST_CONSTRAINTS = 16
_MOST_QUOTES = 4
_MOST_CHARS = 400

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "constraints": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "kind": {"type": "string", "enum": list(KINDS)},
                    "text": {"type": "string"},
                    "quotes": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {"piece": {"type": "integer"}, "words": {"type": "string"}},
                            "required": ["piece", "words"],
                            "additionalProperties": False,
                        },
                    },
                },
                "required": ["kind", "text", "quotes"],
                "additionalProperties": False,
            },
        },
        "reason": {"type": "string"},
        "verdict": {"type": "string", "enum": ["sufficient", "insufficient"]},
    },
    "required": ["constraints", "reason", "verdict"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Claim:
    """A constraint as the judge lists it, with its quotes as (URI, words)."""

    kind: str
    text: str
    quotes: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge said. `outcome` is "unknown" when the reply could not be read, and then `reason` says
    why."""

    outcome: Sufficiency
    reason: str
    claims: tuple[Claim, ...] = ()

    @property
    def quotes(self) -> tuple[tuple[str, str], ...]:
        return tuple(dict.fromkeys(quote for claim in self.claims for quote in claim.quotes))


def read(text: str, pieces: Sequence[Evidence], *, cut: bool = False) -> Judgement:
    """The judgement in a reply. `pieces` are those of the request; `cut` says that the server stopped the
    reply."""
    found = read_object(text)
    if cut or found.cut:
        return _unreadable("the reply breaks off")
    if found.value is None:
        return _unreadable(found.note)
    outcome = _outcome(found.value.get("verdict"))
    if outcome is None:
        return _unreadable(f"the verdict {str(found.value.get('verdict'))[:40]!r} is none of those allowed")
    reason = found.value.get("reason")
    if not isinstance(reason, str) or not reason.strip():
        return _unreadable("a verdict without a reason")
    claims = _claims(found.value.get("constraints"), pieces)
    if claims is None:
        return _unreadable("the constraints are not a list of kind, text and quotes")
    return Judgement(outcome, shortened(reason, _MOST_CHARS), claims)


def _unreadable(why: str) -> Judgement:
    return Judgement("unknown", f"unreadable verdict: {why}")


def _outcome(value: object) -> Literal["sufficient", "insufficient"] | None:
    word = value.strip().lower() if isinstance(value, str) else ""
    if word == "sufficient":
        return "sufficient"
    return "insufficient" if word == "insufficient" else None


def _claims(value: object, pieces: Sequence[Evidence]) -> tuple[Claim, ...] | None:
    if not isinstance(value, list):
        return None
    claims = []
    for item in value[:_MOST_CONSTRAINTS]:
        if (
            not isinstance(item, dict)
            or item.get("kind") not in KINDS
            or not isinstance(item.get("text"), str)
        ):
            return None
        quotes = item.get("quotes")
        if not isinstance(quotes, list):
            return None
        claims.append(
            Claim(
                item["kind"],
                shortened(item["text"], _MOST_CHARS),
                tuple(_quote(one, pieces) for one in quotes[:_MOST_QUOTES]),
            )
        )
    return tuple(claims)


def _quote(value: object, pieces: Sequence[Evidence]) -> tuple[str, str]:
    """(URI, words); a piece that was not shown has the URI "", in which nothing stands."""
    number = value.get("piece") if isinstance(value, dict) else None
    words = value.get("words") if isinstance(value, dict) else None
    known = isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= len(pieces)
    uri = pieces[number - 1].uri if known and isinstance(number, int) else ""
    return uri, bare(words) if isinstance(words, str) else ""
