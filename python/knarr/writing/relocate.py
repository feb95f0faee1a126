"""Moving stored documents to where their files are now, in one transaction: folders as wholes, then one by one.

Documents that change places with each other go by a name between, which no reader sees after the transaction.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

import sqlalchemy as sa

from knarr.catalog import documents, sources
from knarr.catalog.sources import Seen, StoredFile
from knarr.catalog.versions import Retention
from knarr.uris import component, join, name_of, numbered, parent
from knarr.writing.changing import move_below
from knarr.writing.files import SourceFile
from knarr.writing.places import Places
from knarr.writing.plan import Names, Plan


def relocate(
    connection: sa.Connection,
    into: str,
    places: Places,
    plan: Plan,
    stored: Mapping[int, StoredFile],
    files: Mapping[Names, SourceFile],
    retention: Retention,
) -> dict[int, tuple[str, str]]:
    """Bring documents to where the plan says that their files are; returns the URIs, before and after, of those whose
    file has another place. Nothing is written for the others."""
    for old, new in plan.renamed:
        _move_folder(connection, into, places, old, new, set(stored), retention)
    moving = {number: names for number, names in plan.at.items() if files[names].path != stored[number].path}
    _Moves(connection, into, places, stored, moving, retention).run()
    renamed, seen = {}, []
    for number, names in moving.items():
        file = files[names]
        folder = places.claim(connection, file.folders)
        seen.append(Seen(number, folder, file.name, file.path))
        renamed[number] = file.name
    documents.rename_files(connection, renamed)
    # Another suffix may mean another format: the same bytes are to be read anew.
    documents.outdate(
        connection, [n for n, name in renamed.items() if has_other_suffix(stored[n].name, name)]
    )
    sources.put(connection, seen)
    release_empty(connection, into, [stored[number].folder for number in moving])
    return {number: (stored[number].uri, documents.uri_of(connection, number)) for number in moving}


def release_empty(connection: sa.Connection, into: str, folders: list[str]) -> None:
    """Folders that hold no document any more, below `into`, are no longer the ones on disk: their names are free."""
    for folder in set(folders):
        while folder != into and not documents.is_occupied(connection, folder):
            sources.release_below(connection, folder)
            folder = parent(folder)


def _move_folder(
    connection: sa.Connection,
    into: str,
    places: Places,
    old: Names,
    new: Names,
    ours: set[int],
    retention: Retention,
) -> None:
    """Move a folder as a whole, unless documents that came by other means lie in it, or its new place is taken."""
    source = sources.folder_at(connection, into, old)
    if source is None or any(one.id not in ours for one in documents.under(connection, source)):
        return
    above = places.claim(connection, new[:-1])
    if documents.find(connection, above) is not None:
        return
    target = join(above, component(new[-1]))
    if documents.is_occupied(connection, target) or sources.is_claimed(connection, target):
        return
    move_below(connection, source, target, retention)
    sources.claim(connection, target, new[-1])
    places.met(new, target)


class _Moves:
    """Moves documents one by one; a place that another one is about to leave is waited for."""

    def __init__(
        self,
        connection: sa.Connection,
        into: str,
        places: Places,
        stored: Mapping[int, StoredFile],
        moving: Mapping[int, Names],
        retention: Retention,
    ) -> None:
        self._connection = connection
        self._retention = retention
        self._into = into
        self._wanted: dict[int, str] = {}
        for number, names in moving.items():
            folder = places.claim(connection, names[:-1])
            uri = documents.uri_of(connection, number)
            name, before = _component(names[-1]), _component(stored[number].name)
            if parent(uri) != folder or name != before:
                self._wanted[number] = join(folder, name)

    def run(self) -> None:
        aside: set[int] = set()
        while self._wanted:
            went = [number for number in list(self._wanted) if self._go(number)]
            if not went:  # a circle: one of it gives way
                number = next(number for number in self._wanted if number not in aside)
                self._step_aside(number)
                aside.add(number)

    def _go(self, number: int) -> bool:
        """Move a document to the place that it wants, or beside it where that is another's for good. False where the
        other one is still to move."""
        wanted, tried = self._wanted[number], 1
        while True:
            target = join(parent(wanted), numbered(name_of(wanted), tried))
            there = {one.id for one in documents.under(self._connection, target)}
            others = there - {number}
            if others and others <= set(self._wanted):
                return False
            uri = documents.uri_of(self._connection, number)
            if not others and (uri == target or not sources.is_claimed(self._connection, target)):
                if number in there and uri != target:
                    self._step_aside(number)  # out of the folder whose place it takes
                self._move(number, target)
                del self._wanted[number]
                return True
            tried += 1

    def _step_aside(self, number: int) -> None:
        uri, tried = documents.uri_of(self._connection, number), 1
        while documents.is_occupied(
            self._connection, target := join(self._into, numbered(f"{name_of(uri)}~moving", tried))
        ):
            tried += 1
        self._move(number, target)

    def _move(self, number: int, target: str) -> None:
        uri = documents.uri_of(self._connection, number)
        if uri != target:
            move_below(self._connection, uri, target, self._retention)


def _component(name: str) -> str:
    return component(PurePosixPath(name).stem)


def has_other_suffix(name: str, other: str) -> bool:
    """Whether two file names may mean two formats."""
    return PurePosixPath(name).suffix.lower() != PurePosixPath(other).suffix.lower()
