"""From a policy's wishes to calls that can be run: ids, arguments and repeats, checked once for all.

Every wish becomes a `Call` for the history, whatever is wrong with it; what cannot be run carries
the text that answers it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from knarr.agent.arguments import BadArguments, check, parse
from knarr.agent.decision import ToolCall
from knarr.agent.history import Call
from knarr.agent.observe import Observed
from knarr.agent.tools import TOOLS

_NAME_CHARS = 60
_RAW_CHARS = 200
_FIELDS = {str(spec.name): spec.fields for spec in TOOLS}


@dataclass(frozen=True, slots=True)
class Prepared:
    """A call; `refusal` when it is not run, `note` for the log: "" , a repair, or why not."""

    call: Call
    refusal: Observed | None = None
    note: str = ""


class Desk:
    """Prepares the calls of one run; remembers ids and what was run."""

    def __init__(self, most_calls: int) -> None:
        self._most = most_calls
        self._ran: dict[str, tuple[int, str]] = {}
        self._ids: set[str] = set()

    def prepare(
        self, wishes: Sequence[ToolCall], round_number: int, left_out: frozenset[str] = frozenset()
    ) -> list[Prepared]:
        """One entry per wish, in order; at most `most_calls` of them without a refusal. Calls whose ids
        are `left_out` may be made again."""
        prepared, running = [], 0
        self._ran = {signature: ran for signature, ran in self._ran.items() if ran[1] not in left_out}
        for position, wish in enumerate(wishes):
            ready = self._one(wish, self._claim(wish.id, round_number, position), round_number)
            if ready.refusal is None:
                running += 1
                if running > self._most:
                    text = f"not run: at most {self._most} calls in one round"
                    ready = Prepared(ready.call, Observed.failure(text), "too many")
            prepared.append(ready)
        return prepared

    def _one(self, wish: ToolCall, call_id: str, round_number: int) -> Prepared:
        name = wish.tool[:_NAME_CHARS]
        if wish.tool not in _FIELDS:
            text = f"there is no tool {name!r}; the tools are {', '.join(_FIELDS)}"
            return Prepared(
                Call(call_id, name, _bounded(wish.arguments)), Observed.failure(text), "unknown tool"
            )
        try:
            given, repair = parse(name, wish.arguments)
            arguments = check(name, _FIELDS[name], given)
        except BadArguments as error:
            return Prepared(
                Call(call_id, name, _bounded(wish.arguments)), Observed.failure(str(error)), "malformed"
            )
        call = Call(call_id, name, arguments)
        signature = json.dumps([name, arguments], sort_keys=True)
        if signature in self._ran:
            text = f"{name}: this very call was made in round {self._ran[signature][0]}; its result stands above. Try something else, or answer."
            return Prepared(call, Observed.failure(text), "repeated")
        self._ran[signature] = (round_number, call_id)
        return Prepared(call, None, repair)

    def _claim(self, wanted: str, round_number: int, position: int) -> str:
        """A unique, non-empty id; the wanted one where that holds."""
        usable = bool(wanted.strip()) and len(wanted) <= _NAME_CHARS
        call_id = wanted if usable else f"call_{round_number}_{position + 1}"
        while call_id in self._ids:
            call_id += "_"
        self._ids.add(call_id)
        return call_id


def _bounded(raw: Mapping[str, Any] | str) -> dict[str, Any]:
    """Refused arguments for the history: valid JSON of bounded size."""
    text = raw if isinstance(raw, str) else repr(dict(list(raw.items())[:8]))
    return {"refused": text[:_RAW_CHARS].encode("utf-8", "replace").decode("utf-8")}
