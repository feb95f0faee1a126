"""`knarr.doctor`: a base looked at from its files up to what it would answer with, and mended where that is possible.

The database is looked at first, by SQLite alone, so that a base that cannot be opened is told of too; what rests on it
is looked at only where it stands. Looking changes no byte. Everything is read a document, or a page of rows, at a time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from knarr.arguments import checked
from knarr.care.bases import name_within, tenant_folders
from knarr.care.check_database import check_database
from knarr.care.check_documents import check_document
from knarr.care.check_edges import check_edges
from knarr.care.check_folders import check_folders
from knarr.care.check_index import check_files, check_index
from knarr.care.check_vectors import check_vectors
from knarr.care.health import SHOWN, Finding, Health, Notes, repaired
from knarr.care.repair import Repair, repair_database
from knarr.catalog import FILE_NAME, Catalog, documents
from knarr.config import Settings
from knarr.errors import KnarrError
from knarr.models.embed import Embedder
from knarr.types import Progress


@checked
def doctor(
    path: str | Path,
    *,
    repair: bool = False,
    embedder: Embedder | None = None,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> Health:
    """Look at the base in folder `path`, one that cannot be opened too, and at its tenants.

    Catalog, documents, vectors, abstracts of folders, learnt edges, snapshots and the index are held against each
    other. With `repair` what is derived is made anew, and looked at again; nothing else is deleted. `embedder` (by
    default that of the settings) is needed to embed what is missing, and for nothing else. `progress` counts
    documents. Raises CatalogError when `repair` finds another process writing."""
    started, folder = time.monotonic(), Path(path)
    settings = settings or Settings()
    health = Health(str(path))
    for place in (folder, *tenant_folders(folder)):
        one = _Look(place, settings, embedder, progress).run(repair)
        prefix = name_within(place, folder)
        findings = tuple(
            replace(found, where=f"{prefix}: {found.where}".rstrip(": ")) if prefix else found
            for found in one.findings
        )
        counts = {
            key: health.looked_at.get(key, 0) + one.looked_at.get(key, 0)
            for key in {**health.looked_at, **one.looked_at}
        }
        health = replace(health, findings=health.findings + findings, looked_at=counts)
    return replace(health, seconds=time.monotonic() - started)


_ALL = 1 << 60


class _Look:
    """One catalog with what stands beside it."""

    def __init__(
        self, folder: Path, settings: Settings, embedder: Embedder | None, progress: Progress | None
    ) -> None:
        self._folder = folder
        self._settings = settings
        self._embedder = embedder
        self._progress = progress

    def run(self, repair: bool) -> Health:
        notes = self._look()
        found = notes.findings()
        if repair and any(one.mendable for one in found):
            did, left = self._repair(found)
            again = self._look()
            found = repaired(found, again.findings(), did) + left
            notes = again
        return Health(str(self._folder), tuple(found), notes.looked_at)

    def _look(self, most: int = SHOWN) -> Notes:
        notes = Notes(most)
        if not check_database(self._folder, notes):
            return notes
        try:
            catalog = Catalog(self._folder, read_only=True)
        except KnarrError as error:
            notes.add("error", "catalog", FILE_NAME, f"it cannot be opened ({error})", "see above")
            return notes
        try:
            self._look_into(catalog, notes)
        except KnarrError as error:
            notes.add(
                "error",
                "catalog",
                FILE_NAME,
                f"looking ended early ({error})",
                "mend what is told above first",
            )
        finally:
            catalog.close()
        return notes

    def _look_into(self, catalog: Catalog, notes: Notes) -> None:
        with catalog.reading() as connection:
            ids = documents.all_ids(connection)
        told = self._counter(2 * len(ids))
        for document_id in ids:
            with catalog.reading() as connection:
                record = documents.find_id(connection, document_id)
                if record is not None:
                    notes.count("documents")
                    check_document(connection, record, notes, record.uri)
            told("" if record is None else record.uri)
        with catalog.reading() as connection:
            check_vectors(connection, notes)
            check_folders(connection, notes)
            check_edges(connection, notes)
        check_files(catalog, notes)
        if not (notes.has("documents") or notes.has("vectors") or notes.has("catalog")):
            check_index(catalog, self._settings.precision, notes, told)

    def _repair(self, found: list[Finding]) -> tuple[dict[str, str], list[Finding]]:
        did = {"catalog": repair_database(self._folder, found)}
        try:
            catalog = Catalog.open(self._folder, create=False, wait_s=self._settings.wait_s, whole=False)
        except KnarrError:
            return did, []  # told by looking again
        try:
            job = Repair(catalog, self._settings, self._embedder)
            job.run(self._look(_ALL).findings())  # of each kind all, and not only the first
        finally:
            catalog.close()
        return {**did, **job.did}, job.left.findings()

    def _counter(self, total: int) -> Callable[[str], None]:
        done = 0

        def told(name: str) -> None:
            nonlocal done
            done += 1
            if self._progress is not None:
                self._progress(min(done, total), total, name)

        return told
