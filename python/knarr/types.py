"""What the tools return. Plain, frozen, printable, JSON-ready by `to_json`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["chunk", "abstract"]
Mode = Literal["vikingrag", "vikingrag-e", "vikingrag-e+"]
Span = tuple[int, int]
MetadataValue = str | int | float | bool | tuple[str | int | float | bool, ...]
Progress = Callable[[int, int, str], None]  # called with (done, total, name of the item at work)


def to_json(value: Any) -> Any:
    """Dataclasses, sequences and mappings as what `json.dumps` takes."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_json(getattr(value, f.name)) for f in dataclasses.fields(value) if f.repr}
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [to_json(item) for item in value]
    return value


@dataclass(frozen=True, slots=True)
class Principal:
    """Who reads. It sees a document when a grant on the document's path names its subject, one of its groups or
    everyone, no deny there does, and it has all labels that are set there.

    tenant:  the base of its own that it reads, "" for the base itself
    """

    tenant: str = ""
    subject: str = ""
    groups: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where an object comes from.

    document: URI of its document    version:  of that document, from 1
    section:  titles from the document's top heading down to the owner
    lines:    first and last line (from 1) in the canonical text; for Markdown and plain text, whose lines the
              canonical text keeps one for one, also those of the file
    pages:    first and last page (from 1), None where the document has no pages
    bytes:    where it begins and ends in the canonical text, that of an abstract where its section does; None
              for the abstract of a folder, which is about no one text
    """

    document: str
    version: int
    section: tuple[str, ...]
    lines: Span
    pages: Span | None
    bytes: Span | None = None


@dataclass(frozen=True, slots=True)
class Box:
    """A place on a page (from 1): its sides in points, in the page's own coordinates as the file has them, so y
    grows upwards and a viewer's own mapping, rotation included, shows it. A box holds the words of one line."""

    page: int
    left: float
    bottom: float
    right: float
    top: float


@dataclass(frozen=True, slots=True)
class PageShape:
    """The part of a page that a viewer shows, in the coordinates of its boxes; `rotation` is by how many degrees it is
    then turned clockwise."""

    left: float
    bottom: float
    right: float
    top: float
    rotation: int = 0


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """What a knowledge base knows of a document beside its text.

    format:        "pdf", "markdown", …
    version:       from 1, one more with each update
    status:        "ok", or "partial" when `missing_pages` gave no text
    path:          of the file that it was last read from, "" where that is not known
    content_hash:  SHA-256 of that file's bytes, by which a viewer sees whether it is still the same
    size_bytes:    of the file
    updated_at:    when it was last read, ISO 8601 in UTC
    pages:         the shape of each page; empty for formats without pages, and for documents that an older knarr read
    notes:         what the receipt said of it
    metadata:      what the source says of itself, by its own keys in lower case
    """

    uri: str
    title: str
    format: str
    version: int
    status: str
    path: str
    content_hash: str
    size_bytes: int
    updated_at: str
    pages: tuple[PageShape, ...]
    missing_pages: tuple[int, ...]
    notes: tuple[str, ...]
    metadata: Mapping[str, MetadataValue]


@dataclass(frozen=True, slots=True)
class Hit:
    """One result of Search. `score` is the cosine of query and object, in [-1, 1]; `copies` are the
    URIs of objects of the same text that a `distinct` search did not list again."""

    uri: str
    score: float
    kind: Kind
    preview: str
    source: Provenance
    copies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EdgeHit:
    """An object that a hit's edge leads to (Algorithm 3). `similarity` is the cosine of the question
    asked now and the historical `question`; `seed` the hit it was reached from; `trace` the run that
    taught the edge."""

    uri: str
    kind: Kind
    preview: str
    source: Provenance
    seed: str
    similarity: float
    question: str
    trace: str


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits in order of score, then URI. `plan` says how the vectors were searched; `rows_allowed`
    how many objects scope and filter left; `edges` what experience adds, most similar question first,
    where it was asked for. Iterates over its hits."""

    query: str
    scope: str
    hits: tuple[Hit, ...]
    plan: str
    rows_allowed: int
    edges: tuple[EdgeHit, ...] = ()

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, index: int) -> Hit:
        return self.hits[index]


@dataclass(frozen=True, slots=True)
class Entry:
    """One child in a listing. Directories end in `/`; `rows` counts the objects below; `source` is
    None for folders above documents; `metadata` is what the file of a document says of itself, empty for all else."""

    uri: str
    name: str
    is_directory: bool
    rows: int
    preview: str = ""
    source: Provenance | None = None
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of a directory's children, in document order. `abstract` is the directory's own;
    `next_offset` is None on the last page."""

    uri: str
    abstract: str
    entries: tuple[Entry, ...]
    total: int
    next_offset: int | None

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)


@dataclass(frozen=True, slots=True)
class Match:
    """One result of Grep. `uri` is the object where the match begins and `uris` all it touches;
    `begin_byte` and `end_byte` count in the canonical text of `document`; `line` starts at 1;
    `excerpt` is a bounded window of the line, which begins at `excerpt_byte` of the canonical text, and
    `column` the match's byte in that line, from 1."""

    uri: str
    uris: tuple[str, ...]
    line: int
    column: int
    begin_byte: int
    end_byte: int
    excerpt: str
    document: str
    section: tuple[str, ...]
    page: int | None
    version: int = 0
    excerpt_byte: int = 0


