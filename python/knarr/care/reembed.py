"""Going over to another embedder: its vectors are made beside the old ones, and then bound, all at once.

Texts are embedded without holding up anybody, document by document, each batch stored as it comes: a run that was
killed goes on where it stopped. What was added meanwhile is embedded with the writer's lock held; then one transaction
binds the new embedder. Until then nothing has changed for anyone. The old vectors stay, so that the way back costs
nothing, until they are forgotten. Processes that have the base open meet a clear error at their next refresh or write.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from knarr.arguments import checked
from knarr.care import embedded
from knarr.care.bases import catalogs
from knarr.care.embedded import Embedded
from knarr.catalog import Catalog, embedders, lacking, vectors
from knarr.config import Settings
from knarr.errors import CatalogError
from knarr.index.index import Index
from knarr.models.embed import Embedder, embed_checked
from knarr.types import Progress

_BATCH = 64
_OTHERWISE = "the base still has its old embedder; call it again to go on"


@dataclass(frozen=True, slots=True)
class ReembedReport:
    """What a change of the embedder came to.

    before, now:  the embedders, with their widths
    embedded:     texts that were embedded by this call
    unsure:       of these, texts that are not what their vectors' keys say: likely ones were embedded
    kept:         vectors of other models that are kept, by model
    """

    before: str
    now: str
    embedded: int
    unsure: int
    kept: dict[str, int]
    seconds: float


@checked
def reembed(
    path: str | Path,
    embedder: Embedder,
    *,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> ReembedReport:
    """Let the base in folder `path`, and its tenants, go over to another embedder. The old one is not needed.

    Killed at any moment it leaves the base as it was, and goes on where it stopped when it is called again. Going
    back is the same call with the old embedder, and free for what it has embedded before. Raises CatalogError where
    there is no base or another process is writing, EmbedderError."""
    settings = settings or Settings()
    with catalogs(Path(path), settings.wait_s) as opened:
        report = reembed_all(opened, embedder, progress)
        for catalog in opened:
            _save_index(catalog, embedder.dim, embedder.id, settings)
    return report


@checked
def undo(path: str | Path, *, settings: Settings | None = None) -> ReembedReport:
    """Go back to the embedder that was bound before, without calling any. Raises CatalogError where there was none,
    and where documents were added since: then `reembed` with it embeds those."""
    started = time.monotonic()
    settings = settings or Settings()
    with catalogs(Path(path), settings.wait_s) as opened:
        with opened[-1].reading() as connection:
            now, old = embedders.bound(connection), embedders.before(connection)
        if now is None or old is None:
            raise CatalogError(f"{path}: its embedder was never changed, or the old vectors were forgotten")
        model, dim = embedders.parted(old)
        for catalog in opened:
            with catalog.exclusive(), catalog.writing() as connection:
                _bind(connection, catalog, old, model)
        for catalog in opened:
            _save_index(catalog, dim, model, settings)
        kept = _kept(opened, model)
    return ReembedReport(now, old, 0, 0, kept, time.monotonic() - started)


def reembed_all(opened: list[Catalog], embedder: Embedder, progress: Progress | None) -> ReembedReport:
    """Embed what lacks its vectors in all catalogs, then bind the embedder in each, the last one last."""
    started = time.monotonic()
    with opened[-1].reading() as connection:
        before = embedders.bound(connection) or ""
    jobs = [Embedding(catalog, embedder, progress) for catalog in opened]
    for job in jobs:
        job.embed()
    for job in jobs:
        job.switch()
    return ReembedReport(
        before,
        embedders.identity(embedder.id, embedder.dim),
        sum(job.embedded for job in jobs),
        sum(job.unsure for job in jobs),
        _kept(opened, embedder.id),
        time.monotonic() - started,
    )


class Embedding:
    """One catalog. `embed` may be called at any time, `switch` once everything is there. With `sure` a text that is
    not the one that its key says is left alone."""

    def __init__(
        self, catalog: Catalog, embedder: Embedder, progress: Progress | None, *, sure: bool = False
    ) -> None:
        self._sure = sure
        self._catalog = catalog
        self._embedder = embedder
        self._progress = progress
        self.embedded = 0
        self.unsure = 0

    def embed(self) -> None:
        """Store the vectors that are missing; each batch in a transaction of its own."""
        model = self._embedder.id
        with self._catalog.reading() as connection:
            _check_width(connection, self._catalog.folder, self._embedder)
            ids = lacking.document_ids(connection, model)
        for done, document_id in enumerate(ids):
            with self._catalog.reading() as connection:
                texts = list(embedded.of_document(connection, document_id))
            self._store(texts)
            if self._progress is not None:
                self._progress(done + 1, len(ids), texts[0].where if texts else "")
        with self._catalog.reading() as connection:
            kept = lacking.version_ids(connection, model)
        for version_id in kept:
            with self._catalog.reading() as connection:
                texts = list(embedded.of_version(connection, version_id))
            self._store(texts)
        with self._catalog.reading() as connection:
            wanted = set(lacking.questions(connection, model))
            texts = [one for one in embedded.of_questions(connection) if one.key in wanted]
            texts += embedded.of_folders(connection)
        self._store(texts)

    def switch(self) -> None:
        """Embed what has come meanwhile, and bind. The writer's lock keeps documents as they are; questions may
        still be learnt, and are looked for once more in the transaction that binds."""
        model = self._embedder.id
        own = embedders.identity(model, self._embedder.dim)
        with self._catalog.exclusive():
            while True:
                self.embed()
                with self._catalog.writing() as connection:  # what went meanwhile
                    lacking.release_unused(connection)
                with self._catalog.writing() as connection:
                    if not lacking.questions(connection, model):
                        _bind(connection, self._catalog, own, model)
                        return

    def _store(self, texts: Iterable[Embedded]) -> None:
        """Embed those of the texts that have no vector yet."""
        by_key = {one.key: one for one in texts if one.sure or not self._sure}
        with self._catalog.reading() as connection:
            held = vectors.get(connection, list(by_key), self._embedder.id)
        left = [one for key, one in by_key.items() if key not in held]
        for begin in range(0, len(left), _BATCH):
            batch = left[begin : begin + _BATCH]
            matrix = embed_checked(self._embedder, [one.text for one in batch], _OTHERWISE)
            with self._catalog.writing() as connection:
                fresh = dict(zip((one.key for one in batch), matrix, strict=True))
                vectors.put(connection, fresh, self._embedder.id)
            self.embedded += len(batch)
            self.unsure += sum(not one.sure for one in batch)


def _bind(connection: sa.Connection, catalog: Catalog, own: str, model: str) -> None:
    """Bind an embedder all of whose vectors are there; means of folders are made of those below them."""
    for record in embedded.means(connection):
        mean = embedded.mean_of(connection, record.uri, model)
        if mean is not None:
            vectors.put(connection, {record.vector_hash: mean}, model)
    count = len(lacking.document_ids(connection, model)) + len(lacking.folder_uris(connection, model))
    if count:
        raise CatalogError(
            f"{catalog.folder}: {count} documents and folders have no vectors of {model}, for they were added "
            "since; nothing was changed. `knarr reembed --model` with that embedder makes them"
        )
    embedders.bind(connection, own)


def _check_width(connection: sa.Connection, folder: Path, embedder: Embedder) -> None:
    """Vectors of one model are of one width: an embedder that says the name of another is refused."""
    width = vectors.width_of(connection, embedder.id)
    if width is not None and width != embedder.dim:
        raise CatalogError(
            f"{folder}: it holds vectors of {embedder.id} that are {width} wide, those of the embedder given are "
            f"{embedder.dim} wide: two embedders with one id. Give it another id, or forget the first's vectors with "
            f"`knarr forget --vectors-of {embedder.id}`"
        )


def _save_index(catalog: Catalog, dim: int, model: str, settings: Settings) -> None:
    """Leave a snapshot by the new embedder, so that the next to open the base need not build it."""
    Index(catalog, dim, model, settings.precision).save()


def _kept(opened: list[Catalog], model: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for catalog in opened:
        with catalog.reading() as connection:
            for other, n in embedders.models(connection).items():
                if other != model:
                    found[other] = found.get(other, 0) + n
    return found
