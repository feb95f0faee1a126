"""Hyperscan over one buffer that holds the scope's texts, by one thread.

It reports every place where a match can end, so that its totals are others than the engine's, and each report
calls Python: on common patterns that call is what is measured.
"""

from __future__ import annotations

from importlib.metadata import version

import hyperscan
from bench.peers.grep_peer import GrepPeer, Pattern, Texts


class Hyperscan(GrepPeer):
    same_total = False

    def __init__(self, texts: Texts) -> None:
        self._text = "".join(texts.documents).encode()

    @staticmethod
    def version() -> str:
        return version("hyperscan")

    def compile(self, pattern: Pattern) -> None:
        flags = hyperscan.HS_FLAG_MULTILINE
        flags |= hyperscan.HS_FLAG_CASELESS if pattern.ignore_case else 0
        self._database = hyperscan.Database()
        self._database.compile(expressions=[pattern.regex().encode()], flags=[flags])

    def count(self) -> int:
        total = 0

        def found(_pattern: int, _begin: int, _end: int, _flags: int, _context: object) -> None:
            nonlocal total
            total += 1

        self._database.scan(self._text, match_event_handler=found)
        return total


PEER = Hyperscan