@dataclass(frozen=True, slots=True)
class GrepResult:
    """Matches in document order. `outcome`: "matches", "no_matches", or "incomplete" with the
    reason in `note` (a bad pattern or a missing scope raises). `total` counts every match found,
    shown or not; `next_offset` continues after the last one shown."""

    pattern: str
    scope: str
    outcome: Literal["matches", "no_matches", "incomplete"]
    matches: tuple[Match, ...]
    total: int
    next_offset: int | None
    note: str = ""

    def __iter__(self) -> Iterator[Match]:
        return iter(self.matches)

    def __len__(self) -> int:
        return len(self.matches)


@dataclass(frozen=True, slots=True)
class Passage:
    """What Read returns: text of a chunk, an abstract, or a whole section or document.

    `begin_byte` and `end_byte` count in the canonical text of the document, whatever part of it the URI names, and
    in the abstract for an abstract; `next_offset`, where to go on, counts as they do (None at the end).
    `total_bytes` is the size of all that the URI names, `uris` the objects the shown text touches. `source` is of
    the shown text alone."""

    uri: str
    text: str
    source: Provenance
    begin_byte: int
    end_byte: int
    total_bytes: int
    next_offset: int | None
    uris: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Citation:
    """Quoted evidence: `text` stands, word for word, in the object `uri`, and in the canonical text of `document`.

    version:  of the document that was quoted; 0 in traces of older versions
    bytes:    where the text begins and ends in the canonical text; None in traces of older versions
    boxes:    where it stands on its pages, a box for each line; filled in for the citations that an answer gives,
              empty where the document has no pages
    """

    uri: str
    text: str
    lines: Span
    pages: Span | None
    document: str
    version: int = 0
    bytes: Span | None = None
    boxes: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True)
class QuoteNow:
    """What became of a quote since: "current" (its version is the newest), "same" (the newest has it at its place), or
    "elsewhere" (at `uri`), "gone" (the newest no longer has it), "removed" (there is no such document any more), or
    "unknown" (a trace of an older knarr). `version` is the newest, 0 where there is none."""

    state: Literal["current", "same", "elsewhere", "gone", "removed", "unknown"]
    version: int = 0
    uri: str = ""


# How a question ended:
#   answered          the text answers it, and passed the checks
#   conflicting       the evidence gives different values for what was asked; the text says each, with its citation
#   not_found         the evidence is not there, where it was looked for
#   not_supported     an answer was proposed that its evidence does not support
#   cut_off           the model's reply ended before the answer did, also when it was asked again with more room
#   budget_exhausted  a bound of the budget was reached; the text is the best that was found so far
#   no_answer         nothing was asked, or the policy answered nothing
#   failed            a chat model or embedder failed on the way; the text is what was found until then
AnswerStatus = Literal[
    "answered",
    "conflicting",
    "not_found",
    "not_supported",
    "cut_off",
    "budget_exhausted",
    "no_answer",
    "failed",
]


Sufficiency = Literal["sufficient", "insufficient", "unknown"]


@dataclass(frozen=True, slots=True)
class ConstraintCheck:
    """Something the answer must satisfy, and the evidence for it. `kind`: "entity", "time", "scope",
    "quantity" or "negation"; `evidence`: (URI, quoted text) pairs; `met` only when one of them holds."""

    kind: str
    text: str
    evidence: tuple[tuple[str, str], ...]
    met: bool


@dataclass(frozen=True, slots=True)
class Gate:
    """A deterministic check that a "sufficient" must pass, whoever said it."""

    name: str
    passed: bool
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the evidence suffices for the answer.

    outcome:    "unknown" when it could not be read; that is never a pass
    score:      in [0, 1], what is held against `threshold`
    judge:      "rules", or the chat model's name; `said` is its own word for the outcome
    """

    outcome: Sufficiency
    reason: str
    constraints: tuple[ConstraintCheck, ...] = ()
    gates: tuple[Gate, ...] = ()
    score: float = 0.0
    threshold: float = 1.0
    judge: str = "rules"
    said: str = ""


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """What chat models cost, as their servers say.

    prompt_tokens:  sent, the cached ones (`cached_tokens`) among them
    estimated:      of `calls`, those whose tokens are our own count: the server gave none
    cost:           in the currency of the price that was set, 0 without one
    """

    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    estimated: int = 0
    cost: float = 0.0
    ms: float = 0.0

    def __add__(self, other: ModelUsage) -> ModelUsage:
        return ModelUsage(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))


@dataclass(frozen=True, slots=True)
class Usage:
    """What a question cost. Tokens are counted with the embedder's tokenizer.

    tokens_shown: by tool, the tokens of observations shown to the policy
    calls:        by tool, how often it ran
    ms:           by step name, wall milliseconds
    model:        what chat models cost beside that, by their servers' own count
    """

    tokens_by_tool: dict[str, int] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)
    ms: dict[str, float] = field(default_factory=dict)
    model: ModelUsage = field(default_factory=ModelUsage)

    @property
    def tokens_shown(self) -> int:
        return sum(self.tokens_by_tool.values())

    @property
    def total_ms(self) -> float:
        return sum(self.ms.values())


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of a question. `text` is never empty.

    reason:     why it ended as `status` says, in a sentence; never empty
    verdict:    of the check that every answer must pass; of the checker, where an early answer of mode
                "vikingrag-e+" stands; "unknown" where there was no answer to be judged
    escalated:  whether mode "vikingrag-e+" went on from its first round to the full loop
    now:        of an answer from the past: what the newest versions say of each citation; `kb.history.since` says it
                of any citations at any time
    """

    question: str
    text: str
    status: AnswerStatus
    citations: tuple[Citation, ...]
    rounds: int
    usage: Usage
    trace_id: str
    reason: str
    verdict: Verdict
    mode: Mode = "vikingrag"
    escalated: bool = False
    now: tuple[QuoteNow, ...] = ()
