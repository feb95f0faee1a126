"""What a job of abstracts did, or would do."""

from __future__ import annotations

from dataclasses import dataclass, field

from knarr.types import ModelUsage


@dataclass(frozen=True, slots=True)
class AbstractReport:
    """One job. Every directory in scope is counted once, in one of the first seven.

    made:       asked of the model now
    cached:     made before of the same content, no call
    shared:     directories with a single part, whose abstract serves for both
    short:      no longer than an abstract may be, or a folder of one thing: their own words say it best
    fallback:   the model gave nothing usable: by reason; these keep their extractive abstract
    left:       not asked, for the reason in `stopped`; these keep theirs too
    changed:    in documents that changed or went away meanwhile: the next job does them
    sampled:    of those made, how many were too large to be shown whole
    usage:      calls, tokens, cost; in a dry run the estimate, an upper bound by our own count
    limit:      tokens the job was allowed, 0 for no limit
    embedded:   texts whose vector was made
    failures:   `(uri, reason)` of the first ones
    """

    scope: str
    model: str
    made: int = 0
    cached: int = 0
    shared: int = 0
    short: int = 0
    fallback: dict[str, int] = field(default_factory=dict)
    left: int = 0
    changed: int = 0
    sampled: int = 0
    usage: ModelUsage = field(default_factory=ModelUsage)
    limit: int = 0
    stopped: str = ""
    embedded: int = 0
    seconds: float = 0.0
    dry_run: bool = False
    failures: tuple[tuple[str, str], ...] = ()

    @property
    def nodes(self) -> int:
        """Directories in scope."""
        whole = self.made + self.cached + self.shared + self.short + self.left + self.changed
        return whole + sum(self.fallback.values())

    @property
    def tokens(self) -> int:
        """Prompts and replies together."""
        return self.usage.prompt_tokens + self.usage.completion_tokens

    @property
    def ok(self) -> bool:
        """Whether no abstract that a model should have written is missing."""
        return not (self.fallback or self.left or self.changed)

    def __str__(self) -> str:
        verb = "to make" if self.dry_run else "made"
        head = (
            f"{self.made} of {self.nodes} abstracts {verb} by {self.model or 'the chat model'} in {self.scope}: "
            f"{self.usage.calls} calls, {self.tokens} tokens{' at most' if self.dry_run else ''}"
            f"{f', cost {self.usage.cost:.4f}' if self.usage.cost else ''} "
            f"({self.cached} known, {self.shared} shared, {self.short} short; {self.seconds:.1f} s)"
        )
        lines = [head]
        lines += [f"  fallback: {count} for {reason}" for reason, count in sorted(self.fallback.items())]
        if self.left:
            lines.append(f"  left: {self.left}: {self.stopped}")
        if self.changed:
            lines.append(f"  changed meanwhile: {self.changed}; run the job again")
        return "\n".join(lines)
