"""Long runs by hand: see the package."""

from __future__ import annotations

import argparse
import itertools
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from fuzzing.judge import verdict
from fuzzing.mutants import mutant
from fuzzing.pages import read_pages
from fuzzing.seeds import Seed, of_file, seeds
from knarr.documents import parse
from knarr.documents.registry import format_of


def tried(format: str, number: int, more: Sequence[Seed] = ()) -> str:
    """What is wrong with a mutant; "" where nothing is. The format "pages" stands for the words of a PDF."""
    if format == "pages":
        return verdict(*read_pages(number))
    name, data, size = mutant(format, number, more)
    return verdict(lambda: parse(data, name), size)


def _of_folder(folder: Path | None) -> Mapping[str, Sequence[Seed]]:
    found: dict[str, list[Seed]] = defaultdict(list)
    for path in sorted(folder.rglob("*")) if folder is not None else ():
        if path.is_file() and not path.is_symlink() and (seed := of_file(path)) is not None:
            format = format_of(path.read_bytes(), path.name)
            if format is not None:
                found[format.name].append(seed)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="fuzzing")
    parser.add_argument("formats", nargs="*", help="names of the registry, or pages; all when none is named")
    parser.add_argument("--minutes", type=float, default=1.0, help="of processor time")
    parser.add_argument("--from", type=int, default=0, dest="first", help="number of the first mutant")
    parser.add_argument("--files", type=Path, help="a folder of more seeds")
    parser.add_argument("--only", help="format:number of one mutant")
    parser.add_argument("--keep", type=Path, help="where to write that mutant")
    chosen = parser.parse_args()
    more = _of_folder(chosen.files)
    if chosen.only:
        format, _, number = chosen.only.rpartition(":")
        if chosen.keep and format != "pages":
            chosen.keep.write_bytes(mutant(format, int(number), more.get(format, ()))[1])
        print(tried(format, int(number), more.get(format, ())) or "nothing is wrong")
        return
    formats = chosen.formats or [*seeds(), "pages"]
    counts = dict.fromkeys(formats, 0)
    begin = time.process_time()
    spent = dict.fromkeys(formats, 0.0)
    while time.process_time() - begin < 60 * chosen.minutes:
        # The format that had least of the time so far.
        format = min(formats, key=spent.__getitem__)
        start = time.process_time()
        for number in itertools.islice(itertools.count(chosen.first + counts[format]), 20):
            if wrong := tried(format, number, more.get(format, ())):
                print(f"== {format}:{number}\n{wrong}", flush=True)
        counts[format] += 20
        spent[format] += time.process_time() - start + (0.2 if format == "pdf" else 0.0)
    print(", ".join(f"{format} {count:,}" for format, count in counts.items()), "mutants")


if __name__ == "__main__":
    main()
