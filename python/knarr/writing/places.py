"""Where the files of one `add` belong: the folder of each, the document that it is already, a name for a new one.

A file is told by the names of its folders and its own as they are on disk, and not by the URI that they make: both
`My Notes` and `My_Notes` make `My_Notes`. Who comes first gets the plain name, the next one `My_Notes~2`, and the
catalog remembers who is who, so that the order of later batches does not matter.

A name that comes back in another Unicode form, as from another file system, is the same file, unless a file of
the stored form is still there beside it. Two files of one batch never become one document.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import sqlalchemy as sa

from knarr.catalog import documents, sources
from knarr.catalog.records import DocumentRecord
from knarr.catalog.sources import KnownFile, Seen, Standing
from knarr.uris import component, encode, is_web_address, join, name_of, numbered, parent, place
from knarr.writing.archive import is_archive
from knarr.writing.files import Batch, Root, SourceFile, printable

Folders = tuple[str, ...]


class Places:
    """For one `add`, by the one writer: nobody else changes the catalog meanwhile."""

    def __init__(self, into: str, batch: Batch) -> None:
        self._into = into
        self._batch = batch
        self._uris: dict[Folders, str] = {(): into}
        self._unstored: dict[str, str] = {}  # folders that no document was stored in yet: URI to name on disk
        self._untried: dict[str, int] = {}  # by wanted URI: the first number that was never tried
        self._met: set[int] = set()
        self._former: set[str] = set()  # where given folders were before
        self._unwritten: list[Seen] = []
        read = [source for source in batch.files if not source.status]
        self._paths = {source.path for source in read}
        self._files: defaultdict[Folders, set[str]] = defaultdict(set)
        self._folders: defaultdict[Folders, set[str]] = defaultdict(set)
        for source in read:
            self._files[source.folders].add(source.name)
        for folders in list(self._files):
            while folders and folders[-1] not in self._folders[folders[:-1]]:
                self._folders[folders[:-1]].add(folders[-1])
                folders = folders[:-1]

    # -- folders -----------------------------------------------------------------------------------------

    def folder(self, connection: sa.Connection, source: SourceFile) -> str:
        """The URI of the folder for a file."""
        return self.folder_at(connection, source.folders)

    def folder_at(self, connection: sa.Connection, folders: Folders) -> str:
        """The URI of the folder that some names lead to."""
        known = len(folders)
        while folders[:known] not in self._uris:
            known -= 1
        for size in range(known, len(folders)):
            above, name = folders[:size], folders[size]
            self._uris[(*above, name)] = self._child(connection, above, name)
        return self._uris[folders]

    def claim(self, connection: sa.Connection, folders: Folders) -> str:
        """From now on the folder that some names lead to, and those above it, are the ones at their URIs."""
        uri = self.folder_at(connection, folders)
        for size in range(1, len(folders) + 1):
            above = self._uris[folders[:size]]
            if above in self._unstored:
                sources.claim(connection, above, self._unstored.pop(above))
        return uri

    def met(self, folders: Folders, uri: str) -> None:
        """The folder that some names lead to is at this URI, as the catalog says already."""
        self._uris[folders] = uri

    def _child(self, connection: sa.Connection, above: Folders, name: str) -> str:
        folder = self._uris[above]
        rows = dict(sources.folders_named(connection, folder, name))
        absent = [other for other in rows if other not in self._folders[above]]
        for found in [other for other in (name, *absent) if other in rows]:
            # A document may have taken the place of a folder that lost all of its own.
            if documents.find(connection, rows[found]) is None:
                if found != name:
                    self._unstored[rows[found]] = name
                return rows[found]
        uri = self._free(
            join(folder, component(name)),
            lambda uri: documents.find(connection, uri) is None and not self._is_claimed(connection, uri),
        )
        self._unstored[uri] = name
        return uri

    def _is_claimed(self, connection: sa.Connection, uri: str) -> bool:
        return uri in self._unstored or sources.is_claimed(connection, uri)

    # -- documents ---------------------------------------------------------------------------------------

    def known(
        self, connection: sa.Connection, source: SourceFile, folder: str, digest: str
    ) -> KnownFile | None:
        """The document that a file is already, if it is one."""
        found = sources.candidates(connection, folder, source.name)
        for one in found:
            if one.path == source.path and one.name == source.name:
                return one
        # Without its old place the file is told by its name; of several that were added from different folders,
        # the one with the same bytes.
        free = [one for one in found if one.record.id not in self._met and one.path not in self._paths]
        free.sort(key=lambda one: one.record.content_hash != digest)
        same = [one for one in free if one.name == source.name]
        other_form = [one for one in free if one.name != source.name and not self._is_there(one, source)]
        return next(iter([*same, *other_form]), None)

    def standing(self, connection: sa.Connection, source: SourceFile) -> Standing | None:
        """What stands of a file that gives nothing now."""
        return sources.standing(connection, source.path, self._into)

    def _is_there(self, one: KnownFile, source: SourceFile) -> bool:
        """Whether the file of another Unicode form is still beside this one, as a file of its own."""
        if one.name in self._files[source.folders]:
            return True
        there, here = Path(source.path).with_name(one.name), Path(source.path)
        try:
            return not there.samefile(here)
        except OSError:
            return False

    def name(
        self, connection: sa.Connection, source: SourceFile, folder: str, known: DocumentRecord | None
    ) -> tuple[str, str, list[str]]:
        """A document's component, its URI, and notes on names that had to step aside. Raises InvalidArgument for a
        URI that is too long."""
        wanted = component(PurePosixPath(source.name).stem)
        if known is not None:
            return wanted, known.uri, []
        uri = self._free(
            join(folder, wanted),
            lambda uri: not documents.is_occupied(connection, uri) and not self._is_claimed(connection, uri),
        )
        place(uri)
        notes = self._folder_notes(source)
        if name_of(uri) != wanted:
            notes.append(f"named {encode(name_of(uri))}: {encode(wanted)} is taken")
        return wanted, uri, notes

    def _folder_notes(self, source: SourceFile) -> list[str]:
        names = (source.folders[: size + 1] for size in range(len(source.folders)))
        pairs = ((component(folders[-1]), name_of(self._uris[folders])) for folders in names)
        return [
            f"its folder is {encode(got)}: {encode(wanted)} is taken"
            for wanted, got in pairs
            if got != wanted
        ]

    def _free(self, wanted: str, usable: Callable[[str], bool]) -> str:
        """The wanted URI, or with the first of `~2`, `~3`, … that is usable. Names are only ever taken while one
        batch is added, so no number is tried twice."""
        folder, name = parent(wanted), name_of(wanted)
        number = self._untried.get(wanted, 1)
        while not usable(uri := join(folder, numbered(name, number))):
            number += 1
        self._untried[wanted] = number
        return uri

    # -- what the catalog is told ------------------------------------------------------------------------

    def stored(self, connection: sa.Connection, document_id: int, source: SourceFile, folder: str) -> None:
        """Note, in the transaction that stores a document, which file and folders it stands for."""
        for size in range(1, len(source.folders) + 1):
            uri = self._uris[source.folders[:size]]
            if uri in self._unstored:
                sources.claim(connection, uri, self._unstored[uri])
        sources.put(connection, [self._seen(document_id, source, folder)])

    def settled(self, document_id: int, source: SourceFile) -> None:
        """The transaction of `stored` went through."""
        self._met.add(document_id)
        for size in range(1, len(source.folders) + 1):
            self._unstored.pop(self._uris[source.folders[:size]], None)

    def unchanged(self, one: KnownFile, source: SourceFile, folder: str) -> None:
        """A document's file was met with the bytes that are stored; where it was is noted at the end."""
        self._met.add(one.record.id)
        self._note_former(one, source)
        if (one.name, one.path) != (source.name, source.path):
            self._unwritten.append(self._seen(one.record.id, source, folder))

    def _note_former(self, one: KnownFile, source: SourceFile) -> None:
        """Where the given folder was before, when it has another name now."""
        below = "/" + printable("/".join([*source.folders, source.name]))
        if one.path != source.path and source.root.is_folder and one.path.endswith(below):
            self._former.add(one.path.removesuffix(below))

    def take_unwritten(self) -> list[Seen]:
        """What is still to be noted, once."""
        found, self._unwritten = self._unwritten, []
        return found

    def _seen(self, document_id: int, source: SourceFile, folder: str) -> Seen:
        return Seen(document_id, folder, source.name, source.path)

    def gone(self, connection: sa.Connection) -> list[tuple[str, str]]:
        """`(path, URI)` of the documents that came from the given folders and whose files are no longer there; those of
        a folder that has another name now among them."""
        listed = {str(PurePosixPath(source.path)) for source in self._batch.files}
        roots = [above for root in self._batch.roots if (above := _folder_of(root))]
        found = {
            (one.path, one.uri)
            for above in roots
            for one in sources.below_path(connection, printable(above), self._into)
            if one.id not in self._met and not _is_listed(one.path, listed)
        }
        found |= {
            (one.path, one.uri)
            for former in self._former
            for one in sources.below_path(connection, former, self._into)
            if one.id not in self._met and not os.path.lexists(one.path)
        }
        return sorted(found)


def _folder_of(root: Root) -> str:
    """The folder or archive whose files an `add` of it lists all, "" for a file."""
    if root.is_folder:
        return root.real
    name = PurePosixPath(root.path).name
    return f"{root.real.rstrip('/')}/{name}" if is_archive(name) and not is_web_address(root.path) else ""


def _is_listed(path: str, listed: set[str]) -> bool:
    """Whether the listing has the path, or a folder above it that was not looked into."""
    return path in listed or any(str(folder) in listed for folder in PurePosixPath(path).parents)
