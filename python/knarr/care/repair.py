"""Making anew what is derived: indexes of the database, layouts, vectors, abstracts of folders, edges' states, the
engine. Nothing that is not derived is deleted. Each step is a transaction, or can be repeated."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import sqlalchemy as sa

from knarr.abstracts.folders import refresh
from knarr.abstracts.recall import AbstractRecall
from knarr.care import embedded
from knarr.care.check_database import DERIVED
from knarr.care.check_edges import false_ends, put_aside
from knarr.care.check_vectors import damaged
from knarr.care.health import Finding, Notes
from knarr.care.reembed import Embedding
from knarr.care.relay import relay
from knarr.catalog import (
    FILE_NAME,
    Catalog,
    changes,
    documents,
    embedders,
    experience,
    folders,
    lacking,
    vectors,
    wholeness,
)
from knarr.catalog.schema import episodes
from knarr.catalog.schema import vectors as stored
from knarr.config import Settings
from knarr.errors import KnarrError
from knarr.index.index import Index
from knarr.models.embed import Embedder, load_embedder
from knarr.uris import above


def repair_database(folder: Path, found: Iterable[Finding]) -> str:
    """Mend what SQLite itself can: indexes, and derived rows that hang in the air. Returns what was done."""
    wanted = [one for one in found if one.part == "catalog" and one.mendable]
    if not wanted:
        return ""
    with closing(sqlite3.connect(folder / FILE_NAME, timeout=30.0, isolation_level=None)) as connection:
        connection.execute("REINDEX")
        connection.execute("BEGIN IMMEDIATE")
        for table, row, _, _ in connection.execute("PRAGMA foreign_key_check").fetchall():
            if table in DERIVED:
                connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (row,))
        connection.execute("COMMIT")
    return "indexes were built anew, and derived rows without an owner removed"


def _take_back(connection: sa.Connection, model: str) -> None:
    """Documents that were set aside as damaged and are whole now are shown again, in every process."""
    broken = wholeness.faults(connection).keys() | vectors.damaged_documents(connection, model)
    for document_id in wholeness.noted(connection).keys() - broken:
        record = documents.find_id(connection, document_id)
        wholeness.note(connection, document_id, None)
        if record is not None:
            changes.append(connection, "put", record.uri, document_id=document_id)


class Repair:
    """Mends one opened catalog. `did` says what, by the part of the findings; `left` why something was not."""

    def __init__(self, catalog: Catalog, settings: Settings, embedder: Embedder | None) -> None:
        self._catalog = catalog
        self._settings = settings
        self._given = embedder
        self._embedded = 0
        self.did: dict[str, str] = {}
        self.left = Notes()

    def run(self, found: list[Finding]) -> None:
        """Mend what the findings name. The writer's lock is held meanwhile."""
        with self._catalog.reading() as connection:
            own = embedders.bound(connection)
        if own is None:
            return
        model, dim = embedders.parted(own)
        parts = {one.part for one in found if one.mendable}
        with self._catalog.exclusive():
            if "experience" in parts:
                self._edges()
            embedder = (
                self._embedder(model, dim)
                if parts & {"documents", "vectors", "folders", "experience"}
                else None
            )
            if embedder is not None:
                if "documents" in parts:
                    self._documents(
                        [one.where for one in found if one.part == "documents" and one.mendable], embedder
                    )
                self._vectors(embedder)
                self._folders([one.where for one in found if one.part == "folders"], embedder)
            with self._catalog.writing() as connection:
                lacking.release_unused(connection)
                _take_back(connection, model)
                if self._embedded:
                    changes.append_all(connection, "folder", [one.uri for one in folders.all_of(connection)])
            self._index(model, dim, "index" in parts)

    def _embedder(self, model: str, dim: int) -> Embedder | None:
        """The embedder that is bound; what needs it is left alone where it is not there."""
        try:
            embedder = self._given or load_embedder(self._settings)
        except KnarrError as error:
            self._without(f"the embedder {model} is not there ({error})")
            return None
        if (embedder.id, embedder.dim) != (model, dim):
            self._without(f"it needs the embedder {model}, the one given is {embedder.id}")
            return None
        return embedder

    def _without(self, why: str) -> None:
        self.left.add(
            "note",
            "vectors",
            "",
            f"layouts, vectors and abstracts were not mended: {why}",
            "name the embedder of this base with KNARR_EMBEDDER",
        )

    def _edges(self) -> None:
        with self._catalog.writing() as connection:
            names: list[str] = []
            for one in list(false_ends(connection, Notes())):
                names += put_aside(connection, one)
            experience.log(connection, names)
            model = embedders.parted(embedders.bound(connection) or " (0 wide)")[0]
            other = episodes.c.model != model
            connection.execute(episodes.update().where(other).values(model=model))
        self.did["experience"] = (
            "edges without their text are stale, questions have vectors of the bound embedder"
        )

    def _documents(self, uris: list[str], embedder: Embedder) -> None:
        recall = AbstractRecall.of(self._catalog, self._settings)
        for uri in dict.fromkeys(uris):
            with self._catalog.writing() as connection:
                record = documents.find(connection, uri)
                if record is None or relay(
                    connection, record, embedder.tokenizer, self._settings, recall, embedder.id
                ):
                    continue
            self.left.add(
                "error",
                "documents",
                uri,
                "its text is not what was embedded, so it was left as it is",
                "add its file again",
            )
        self.did["documents"] = "laid out anew from its text"

    def _vectors(self, embedder: Embedder) -> None:
        with self._catalog.writing() as connection:
            for key, model in damaged(connection, Notes(), {embedder.id: embedder.dim}):
                connection.execute(stored.delete().where(stored.c.hash == key, stored.c.model == model))
        job = Embedding(self._catalog, embedder, None, sure=True)
        job.embed()
        self._embedded = job.embedded
        with self._catalog.writing() as connection:
            for record in embedded.means(connection):
                mean = embedded.mean_of(connection, record.uri, embedder.id)
                if mean is not None:
                    vectors.put(connection, {record.vector_hash: mean}, embedder.id)
        self.did["vectors"] = f"{job.embedded} texts were embedded again, vectors without use removed"

    def _folders(self, uris: list[str], embedder: Embedder) -> None:
        with self._catalog.writing() as connection:
            # Those above are made of these: they may quote them.
            folders.mark_stale(connection, {place for uri in uris if uri for place in (uri, *above(uri))})
        refresh(self._catalog, embedder, self._settings)
        self.did["folders"] = "made anew"

    def _index(self, model: str, dim: int, anew: bool) -> None:
        """Snapshots are caches: with `anew` all go, and one is written of an engine built from the catalog."""
        for path in self._catalog.folder.glob("*.damaged"):
            path.unlink(missing_ok=True)
        self.did["files"] = "removed"
        if anew:
            for path in self._catalog.folder.glob("engine-*.snapshot"):
                path.unlink(missing_ok=True)
        Index(self._catalog, dim, model, self._settings.precision).save()
        self.did["index"] = "built anew from the catalog"
