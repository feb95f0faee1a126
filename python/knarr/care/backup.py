"""One file with all that a base holds, written while others read and write.

The file is a ZIP: `catalog.sqlite`, `tenants/NAME/catalog.sqlite`, and `manifest.json`, which names each part with its
SHA-256 and counts; the hash of the manifest stands in the comment of the archive. Each catalog is the state of one
moment, copied by SQLite (`VACUUM INTO`), so it holds nothing that was deleted. Snapshots are left out: they are made
anew. The parts of a tenant are of another moment than those of the base: nothing crosses between them.

It is written under another name, synced and renamed, so that the name stands for a whole backup at every moment.
"""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from knarr.care.bases import name_within, tenant_folders
from knarr.care.files import copy, sync, take
from knarr.catalog import FILE_NAME, opening
from knarr.errors import AlreadyExists, CatalogError, InvalidArgument, StorageError
from knarr.types import Progress
from knarr.version import __version__

FORMAT = 1
KIND = "knarr backup"
MANIFEST = "manifest.json"
_COUNTED = ("documents", "objects", "traces", "episodes", "edges", "vectors")


@dataclass(frozen=True, slots=True)
class BackupPart:
    """A catalog in a backup; `counts` are rows, by table."""

    name: str
    size_bytes: int
    sha256: str
    embedder: str
    schema: str
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class BackupReport:
    """A backup that was made, verified or restored.

    file:     where it is
    made_at:  ISO 8601 in UTC
    made_by:  the version of knarr
    parts:    tenants in the order of their names, then the base itself
    """

    file: str
    made_at: str
    made_by: str
    parts: tuple[BackupPart, ...]


def backup(folder: Path, file: str | Path, progress: Progress | None = None) -> BackupReport:
    """See `KnowledgeBase.backup`. `progress` counts bytes."""
    target = Path(file)
    _refuse(folder, target)
    try:
        with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as work:
            handle = os.open(work, os.O_RDONLY | os.O_CLOEXEC)
            try:
                take(handle)
                _drop_left(target)
                return _write(folder, target, Path(work), progress)
            finally:
                os.close(handle)
    except sqlite3.Error as error:
        raise CatalogError(f"{folder}: cannot be copied ({error}); {target} was not written") from error
    except OSError as error:
        raise StorageError(f"{target}: cannot be written ({error.strerror or error}); nothing was") from error


def _refuse(folder: Path, target: Path) -> None:
    if not target.name or target.is_dir():
        raise InvalidArgument(f"{target}: expected the name of a file to write the backup to")
    if target.resolve().is_relative_to(folder.resolve()):
        raise InvalidArgument(
            f"{target}: lies in the base itself; name a file elsewhere, better on another disk"
        )
    if not target.parent.is_dir():
        raise InvalidArgument(f"{target.parent}: no such folder, so nothing can be written there")
    if target.exists() and not is_backup(target):
        raise AlreadyExists(
            f"{target} exists and is no backup of knarr; name another file, or remove it first"
        )


def is_backup(path: Path) -> bool:
    """Whether a file looks like a backup, whole or not: nothing is verified."""
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.comment.startswith(KIND.encode())
    except (OSError, zipfile.BadZipFile):
        return False


def _drop_left(target: Path) -> None:
    """Remove what killed backups to this name left."""
    import shutil

    for left in target.parent.glob(f".{target.name}.*"):
        if not left.is_dir():
            continue
        with suppress(OSError):
            handle = os.open(left, os.O_RDONLY | os.O_CLOEXEC)
            try:
                if take(handle):
                    shutil.rmtree(left, ignore_errors=True)
            finally:
                os.close(handle)


def _write(folder: Path, target: Path, work: Path, progress: Progress | None) -> BackupReport:
    places = [*tenant_folders(folder), folder]
    total = sum((place / FILE_NAME).stat().st_size for place in places)
    done = 0

    def passed(size: int) -> None:
        nonlocal done
        done += size
        if progress is not None:
            progress(done, max(done, total), target.name)

    whole, parts = work / "backup.zip", []
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for place in places:
            name = "/".join(filter(None, (name_within(place, folder), FILE_NAME)))
            part = work / "part"
            _copy_database(place / FILE_NAME, part)
            parts.append(_add(archive, name, part, passed))
            part.unlink()
        report = BackupReport(
            str(target), datetime.now(UTC).isoformat(timespec="seconds"), __version__, tuple(parts)
        )
        manifest = json.dumps({"kind": KIND, "format": FORMAT, **asdict(report)}, indent=1).encode()
        archive.writestr(MANIFEST, manifest)
        archive.comment = f"{KIND} {FORMAT} {sha256(manifest).hexdigest()}".encode()
    sync(whole)
    whole.replace(target)
    sync(target.parent)
    return report


def _copy_database(source: Path, target: Path) -> None:
    """One moment of a database, without what was deleted. Readers and the writer go on."""
    with closing(opening.connect(source, "ro")) as connection:
        connection.execute("VACUUM INTO ?", (str(target),))


def _add(archive: zipfile.ZipFile, name: str, part: Path, passed: Callable[[int], object]) -> BackupPart:
    with closing(sqlite3.connect(part)) as connection:
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        counts = {
            table: int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
            for table in _COUNTED
            if table in tables
        }
        facts = dict(connection.execute("SELECT key, value FROM meta WHERE key IN ('schema', 'embedder')"))
    with part.open("rb") as source, archive.open(name, "w", force_zip64=True) as target:
        digest, size = copy(source, target, passed)
    return BackupPart(name, size, digest, facts.get("embedder", ""), facts.get("schema", ""), counts)
