"""Which part of the history is sent to a chat model: everything, or what is of use, or what fits its window.

The history itself is never changed. What a request leaves out is remembered for the run, so that the next
request leaves it out too. That keeps the sent prefix the same, and a server's prefix cache useful.

fold   Observations that have become useless are replaced by their URIs. An observation is useless when it
       failed, repeats another or is empty; or when it is older than two rounds, was not read on purpose, and
       the model has used none of its URIs since, in the target of a call or in its own words. Folding waits
       until it saves a quarter of a request, so that caches hit in between.
fit    When the messages do not fit the window, observations are replaced by a note that says how many tokens
       were dropped and what to read again: useless ones first, then old ones, then those whose URIs the model
       has used. This goes on down to a part of the room, so that it does not happen in each round. Then turns
       of which nothing else is left are dropped whole, calls with their replies; then the observations that
       share most words with the question; the latest ones last. The question always stays.

Nothing is lost for good: the calls whose observations are left out may be made again.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from knarr.agent.tools import role_of, tool_named
from knarr.agent.values import Message, Observation, View
from knarr.errors import KnarrError
from knarr.language.lexical import support
from knarr.uris import components

Count = Callable[[str], int]
Parts = tuple[str, ...]

OLD_ROUNDS = 2  # an observation is old when more rounds than these have passed since
_FOLD_SHARE = 0.25  # the part of a request that a step of folding must save,
_FOLD_TOKENS = 400  # and the least number of tokens
_ROOMY = 0.7  # the part of the room down to which old observations are dropped at once
_KEPT_URIS = 6
_RELEVANT = 3  # how many observations are kept because they share most words with the question
_PRECIOUS = 3  # the rank from which observations are dropped only when nothing else is left
MESSAGE_TOKENS, _CALL_TOKENS = 10, 40  # marks, roles and ids around them


@dataclass(slots=True)
class Omissions:
    """What is left out of the requests of one run.

    instead:  by call id, the text that stands for an observation
    turns:    the numbers of the turns that were dropped whole
    most:     the most tokens of a request, after the server refused a longer one
    shares:   by call id, the share of the question's words in one piece of an observation, once computed
    """

    instead: dict[str, str] = field(default_factory=dict)
    turns: set[int] = field(default_factory=set)
    most: int | None = None
    shares: dict[str, float] = field(default_factory=dict)

    def left_out(self, view: View) -> frozenset[str]:
        """Ids of the calls whose observations are not sent as they were."""
        turns = _split(view.messages)[1]
        return frozenset(self.instead) | {message.call_id for n in self.turns for message in turns[n]} - {""}


class Sizes:
    """Tokens of messages by a model's own count. Made for one request, since it remembers every text."""

    def __init__(self, count: Count) -> None:
        self._count = count
        self._known: dict[str, int] = {}
        self._calls: dict[str, int] = {}  # by the id of a message's first call: ids are unique in a run

    def text(self, text: str) -> int:
        if text not in self._known:
            self._known[text] = self._count(text)
        return self._known[text]

    def message(self, message: Message) -> int:
        return self.text(message.content) + MESSAGE_TOKENS + (self._called(message) if message.calls else 0)

    def messages(self, messages: Sequence[Message]) -> int:
        return sum(map(self.message, messages))

    def _called(self, message: Message) -> int:
        key = message.calls[0].id
        if key not in self._calls:
            written = (json.dumps(call.written(), ensure_ascii=False) for call in message.calls)
            self._calls[key] = sum(self._count(text) + _CALL_TOKENS for text in written)
        return self._calls[key]


class Uses:
    """What the model has used so far, by round: the targets of its calls, and its own words."""

    def __init__(self, view: View) -> None:
        whole = _parts(view.scope)
        self._targets = [
            (seen.round, parts)
            for seen in view.observations
            if (parts := _parts(_target(seen))) and parts != whole
        ]
        rounds = {seen.id: seen.round for seen in view.observations}
        self._words = [
            (rounds.get(message.calls[0].id, 0), message.content)
            for message in view.messages
            if message.calls and message.content
        ]

    def of(self, seen: Observation) -> bool:
        """Whether one of the observation's URIs was used in a later round."""
        targets = {parts for number, parts in self._targets if number > seen.round}
        words = "\n".join(text for number, text in self._words if number > seen.round)
        return any(uri in words or _meets(_parts(uri), targets) for uri in seen.uris)


def _target(seen: Observation) -> object:
    """The URI that a call was made for, where it names one."""
    tool = tool_named(seen.tool)
    return None if tool is None else seen.arguments.get(tool.target)


def _meets(parts: Parts | None, targets: set[Parts]) -> bool:
    """Whether the place is one of the targets, or lies above or below one."""
    if parts is None:
        return False
    return any(parts[: len(target)] == target or target[: len(parts)] == parts for target in targets)


@lru_cache(maxsize=4096)
def _parts(uri: object) -> Parts | None:
    try:
        return components(uri) if isinstance(uri, str) else None
    except KnarrError:
        return None


def sent_messages(view: View, omitted: Omissions) -> list[Message]:
    """The messages of the run without what was folded or dropped."""
    head, turns = _split(view.messages)
    kept = [
        replace(message, content=omitted.instead.get(message.call_id, message.content))
        if message.role == "tool"
        else message
        for n, turn in enumerate(turns)
        if n not in omitted.turns
        for message in turn
    ]
    if omitted.turns and head:
        dropped = [turns[n] for n in sorted(omitted.turns)]
        head[-1] = replace(head[-1], content=f"{head[-1].content}\n\n{_dropped_turns(view, dropped)}")
        if len(turns) - 1 in omitted.turns and turns[-1][-1].role == "user":
            kept.append(turns[-1][-1])  # what is asked now
    return [*head, *kept]


