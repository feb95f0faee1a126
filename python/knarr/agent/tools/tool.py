"""What a tool is: a specification that policies see, and a function that runs a checked call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from knarr.agent.library import Library
from knarr.agent.numbers import Numbers
from knarr.agent.tools.focus import EdgeRecall, Focus
from knarr.agent.values import Observation, ToolCall, ToolSpec


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What the tools of one run share.

    focus:   orders the passages of a search
    recall:  set when searches follow edges (VikingRAG-E)
    seen:    the passages shown so far, by their words: a later search of the run shows others
    numbers: what passages are cited by
    """

    library: Library
    focus: Focus
    recall: EdgeRecall | None = None
    seen: set[str] = field(default_factory=set)
    numbers: Numbers = field(default_factory=Numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(ToolSpec):
    """A tool with its code. `run(context, call, target, room_tokens)` carries out a call whose arguments are
    checked and whose `target`, a URI, lies in the run's scope; the text of the observation has at most about
    `room_tokens` tokens. It may raise what the library raises: the toolbox makes text of what the policy got wrong."""

    run: Callable[[ToolContext, ToolCall, str, int], Observation]
