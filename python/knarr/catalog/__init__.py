"""The catalog: the only truth. Opens it, guards it, and hands out transactions.

One process changes documents at a time (see `locks`). Reading needs no lock, nor does the record of a question; short
transactions wait for each other. The other files are plain functions over a connection.
May import: language (keys of texts), uris, types, errors.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from knarr.catalog import opening
from knarr.catalog.examination import examine
from knarr.catalog.failures import in_our_words
from knarr.catalog.locks import turn_of
from knarr.catalog.opening import FILE_NAME
from knarr.catalog.schema import meta
from knarr.errors import CatalogError

__all__ = ["FILE_NAME", "Catalog"]


class Catalog:
    """A knowledge base's database in `folder`, an absolute path. Thread-safe; close it when done. Where its files
    cannot be written it is `read_only`: reading goes on, and every change is refused. In a forked child it goes on with
    connections of its own."""

    def __init__(self, folder: Path, *, wait_s: float = 0.0, read_only: bool = False) -> None:
        self.folder = folder.absolute()
        self.wait_s = wait_s
        self.read_only = read_only or _is_read_only(self.folder)
        self._turn = turn_of(self.folder)
        self._database = opening.open_database(self.folder, read_only=self.read_only)
        self._is_open = True

    @classmethod
    def open(cls, folder: Path, *, create: bool, wait_s: float = 0.0, whole: bool = True) -> Catalog:
        """Open the catalog in `folder`; with `create`, make both when they are not there.

        wait_s: how long a change waits for another process that is changing documents
        whole:  check the structure of a small file first; a doctor opens without

        Raises CatalogError when there is none, or the folder holds something else, which is left as it is."""
        path = folder.absolute() / FILE_NAME
        is_there = opening.is_there(path)
        if not is_there and not create:
            raise CatalogError(
                f"{folder}: no knowledge base there; make one with `knarr add PATH --kb {folder}`"
            )
        if is_there and not examine(path.parent, whole=whole):
            _refuse_empty(path.parent, create)
            is_there = False
        if not is_there:
            _make(folder)
        return cls(folder, wait_s=wait_s)

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A consistent view of the database."""
        self.check_open()
        with in_our_words(self.folder), self._database.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A transaction that may write; committed at the end, or not at all."""
        self._check_writable()
        with in_our_words(self.folder), self._database.begin(immediate=True) as connection:
            yield connection

    def connection(self) -> sa.PoolProxiedConnection:
        """A connection of the driver's own, outside of any transaction; whoever takes it closes it."""
        self.check_open()
        with in_our_words(self.folder):
            return self._database.raw_connection()

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Be the one that changes documents, among all processes. Another process is waited for `wait_s` seconds, and
        CatalogError raised when it is not done by then; other threads, whichever handle they use, are waited for."""
        self._check_writable()
        with self._turn.taken(self.folder, self.wait_s):
            yield

    def get(self, key: str) -> str | None:
        """A setting stored with the catalog."""
        with self.reading() as connection:
            found = connection.execute(sa.select(meta.c.value).where(meta.c.key == key)).scalar()
            return None if found is None else str(found)

    def put(self, key: str, value: str) -> None:
        """Store a setting with the catalog, in place of its former value."""
        with self.writing() as connection:
            connection.execute(meta.delete().where(meta.c.key == key))
            connection.execute(meta.insert().values(key=key, value=value))

    def bind_embedder(self, embedder_id: str, dim: int) -> None:
        """Store the embedder's identity at first use; refuse any other one afterwards."""
        own = f"{embedder_id} ({dim} wide)"
        stored = self.get("embedder")
        if stored is None:
            with self.writing() as connection:  # another process may have done it meanwhile
                first = {"key": "embedder", "value": own}
                connection.execute(meta.insert().prefix_with("OR IGNORE", dialect="sqlite").values(first))
            stored = self.get("embedder")
        if stored != own:
            raise CatalogError(
                f"{self.folder}: its vectors were made by {stored}, the embedder given is {own}. Open it with "
                "the first, or let it go over to the second with `knarr reembed`"
            )

    def check_open(self) -> None:
        """Raises CatalogError after `close`."""
        if not self._is_open:
            raise CatalogError(
                f"{self.folder}: this knowledge base was closed; open it again with knarr.open"
            )

    def _check_writable(self) -> None:
        self.check_open()
        if self.read_only:
            raise CatalogError(
                f"{self.folder}: nothing can be written there, so it was opened for reading only"
            )

    def close(self) -> None:
        """Close all connections. Nothing can be read or written afterwards."""
        self._is_open = False
        self._database.dispose()


def _is_read_only(folder: Path) -> bool:
    """Whether an existing catalog cannot be written: its file, its log, or the folder, where SQLite keeps that."""
    files = [folder / f"{FILE_NAME}{suffix}" for suffix in ("", "-wal", "-shm")]
    return not all(os.access(path, os.W_OK) for path in (folder, *files) if path.exists())


def _make(folder: Path) -> None:
    """Make the catalog, and the folder when it is not there."""
    place = folder.absolute()
    _refuse_other_files(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CatalogError(f"{folder}: cannot be made ({error.strerror})") from error
    path = place / FILE_NAME
    opening.make(place, lambda: opening.is_there(path) and examine(place, whole=False))


def _refuse_other_files(folder: Path) -> None:
    try:
        names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    except OSError as error:
        raise CatalogError(
            f"{folder}: cannot be looked at ({error.strerror}); see its permissions"
        ) from error
    made = any(
        name.startswith(FILE_NAME) for name in names
    )  # by another process meanwhile, or left by a kill
    if (folder.exists() and not folder.is_dir()) or (not made and names - opening.left_by_making(folder)):
        raise CatalogError(
            f"{folder}: expected a knowledge base, a new name or an empty folder, found other files"
        )


def _refuse_empty(folder: Path, create: bool) -> None:
    """A catalog without a table is a new one that a kill left, when nothing else is there; else it was lost."""
    if not create or any(folder.glob("engine-*")):
        raise CatalogError(
            f"{folder / FILE_NAME}: the file is empty, its documents are lost. Restore it from a copy, or add the "
            "documents again to a new knowledge base"
        )
