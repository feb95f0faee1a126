"""The policy that needs no model: it plans from the question, searches, greps, reads, and quotes.

Round 1  searches: inside the documents that the question names, beside them everywhere while in doubt.
Round 2  looks for what is still uncovered: greps for its quoted words, identifiers, names and numbers;
         follows a name found in the evidence to the document of that name (the second hop).
Round 3  reads around the best passage when it is cut.
Then it answers by quoting the best sentences, or says that the evidence is not there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from knarr.agent.constraints import Constraint, Coverage, constraints
from knarr.agent.decision import Decision, Draft, Shown, ToolCall, View
from knarr.agent.lexical import support
from knarr.agent.policy.quoting import best_passage, quoted_answer, ranked_sentences
from knarr.agent.uris import name_of
from knarr.embed.rerank import Reranker
from knarr.types import GrepResult


@dataclass(frozen=True, slots=True)
class Tuning:
    """What was set on the development questions; see the notes of the benches.

    named_tokens:   shown by the search inside a document that the question names
    wide_tokens:    shown by a search everywhere
    beside_tokens:  shown by each search inside a document that is only hinted at
    found_logit:    a best sentence or passage below this is no evidence
    found_words:    without a reranker: the share of the question's words that one passage must have
    """

    named_tokens: int = 2800
    wide_tokens: int = 1200
    beside_tokens: int = 500
    head_tokens: int = 240
    hop_tokens: int = 220
    greps: int = 3
    hops: int = 2
    found_logit: float = -6.0
    found_words: float = 0.5


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
        stages = (self._searches, self._follow, self._hop_again)
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
            return [
                call
                for found in resolution.candidates
                for call in (
                    self._search(plan.core, found.uri, min(50, 4 * view.k), share, also=resolution.asked),
                    ToolCall("Read", {"uri": found.uri, "max_tokens": tuning.head_tokens}),
                )
            ]
        beside = [
            self._search(plan.core, found.uri, view.k, tuning.beside_tokens)
            for found in resolution.candidates
        ]
        return [*beside, self._search(plan.core, view.scope, view.k, tuning.wide_tokens)]

    def _search(self, query: str, scope: str, k: int, max_tokens: int, also: str = "") -> ToolCall:
        more = {"also": also} if also and also != query else {}
        return ToolCall("Search", {"query": query, "scope": scope, "k": k, "max_tokens": max_tokens, **more})

    def _follow(self, view: View, plan: _Plan) -> list[ToolCall]:
        return [*self._greps(view, plan), *self._mentions(view), *self._hops(view, plan)]

    def _hop_again(self, view: View, plan: _Plan) -> list[ToolCall]:
        """Searches in documents that only a Grep has touched: they speak of what the question names."""
        if not self._open(view):
            return []
        searched = _documents(view, "Search")
        greps = [piece for seen in view.observations if seen.tool == "Grep" for piece in seen.shown]
        found = dict.fromkeys(piece.source.document.rstrip("/") for piece in greps)
        return [
            self._search(plan.core, uri, 2, self._tuning.hop_tokens)
            for uri in [uri for uri in found if uri and uri not in searched][: self._tuning.hops]
        ]

    def _open(self, view: View) -> bool:
        """Whether a second document may be needed: none was named."""
        return view.resolution.wide

    def _mentions(self, view: View) -> list[ToolCall]:
        """Greps for the titles of the best documents: who else speaks of them."""
        if not self._open(view):
            return []
        best = sorted(view.shown, key=lambda piece: -_score(piece))[:1]
        titles = dict.fromkeys(_plain(name_of(piece.source.document)) for piece in best)
        return [
            ToolCall(
                "Grep", {"pattern": Constraint("name", title).pattern(), "scope": view.scope, "limit": 3}
            )
            for title in titles
            if _LIKE_A_NAME.fullmatch(title)
        ]

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
        if not self._open(view):
            return []
        best = sorted(view.shown, key=lambda piece: -_score(piece))[:3]
        seen = _documents(view, "Search")
        named = dict.fromkeys(uri for piece in best for uri in view.names.named_in(piece.text))
        unseen = [uri for uri in named if uri.rstrip("/") not in seen]
        return [
            self._search(plan.core, uri, 3, self._tuning.hop_tokens) for uri in unseen[: self._tuning.hops]
        ]

    def _answer(self, view: View, plan: _Plan) -> Decision:
        ranked = ranked_sentences(plan.core, view.shown, self._reranker, view.names)
        missing = Coverage(view.shown).missing(plan.wanted)
        best = max((one.score for part in ranked for one in part), default=float("-inf"))
        passage = best_passage(view.shown)
        said = f"best sentence {best:.2f}, best passage {passage:.2f}, uncovered: {[c.text for c in missing]}"
        shared = support(
            plan.core, [f"{' '.join(piece.source.section)} {piece.text}" for piece in view.shown]
        )
        said += f", words in common {shared:.2f}"
        if not ranked or self._weak(max(best, passage), shared) or self._absent(view, missing):
            return Decision(draft=Draft(_not_found(view), found=False), text=said)
        return Decision(draft=quoted_answer(ranked), text=said)

    def _weak(self, best: float, shared: float) -> bool:
        """Whether the best evidence is too poor to answer from."""
        if self._reranker is None:
            return shared < self._tuning.found_words
        return best < self._tuning.found_logit

    def _absent(self, view: View, missing: list[Constraint]) -> bool:
        """Whether an identifier or quoted words of the question are nowhere in what is meant: a Grep for
        them ran there and found nothing. Then nothing there can be about them."""
        empty = {
            seen.arguments["pattern"]
            for seen in view.observations
            if seen.tool == "Grep"
            and isinstance(seen.value, GrepResult)
            and seen.value.outcome == "no_matches"
        }
        return any(c.kind == "identifier" and c.pattern() in empty for c in missing)


_LIKE_A_NAME = re.compile(r"[^\W\d_]{3}[^\d_]{2,60}")


def _score(piece: Shown) -> float:
    return -99.0 if piece.score is None else piece.score


def _documents(view: View, tool: str) -> set[str]:
    """The documents that a tool has shown text of."""
    return {
        piece.source.document.rstrip("/")
        for seen in view.observations
        if seen.tool == tool
        for piece in seen.shown
    }


def _plain(name: str) -> str:
    """A document's name as running text has it: "Pliers_(singer)" as "Pliers"."""
    return re.sub(r"\s*\(.*?\)|~\d+$", "", name.replace("_", " ")).strip()


def _not_found(view: View) -> str:
    where = (
        ", ".join(found.uri for found in view.resolution.candidates)
        if not view.resolution.wide
        else view.scope
    )
    return f"The evidence is not there: nothing found in {where} answers the question."
