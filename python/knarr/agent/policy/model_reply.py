"""From the reply of a chat model to a decision. Nothing that a model may say raises.

Three forms are read:
- one JSON object as the schema style asks for it: {"thought", "calls": [{tool, arguments}]} or
  {"thought", "answer", "found", "cites": [3, {"n": 7, "words": "..."}]}; also when a model of the native style
  writes it, with a fence or a tag around it, or with its one call outside of the list;
- the arguments of a call of Answer, which are the same object;
- plain text with the numbers of its passages, [3], or with quotes written as "the exact words" (viking://...).

Whether something was found is a field. It is never guessed from a sentence, whose wording and language are the
model's own: a plain text that cites nothing is no answer, whatever it says. The former form of the object,
"answer": {"found", "text", "quotes": [{uri, text}]}, is read too.

Text that begins like such an object and cannot be read is no answer, and neither is reasoning: the model then
learns what was wrong. A reply that its server cut off gives a draft that says so. Whether a citation holds is
decided elsewhere, against the library.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from knarr.agent.numbers import cited_in
from knarr.agent.tools import TOOLS
from knarr.agent.values import Cite, Decision, Draft, Excerpt, Quote, ToolCall
from knarr.language.citations import locate
from knarr.models.chat import ChatReply, ParsedObject, read_object
from knarr.models.chat.replies import without_thinking
from knarr.types import ModelUsage
from knarr.uris import SCHEME, is_uri

MOST_CALLS = 32  # of one turn; more are not even refused one by one
TEXT_CHARS = 2_000  # of the text beside calls, kept in the history
_ANSWERING = '"answer": "...", "found": true, "cites": [1]'
FORM = (
    'Reply with one JSON object: {"thought": "...", "calls": [{"tool": "...", "arguments": {...}}]} or '
    f'{{"thought": "...", {_ANSWERING}}}'
)

_PROSE = ParsedObject(None, "no JSON object")
# A fence, or what some models write around a call that their server does not take for one.
_AROUND = r"(?:```\w*|<\|?(?:tool|function)_calls?\|?>|\[TOOL_CALLS\])"
_LIKE_JSON = re.compile(rf"\s*(?:{_AROUND}\s*)?[{{\[]", re.IGNORECASE)
_FIELDS = frozenset({"thought", "calls", "answer", "tool", "arguments"})
_NAMES = frozenset(tool.name for tool in TOOLS)
_URI = re.compile(rf"[(\[<]\s*({SCHEME}[^\s\"“”]+)")
_OPENS, _CLOSES = '"“„«', '"”“»'
_GAP = " \t\n.,;:!?…–—-"  # between the closing mark and the bracket
_MOST_MARKS = 12
_MOST_CITES = 32
# The beginning of an answer's text in an object that breaks off inside it.
_BEGUN = re.compile(r'"(?:answer|text)"\s*:\s*"((?:[^"\\]|\\.)*)', re.DOTALL)
_CITES = ("cites", "citations", "sources", "quotes")
_ONLY_NUMBERS = re.compile(r"[\[【(\s]*\d{1,4}(?:[\]】)\s,;]+\d{1,4})*[\]】)\s,;]*")
_NUMBER_KEYS, _WORDS_KEYS = ("n", "number", "passage", "id"), ("words", "text", "quote")


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
    draft = None
    if cut and (read.value is None or read.cut):
        draft = _cut_draft(text, shown, like_json=begins or (schema and read is not _PROSE))
    if draft is not None:
        return Decision(draft=draft, usage=usage)
    if read.value is not None and not _FIELDS.isdisjoint(read.value):
        decision = _of_object(read.value, shown, usage)
        if decision is not None:
            return decision
    elif text and not cut and (read.value is not None or not begins):
        draft = answer_in(text, shown)
        if draft.quotes or draft.cites or final or not schema:
            return Decision(draft=draft, usage=usage)
    return Decision(usage=usage, fault=_fault(text, read, cut or read.cut))


def read_answer(arguments: str, shown: Sequence[Excerpt], usage: ModelUsage, *, cut: bool) -> Decision:
    """A decision from the arguments of a call of Answer."""
    read = read_object(arguments)
    if cut and (read.value is None or read.cut):
        draft = _cut_draft(arguments, shown, like_json=True)
    else:
        draft = None if read.value is None else _draft(read.value, shown)
    if draft is not None:
        return Decision(draft=draft, usage=usage)
    why = read.note or "it has no text"
    return Decision(usage=usage, fault=f"Your Answer could not be read: {why}. Its form: {{{_ANSWERING}}}")


def broke_off(reply: ChatReply) -> bool:
    """Whether the server stopped a reply before it was whole. An object that is whole may be followed by white
    space up to the bound, and loses nothing by it."""
    if not reply.cut:
        return False
    if reply.calls:
        read = [read_object(call.arguments) for call in reply.calls if call.arguments.strip()]
        return any(one.value is None or one.cut for one in read)
    found = read_object(visible(reply.text))
    return found.value is None or found.cut or _FIELDS.isdisjoint(found.value)


def _cut_draft(text: str, shown: Sequence[Excerpt], *, like_json: bool) -> Draft | None:
    """What there is of an answer that breaks off; None when no word of one is there."""
    if like_json:
        begun = _BEGUN.findall(text)
        text = _unescaped(begun[-1]) if begun else ""
    text = visible(text)
    return replace(answer_in(text, shown), cut=True) if text else None


def _unescaped(inside: str) -> str:
    """The text of a JSON string, which may end in half an escape."""
    whole = re.sub(r"\\(?:u[0-9a-fA-F]{0,3})?$", "", inside)
    try:
        value = json.loads(f'"{whole}"', strict=False)
    except ValueError:
        return whole
    return str(value).encode("utf-8", "replace").decode("utf-8")


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
    """The draft that a plain text is, with the numbers and quotes in it."""
    cites = tuple(Cite(number) for number in dict.fromkeys(cited_in(text)))
    return Draft(text, tuple(quotes_in(text, shown)), cites=cites[:_MOST_CITES])


def _of_object(found: Mapping[str, Any], shown: Sequence[Excerpt], usage: ModelUsage) -> Decision | None:
    """None when the object holds neither calls nor an answer with text."""
    thought = found.get("thought")
    text = thought[:TEXT_CHARS] if isinstance(thought, str) else ""
    calls = tuple(_calls(found))[:MOST_CALLS]
    if calls:
        return Decision(calls=calls, text=text, usage=usage)
    draft = _draft(found, shown)
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


def _draft(found: Mapping[str, Any], shown: Sequence[Excerpt]) -> Draft | None:
    """The draft in an object, or in its "answer" where that is an object itself; None without a text."""
    inner = found.get("answer", found.get("text"))
    if isinstance(inner, Mapping):
        return _draft({**{key: found[key] for key in ("found", *_CITES) if key in found}, **inner}, shown)
    text = visible(inner) if isinstance(inner, str) else ""
    if not text:
        return None
    plain = answer_in(text, shown)
    cited = [one for name in _CITES for one in _cites(found.get(name), shown)]
    quotes = [one for one in cited if isinstance(one, Quote)]
    cites = [one for one in cited if isinstance(one, Cite)]
    named = {one.number for one in cites}
    cites += [one for one in plain.cites if one.number not in named]
    says = found.get("found", True)
    return Draft(
        text,
        tuple(dict.fromkeys([*quotes, *plain.quotes])),
        says is not False and str(says).strip().lower() not in ("false", "no", "0"),
        tuple(dict.fromkeys(cites))[:_MOST_CITES],
    )


def _cites(listed: object, shown: Sequence[Excerpt]) -> Iterator[Cite | Quote]:
    """The citations in a list of numbers, of objects with a number, or of quotes with their URI."""
    for item in listed if isinstance(listed, list) else [listed]:
        if isinstance(item, Mapping):
            words = next((item[key] for key in _WORDS_KEYS if isinstance(item.get(key), str)), "")
            numbers = [one for key in _NUMBER_KEYS for one in _numbers(item.get(key))]
            if numbers:
                yield Cite(numbers[0], words.strip())
            elif isinstance(item.get("uri"), str) and words.strip():
                yield Quote(full_uri(item["uri"], shown), words)
        else:
            yield from map(Cite, _numbers(item))


def _numbers(value: object) -> list[int]:
    """3, "3" or "[3]" as a number."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return []
    if isinstance(value, str):
        return [int(one) for one in re.findall(r"\d{1,4}", value)] if _ONLY_NUMBERS.fullmatch(value) else []
    return [int(value)] if value == value and abs(value) < 10_000 and value == int(value) else []


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
