"""The leak test by hand: `python -m rights.leaks --cases 10000` (nightly: 1000000) from tests/python.

A case is a random change and all that every surface then says to one principal. Worlds follow each other by their
seeds, so a case that fails is run again with `--seed`.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from rights.world import Leak, World

CASES = 120  # of one world,
_READERS = 3  # so many of them after each change
_ASKS = 12  # one case in so many asks


def run_world(seed: int, cases: int = CASES) -> int:
    """The cases of one world; returns how many were held. Raises Leak with the changes that led to it."""
    with tempfile.TemporaryDirectory(prefix="knarr-leaks-") as folder:
        world = World(Path(folder), seed)
        log: list[str] = []
        try:
            for number in range(cases):
                if number % _READERS == 0:
                    log.append(world.change())
                world.check(world.principal(), asks=number % _ASKS == 0)
        except Leak as error:
            raise Leak(f"seed {seed}: {error}\nafter:\n" + "\n".join(log)) from None
        finally:
            world.close()
    return cases


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first world")
    options = parser.parse_args()
    # Order is not what is tested, and the cross-encoder takes a second for each question.
    import knarr.agent.agent

    knarr.agent.agent.load_reranker = lambda *_: None
    began, held, seed = time.monotonic(), 0, options.seed
    while held < options.cases:
        held += run_world(seed)
        seed += 1
        if seed % 5 == 0:
            print(f"{held} cases, no leak, {time.monotonic() - began:.0f} s", flush=True)
    print(f"{held} cases in {seed - options.seed} worlds, no leak, {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
