"""ripgrep over files, a document each, with as many threads as the machine has cores; it counts matches.

Its time holds the start of a process, which is measured apart: on narrow scopes that is all of it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time

from bench.peers.grep_peer import GrepPeer, Pattern, Texts
from bench.results import percentile


class Ripgrep(GrepPeer):
    def __init__(self, texts: Texts) -> None:
        self._path = texts.path
        times = []
        for _ in range(20):
            begin = time.perf_counter()
            subprocess.run([_program(), "--version"], capture_output=True, check=True)
            times.append((time.perf_counter() - begin) * 1e3)
        self.start_ms = percentile(times, 0.5)

    @staticmethod
    def version() -> str:
        done = subprocess.run([_program(), "--version"], capture_output=True, text=True, check=True)
        return done.stdout.splitlines()[0]

    def compile(self, pattern: Pattern) -> None:
        self._command = [_program(), "--no-config", "--no-ignore", "--no-filename", "--count-matches"]
        self._command += [f"-j{os.cpu_count()}"]
        self._command += ["--fixed-strings"] if pattern.literal else []
        self._command += ["--ignore-case"] if pattern.ignore_case else []
        # The engine's classes and borders are those of ASCII; of Unicode, ripgrep's are many times slower.
        self._command += ["--no-unicode"] if pattern.text.isascii() else []
        self._command += ["--multiline"] if r"\s+" in pattern.text else []
        self._command += ["-e", pattern.text, str(self._path)]

    def count(self) -> int:
        done = subprocess.run(self._command, capture_output=True, text=True, check=False)
        if done.returncode > 1:
            raise RuntimeError(done.stderr)
        return sum(int(line) for line in done.stdout.split())


def _program() -> str:
    found = shutil.which("rg")
    if found is None:
        raise ImportError("the program rg (ripgrep) is not on the path")
    return found


PEER = Ripgrep
