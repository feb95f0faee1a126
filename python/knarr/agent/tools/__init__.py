"""The tools that a policy may call, one file each: its arguments, how it runs, how its result reads, what it
teaches.

A further tool is one file with a `Tool`, and its name here. Everything else asks the tool itself: the loop for
its arguments, the policies for its schema, experience for its role.
May import: agent values, library and excerpts; trace, language, models, types, errors, uris.
"""

from __future__ import annotations

from knarr.agent.tools.grep import GREP
from knarr.agent.tools.history import HISTORY
from knarr.agent.tools.list import LIST
from knarr.agent.tools.read import READ
from knarr.agent.tools.search import SEARCH
from knarr.agent.tools.tool import Tool
from knarr.agent.values import Role

TOOLS: tuple[Tool, ...] = (SEARCH, LIST, GREP, READ)
OF_HISTORY: tuple[Tool, ...] = (*TOOLS, HISTORY)
"""What is offered where a question asks about versions; other questions need not pay for a tool more."""
_BY_NAME = {tool.name: tool for tool in OF_HISTORY}


def tool_named(name: str) -> Tool | None:
    """The tool of this name; None for a name that a model made up, or a trace of another version holds."""
    return _BY_NAME.get(name)


def role_of(name: str) -> Role:
    """What calls of the tool of this name mean to experience; "none" for an unknown tool."""
    tool = tool_named(name)
    return "none" if tool is None else tool.role


__all__ = [
    "GREP",
    "HISTORY",
    "LIST",
    "OF_HISTORY",
    "READ",
    "SEARCH",
    "TOOLS",
    "Tool",
    "role_of",
    "tool_named",
]
