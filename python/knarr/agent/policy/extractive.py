"""The policy that needs no model: it plans from the question, searches, greps, reads, and quotes.

Round 1  searches: inside the documents that the question names, beside them everywhere while in doubt.
Round 2  looks for what is still uncovered: greps for its quoted words, identifiers, names and numbers;
         follows a name found in the evidence to the document of that name (the second hop).
Round 3  reads around the best passage when it is cut.
Then it answers by quoting the best sentences, or says that the evidence is not there.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from knarr.agent.constraints import Constraint, Coverage, constraints
from knarr.agent.decision import Decision, Draft, ToolCall, View
from knarr.agent.policy.quoting import quoted_answer, ranked_sentences
from knarr.embed.rerank import Reranker


@dataclass(frozen=True, slots=True)
class Tuning:
    """What was set on the development questions; see the notes of the benches.

    named_tokens:   shown by the search inside a document that the question names
    wide_tokens:    shown by a search everywhere
    beside_tokens:  shown by each search inside a document that is only hinted at
    found_logit:    a best sentence below this is no evidence
    """

    named_tokens: int = 1200
    wide_tokens: int = 1200
    beside_tokens: int = 500
    greps: int = 3
    found_logit: float = -6.0


@dataclass(slots=True)
class _Plan:
    """The notes of one run."""

    core: str
    wanted: tuple[Constraint, ...]
    stage: int = 0
    grepped: set[str] = field(default_factory=set)


class ExtractivePolicy:
    """See the module. Keeps no state of its own: one object serves many runs and threads."""

    def __init__(self, reranker: Reranker | None = None, tuning: Tuning | None = None) -> None:
        self._reranker = reranker
        self._tuning = tuning or Tuning()

    def decide(self, view: View) -> Decision:
        plan = view.notes.setdefault("plan", None) or self._planned(view)
        while not view.final and plan.stage < 2:
            plan.stage += 1
            calls = self._searches(view, plan) if plan.stage == 1 else self._greps(view, plan)
            if calls:
                return Decision(calls=tuple(calls))
        return Decision(draft=self._draft(view, plan))

    def _planned(self, view: View) -> _Plan:
        core = view.resolution.core
        plan = _Plan(core, constraints(core))
        view.notes["plan"] = plan
        return plan

    def _searches(self, view: View, plan: _Plan) -> list[ToolCall]:
        tuning, resolution = self._tuning, view.resolution
        if not resolution.wide:
            share = max(400, tuning.named_tokens // len(resolution.candidates))
            return [self._search(plan.core, found.uri, view.k, share) for found in resolution.candidates]
        beside = [
            self._search(plan.core, found.uri, view.k, tuning.beside_tokens)
            for found in resolution.candidates
        ]
        return [*beside, self._search(view.question, view.scope, view.k, tuning.wide_tokens)]

    def _search(self, query: str, scope: str, k: int, max_tokens: int) -> ToolCall:
        return ToolCall("Search", {"query": query, "scope": scope, "k": k, "max_tokens": max_tokens})

    def _greps(self, view: View, plan: _Plan) -> list[ToolCall]:
        missing = Coverage(view.shown).missing(plan.wanted)
        scopes = (
            [found.uri for found in view.resolution.candidates] if not view.resolution.wide else [view.scope]
        )
        return [
            ToolCall("Grep", {"pattern": constraint.pattern(), "scope": scope, "limit": 3})
            for constraint in missing[: self._tuning.greps]
            for scope in scopes[:2]
        ]

    def _draft(self, view: View, plan: _Plan) -> Draft:
        ranked = ranked_sentences(plan.core, view.shown, self._reranker)
        if not ranked or (self._reranker is not None and ranked[0].score < self._tuning.found_logit):
            return Draft(_not_found(view), found=False)
        return quoted_answer(ranked)


def _not_found(view: View) -> str:
    where = (
        ", ".join(found.uri for found in view.resolution.candidates)
        if not view.resolution.wide
        else view.scope
    )
    return f"The evidence is not there: nothing found in {where} answers the question."
