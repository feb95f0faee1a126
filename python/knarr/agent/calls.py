"""From the calls that a policy wishes for to calls that can be run: ids, arguments and repeats are checked once
for all.

Every wish enters the history, whatever is wrong with it, so that each call of a model has its answer. What
cannot be run is an observation already: the text that says why.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from knarr.agent.tools import tool_named
from knarr.agent.tools.arguments import BadArguments, check, parse
from knarr.agent.tools.toolbox import unknown_tool
from knarr.agent.values import REPEATED, Observation, ToolCall

_NAME_CHARS = 60
_RAW_CHARS = 200


class CallChecker:
    """Checks the calls of one run, and remembers their ids and which were run."""

    def __init__(self, most_calls: int) -> None:
        self._most = most_calls
        self._ran: dict[str, tuple[int, str]] = {}  # by tool and arguments: the round, and the call's id
        self._ids: set[str] = set()

    def check(
        self, wishes: Sequence[ToolCall], round_number: int, left_out: frozenset[str] = frozenset()
    ) -> list[ToolCall | Observation]:
        """For each wish, in order, a checked call to run or the observation that refuses it; at most
        `most_calls` are to be run. Calls whose ids are `left_out` may be made again."""
        checked: list[ToolCall | Observation] = []
        running = 0
        self._ran = {signature: ran for signature, ran in self._ran.items() if ran[1] not in left_out}
        for position, wish in enumerate(wishes):
            ready = self._one(wish, self._unique_id(wish.id, round_number, position), round_number)
            if isinstance(ready, ToolCall):
                running += 1
                if running > self._most:
                    ready = _refused(ready, "too many", f"not run: at most {self._most} calls in one round")
            checked.append(ready)
        return checked

    def _one(self, wish: ToolCall, call_id: str, round_number: int) -> ToolCall | Observation:
        tool = tool_named(wish.tool)
        raw = ToolCall(wish.tool[:_NAME_CHARS], _bounded(wish.arguments), call_id)
        if tool is None:
            return _refused(raw, "unknown tool", unknown_tool(wish))
        try:
            given, repair = parse(tool.name, wish.arguments)
            arguments = check(tool, given)
        except BadArguments as error:
            return _refused(raw, "malformed", str(error))
        call = ToolCall(tool.name, arguments, call_id, repair)
        signature = json.dumps([tool.name, arguments], sort_keys=True)
        if signature in self._ran:
            before = self._ran[signature][0]
            return _refused(
                call,
                REPEATED,
                f"{tool.name}: this very call was made in round {before}; its result stands above. "
                "Try something else, or answer.",
            )
        self._ran[signature] = (round_number, call_id)
        return call

    def _unique_id(self, wanted: str, round_number: int, position: int) -> str:
        """The wanted id where it is usable, made unique; else one of our own."""
        usable = bool(wanted.strip()) and len(wanted) <= _NAME_CHARS
        call_id = wanted if usable else f"call_{round_number}_{position + 1}"
        while call_id in self._ids:
            call_id += "_"
        self._ids.add(call_id)
        return call_id


def _refused(call: ToolCall, note: str, why: str) -> Observation:
    return Observation.failure(ToolCall(call.tool, call.arguments, call.id, note), why)


def _bounded(raw: Mapping[str, Any] | str) -> dict[str, Any]:
    """Refused arguments for the history: valid JSON of bounded size."""
    text = raw if isinstance(raw, str) else repr(dict(list(raw.items())[:8]))
    return {"refused": text[:_RAW_CHARS].encode("utf-8", "replace").decode("utf-8")}
