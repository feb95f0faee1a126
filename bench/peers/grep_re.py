"""Python's `re` over strings in memory, doing the engine's work: every match, and the line of the first hundred."""

from __future__ import annotations

import platform
import re

from bench.peers.grep_peer import GrepPeer, Pattern, Texts

LIMIT = 100


class PythonRe(GrepPeer):
    def __init__(self, texts: Texts) -> None:
        self._documents = texts.documents

    @staticmethod
    def version() -> str:
        return f"Python {platform.python_version()}"

    def compile(self, pattern: Pattern) -> None:
        flags = re.MULTILINE | re.ASCII | (re.IGNORECASE if pattern.ignore_case else 0)
        self._pattern = re.compile(pattern.regex(), flags)

    def count(self) -> int:
        total = 0
        lines: list[tuple[int, int]] = []
        for number, text in enumerate(self._documents):
            line, at = 1, 0
            for match in self._pattern.finditer(text):
                total += 1
                if len(lines) < LIMIT:
                    line += text.count("\n", at, match.start())
                    at = match.start()
                    lines.append((number, line))
        return total


PEER = PythonRe
