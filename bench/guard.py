"""Did a step of the engine come to cost more instructions than it did?

    python -m bench.guard build/bench/core_bench             compare with bench/guard.json; 1 if a step costs more
    python -m bench.guard build/bench/core_bench --update    write the counts of this build there

Seconds on a shared machine say little about a change; instructions repeat. `core_bench guard` runs
each step under callgrind (which must be installed), once for each level that KNARR_CPU may lower to, so
that counts do not depend on the machine. Another compiler gives other counts: those of another major version,
or of another kind of machine, are shown and not judged. About a minute in all.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

COUNTS = Path(__file__).with_name("guard.json")
LEVELS = ("plain", "avx2")
TOLERANCE = 0.10

Counts = dict[str, int]


def count(program: Path, level: str) -> tuple[str, Counts]:
    """The compiler of `program`, and the instructions of each of its steps at this level.

    Empty when the machine does not offer the level. Raises SystemExit when callgrind fails."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/counts"]
        # One file for each call of guard_step(), holding what happened inside it.
        command += ["--toggle-collect=guard_step", "--dump-after=guard_step", str(program), "guard"]
        environment = os.environ | {"KNARR_CPU": level, "KNARR_THREADS": "1"}
        try:
            done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        except FileNotFoundError:
            raise SystemExit("valgrind not found: install the package valgrind") from None
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)}\n{done.stderr[-2000:]}")
        heading, *steps = done.stdout.splitlines()
        found, _, compiler = heading.removeprefix("# ").partition(", compiler ")
        if found != level:
            return compiler, {}
        return compiler, {step: _total(Path(folder, f"counts.{at}")) for at, step in enumerate(steps, 1)}


def _total(path: Path) -> int:
    """The instructions in one of callgrind's files."""
    found = re.search(r"^summary: (\d+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise SystemExit(f"{path}: no line `summary:`; has callgrind changed its format?")
    return int(found.group(1))


def compare(level: str, known: Counts, counts: Counts, *, judge: bool) -> list[str]:
    """Print every step beside its known count; the steps that cost more than the tolerance allows."""
    worse = []
    for step, new in counts.items():
        old = known.get(step)
        change = 0.0 if old is None else new / old - 1
        note = "new: --update" if old is None else f"{change:+.1%}"
        if judge and change > TOLERANCE:
            worse.append(f"{level}: {step}: {old:,} -> {new:,} instructions ({change:+.1%})")
            note += " worse"
        elif change < -TOLERANCE:
            note += " better: --update keeps it so"
        print(f"{level:6} {new:14,}  {step}  ({note})")
    return worse


def _comparable(compiler: str) -> tuple[str, str]:
    """The major version, and the kind of machine."""
    return compiler.split(".")[0], compiler.rpartition(", ")[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program", type=Path, help="core_bench, built with CMAKE_BUILD_TYPE=Release")
    parser.add_argument("--update", action="store_true", help="write bench/guard.json")
    options = parser.parse_args()

    known = json.loads(COUNTS.read_text(encoding="utf-8")) if COUNTS.exists() else {"steps": {}}
    steps: dict[str, Counts] = {}
    worse: list[str] = []
    compiler = ""
    for level in LEVELS:
        compiler, counts = count(options.program, level)
        if not counts:
            print(f"{level}: not offered by this machine")
            steps[level] = known["steps"].get(level, {})
            continue
        judge = not options.update and _comparable(compiler) == _comparable(known.get("compiler", ""))
        worse += compare(level, known["steps"].get(level, {}), counts, judge=judge)
        steps[level] = counts
    if options.update:
        text = json.dumps({"compiler": compiler, "steps": steps}, indent=1, ensure_ascii=False)
        COUNTS.write_text(text + "\n", encoding="utf-8")
    elif _comparable(compiler) != _comparable(known.get("compiler", "")):
        print(f"not judged: counted with {known.get('compiler')!r}, built with {compiler!r}")
    if worse:
        print("\n".join(["", f"More than {TOLERANCE:.0%} dearer; if meant, run with --update:", *worse]))
        sys.exit(1)


if __name__ == "__main__":
    main()
