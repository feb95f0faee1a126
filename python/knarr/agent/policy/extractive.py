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

    named_tokens: int = 2600
    wide_tokens: int = 1600
    beside_tokens: int = 500
    hop_tokens: int = 220
    greps: int = 3
    hops: int = 3
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
        plan = view.notes.get("plan") or self._planned(view)
        stages = (self._searches, self._follow)
        while not view.final and plan.stage < len(stages):
            plan.stage += 1
            calls = stages[plan.stage - 1](view, plan)
            if calls:
                return Decision(calls=tuple(calls))
        return self._answer(view, plan)

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
        return [*beside, self._search(plan.core, view.scope, view.k, tuning.wide_tokens)]

    def _search(self, query: str, scope: str, k: int, max_tokens: int) -> ToolCall:
        return ToolCall("Search", {"query": query, "scope": scope, "k": k, "max_tokens": max_tokens})

    def _follow(self, view: View, plan: _Plan) -> list[ToolCall]:
        return [*self._greps(view, plan), *self._hops(view, plan)]

    def _greps(self, view: View, plan: _Plan) -> list[ToolCall]:
        """For what is still uncovered, in the documents that are meant."""
        missing = Coverage(view.shown).missing(plan.wanted)
        scopes = [view.scope] if view.resolution.wide else [found.uri for found in view.resolution.candidates]
        return [
            ToolCall("Grep", {"pattern": constraint.pattern(), "scope": scope, "limit": 3})
            for constraint in missing[: self._tuning.greps]
            for scope in scopes[:2]
        ]

    def _hops(self, view: View, plan: _Plan) -> list[ToolCall]:
        """Searches in documents that the best evidence names and that were not shown yet."""
        if not view.resolution.wide:
            return []
        best = sorted(view.shown, key=lambda piece: -piece.score)[:4]
        seen = {piece.source.document.rstrip("/") for piece in view.shown}
        named = dict.fromkeys(
            uri for piece in best for uri in view.named_in(piece.text) if uri.rstrip("/") not in seen
        )
        return [self._search(plan.core, uri, 3, self._tuning.hop_tokens) for uri in list(named)[: self._tuning.hops]]

    def _answer(self, view: View, plan: _Plan) -> Decision:
        ranked = ranked_sentences(plan.core, view.shown, self._reranker)
        missing = Coverage(view.shown).missing(plan.wanted)
        best = ranked[0].score if ranked else float("-inf")
        passage = max((piece.score for piece in view.shown), default=float("-inf"))
        said = f"best sentence {best:.2f}, best passage {passage:.2f}, uncovered: {[c.text for c in missing]}"
        if not ranked or (self._reranker is not None and best < self._tuning.found_logit):
            return Decision(draft=Draft(_not_found(view), found=False), text=said)
        return Decision(draft=quoted_answer(ranked), text=said)


def _not_found(view: View) -> str:
    where = (
        ", ".join(found.uri for found in view.resolution.candidates)
        if not view.resolution.wide
        else view.scope
    )
    return f"The evidence is not there: nothing found in {where} answers the question."
