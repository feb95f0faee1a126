"""Which files an `add` reads: a folder's, in order, without leaving it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from knarr.catalog import FILE_NAME as CATALOG_NAME
from knarr.errors import InvalidArgument


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read. `folders` are the names between what was asked for and the file; `skip` says
    why it must not be read."""

    path: Path
    folders: tuple[str, ...] = ()
    skip: str = ""

    @property
    def shown(self) -> str:
        return "/".join([*self.folders, self.path.name])


def find_sources(paths: str | Path | Iterable[str | Path]) -> list[SourceFile]:
    """Files of a path, a folder (with its subfolders) or several of both, sorted by name within each.

    Hidden entries and links inside a folder are listed with `skip`, never followed.
    Raises InvalidArgument for a path that does not exist or is an address."""
    given = [paths] if isinstance(paths, (str, Path)) else list(paths)
    return [found for path in given for found in _expand(path)]


def _expand(given: str | Path) -> Iterator[SourceFile]:
    if isinstance(given, str) and "://" in given:
        raise InvalidArgument(f"{given!r}: expected a file or folder on this machine, not an address")
    path = Path(given)
    try:
        there = path.exists()
    except (OSError, ValueError) as error:
        raise InvalidArgument(f"{str(given)!r} is not a usable path: {error}") from None
    if not there:
        raise InvalidArgument(f"{path}: no such file or folder")
    if path.is_dir():
        yield from _walk(path, ())
    elif path.is_file():
        yield SourceFile(path)
    else:
        raise InvalidArgument(f"{path}: expected a regular file or a folder")


def _walk(folder: Path, names: tuple[str, ...]) -> Iterator[SourceFile]:
    entries = sorted(folder.iterdir(), key=lambda entry: (entry.is_dir(), entry.name))
    for entry in entries:
        if entry.name.startswith(".") and not entry.name.startswith(".."):
            yield SourceFile(entry, names, skip="hidden")
        elif entry.is_symlink():
            yield SourceFile(entry, names, skip="a link; links inside a folder are not followed")
        elif entry.is_dir() and (entry / CATALOG_NAME).is_file():
            yield SourceFile(entry, names, skip="a knowledge base of knarr")
        elif entry.is_dir():
            yield from _walk(entry, (*names, entry.name))
        elif entry.is_file():
            yield SourceFile(entry, names)
        else:
            yield SourceFile(entry, names, skip="not a regular file")
