"""The bounds of a run as a value, and the meter that is held against them."""

from __future__ import annotations

from dataclasses import dataclass

from knarr.errors import InvalidArgument


@dataclass(frozen=True, slots=True)
class Budget:
    """What one question may cost. A run may go over a bound by the last call that it began below it.

    rounds:       the most decisions with calls, the B of Algorithm 1
    tokens:       the most tokens that tools show to the policy; None: no bound
    timeout_s:    the most wall seconds; None: no bound
    call_tokens:  the most tokens of one observation
    calls:        the most calls run in one round
    nudges:       how often a policy that gave an empty reply is asked again
    faults:       the most rounds in a row in which no call could be run
    cost:         the most that chat models may cost, in the currency of the prices that were set; None: no
                  bound

    Raises InvalidArgument for a bound that leaves nothing to do.
    """

    rounds: int = 15
    tokens: int | None = None
    timeout_s: float | None = None
    call_tokens: int = 4_000
    calls: int = 16
    nudges: int = 2
    faults: int = 5
    cost: float | None = None

    def __post_init__(self) -> None:
        for name in ("rounds", "call_tokens", "calls", "faults"):
            if getattr(self, name) < 1:
                raise InvalidArgument(f"budget: expected {name} >= 1, got {getattr(self, name)}")
        if self.tokens is not None and self.tokens < 1:
            raise InvalidArgument(f"budget: expected tokens >= 1 or None, got {self.tokens}")
        if self.timeout_s is not None and not self.timeout_s > 0:
            raise InvalidArgument(f"budget: expected timeout_s > 0 or None, got {self.timeout_s}")
        if self.cost is not None and not self.cost > 0:
            raise InvalidArgument(f"budget: expected cost > 0 or None, got {self.cost}")
        if self.nudges < 0:
            raise InvalidArgument(f"budget: expected nudges >= 0, got {self.nudges}")


@dataclass(slots=True)
class Meter:
    """What a run has cost so far. `started_s` is on the run's own clock."""

    budget: Budget
    started_s: float
    tokens: int = 0
    rounds: int = 0
    faults: int = 0
    nudges: int = 0
    cost: float = 0.0

    def remaining_tokens(self) -> int | None:
        """Tokens that may still be shown, never negative; None without a bound."""
        return None if self.budget.tokens is None else max(0, self.budget.tokens - self.tokens)

    def deadline_s(self) -> float | None:
        """When time is up, on the run's clock; None without a bound."""
        return None if self.budget.timeout_s is None else self.started_s + self.budget.timeout_s

    def remaining_s(self, now_s: float) -> float | None:
        """Wall seconds left, never negative; None without a bound."""
        deadline = self.deadline_s()
        return None if deadline is None else max(0.0, deadline - now_s)

    def spent(self, now_s: float) -> str:
        """Which bound has been reached ("rounds", "tokens", "time", "cost", "faults"), or ""."""
        deadline = self.deadline_s()
        if self.rounds >= self.budget.rounds:
            return "rounds"
        if self.remaining_tokens() == 0:
            return "tokens"
        if deadline is not None and now_s >= deadline:
            return "time"
        if self.budget.cost is not None and self.cost >= self.budget.cost:
            return "cost"
        return "faults" if self.faults >= self.budget.faults else ""

    def room(self, calls: int) -> int:
        """The most tokens that each of `calls` calls, run side by side, may show."""
        left = self.remaining_tokens()
        return (
            self.budget.call_tokens if left is None else min(self.budget.call_tokens, left // max(1, calls))
        )
