"""A policy that plays a script: for tests, and for replaying a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from knarr.agent.values import Decision, View


class ScriptedPolicy:
    """Answers each `decide` with the next decision of a list, or with what a function returns.

    A list serves one run. When it is used up the decision is empty, as from a model that has nothing more to
    say. `views` keeps what the policy was shown.
    """

    def __init__(self, script: Iterable[Decision] | Callable[[View], Decision]) -> None:
        self._function = script if callable(script) else None
        self._left = iter(()) if callable(script) else iter(script)
        self.views: list[View] = []

    def decide(self, view: View) -> Decision:
        self.views.append(view)
        return self._function(view) if self._function is not None else next(self._left, Decision())
