"""A base made of a backup: verified before anything is created, and there whole or not at all.

The parts are written to a hidden folder beside the new one, synced, and the folder is renamed. What a killed restore
left is removed by the next one to the same place. Engines are built when the base is opened: a snapshot of the base
that was saved knows another log by the stamps of its changes, and is never taken for one of the restored base.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import zipfile
import zlib
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from knarr.arguments import checked
from knarr.care.backup import FORMAT, KIND, MANIFEST, BackupPart, BackupReport
from knarr.care.bases import TENANTS
from knarr.care.files import copy, sync, take
from knarr.catalog import FILE_NAME
from knarr.errors import AlreadyExists, CatalogError, Corruption, InvalidArgument, StorageError
from knarr.types import Progress

_MOST_MANIFEST_BYTES = 64 << 20
_COMMENT = re.compile(rf"{KIND} (\d+) ([0-9a-f]{{64}})")
_PART = re.compile(rf"(?:{TENANTS}/(?!\.\.?/)[^/\0]+/)?{re.escape(FILE_NAME)}")


@checked
def restore(file: str | Path, path: str | Path, *, progress: Progress | None = None) -> BackupReport:
    """Make the base that a backup holds in the new folder `path`; returns what was restored. `progress` counts the
    bytes that are verified and written.

    Raises Corruption naming the part that is damaged or missing, before anything is created; AlreadyExists when
    something is at `path`, unless it is an empty folder; CatalogError for a backup of a newer knarr, InvalidArgument
    for a file that is none, StorageError."""
    source, target = Path(file), Path(path)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise AlreadyExists(f"{target} exists, and a backup is restored to a new folder; name another one")
    if not target.absolute().parent.is_dir():
        raise InvalidArgument(f"{target.absolute().parent}: no such folder, so no base can be made in it")
    report = verify(source, progress)
    try:
        _restore(source, target.absolute(), report, progress)
    except OSError as error:
        if isinstance(error, Corruption):
            raise
        raise StorageError(
            f"{target}: cannot be made ({error.strerror or error}); nothing is there"
        ) from error
    return report


def verify(file: Path, progress: Progress | None = None) -> BackupReport:
    """Read a backup whole and hold it against its hashes. Raises as `restore` does."""
    with _opened(file) as archive:
        report = _manifest(archive, file)
        total = 2 * sum(part.size_bytes for part in report.parts)
        _read_parts(archive, file, report, lambda _: None, _counter(progress, total, 0))
    return report


def _opened(file: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(file)
    except FileNotFoundError:
        raise InvalidArgument(f"{file}: no such file; expected a backup made by `knarr backup`") from None
    except OSError as error:
        raise StorageError(f"{file}: cannot be read ({error.strerror})") from error
    except zipfile.BadZipFile as error:
        raise Corruption(
            f"{file}: its list of parts cannot be read ({error}); it is cut short, or no backup of knarr"
        ) from error


def _manifest(archive: zipfile.ZipFile, file: Path) -> BackupReport:
    match = _COMMENT.fullmatch(archive.comment.decode("ascii", "replace"))
    if match is None:
        raise InvalidArgument(f"{file}: no backup of knarr")
    if int(match[1]) > FORMAT:
        raise CatalogError(
            f"{file}: a backup of form {match[1]}, this knarr reads {FORMAT}: use a newer knarr"
        )
    try:
        with archive.open(MANIFEST) as stream:
            text = stream.read(_MOST_MANIFEST_BYTES)
        if sha256(text).hexdigest() != match[2]:
            raise ValueError("it is not what was written")
        return _report(json.loads(text), file)
    except (
        KeyError,
        TypeError,
        ValueError,
        OSError,
        zlib.error,
        zipfile.BadZipFile,
        NotImplementedError,
    ) as error:
        raise _damaged(file, MANIFEST, error) from error


def _report(value: dict[str, Any], file: Path) -> BackupReport:
    parts = tuple(BackupPart(**part) for part in value["parts"])
    names = [part.name for part in parts]
    if FILE_NAME not in names or len(set(names)) != len(names) or not all(map(_PART.fullmatch, names)):
        raise ValueError(f"it names {', '.join(names)[:200]}")
    return BackupReport(str(file), value["made_at"], value["made_by"], parts)


def _read_parts(
    archive: zipfile.ZipFile,
    file: Path,
    report: BackupReport,
    target_of: Callable[[BackupPart], Any],
    passed: Callable[[int], object],
) -> None:
    """Read every part, into what `target_of` gives for it, and hold it against its hash."""
    extra = set(archive.namelist()) - {part.name for part in report.parts} - {MANIFEST}
    if extra:
        raise _damaged(file, min(extra), ValueError("it is not in the manifest"))
    for part in report.parts:
        target = target_of(part)
        try:
            with archive.open(part.name) as stream:
                found = copy(stream, target, passed)  # type: ignore[arg-type]  # reads bytes
        except (
            KeyError,
            EOFError,
            zlib.error,
            zipfile.BadZipFile,
            NotImplementedError,
            RuntimeError,
        ) as error:
            raise _damaged(file, part.name, error) from error
        finally:
            if target is not None:
                target.close()
        if found != (part.sha256, part.size_bytes):
            raise _damaged(file, part.name, ValueError("its hash is another"))


def _damaged(file: Path, name: str, error: Exception) -> Corruption:
    reason = str(error).strip("'\"") or type(error).__name__
    return Corruption(
        f"{file}: the part {name} is damaged ({reason}); nothing was restored, use another backup"
    )


def _restore(file: Path, target: Path, report: BackupReport, progress: Progress | None) -> None:
    work = target.parent / f".{target.name}.restoring"
    work.mkdir(exist_ok=True)
    handle = os.open(work, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if not take(handle):
            raise AlreadyExists(f"{target}: another process is restoring to it")
        _clear(work)
        size = sum(part.size_bytes for part in report.parts)

        def target_of(part: BackupPart) -> Any:
            place = work / part.name
            place.parent.mkdir(parents=True, exist_ok=True)
            return place.open("wb")

        try:
            with _opened(file) as archive:
                _read_parts(archive, file, report, target_of, _counter(progress, 2 * size, size))
            for place in sorted(work.rglob("*"), reverse=True):
                sync(place)
            sync(work)
            work.rename(target)
        except BaseException:
            shutil.rmtree(work, ignore_errors=True)
            raise
    finally:
        os.close(handle)
    sync(target.parent)


def _clear(folder: Path) -> None:
    for left in folder.iterdir():
        if left.is_dir():
            shutil.rmtree(left)
        else:
            left.unlink()


def _counter(progress: Progress | None, total: int, done: int) -> Callable[[int], None]:
    def passed(size: int) -> None:
        nonlocal done
        done += size
        if progress is not None:
            progress(done, total, "")

    return passed
