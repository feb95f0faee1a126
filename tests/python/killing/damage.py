"""Catalogs that are damaged at random: nothing wrong is shown, nothing is written on unnoticed.

Each time a sound base is copied and its `catalog.sqlite` is damaged: bytes are flipped, it is cut, pages are zeroed,
filled with noise or swapped; every other time the engine's snapshot is missing, so that the engine is built anew. Then
it is used as a user would. What may come of it:

    whole     everything that was acknowledged is there, word for word
    aside     some documents are set aside by name, the others are whole; added again, those are whole too
    refused   a CatalogError that names the file and `knarr doctor`; where opening refuses, no byte was changed

Everything else is a fault: another error, a missing or wrong text, a damage that an `add` did not notice.
"""

from __future__ import annotations

import hashlib
import random
import shutil
import sys
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import knarr
from knarr.testing import HashEmbedder

PAGE = 4096
DOCUMENTS = 24


def text_of(name: str, version: int = 1) -> str:
    return "".join(
        f"# Part {n} of {name}\n\nmark{name}x{n} of version{version} "
        + " ".join(f"w{name}{n}{word}" for word in range(20 + 30 * n))
        + "\n\n"
        for n in range(5)
    )


def files_in(folder: Path) -> Path:
    for number in range(DOCUMENTS):
        path = folder / "files" / f"f{number % 3}" / f"d{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text_of(f"d{number}"))
    return folder / "files"


def opened(path: Path) -> knarr.KnowledgeBase:
    return knarr.open(path, embedder=HashEmbedder(32), create=False)


def make(folder: Path) -> Path:
    """A sound base that was changed a little."""
    path = folder / "sound.kb"
    with knarr.open(path, embedder=HashEmbedder(32)) as kb:
        assert kb.add(files_in(folder), into="viking://kb").ok
        kb.move("viking://kb/f2/d2", "viking://kb/f2/e2")
        kb.remove("viking://kb/f2/d23")
    return path


def wanted() -> dict[str, str]:
    """The texts by URI."""
    found = {f"viking://kb/f{n % 3}/d{n}": text_of(f"d{n}") for n in range(DOCUMENTS)}
    found["viking://kb/f2/e2"] = found.pop("viking://kb/f2/d2")
    del found["viking://kb/f2/d23"]
    return found


# --- damage ----------------------------------------------------------------------------------------


def flip(data: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice((1, 1, 2, 8, 40))):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def cut(data: bytearray, chance: random.Random) -> None:
    del data[chance.randrange(1, len(data)) :]


def zero(data: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice((1, 1, 3))):
        at = PAGE * chance.randrange(len(data) // PAGE)
        data[at : at + PAGE] = bytes(PAGE)


def noise(data: bytearray, chance: random.Random) -> None:
    size = chance.choice((16, 200, PAGE))
    at = chance.randrange(max(1, len(data) - size))
    data[at : at + size] = chance.randbytes(size)


def swap(data: bytearray, chance: random.Random) -> None:
    one, two = (PAGE * chance.randrange(len(data) // PAGE) for _ in range(2))
    data[one : one + PAGE], data[two : two + PAGE] = data[two : two + PAGE], data[one : one + PAGE]


WAYS: tuple[Callable[[bytearray, random.Random], None], ...] = (flip, flip, cut, zero, noise, swap)


# --- what comes of it ------------------------------------------------------------------------------


def hashes(path: Path) -> dict[str, str]:
    return {one.name: hashlib.sha256(one.read_bytes()).hexdigest() for one in path.iterdir() if one.is_file()}


def check_shown(kb: knarr.KnowledgeBase, texts: dict[str, str]) -> set[str]:
    """Every text is shown as it was stored, or its document is set aside by name; returns those."""
    aside = {one["uri"] for one in kb.info().get("damaged", ())}
    for uri, text in texts.items():
        if uri in aside:
            assert not kb.grep(text[15:60], literal=True).matches, f"{uri} is set aside, and found"
            continue
        assert kb.read(uri).text == text, f"{uri}: another text"
        assert kb.document(uri).version == 1
        assert uri in {entry.uri.rstrip("/") for entry in kb.list(uri.rpartition("/")[0]).entries}
        mark = text.split("\n\n")[1]
        (match,) = kb.grep(mark.split()[0] + " ").matches
        assert match.document == uri
        hit = next(iter(kb.search(mark, k=1)))
        assert hit.source.document == uri and mark in kb.read(hit.uri).text, f"{uri}: search finds {hit.uri}"
    shown = {hit.source.document for hit in kb.search("version1", k=10_000)}
    assert shown == texts.keys() - aside, f"shown {shown ^ (texts.keys() - aside)}"
    assert kb.info()["documents"] == len(texts)
    return aside


def use(path: Path, files: Path) -> str:
    """Read everything, write, mend what was set aside, and see that it lasts."""
    texts = wanted()
    with opened(path) as kb:
        aside = check_shown(kb, texts)
        new = files / "new.md"
        new.write_text(text_of("new"))
        assert kb.add(new, into="viking://kb").ok
        texts["viking://kb/new"] = text_of("new")
        for uri in sorted(aside):
            name = "d2" if uri.endswith("/e2") else uri.rpartition("/")[2]
            assert kb.add(next(files.rglob(f"{name}.md")), into=uri.rpartition("/")[0]).ok
    for engine in path.glob("engine-*"):
        engine.unlink()
    with opened(path) as kb:
        assert not kb.info().get("damaged"), "not mended by adding it again"
        for uri, text in texts.items():
            assert kb.read(uri).text == text, f"{uri}: another text after a rebuild"
    return "aside" if aside else "whole"


def outcome(path: Path, files: Path) -> str:
    before = hashes(path)
    try:
        try:
            opened(path).close()
        except knarr.CatalogError as error:
            assert hashes(path) == before, "refused, and changed"
            assert str(path) in str(error) and "knarr doctor" in str(error), f"poor advice: {error}"
            return "refused"
        return use(path, files)
    except knarr.CatalogError as error:
        assert "knarr doctor" in str(error), f"poor advice: {error}"
        return "refused later"


def main(folder: Path, count: int, seed: int = 1) -> Counter[str]:
    """Damage `count` catalogs; returns what came of them. Prints each fault with its number."""
    sound, files = make(folder), folder / "files"
    found: Counter[str] = Counter()
    for number in range(count):
        chance = random.Random(f"{seed}-{number}")
        path = folder / "damaged.kb"
        shutil.copytree(sound, path)
        if number % 2:
            for engine in path.glob("engine-*"):
                engine.unlink()
        data = bytearray((path / "catalog.sqlite").read_bytes())
        way = chance.choice(WAYS)
        way(data, chance)
        (path / "catalog.sqlite").write_bytes(data)
        try:
            found[outcome(path, files)] += 1
        except Exception as error:
            found["fault"] += 1
            print(f"{number} ({way.__name__}): {type(error).__name__}: {error}", file=sys.stderr)
            if "--trace" in sys.argv:
                traceback.print_exc()
        shutil.rmtree(path)
    return found


if __name__ == "__main__":
    arguments = [one for one in sys.argv[1:] if not one.startswith("--")]
    print(dict(main(Path(arguments[0]), *map(int, arguments[1:]))))
