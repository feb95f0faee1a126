"""The catalog: the only truth. Opens it, guards it, and hands out transactions.

One process changes documents at a time: for each operation it takes `writer.lock` with the operating
system, which drops it when the process ends, however it ends. Reading needs no lock, nor does the
record of a question; short transactions wait for each other. The other files are plain functions over a connection.
May import: language (keys of texts), uris, types, errors.
"""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from knarr.catalog.opening import in_our_words, open_database
from knarr.catalog.schema import meta
from knarr.errors import CatalogError

FILE_NAME = "catalog.sqlite"


class Catalog:
    """A knowledge base's database in `folder`. Thread-safe; close it when done. Where its files cannot be written it
    is `read_only`: reading goes on, and every change is refused."""

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        self.folder = folder
        self.read_only = read_only or _is_read_only(folder)
        self._database = open_database(folder / FILE_NAME, read_only=self.read_only)
        self._turn = threading.RLock()
        self._depth = 0
        self._is_open = True

    @classmethod
    def open(cls, folder: Path, *, create: bool) -> Catalog:
        """Open the catalog in `folder`; with `create`, make both when they are not there.

        Raises CatalogError when there is none, or the folder holds something else."""
        there = (folder / FILE_NAME).is_file()
        if not there and not create:
            raise CatalogError(
                f"{folder}: no knowledge base there; make one with `knarr add PATH --kb {folder}`"
            )
        if not there and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise CatalogError(
                f"{folder}: expected a knowledge base, a new name or an empty folder, found other files"
            )
        if there and (folder / FILE_NAME).stat().st_size == 0:
            _refuse_empty(folder, create)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CatalogError(f"{folder}: cannot be made ({error.strerror})") from error
        return cls(folder)

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
        with in_our_words(self.folder), self._database.connect() as plain:
            connection = plain.execution_options(immediate=True)
            with connection.begin():
                yield connection

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Be the one that changes documents, among all processes. Raises CatalogError at once when
        another process is; its own threads wait for each other."""
        self._check_writable()
        with self._turn:
            handle = self._take_lock() if self._depth == 0 else None
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if handle is not None:
                    os.close(handle)

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
            with self.writing() as connection:
                connection.execute(meta.insert().values(key="embedder", value=own))
        elif stored != own:
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

    def _take_lock(self) -> int:
        path = self.folder / "writer.lock"
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise CatalogError(f"{path}: cannot be opened ({error.strerror})") from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            raise CatalogError(
                f"{self.folder}: another process is changing it; wait for it to end, or stop it, and try again"
            ) from None
        return handle


def _is_read_only(folder: Path) -> bool:
    """Whether an existing catalog cannot be written: its file, or the folder, where SQLite keeps its log."""
    path = folder / FILE_NAME
    return path.exists() and not (os.access(path, os.W_OK) and os.access(folder, os.W_OK))


def _refuse_empty(folder: Path, create: bool) -> None:
    """A catalog without a byte is a new one that a kill left, when nothing else is there; else it was lost."""
    if not create or any(folder.glob("engine-*")):
        raise CatalogError(
            f"{folder / FILE_NAME}: the file is empty, its documents are lost. Restore it from a copy, or add the "
            "documents again to a new knowledge base"
        )
