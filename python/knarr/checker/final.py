"""The check of a final answer, in every mode and with every policy: deterministic, and without a call of a chat model.

An answer stands only when it passes; else its run ends as "conflicting" or "not_supported", with the evidence that was
found. The gates are those that an early answer must pass too, with three differences. One citation from a document that
the question means is enough, and evidence from one document is enough, since the full loop has looked at all. Of the
names of a question of several steps all but one may stand anywhere in what was shown. And a question for yes or no may be answered by
a text that lacks a name, number or year of it, unless the answer says yes: what is not in a list is answered by the list.

Evidence that gives another value than a citation for the asked thing makes the answer "conflicting". It is looked for in
the sentences shown that have most words of the question; a text that gives orders to a model counts for neither side.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from knarr.checker.asked import Piece
from knarr.checker.conflict import MOST, Conflict, conflicts
from knarr.checker.evidence import unmet_names
from knarr.checker.form import affirms
from knarr.checker.gates import failed
from knarr.checker.rules import Findings, examine
from knarr.checker.types import Case, Evidence
from knarr.language.citations import locate
from knarr.language.instructions import addresses_model, paragraphs_with_orders
from knarr.language.lexical import bm25
from knarr.language.passages import Part, sentences
from knarr.language.question import content_words
from knarr.language.question_type import question_type
from knarr.types import Citation, Gate, Verdict
from knarr.uris import within

FinalStatus = Literal["answered", "conflicting", "not_supported"]
_EARLY_ONLY = frozenset({"steps"})
# Asked with one telling word ("when is it held?"), these are judged by the form of their evidence, which may lack it.
_BY_FORM = frozenset({"when", "where", "how_many"})
_WORDS_TO_ASK_WITH = 2
_NOT_FOR_WHETHER = frozenset({"years", "numbers", "names", "focus", "asked"})


@dataclass(frozen=True, slots=True)
class FinalCheck:
    """What became of a final answer.

    verdict:  with every gate and constraint
    reason:   why it stands, or the first thing that is wrong with it, in words of the question and of ours
    missing:  what a retry must bring, in words of the question and of ours; empty when the answer stands
    conflicts: the values that contradict each other, empty unless "conflicting"
    """

    status: FinalStatus
    verdict: Verdict
    reason: str
    missing: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()


def final_check(case: Case) -> FinalCheck:
    """Check a final answer. A draft that says it found nothing (`case.found` is false) fails the first gate."""
    found = examine(case)
    gates = tuple(_relaxed(case, found))
    bad = failed(gates)
    reason = "every check passed" if bad is None else f"{bad.name}: {bad.detail}"
    verdict = Verdict(
        outcome="sufficient" if bad is None else "insufficient",
        reason=reason,
        constraints=found.constraints,
        gates=gates,
    )
    if bad is not None:
        return FinalCheck("not_supported", verdict, reason, _missing(bad, found))
    against = _conflicts(case)
    if not against:
        return FinalCheck("answered", verdict, reason)
    reason = "; ".join(one.text for one in against)
    return FinalCheck(
        "conflicting", replace(verdict, outcome="insufficient", reason=reason), reason, conflicts=against
    )


def _conflicts(case: Case) -> tuple[Conflict, ...]:
    """The conflicts between what is cited and what else was shown."""
    cited = [piece for one in case.citations if (piece := _cited(one, case.evidence)) is not None]
    pool = [
        Piece(piece.uri, piece.text, piece.source, part.begin, part.end)
        for piece in case.evidence
        if not any(map(addresses_model, piece.source.section))
        for part in _clean_sentences(piece.text)
    ]
    common = bm25(case.core, [one.text[one.begin : one.end] for one in pool])
    order = sorted(range(len(pool)), key=lambda at: -common[at])
    others = [pool[at] for at in order if pool[at] not in cited]
    own = {(one.uri, one.text[one.begin : one.end].strip()) for one in cited}
    found = conflicts(case.core, [*cited, *others][: max(MOST, len(cited))])
    return tuple(one for one in found if any((side.uri, side.text.strip()) in own for side in one.sides))


def _cited(citation: Citation, shown: Sequence[Evidence]) -> Piece | None:
    """The first sentence of a citation, within what was shown of its object."""
    for piece in shown:
        place = locate(citation.text, piece.text) if piece.uri == citation.uri else None
        if place is not None:
            inside = [part for part in sentences(piece.text) if part.begin < place[1] and part.end > place[0]]
            whole = max(
                inside, key=lambda part: min(part.end, place[1]) - max(part.begin, place[0]), default=None
            )
            return (
                None if whole is None else Piece(piece.uri, piece.text, piece.source, whole.begin, whole.end)
            )
    return None


def _clean_sentences(text: str) -> list[Part]:
    orders = paragraphs_with_orders(text)
    return [part for part in sentences(text) if not any(begin <= part.begin < end for begin, end in orders)]


def _texts(case: Case) -> list[str]:
    return [f"{' '.join(piece.source.section)} {piece.uri} {piece.text}" for piece in case.evidence]


def _relaxed(case: Case, found: Findings) -> Iterable[Gate]:
    """The gates as they hold for a final answer (see the module)."""
    kind = question_type(case.core)
    whether = kind == "yes_no" and not affirms(case.answer)
    few = kind in _BY_FORM and len(content_words(case.core)) < _WORDS_TO_ASK_WITH
    for gate in found.gates:
        if gate.name in _EARLY_ONLY or (whether and gate.name in _NOT_FOR_WHETHER):
            continue
        if gate.name == "asked" and few:
            continue
        if (
            gate.name == "names"
            and not gate.passed
            and not unmet_names(case.core, found.checked, _texts(case))
        ):
            yield Gate("names", True)
            continue
        if gate.name == "scopes" and any(
            within(one.uri, scope) for one in found.stands for scope in case.scopes
        ):
            yield Gate("scopes", True)
        else:
            yield gate


def _missing(bad: Gate, found: Findings) -> tuple[str, ...]:
    """What to look for: the constraints of the question that are unmet, else what the gate is about."""
    unmet = tuple(check.text for check in found.constraints if not check.met)
    return unmet or (f"evidence that passes the check of {bad.name}",)
