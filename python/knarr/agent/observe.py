"""Results as text for a policy: bounded in tokens, with what was left out and how to get it.

Text that comes from documents stands on lines that begin with "> ". A document cannot forge the end
of such a block, since every line of it carries the mark. Where an edge led to a piece, a line that begins
with "? " tells the earlier question and how alike it is: that, too, is not ours, and never evidence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from knarr.agent.decision import Shown
from knarr.agent.library import Library
from knarr.trace.record import EdgeUse
from knarr.types import GrepResult, Hit, Listing, Passage, Provenance, SearchResult

Count = Callable[[str], int]
_LINE_END = re.compile("\r\n|[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]")
_QUESTION_CHARS = 120  # shown of an earlier question
_NOTE_TOKENS = 60  # kept for the lines that say what was left out


@dataclass(frozen=True, slots=True)
class Observed:
    """What a tool shows. `error` is the text again when the call failed."""

    text: str
    uris: tuple[str, ...] = ()
    shown: tuple[Shown, ...] = ()
    value: Any = None
    error: str = ""
    edges: tuple[EdgeUse, ...] = ()
    left: tuple[float, ...] = ()

    @staticmethod
    def failure(text: str) -> Observed:
        return Observed(text=f"error: {text}", error=text)


def quoted(text: str) -> str:
    """Document text, every line marked, whatever sign a reader may take for the end of a line."""
    return "\n".join(f"> {line}" for line in _LINE_END.split(text.strip("\n")))


def place(source: Provenance) -> str:
    """Lines and pages, as short as can be."""
    lines = f"lines {source.lines[0]}-{source.lines[1]}"
    return lines if source.pages is None else f"{lines}, {pages(source.pages)}"


def pages(span: tuple[int, int]) -> str:
    return f"p. {span[0]}" if span[0] == span[1] else f"pp. {span[0]}-{span[1]}"


def search(result: SearchResult, count: Count, room: int) -> Observed:
    """Hits with their previews."""
    hits, edges = with_edges(result), Asked(result)
    blocks = [
        f"[{n}] {hit.uri} ({place(hit.source)}, {hit.score:.2f})\n{quoted(hit.preview)}{edges.line(hit.uri)}"
        for n, hit in enumerate(hits, 1)
    ]
    kept = _fit(blocks, count, room)
    hits = hits[:kept]
    shown = tuple(Shown(hit.uri, hit.preview, hit.source, 0, hit.score) for hit in hits if hit.preview)
    text = "\n".join(
        [_found(result), *blocks[:kept], *_cut(kept, len(blocks), "hits", "ask for a smaller k")]
    )
    uris = tuple(hit.uri for hit in hits)
    return Observed(text, uris, shown, result, edges=edges.used(uris))


def with_edges(result: SearchResult) -> tuple[Hit, ...]:
    """The hits, and after them what only edges reached, at the score of the last hit."""
    known = {hit.uri for hit in result.hits}
    lowest = min((hit.score for hit in result.hits), default=0.0)
    new = [edge for edge in result.edges if edge.uri not in known]
    return (*result.hits, *(Hit(edge.uri, lowest, edge.kind, edge.preview, edge.source) for edge in new))


class Asked:
    """The earlier questions that edges carry, each told in full once."""

    def __init__(self, result: SearchResult) -> None:
        self._edges = {edge.uri: edge for edge in result.edges}
        self._told: set[str] = set()

    def line(self, uri: str) -> str:
        """The line below an object that an edge leads to, "" below others and the second time."""
        edge = self._edges.get(uri)
        if edge is None or uri in self._told:
            return ""
        question = " ".join(edge.question.split())
        short = question if len(question) <= _QUESTION_CHARS else question[: _QUESTION_CHARS - 1] + "…"
        said = "as above" if question in self._told else short
        self._told |= {uri, question}
        return f"\n? asked before, {edge.similarity:.2f} alike: {said}"

    def used(self, uris: Sequence[str]) -> tuple[EdgeUse, ...]:
        """The edges that led to these objects."""
        found = [self._edges[uri] for uri in uris if uri in self._edges]
        return tuple(EdgeUse(one.uri, one.seed, one.similarity, one.question, one.trace) for one in found)


def pieces(result: SearchResult, shown: Sequence[Shown], left: tuple[float, ...] = ()) -> Observed:
    """The passages of hits that fit the query best; they were chosen to fit the room. A document with
    several is named once, and its objects by their paths under it."""
    groups: dict[str, list[Shown]] = {}
    for piece in shown:
        groups.setdefault(piece.source.document.rstrip("/") + "/", []).append(piece)
    lines, ordered, number, edges = [_found(result)], list[Shown](), 0, Asked(result)
    for document, group in groups.items():
        several = len(group) > 1
        if several:
            lines.append(f"under {document}")
        ordered += group
        for piece in group:
            number += 1
            name = piece.uri.removeprefix(document) if several else piece.uri
            text = quoted(piece.text) + edges.line(piece.uri)
            lines.append(f"[{number}] {name} ({place(piece.source)})\n{text}")
    uris = tuple(dict.fromkeys(piece.uri for piece in ordered))
    return Observed("\n".join(lines), uris, tuple(ordered), result, edges=edges.used(uris), left=left)


def _found(result: SearchResult) -> str:
    return (
        f"Search in {result.scope}: {len(result)} of {result.rows_allowed} objects"
        if len(result)
        else f"Search in {result.scope}: nothing there"
    )


def listing(page: Listing, offset: int, count: Count, room: int) -> Observed:
    """Children with the number of objects under each; abstracts as quoted text."""
    blocks = [_entry(entry.uri, entry.is_directory, entry.rows, entry.preview) for entry in page]
    head = f"List {page.uri}: {page.total} entries"
    if page.abstract:
        head += "\n" + quoted(page.abstract)
    kept = _fit(blocks, count, room - count(head))
    after = offset + kept
    more = [f"({page.total - after} more: offset={after})"] if after < page.total else []
    return Observed(
        "\n".join([head, *blocks[:kept], *more]), tuple(entry.uri for entry in page.entries[:kept]), (), page
    )


def _entry(uri: str, is_directory: bool, rows: int, preview: str) -> str:
    line = f"- {uri} ({rows})" if is_directory else f"- {uri}"
    return f"{line}\n{quoted(preview)}" if preview else line


def grep(result: GrepResult, count: Count, room: int) -> Observed:
    """Matches as excerpts, with the total."""
    blocks = [f"{m.uri}:{m.line}{f', p. {m.page}' if m.page else ''}\n{quoted(m.excerpt)}" for m in result]
    kept = _fit(blocks, count, room)
    matches = result.matches[:kept]
    head = (
        f"Grep in {result.scope}: {result.total} matches"
        if result.total
        else f"Grep in {result.scope}: no matches"
    )
    if result.outcome == "incomplete":
        head += f" (incomplete: {result.note})"
    more = (
        [f"({result.total - kept} more matches: use offset, or narrow the scope)"]
        if kept < result.total
        else []
    )
    shown = tuple(
        Shown(
            m.uri,
            m.excerpt,
            Provenance(m.document, 0, m.section, (m.line, m.line), (m.page, m.page) if m.page else None),
            m.begin_byte,
        )
        for m in matches
    )
    return Observed(
        "\n".join([head, *blocks[:kept], *more]), tuple(dict.fromkeys(m.uri for m in matches)), shown, result
    )


def read(library: Library, uri: str, begin_byte: int, room: int) -> Observed:
    """A page of text. The mark on each line costs tokens too, so the page shrinks until it fits."""
    wanted = max(1, room - _NOTE_TOKENS)
    passage = library.read(uri, begin_byte, wanted)
    text = _read_text(passage)
    size = library.count_tokens(text)
    for _ in range(4):
        if size <= room or wanted <= 16:
            break
        wanted = max(16, wanted * room // size - 8)
        passage = library.read(uri, begin_byte, wanted)
        text = _read_text(passage)
        size = library.count_tokens(text)
    shown = (Shown(uri, passage.text, passage.source, passage.begin_byte),) if passage.text else ()
    return Observed(text, (uri,), shown, passage)


def _read_text(passage: Passage) -> str:
    size = passage.end_byte - passage.begin_byte
    head = f"Read {passage.uri} ({place(passage.source)})"
    if size == passage.total_bytes:
        return f"{head}: all {size} bytes\n{quoted(passage.text)}"
    head += f": bytes {passage.begin_byte}-{passage.end_byte}, {size} of {passage.total_bytes}"
    tail = "" if passage.next_offset is None else f"\n(goes on: begin_byte={passage.next_offset})"
    return f"{head}\n{quoted(passage.text)}{tail}"


def _fit(blocks: Sequence[str], count: Count, room: int) -> int:
    """How many of the blocks fit; the first one always does, so that a call is never empty-handed."""
    used = _NOTE_TOKENS
    for kept, block in enumerate(blocks):
        used += count(block) + 1
        if used > room and kept:
            return kept
    return len(blocks)


def _cut(kept: int, total: int, things: str, mend: str) -> list[str]:
    return [f"({total - kept} more {things} did not fit: {mend})"] if kept < total else []
