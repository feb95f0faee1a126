"""The four tools as a policy sees them: names, arguments, and calls that never raise.

A toolbox belongs to one run: it knows the run's scope and refuses calls outside it, whoever asks.
Failures become short texts. For one thread at a time.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from knarr.agent import observe
from knarr.agent.arguments import BadArguments, Field, check
from knarr.agent.focus import Focus, Recall, edges_asked
from knarr.agent.library import Library
from knarr.agent.observe import Observed
from knarr.errors import KnarrError, NotFound
from knarr.uris import within

_LOG = logging.getLogger("knarr.agent")
_ERROR_CHARS = 300
ToolName = Literal["Search", "List", "Grep", "Read"]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool's name, one sentence on its use, and its arguments."""

    name: ToolName
    help: str
    fields: tuple[Field, ...]

    def schema(self) -> dict[str, Any]:
        """The tool in the form chat-completions servers take."""
        parameters = {
            "type": "object",
            "properties": {field.name: field.schema() for field in self.fields},
            "required": [field.name for field in self.fields if field.required],
            "additionalProperties": False,
        }
        return {
            "type": "function",
            "function": {"name": self.name, "description": self.help, "parameters": parameters},
        }


_SCOPE = Field("scope", str, "URI to look under; the question's scope when left out")
_OFFSET = Field("offset", int, "how many results to skip")

TOOLS: tuple[ToolSpec, ...] = (
    ToolSpec(
        "Search",
        "Find passages by meaning. Shows the best of them with their URIs.",
        (
            Field("query", str, "what to look for, in plain words", required=True),
            Field("also", str, "the same need in other words, searched beside the query"),
            _SCOPE,
            Field("k", int, "how many results", default=10, least=1, most=50),
            Field(
                "max_tokens", int, "the most tokens of text to show", default=1_500, least=32, most=100_000
            ),
        ),
    ),
    ToolSpec(
        "List",
        "Show what is directly under a URI, in document order, with abstracts.",
        (
            Field("uri", str, "a folder, document or section; the question's scope when left out"),
            _OFFSET,
            Field("limit", int, "how many entries", default=50, least=1, most=500),
        ),
    ),
    ToolSpec(
        "Grep",
        "Find exact words or a regular expression (RE2) in the text under a URI.",
        (
            Field("pattern", str, "the expression, or plain text with literal", required=True),
            _SCOPE,
            Field("literal", bool, "take the pattern as plain text", default=False),
            Field("ignore_case", bool, "treat upper and lower case alike", default=True),
            Field("limit", int, "how many matches", default=10, least=1, most=100),
            _OFFSET,
        ),
    ),
    ToolSpec(
        "Read",
        "Fetch the text of a chunk, an abstract, a section or a document, a page at a time.",
        (
            Field("uri", str, "what to read", required=True),
            Field("begin_byte", int, "where to go on, from next_offset", default=0, most=1 << 40),
            Field("max_tokens", int, "the most tokens to show", default=2_000, least=1, most=100_000),
        ),
    ),
)


class Toolbox:
    """Runs checked calls on a library, within one scope. Remembers which passages it has shown: a later
    search of the run shows others. With `recall` its searches follow edges too (VikingRAG-E)."""

    def __init__(
        self, library: Library, scope: str, focus: Focus | None = None, recall: Recall | None = None
    ) -> None:
        self._recall = recall
        self._library = library
        self._scope = scope
        self._focus = focus
        self._seen: set[str] = set()
        self._fields = {spec.name: spec.fields for spec in TOOLS}
        self._run: Mapping[str, Callable[[Mapping[str, Any], int], Observed]] = {
            "Search": self._search,
            "List": self._list,
            "Grep": self._grep,
            "Read": self._read,
        }

    def __call__(self, tool: str, arguments: Mapping[str, Any], room_tokens: int) -> Observed:
        """Run one call; the observation's text has at most about `room_tokens` tokens. Never raises
        on what a policy may ask or a library may answer."""
        try:
            if tool not in self._run:
                names = ", ".join(self._run)
                return Observed.failure(f"there is no tool {tool[:60]!r}; the tools are {names}")
            checked = check(tool, self._fields[tool], arguments)  # type: ignore[index]  # tool is in _run
            target = checked.get("scope") or checked.get("uri") or self._scope
            if not within(target, self._scope):
                return Observed.failure(
                    f"{tool}: {target[:120]} is outside the scope of this question, {self._scope}"
                )
            return self._run[tool](checked | {"target": target}, room_tokens)
        except BadArguments as error:
            return Observed.failure(str(error)[:_ERROR_CHARS])
        except NotFound as error:
            return Observed.failure(f"{tool}: not found: {_short(error)}")
        except (KnarrError, ValueError, LookupError) as error:
            return Observed.failure(f"{tool}: {_short(error)}")
        except Exception:
            _LOG.exception("%s failed", tool)
            return Observed.failure(f"{tool}: failed for an internal reason; try another call")

    def _search(self, args: Mapping[str, Any], room: int) -> Observed:
        room = min(room, args["max_tokens"])
        if self._focus is None:
            result = self._library.search(
                args["query"], args["target"], args["k"], **edges_asked(self._recall)
            )
            return observe.search(result, self._library.count_tokens, room)
        result, shown, left = self._focus.search(
            args["query"],
            args["target"],
            args["k"],
            room,
            also=args["also"],
            seen=self._seen,
            recall=self._recall,
        )
        return observe.pieces(result, shown, left)

    def _list(self, args: Mapping[str, Any], room: int) -> Observed:
        listing = self._library.list(args["target"], args["offset"] or 0, args["limit"])
        return observe.listing(listing, args["offset"] or 0, self._library.count_tokens, room)

    def _grep(self, args: Mapping[str, Any], room: int) -> Observed:
        result = self._library.grep(
            args["pattern"],
            args["target"],
            literal=args["literal"],
            ignore_case=args["ignore_case"],
            limit=args["limit"],
            offset=args["offset"] or 0,
        )
        return observe.grep(result, self._library.count_tokens, room)

    def _read(self, args: Mapping[str, Any], room: int) -> Observed:
        room = min(room, args["max_tokens"])
        return observe.read(self._library, args["target"], args["begin_byte"], room)


def _short(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= _ERROR_CHARS else text[: _ERROR_CHARS - 1] + "…"
