"""The values that pass between the loop, the policies and the tools.

A policy is one method, `decide(view) -> Decision`. The loop checks the calls of a decision, has them run, and
shows the policy the observations in the next view. A `ToolCall` is one call from the wish to the record, and an
`Observation` is one result: it holds its call, and `record` gives the form that a trace stores.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from knarr.agent.scope import Names, Resolution
from knarr.trace.record import CallRecord, EdgeUse
from knarr.types import ModelUsage, Provenance

# What the calls of a tool mean to experience (Algorithm 2), and to code that weighs observations:
#   source     its URIs are where an edge may begin: what a search by meaning came upon
#   candidate  its URIs are chunks that may support the answer
#   page       it fetches text on purpose: what it shows may support the answer, and never goes stale
#   none       it only shows where things are
Role = Literal["source", "candidate", "page", "none"]

REPEATED = "repeated"  # the note of a call that was made before


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a tool.

    default:      None with `required=False` leaves the value to the tool
    least, most:  bounds of an integer
    offered:      whether a model that fills in a schema sees it. Small models fill in all that they are
                  offered, and numbers badly; an argument that is not offered is taken as well
    """

    name: str
    type: type
    help: str
    required: bool = False
    default: Any = None
    least: int = 0
    most: int = 1_000_000_000
    offered: bool = False

    def schema(self) -> dict[str, Any]:
        """JSON schema of the value."""
        names: dict[type, str] = {str: "string", int: "integer", bool: "boolean"}
        described: dict[str, Any] = {"type": names[self.type], "description": self.help}
        if self.type is int:
            described |= {"minimum": self.least, "maximum": self.most}
        return described


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """What a policy may know of a tool.

    help:    one sentence on its use
    target:  the argument that holds the URI it works under; the run's scope where it is left out
    role:    see `Role`
    """

    name: str
    help: str
    arguments: tuple[Argument, ...]
    target: str = "scope"
    role: Role = "none"

    def schema(self) -> dict[str, Any]:
        """The tool in the form chat-completions servers take."""
        parameters = {
            "type": "object",
            "properties": {argument.name: argument.schema() for argument in self.arguments},
            "required": [argument.name for argument in self.arguments if argument.required],
            "additionalProperties": False,
        }
        return {
            "type": "function",
            "function": {"name": self.name, "description": self.help, "parameters": parameters},
        }


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool.

    A policy wishes for it: `arguments` is a mapping, or the raw text a model wrote, and an empty or repeated
    `id` will be replaced. The loop makes it a checked call: a unique id, arguments as an object with defaults
    filled in, and in `note` what was repaired, or why it is not run.
    """

    tool: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    id: str = ""
    note: str = ""

    @property
    def checked(self) -> Mapping[str, Any]:
        """The arguments of a checked call; empty while they are raw text."""
        return {} if isinstance(self.arguments, str) else self.arguments

    def written(self) -> dict[str, Any]:
        """The arguments as a model would write them, without those left to the tool."""
        return {name: value for name, value in self.checked.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A piece of document text that an observation showed. `begin_byte` is where it begins in the canonical text of
    its document (in the abstract for one). `score` is the reranker's, from a search only; `number` is what a model cites it by,
    0 before it has one."""

    uri: str
    text: str
    source: Provenance
    begin_byte: int
    score: float | None = None
    number: int = 0


