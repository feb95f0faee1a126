"""Calls of tools. A toolbox belongs to one run and refuses calls outside the run's scope.

What the policy got wrong is an observation, and what failed of itself (`FAILURES`) is raised. An error that is
nobody's on purpose is an observation too, so that the history stays whole and the policy may try another way; but
it is marked, since a run with such an error cannot say that the evidence is not there.
"""

from __future__ import annotations

import logging
from dataclasses import replace

from knarr.agent.failures import FAILURES
from knarr.agent.tools import TOOLS, tool_named
from knarr.agent.tools.arguments import BadArguments, check
from knarr.agent.tools.tool import ToolContext
from knarr.agent.values import Observation, ToolCall
from knarr.errors import InvalidArgument, KnarrError, NotFound, Unsupported
from knarr.language.plain import shortened
from knarr.uris import within

_LOG = logging.getLogger("knarr.agent")
_ERROR_CHARS = 300
_NAME_CHARS = 60


def unknown_tool(call: ToolCall) -> str:
    """The reply to a call of a tool that does not exist."""
    return f"there is no tool {call.tool[:_NAME_CHARS]!r}; the tools are {', '.join(tool.name for tool in TOOLS)}"


class Toolbox:
    """Runs the calls of one run, one at a time."""

    def __init__(self, context: ToolContext, scope: str) -> None:
        self._context = context
        self._scope = scope

    def __call__(self, call: ToolCall, room_tokens: int) -> Observation:
        """The observation of one call, of at most about `room_tokens` tokens. Never raises on what a policy may
        ask; raises what `FAILURES` names."""
        name = call.tool
        tool = tool_named(name)
        if tool is None:
            return Observation.failure(call, unknown_tool(call))
        try:
            checked = check(tool, call.checked)
            target = checked.get(tool.target) or self._scope
            if not within(target, self._scope):
                return Observation.failure(
                    call, f"{name}: {target[:120]} is outside the scope of this question, {self._scope}"
                )
            return tool.run(self._context, replace(call, arguments=checked), target, room_tokens)
        except BadArguments as error:
            return Observation.failure(call, str(error)[:_ERROR_CHARS])
        except NotFound as error:
            return Observation.failure(call, f"{name}: not found: {shortened(str(error), _ERROR_CHARS)}")
        except (InvalidArgument, Unsupported) as error:
            return Observation.failure(call, f"{name}: {shortened(str(error), _ERROR_CHARS)}")
        except FAILURES:
            raise
        except KnarrError as error:
            return Observation.failure(call, f"{name}: {shortened(str(error), _ERROR_CHARS)}", error)
        except Exception as error:
            _LOG.exception("%s failed", name)
            return Observation.failure(
                call, f"{name}: failed for an internal reason; try another call", error
            )
