"""What the tools return. Plain, frozen, printable, JSON-ready by `to_json`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["chunk", "abstract"]
Span = tuple[int, int]


def to_json(value: Any) -> Any:
    """Dataclasses, sequences and mappings as what `json.dumps` takes."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_json(getattr(value, f.name)) for f in dataclasses.fields(value) if f.repr}
    if isinstance(value, dict):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [to_json(item) for item in value]
    return value


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where an object comes from.

    document: URI of its document    version:  of that document, from 1
    section:  titles from the document's top heading down to the owner
    lines:    first and last line (from 1) in the canonical text
    pages:    first and last page (from 1), None where the document has no pages
    """

    document: str
    version: int
    section: tuple[str, ...]
    lines: Span
    pages: Span | None


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
class SearchResult:
    """Hits in order of score, then URI. `plan` says how the vectors were searched; `rows_allowed`
    how many objects scope and filter left. Iterates over its hits."""

    query: str
    scope: str
    hits: tuple[Hit, ...]
    plan: str
    rows_allowed: int

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, index: int) -> Hit:
        return self.hits[index]


@dataclass(frozen=True, slots=True)
class Entry:
    """One child in a listing. Directories end in `/`; `rows` counts the objects below; `source` is
    None for folders above documents."""

    uri: str
    name: str
    is_directory: bool
    rows: int
    preview: str = ""
    source: Provenance | None = None


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
    `excerpt` is a bounded window of the line, `column` the match's byte in that line."""

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

    `begin_byte` and `end_byte` count in the canonical text (in the abstract for an abstract);
    `total_bytes` is the size of all that the URI names, `next_offset` where to go on (None at the
    end), `uris` the objects the shown text touches."""

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
    """Quoted evidence: `text` stands, word for word, in the object `uri`."""

    uri: str
    text: str
    lines: Span
    pages: Span | None
    document: str


AnswerStatus = Literal["answered", "not_found", "no_answer", "budget_exhausted"]


@dataclass(frozen=True, slots=True)
class Usage:
    """What a question cost. Tokens are counted with the embedder's tokenizer.

    tokens_shown: by tool, the tokens of observations shown to the policy
    calls:        by tool, how often it ran
    ms:           by step name, wall milliseconds
    """

    tokens_by_tool: dict[str, int] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)
    ms: dict[str, float] = field(default_factory=dict)

    @property
    def tokens_shown(self) -> int:
        return sum(self.tokens_by_tool.values())

    @property
    def total_ms(self) -> float:
        return sum(self.ms.values())


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of a question. `text` is empty only with status "no_answer"."""

    question: str
    text: str
    status: AnswerStatus
    citations: tuple[Citation, ...]
    rounds: int
    usage: Usage
    trace_id: str