@dataclass(frozen=True, slots=True)
class Observation:
    """The result of one call, as text for a model and as values for a program. The tool fills in what it found,
    the session the time, the loop the round and the size.

    uris:   objects and directories named in the text, in order
    shown:  the document text in it
    value:  what the tool returned (SearchResult, Listing, GrepResult, Passage), None on failure
    error:  why nothing was returned, "" when it was
    cause:  the error that no policy can mend, where one was raised; no trace holds it
    edges:  experience that led to some of it
    left:   the reranker's scores of passages that were found and not shown
    tokens: of the text, by the library's count
    ms:     wall milliseconds of the call
    """

    call: ToolCall
    text: str
    uris: tuple[str, ...] = ()
    shown: tuple[Excerpt, ...] = ()
    value: Any = None
    error: str = ""
    edges: tuple[EdgeUse, ...] = ()
    left: tuple[float, ...] = ()
    round: int = 0
    tokens: int = 0
    ms: float = 0.0
    cause: BaseException | None = None

    @staticmethod
    def failure(call: ToolCall, error: str, cause: BaseException | None = None) -> Observation:
        """The observation of a call that was refused or failed."""
        return Observation(call, f"error: {error}", error=error, cause=cause)

    @property
    def id(self) -> str:
        return self.call.id

    @property
    def tool(self) -> str:
        return self.call.tool

    @property
    def arguments(self) -> Mapping[str, Any]:
        return self.call.checked

    @property
    def repeated(self) -> bool:
        """Whether the very call was made before, and therefore not run again."""
        return self.call.note == REPEATED

    def record(self) -> CallRecord:
        """The form that a trace stores."""
        return CallRecord(
            id=self.id,
            tool=self.tool,
            arguments=dict(self.arguments),
            uris=self.uris,
            tokens=self.tokens,
            ms=self.ms,
            error=self.error,
            note=self.call.note,
            text=self.text,
            edges=self.edges,
        )


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the history. `calls` come only from the assistant, `call_id` only from a tool."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class Quote:
    """A citation as a policy claims it; the loop checks it before it becomes a `Citation`."""

    uri: str
    text: str


@dataclass(frozen=True, slots=True)
class Cite:
    """A citation by the number of a passage that was shown. The host finds the sentence or table row that is
    meant: the one with these `words`, or without words the one that fits the answer best."""

    number: int
    words: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer as a policy proposes it, with its citations as quotes, by number, or both.

    found:  False says that the evidence is not there; `missing` are the words that it was looked for by
    cut:    the text breaks off: the model's server stopped it
    by_rule: the text was made by rule from what was shown: it may have numbers that were reckoned from those of its quotes,
             and, where nothing was found, it tells no answer
    told:    the text is, word for word, what the tool History told
    """

    text: str
    quotes: tuple[Quote, ...] = ()
    found: bool = True
    cites: tuple[Cite, ...] = ()
    cut: bool = False
    by_rule: bool = False
    missing: tuple[str, ...] = ()
    told: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """Calls to make, or a draft that ends the run. A decision with neither counts as an empty reply.

    text:      what a model says beside its calls; it stays in the history
    usage:     what a chat model cost for it
    fault:     without calls and draft: what was wrong with the reply; the model reads it and is asked again
    left_out:  ids of earlier calls whose observations the policy no longer has: they may be made again
    """

    calls: tuple[ToolCall, ...] = ()
    draft: Draft | None = None
    text: str = ""
    usage: ModelUsage = field(default_factory=ModelUsage)
    fault: str = ""
    left_out: frozenset[str] = frozenset()

    @staticmethod
    def call(tool: str, **arguments: Any) -> Decision:
        """A decision for one call."""
        return Decision(calls=(ToolCall(tool, arguments),))

    @staticmethod
    def answer(text: str, *cited: Quote | Cite, found: bool = True) -> Decision:
        """A decision for an answer, which ends the run when it passes its check."""
        quotes = tuple(one for one in cited if isinstance(one, Quote))
        cites = tuple(one for one in cited if isinstance(one, Cite))
        return Decision(draft=Draft(text, quotes, found, cites))


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
    remaining_s:       wall seconds left when the view was made, never negative; None without a bound
    final:             the budget is spent: answer from what is there
    notes:             the policy's own, kept for the run, so that one policy object serves many runs
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
    def shown(self) -> tuple[Excerpt, ...]:
        """Every piece of document text shown so far, in order."""
        return tuple(piece for observation in self.observations for piece in observation.shown)

    def observed(self, tool: ToolSpec) -> tuple[Observation, ...]:
        """The observations of one tool, in order."""
        return tuple(seen for seen in self.observations if seen.tool == tool.name)


class Policy(Protocol):
    """Decides what to do next.

    A policy may also have `call_tokens: int | None`, the most tokens that one observation should have for it (a
    model with a small window), None without a wish. The smaller of it and the budget's bound holds. And it may
    have `retries: int`: how often it is told what a draft lacks that did not pass its check, and is asked
    again; 0 where it has none. What it raises of `knarr.agent.failures.FAILURES` ends the run as failed.
    """

    def decide(self, view: View) -> Decision:
        """Calls to make, or a draft answer. Called from one thread at a time per run; may be shared by runs.
        When `view.final` it must draft: calls are not run any more."""
        ...
