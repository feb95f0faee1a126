"""From the reply of a chat model to a decision. Nothing that a model may say raises.

Two forms are read:
- one JSON object as the schema style asks for it: {"thought", "calls": [{tool, arguments}]} or
  {"thought", "answer": {"found", "text", "quotes": [{uri, text}]}}; also when a model of the native style
  writes it, with a fence or a tag around it, or with its one call outside of the list;
- plain text with its quotes written as "the exact words" (viking://...). Text that begins with "The library
  does not hold the answer" says that it is not there.

Text that begins like such an object and cannot be read is no answer, and neither is reasoning: the model then
learns what was wrong. Whether a quote holds is decided elsewhere, against the library.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from knarr.agent.tools import TOOLS
from knarr.agent.values import Decision, Draft, Excerpt, Quote, ToolCall
from knarr.language.citations import locate
from knarr.models.chat import ParsedObject, read_object
from knarr.models.chat.replies import without_thinking
from knarr.types import ModelUsage
from knarr.uris import SCHEME, is_uri

MOST_CALLS = 32  # of one turn; more are not even refused one by one
TEXT_CHARS = 2_000  # of the text beside calls, kept in the history
FORM = (
    'Reply with one JSON object: {"thought": "...", "calls": [{"tool": "...", "arguments": {...}}]} or '
    '{"thought": "...", "answer": {"found": true, "text": "...", "quotes": [{"uri": "...", "text": "..."}]}}'
)

_PROSE = ParsedObject(None, "no JSON object")
# A fence, or what some models write around a call that their server does not take for one.
_AROUND = r"(?:```\w*|<\|?(?:tool|function)_calls?\|?>|\[TOOL_CALLS\])"
_LIKE_JSON = re.compile(rf"\s*(?:{_AROUND}\s*)?[{{\[]", re.IGNORECASE)
_FIELDS = frozenset({"thought", "calls", "answer", "tool", "arguments"})
_NAMES = frozenset(tool.name for tool in TOOLS)
_NOT_FOUND = re.compile(
    r"\W*(?:(?:i am |i'm )?sorry\W+)?(?:but )?(?:the library (?:does not|doesn't) "
    r"(?:hold|contain|have|give|provide|include) (?:the|an|any) (?:answer|evidence|information)|not[_ ]found\b)",
    re.IGNORECASE,
)
_URI = re.compile(rf"[(\[<]\s*({SCHEME}[^\s\"“”]+)")
_OPENS, _CLOSES = '"“„«', '"”“»'
_GAP = " \t\n.,;:!?…–—-"  # between the closing mark and the bracket
_MOST_MARKS = 12


def read_text(
    text: str, shown: Sequence[Excerpt], usage: ModelUsage, *, schema: bool, final: bool, cut: bool
) -> Decision:
    """A decision from a reply without native calls.

    schema:  an object was asked for: prose around it is passed over, and prose alone is an answer only
             with evidence, or in the last turn
    cut:     the server stopped the reply at a bound of tokens
    """
    text = visible(text)
    begins = _LIKE_JSON.match(text) is not None
    read = read_object(text) if begins or (schema and "{" in text) else _PROSE
    if read.value is not None and not _FIELDS.isdisjoint(read.value):
        decision = _of_object(read.value, shown, usage)
        if decision is not None:
            return decision
    elif text and (read.value is not None or not begins):
        draft = answer_in(text, shown)
        if draft.quotes or not draft.found or final or not schema:
            return Decision(draft=draft, usage=usage)
    return Decision(usage=usage, fault=_fault(text, read, cut or read.cut))


def _fault(text: str, read: ParsedObject, cut: bool) -> str:
    """What to tell the model; "" for an empty reply, for which the loop has its own words."""
    if not text and not cut:
        return ""
    why = "it was too long and broke off" if cut else read.note or "it holds neither calls nor an answer"
    return f"Your reply could not be read: {why}. {FORM}"


def visible(text: str) -> str:
    """Without hidden reasoning."""
    return without_thinking(text)[0].strip()


def answer_in(text: str, shown: Sequence[Excerpt]) -> Draft:
    """The draft that a plain text is."""
    return Draft(text, tuple(quotes_in(text, shown)), found=_NOT_FOUND.match(text) is None)


def _of_object(found: Mapping[str, Any], shown: Sequence[Excerpt], usage: ModelUsage) -> Decision | None:
    """None when the object holds neither calls nor an answer with text."""
    thought = found.get("thought")
    text = thought[:TEXT_CHARS] if isinstance(thought, str) else ""
    calls = tuple(_calls(found))[:MOST_CALLS]
    if calls:
        return Decision(calls=calls, text=text, usage=usage)
    draft = _draft(found.get("answer"), shown)
    return None if draft is None else Decision(draft=draft, text=text, usage=usage)


def _calls(found: Mapping[str, Any]) -> Iterator[ToolCall]:
    listed = found.get("calls")
    if isinstance(listed, Mapping):
        listed = [listed]
    if not isinstance(listed, list):
        listed = [found] if found.get("tool", found.get("name")) in _NAMES else []
    for item in listed:
        if not isinstance(item, Mapping):
            continue
        name = item.get("tool", item.get("name"))
        given = item.get("arguments", {})
        raw = given if isinstance(given, (str, Mapping)) else json.dumps(given)
        yield ToolCall(name if isinstance(name, str) else json.dumps(name), raw)


def _draft(answer: object, shown: Sequence[Excerpt]) -> Draft | None:
    if isinstance(answer, str):
        return answer_in(visible(answer), shown) if visible(answer) else None
    if not isinstance(answer, Mapping):
        return None
    text = answer.get("text")
    text = visible(text) if isinstance(text, str) else ""
    if not text:
        return None
    listed = answer.get("quotes")
    quotes = [
        Quote(full_uri(item["uri"], shown), item["text"])
        for item in (listed if isinstance(listed, list) else [])
        if isinstance(item, Mapping)
        and isinstance(item.get("uri"), str)
        and isinstance(item.get("text"), str)
        and item["text"].strip()
    ]
    found = answer.get("found", True)
    plain = answer_in(text, shown)
    says = found is not False and str(found).strip().lower() not in ("false", "no", "0")
    return Draft(text, tuple(dict.fromkeys([*quotes, *plain.quotes])), says and plain.found)


def quotes_in(text: str, shown: Sequence[Excerpt]) -> Iterator[Quote]:
    """Quotes written as "exact words" (viking://...). Where words between marks hold marks themselves, the
    longest that stands in what was shown of that URI is meant, else the shortest."""
    after = 0
    for match in _URI.finditer(text):
        uri = _bounded(match[1])
        before = text[after : match.start()].rstrip(_GAP)
        close = len(before) - 1
        if close < 0 or before[close] not in _CLOSES:
            continue
        opens = [at for at, mark in enumerate(before[:close]) if mark in _OPENS][-_MOST_MARKS:]
        candidates = [before[at + 1 : close].strip() for at in opens if before[at + 1 : close].strip()]
        if candidates:
            uri = full_uri(uri, shown)
            known = [piece.text for piece in shown if piece.uri == uri]
            stands = (one for one in candidates if any(locate(one, piece) for piece in known))
            yield Quote(uri, next(stands, candidates[-1]))
            after = match.end()


def _bounded(uri: str) -> str:
    """Without what closes the brackets around it; brackets of its own stay."""
    while uri and (uri[-1] in ".,;:>]" or (uri[-1] == ")" and uri.count(")") > uri.count("("))):
        uri = uri[:-1]
    # What follows the closing bracket without a space: "(viking://a/b.md)and".
    depth = 0
    for at, char in enumerate(uri):
        depth += (char == "(") - (char == ")")
        if depth < 0:
            return uri[:at]
    return uri


def full_uri(uri: str, shown: Sequence[Excerpt]) -> str:
    """A URI as a model wrote it, made whole where it left out the document that was named once above."""
    uri = uri.strip().strip("<>")
    if is_uri(uri) or not uri:
        return uri
    tail = "/" + uri.lstrip("/")
    return next((piece.uri for piece in reversed(shown) if piece.uri.endswith(tail)), uri)
