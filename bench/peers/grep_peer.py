"""What a peer of grep must do, the patterns, and the peers there are: each counts the matches in a scope's texts."""

from __future__ import annotations

import importlib
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

NAMES = ("grep_re", "grep_rg", "grep_hyperscan")


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern that means the same to RE2, to `re` with MULTILINE, to ripgrep and to Hyperscan.

    `has_literal` says whether every match holds three characters that are known beforehand, by which an index can
    rule texts out."""

    name: str
    text: str
    literal: bool = False
    ignore_case: bool = False
    has_literal: bool = True

    def regex(self) -> str:
        return re.escape(self.text) if self.literal else self.text


PATTERNS = (
    Pattern("rare literal", "needle of silver", literal=True),
    Pattern("literal in each document", "needle of gold", literal=True),
    Pattern("absent literal", "zyzzyva of lead", literal=True),
    Pattern("common literal", "the", literal=True),
    Pattern("rare literal, any case", "NEEDLE OF SILVER", literal=True, ignore_case=True),
    Pattern("beyond ASCII", "Zürich café"),
    Pattern("alternation", r"needle|haystack|pitchfork"),
    Pattern("alternation, any case", r"HAYSTACK|pitchfork|Termination", ignore_case=True),
    Pattern("over line ends", r"needle\s+of\s+gold"),
    Pattern("two words near", r"termination\b.{0,40}\bnotice"),
    Pattern("heading", r"^## Section 7\b.*$"),
    Pattern("sums of money", r"\$[0-9]{1,3}(,[0-9]{3})+", has_literal=False),
    Pattern("years", r"\b(19|20)[0-9]{2}\b", has_literal=False),
    Pattern("numbered clauses", r"^[0-9]+\.[0-9] [a-z]+", has_literal=False),
    Pattern("long words", r"[a-z]{14,}", has_literal=False),
)


@dataclass(frozen=True)
class Texts:
    """What is searched: the texts of the documents of a scope, and as one file each under a path."""

    documents: Sequence[str]
    path: Path


class GrepPeer(ABC):
    """Prepared for a scope, so that its texts lie as this peer likes them."""

    same_total: ClassVar[bool] = True  # counts what the engine counts
    start_ms: float = 0.0  # of its time, what a process takes to start

    @abstractmethod
    def __init__(self, texts: Texts) -> None: ...

    @staticmethod
    @abstractmethod
    def version() -> str: ...

    @abstractmethod
    def compile(self, pattern: Pattern) -> None:
        """Not timed: the engine keeps compiled patterns too."""

    @abstractmethod
    def count(self) -> int:
        """The matches of the compiled pattern."""


def find(names: Sequence[str] = NAMES) -> tuple[dict[str, type[GrepPeer]], dict[str, str]]:
    """The peers that can be used, and why others cannot."""
    found, skipped = {}, {}
    for name in names:
        try:
            kind: type[GrepPeer] = importlib.import_module(f"bench.peers.{name}").PEER
            kind.version()
            found[name.removeprefix("grep_")] = kind
        except (ImportError, OSError) as error:
            skipped[name.removeprefix("grep_")] = f"{type(error).__name__}: {error}"
    return found, skipped
