"""A process that is killed at its n-th event: opening, renaming or removing a file, a step of SQLite, an embedding.

`python care_killer.py VERB FOLDER N` runs one verb on the base `FOLDER/x.kb` and kills itself, as `kill -9` does, when
the n-th event begins; it ends with 0 when there are fewer.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy.typing as npt
import sqlalchemy as sa

import knarr
from knarr.testing import HashEmbedder

EVENTS = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "shutil.rmtree", "sqlite3.connect", "fcntl.flock"}


class Killer:
    def __init__(self, left: int, folder: str) -> None:
        self.left = left
        self.folder = folder  # opening its files counts

    def step(self) -> None:
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def hear(self, event: str, args: Sequence[object]) -> None:
        if event in EVENTS or (event == "open" and str(args[0]).startswith(self.folder)):
            self.step()


class Mortal(HashEmbedder):
    def __init__(self, dim: int, killer: Killer) -> None:
        super().__init__(dim)
        self._killer = killer

    def embed(self, texts: Sequence[str]) -> npt.NDArray[Any]:
        self._killer.step()
        return super().embed(texts)


def run(verb: str, folder: Path, killer: Killer) -> None:
    base = folder / "x.kb"
    if verb == "restore":
        knarr.restore(folder / "saved.zip", folder / "new.kb")
    elif verb == "reembed":
        knarr.reembed(base, Mortal(32, killer))
    elif verb == "repair":
        knarr.doctor(base, repair=True, embedder=Mortal(64, killer))
    else:
        with knarr.open(base, embedder=Mortal(64, killer)) as kb:
            if verb == "forget":
                kb.forget(traces_older_than=0, questions=True)
            elif verb == "backup":
                kb.backup(folder / "new.zip")
            elif verb == "remove":
                kb.remove("viking://h/secret")


if __name__ == "__main__":
    killer = Killer(int(sys.argv[3]), sys.argv[2])
    sys.addaudithook(killer.hear)
    sa.event.listen(sa.Engine, "before_cursor_execute", lambda *_: killer.step())
    sa.event.listen(sa.Engine, "commit", lambda *_: killer.step())
    run(sys.argv[1], Path(sys.argv[2]), killer)