def fold(view: View, omitted: Omissions, sizes: Sizes) -> None:
    """One step of folding, when enough can be saved."""
    uses = Uses(view)
    found: dict[str, str] = {}
    saved = 0
    for seen in view.observations:
        if seen.id not in omitted.instead and useless(view, seen, uses):
            text = _note("folded", seen, sizes)
            gain = sizes.text(seen.text) - sizes.text(text)
            if gain > 0:
                found[seen.id] = text
                saved += gain
    now = sizes.messages(sent_messages(view, omitted))
    if saved >= max(_FOLD_TOKENS, _FOLD_SHARE * now):
        omitted.instead |= found


def useless(view: View, seen: Observation, uses: Uses) -> bool:
    """Whether an observation has become useless (see the module); one of the latest round never has."""
    if view.round - seen.round <= 1:
        return False
    if seen.error or seen.repeated or not seen.uris:
        return True
    old = view.round - seen.round > OLD_ROUNDS
    return old and role_of(seen.tool) != "page" and not uses.of(seen)


def fit(view: View, omitted: Omissions, sizes: Sizes, room: int) -> bool:
    """Drop observations and turns until the messages have at most `room` tokens; False when they cannot."""

    def over(share: float = 1.0) -> bool:
        return sizes.messages(sent_messages(view, omitted)) > share * room

    if not over():
        return True
    worth = _worth(view, omitted)
    order = sorted(view.observations, key=lambda seen: worth[seen.id])
    plain = [seen for seen in order if worth[seen.id][0] < _PRECIOUS]
    for seen in itertools.takewhile(lambda _: over(_ROOMY), plain):
        _drop(seen, omitted, sizes)
    turns = _split(view.messages)[1]
    kept = {seen.id for seen in order[len(plain) :]}
    spent = [n for n, turn in enumerate(turns[:-1]) if not any(message.call_id in kept for message in turn)]
    if over():
        for n in itertools.takewhile(lambda _: over(_ROOMY), spent):
            omitted.turns.add(n)
    least = room // 4
    for seen in itertools.takewhile(lambda _: over(), order[len(plain) :]):
        _drop(seen, omitted, sizes, least if seen.round == view.round - 1 else 0)
    for n in itertools.takewhile(lambda _: over(), range(len(turns))):
        omitted.turns.add(n)
    return not over()


def _drop(seen: Observation, omitted: Omissions, sizes: Sizes, most_tokens: int = 0) -> None:
    text = _note("dropped to fit", seen, sizes, most_tokens)
    if sizes.text(omitted.instead.get(seen.id, seen.text)) > sizes.text(text):
        omitted.instead[seen.id] = text


def _worth(view: View, omitted: Omissions) -> dict[str, tuple[int, float, int]]:
    """By call id, how much an observation is worth keeping: 0 useless, 1 old, 2 used, 3 about the question, 4
    the latest. Within the last two ranks the share of the question's words decides, then the age."""
    about, uses = _about_question(view, omitted.shares), Uses(view)
    latest = max((seen.round for seen in view.observations), default=0)

    def rank(seen: Observation) -> int:
        if seen.round == latest:
            return 4
        if seen.id in about:
            return _PRECIOUS
        return 0 if useless(view, seen, uses) else 2 if uses.of(seen) else 1

    found = {}
    for n, seen in enumerate(view.observations):
        worth = rank(seen)
        found[seen.id] = (worth, omitted.shares[seen.id] if worth >= _PRECIOUS else 0.0, n)
    return found


def _about_question(view: View, known: dict[str, float]) -> set[str]:
    """The ids of the observations with most of the question's words in one piece. Fills `known`."""
    for seen in view.observations:
        if seen.id not in known:
            known[seen.id] = support(view.question, [piece.text for piece in seen.shown])
    latest_first = list(known)[::-1]
    best = sorted(latest_first, key=lambda name: -known[name])[:_RELEVANT]
    return {name for name in best if known[name] > 0}


def _split(messages: Sequence[Message]) -> tuple[list[Message], list[list[Message]]]:
    """The messages before the first of the assistant; then the rounds, each with all messages up to the
    next."""
    head: list[Message] = []
    rounds: list[list[Message]] = []
    for message in messages:
        if message.role == "assistant":
            rounds.append([message])
        elif rounds:
            rounds[-1].append(message)
        else:
            head.append(message)
    return head, rounds


def _note(why: str, seen: Observation, sizes: Sizes, most_tokens: int = 0) -> str:
    uris = list(dict.fromkeys(seen.uris))
    more = f" and {len(uris) - _KEPT_URIS} more" if len(uris) > _KEPT_URIS else ""
    fewer = f" with max_tokens at most {most_tokens}" if most_tokens else ""
    again = f"; read again{fewer}: {', '.join(uris[:_KEPT_URIS])}{more}" if uris else ""
    return f"[{why}: {sizes.text(seen.text)} tokens{again}]"


def _dropped_turns(view: View, turns: Sequence[Sequence[Message]]) -> str:
    ids = {message.call_id for turn in turns for message in turn}
    uris = dict.fromkeys(uri for seen in view.observations if seen.id in ids for uri in seen.uris)
    listed = "".join(f"\n> {uri}" for uri in list(uris)[-_KEPT_URIS:])
    again = f"; read again what is needed, among others:{listed}" if listed else ""
    return f"[dropped to fit: {len(turns)} earlier turns{again}]"
