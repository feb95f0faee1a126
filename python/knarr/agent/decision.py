"""What passes between the loop and a policy: decisions one way, a view of the run the other.

A policy is one method, `decide(view) -> Decision`. It may keep notes for a run in `view.notes`, so
that one policy object serves many runs and threads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from knarr.trace.record import EdgeUse
from knarr.types import ModelUsage, Provenance

if TYPE_CHECKING:
    from knarr.agent.history import Message
    from knarr.agent.scope import Names, Resolution
    from knarr.agent.tools import ToolSpec


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A wish to run a tool. `arguments` is a mapping, or the raw text a model wrote; the loop
    parses and checks it. An empty or repeated `id` is replaced by a fresh one."""

    tool: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    id: str = ""


@dataclass(frozen=True, slots=True)
class Quote:
    """A citation as a policy claims it; the loop checks it before it becomes a `Citation`."""

    uri: str
    text: str


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer as a policy proposes it. `found=False` says that the evidence is not there."""

    text: str
    quotes: tuple[Quote, ...] = ()
    found: bool = True


@dataclass(frozen=True, slots=True)
class Decision:
    """Calls to make, or a draft that ends the run. A decision with neither counts as an empty reply.
    `text` is what a model says beside its calls; it stays in the history. `usage` is what a chat model
    cost for it.

    fault:  without calls and draft: what was wrong with the reply, said to the model when it is asked again
    ends:   without calls and draft: nothing more will come (the model is gone), so it is not asked again
    left_out:  ids of earlier calls whose observations the policy has no more: they may be made again
    """

    calls: tuple[ToolCall, ...] = ()
    draft: Draft | None = None
    text: str = ""
    usage: ModelUsage = field(default_factory=ModelUsage)
    fault: str = ""
    ends: bool = False
    left_out: frozenset[str] = frozenset()

    @staticmethod
    def call(tool: str, **arguments: Any) -> Decision:
        """One call."""
        return Decision(calls=(ToolCall(tool, arguments),))

    @staticmethod
    def answer(text: str, *quotes: Quote, found: bool = True) -> Decision:
        """An answer, which ends the run."""
        return Decision(draft=Draft(text, quotes, found))


@dataclass(frozen=True, slots=True)
class Shown:
    """A piece of document text that an observation showed. `begin_byte` counts in the text of `uri`
    (in the document's for a match). `score` is the reranker's, from a search only."""

    uri: str
    text: str
    source: Provenance
    begin_byte: int
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Observation:
    """The outcome of one call, as text for a model and as values for a program.

    uris:   objects and directories named in the text, in order
    shown:  the document text in it
    value:  what the tool returned (SearchResult, Listing, GrepResult, Passage), None on failure
    error:  why nothing was returned, "" when it was
    edges:  experience that led to some of it
    left:   the reranker's scores of passages that were found and not shown
    """

    id: str
    tool: str
    arguments: Mapping[str, Any]
    round: int
    text: str
    tokens: int
    uris: tuple[str, ...] = ()
    shown: tuple[Shown, ...] = ()
    value: Any = None
    error: str = ""
    edges: tuple[EdgeUse, ...] = ()
    repeated: bool = False
    ms: float = 0.0
    left: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class View:
    """All that a policy may know when it decides.

    scope:             the root of the run; calls outside it are refused
    resolution:        which documents the question seems to mean
    names:             which documents of the scope a text names or means
    tools:             what may be called; empty when `final`
    messages:          the history, well formed, for a chat model
    observations:      the same history as values
    remaining_tokens:  what may still be shown, None without a bound
    remaining_s:       wall seconds left when it was made, never negative; None without a bound
    final:             the budget is spent: answer from what is there
    notes:             the policy's own, kept for the run
    recalls:           searches follow edges (the modes with experience)
    """

    question: str
    scope: str
    k: int
    round: int
    resolution: Resolution
    names: Names
    tools: tuple[ToolSpec, ...]
    messages: tuple[Message, ...]
    observations: tuple[Observation, ...]
    remaining_tokens: int | None
    final: bool
    notes: dict[str, Any]
    remaining_s: float | None = None
    recalls: bool = False

    @property
    def shown(self) -> tuple[Shown, ...]:
        """Every piece of document text shown so far, in order."""
        return tuple(piece for observation in self.observations for piece in observation.shown)


class Policy(Protocol):
    """Decides what to do next.

    A policy may also have `call_tokens: int | None`: the most tokens that one observation should have for
    it (a model with a small window), None without a wish. The smaller of it and the budget's bound holds.
    """

    def decide(self, view: View) -> Decision:
        """Calls to make, or a draft answer. Called from one thread at a time per run; may be shared
        by runs. When `view.final` it must draft: calls are not run any more."""
        ...
