"""The policy that needs no model: it plans from the question, searches, greps, follows, and quotes.

Round 1  searches inside the documents that the question names, and reads their beginnings. Where it names none,
it
         searches everywhere, and beside that inside the documents that the question hints at.
Round 2  looks for what is still uncovered: greps for the question's quoted words, identifiers, names, numbers
and
         telling words. Where no document was named, it also follows names in the evidence to the documents of
         those names, and asks who else speaks of the best one (the second hop).
Round 3  searches in the documents that only a Grep has touched.
Then it answers by quoting the best sentences, or says that the evidence is not there.

A question about versions of a document is asked of History first (see `policy/history.py`).

In the modes with experience the beginnings are read in round 2, and only where something is still uncovered;
round 2 is left out where an edge led to evidence that holds again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from knarr.agent.policy.arithmetic import computed
from knarr.agent.policy.evidence import Bounds, missing_words, weigh
from knarr.agent.policy.history import by_number, history_decision, past_shown
from knarr.agent.policy.quoting import chosen_sentences, quoted_answer
from knarr.agent.policy.ranking import Ranking, best_passage, ranked_sentences
from knarr.agent.tools import GREP, SEARCH
from knarr.agent.tools.focus import PROVEN, PROVEN_AMONG
from knarr.agent.tools.grep import grep_call
from knarr.agent.tools.read import read_call
from knarr.agent.tools.search import search_call
from knarr.agent.values import Decision, Draft, Excerpt, ToolCall, View
from knarr.checker.asked import Piece
from knarr.language.instructions import addresses_model
from knarr.language.question import Constraint, Coverage, constraints, content_words
from knarr.models.rerank import Reranker
from knarr.uris import name_of, without_slash


@dataclass(frozen=True, slots=True)
class Tuning:
    """Bounds that were set on development questions.

    named_tokens:   shown by the searches inside the documents that the question names
    head_tokens:    shown of the beginning of each of them
    wide_tokens:    shown by a search everywhere
    beside_tokens:  shown by the searches inside documents that are only hinted at, together
    wide_beside_tokens:  shown by the search everywhere when there are hints
    hop_tokens:     shown by each search of a second hop
    greps, word_greps:  how many uncovered constraints, and telling words, are looked for
    hops:           how many documents are followed per round
    doubt_logit:    a best passage below this lets words be looked for everywhere too
    bounds:         when the evidence suffices
    """

    named_tokens: int = 3000
    head_tokens: int = 240
    wide_tokens: int = 2000
    beside_tokens: int = 1800
    wide_beside_tokens: int = 900
    hop_tokens: int = 220
    greps: int = 3
    word_greps: int = 4
    hops: int = 2
    doubt_logit: float = 0.0
    bounds: Bounds = field(default_factory=Bounds)


@dataclass(slots=True)
class _Plan:
    """The notes of one run."""

    core: str
    wanted: tuple[Constraint, ...]
    stage: int = 0


class ExtractivePolicy:
    """See the module. Keeps no state of its own: one object serves many runs and threads."""

    def __init__(self, reranker: Reranker | None = None, tuning: Tuning | None = None) -> None:
        self._reranker = reranker
        self._tuning = tuning or Tuning()

    def decide(self, view: View) -> Decision:
        if (history := history_decision(view)) is not None:
            return history
        plan = view.notes.get("plan") or self._planned(view)
        stages = (self._searches, self._follow, self._hop_again)
        while not view.final and not past_shown(view) and plan.stage < len(stages):
            plan.stage += 1
            calls = stages[plan.stage - 1](view, plan)
            if calls:
                return Decision(calls=tuple(calls))
        return self._answer(view, plan)

    def _planned(self, view: View) -> _Plan:
        core = past_shown(view) or view.resolution.core
        plan = view.notes["plan"] = _Plan(core, constraints(core))
        return plan

    def _searches(self, view: View, plan: _Plan) -> list[ToolCall]:
        """The searches of round 1. What the first round of VikingRAG-E+ has shown is not shown again, so less
        room is left then."""
        tuning, resolution = self._tuning, view.resolution
        used = sum(seen.tokens for seen in view.observed(SEARCH))
        if resolution.wide:
            hints = [found.uri for found in resolution.candidates]
            room = _less(tuning.beside_tokens, used // 2) // max(1, len(hints))
            beside = [search_call(plan.core, uri, 2 * view.k, room) for uri in hints]
            wide = _less(tuning.wide_beside_tokens, used // 2) if hints else _less(tuning.wide_tokens, used)
            return [*beside, search_call(plan.core, view.scope, view.k, wide)]
        share = max(400, _less(tuning.named_tokens, used) // len(resolution.candidates))
        # The bare question finds what answers it, the whole one what names its parties; tiny chunks are
        # many, so tokens bound the answer and not their number.
        calls = [
            search_call(plan.core, found.uri, min(50, 4 * view.k), share, also=resolution.asked)
            for found in resolution.candidates
        ]
        return calls if view.recalls else [*calls, *self._heads(view)]

    def _heads(self, view: View) -> list[ToolCall]:
        """The beginnings of the documents that the question names: they say what the document is."""
        if view.resolution.wide:
            return []
        room = self._tuning.head_tokens
        return [read_call(found.uri, room) for found in view.resolution.candidates]

    def _follow(self, view: View, plan: _Plan) -> list[ToolCall]:
        """The calls of round 2. Where an edge led to evidence that holds again, a question like this one was
        answered from there, and nothing more is looked for."""
        if view.recalls and self._reranker is not None and _proven(view):
            return []
        calls = self._greps(view, plan)
        if view.recalls and calls:
            calls = [*self._heads(view), *calls]
        return [*calls, *self._mentions(view), *self._hops(view, plan)] if view.resolution.wide else calls

    def _greps(self, view: View, plan: _Plan) -> list[ToolCall]:
        """Greps for uncovered words, in the documents that are meant. What is found is shown, and what
        stands nowhere counts against an answer."""
        coverage = Coverage(view.shown)
        missing = coverage.missing(plan.wanted)[: self._tuning.greps]
        if not view.resolution.wide or best_passage(view.shown) < self._tuning.doubt_logit:
            missing += coverage.missing(content_words(plan.core))[: self._tuning.word_greps]
        return [
            grep_call(constraint.pattern(), scope, 2) for constraint in missing for scope in _likely(view)[:2]
        ]

    def _mentions(self, view: View) -> list[ToolCall]:
        """A Grep for the title of the best document: who else speaks of it."""
        titles = [_plain(name_of(piece.source.document)) for piece in _best(view, 1)]
        return [
            grep_call(Constraint("name", title).pattern(), view.scope, 3)
            for title in titles
            if _LIKE_A_NAME.fullmatch(title)
        ]

    def _hops(self, view: View, plan: _Plan) -> list[ToolCall]:
        """Searches in documents that the best evidence names."""
        return self._into(
            view, plan, (uri for piece in _best(view, 3) for uri in view.names.named_in(piece.text))
        )

    def _hop_again(self, view: View, plan: _Plan) -> list[ToolCall]:
        """Searches in documents that only a Grep has touched: they speak of what the question names."""
        if not view.resolution.wide:
            return []
        greps = [piece for seen in view.observed(GREP) for piece in seen.shown]
        return self._into(view, plan, (piece.source.document for piece in greps))

    def _into(self, view: View, plan: _Plan, documents: Iterable[str]) -> list[ToolCall]:
        """A small search in each of the documents that no search has shown yet."""
        seen = {without_slash(piece.source.document) for one in view.observed(SEARCH) for piece in one.shown}
        new = dict.fromkeys(map(without_slash, documents))
        chosen = [uri for uri in new if uri and uri not in seen][: self._tuning.hops]
        return [search_call(plan.core, uri, 3, self._tuning.hop_tokens) for uri in chosen]

    def _answer(self, view: View, plan: _Plan) -> Decision:
        ranking = ranked_sentences(plan.core, view.shown, self._reranker, view.names)
        reckoned = computed(plan.core, _pieces(view))
        if reckoned is not None and reckoned.text and not past_shown(view):
            return Decision(draft=Draft(reckoned.text, reckoned.quotes, by_rule=True), text="reckoned")
        chosen = chosen_sentences(ranking.parts)
        cited = [one.ground for part in chosen for one in part]
        signs = weigh(view, plan.core, plan.wanted, ranking, cited, read=self._reranker is not None)
        if not signs.suffices(self._tuning.bounds):
            missing = missing_words(signs)
            said = _not_found(view, ranking, missing)
            return Decision(
                draft=Draft(said, found=False, missing=missing, by_rule=True), text=signs.in_words()
            )
        return Decision(draft=by_number(quoted_answer(plan.core, chosen), view), text=signs.in_words())


def _pieces(view: View) -> list[Piece]:
    """What was shown, best first, for arithmetic; without texts that give orders to a model."""
    shown = sorted(view.shown, key=lambda piece: -(piece.score if piece.score is not None else -20.0))
    clean = (
        piece
        for piece in shown
        if piece.text and not any(map(addresses_model, (piece.text, *piece.source.section)))
    )
    return [Piece(piece.uri, piece.text, piece.source) for piece in clean]


def _proven(view: View) -> bool:
    """Whether one of the best pieces shown is what an edge led to; by logits, so only with a cross-encoder."""
    targets = {edge.target for seen in view.observations for edge in seen.edges}
    return any(piece.uri in targets and (piece.score or 0.0) >= PROVEN for piece in _best(view, PROVEN_AMONG))


def _less(tokens: int, used: int) -> int:
    """The tokens left of a room, and in any case enough for a passage or two."""
    return max(300, tokens - used)


def _meant(view: View) -> list[str]:
    """The URIs under which the answer must be."""
    return [view.scope] if view.resolution.wide else [found.uri for found in view.resolution.candidates]


def _likely(view: View) -> list[str]:
    """The URIs to look closer at: the documents named or hinted at, else everywhere."""
    return [found.uri for found in view.resolution.candidates] or [view.scope]


def _best(view: View, most: int) -> list[Excerpt]:
    """The best pieces that searches have shown."""
    scored = [piece for piece in view.shown if piece.score is not None]
    return sorted(scored, key=lambda piece: -(piece.score or 0.0))[:most]


_LIKE_A_NAME = re.compile(r"[^\W\d_]{3}[^\d_]{2,60}")


def _plain(name: str) -> str:
    """A document's name as running text has it: "Pliers_(singer)" as "Pliers"."""
    return re.sub(r"\s*\(.*?\)|~\d+$", "", name.replace("_", " ")).strip()


def _not_found(view: View, ranking: Ranking, missing: Sequence[str]) -> str:
    """Where nothing was found, what is missing there, and what the text speaks of instead of what was asked."""
    where = ", ".join(_meant(view))
    said = f"The evidence is not there: nothing found in {where} answers the question."
    if missing:
        said += f" Missing: {', '.join(missing)}."
    instead = "; ".join(ranking.astray[:2])
    return f"{said} {instead[0].upper()}{instead[1:]}." if instead else said
