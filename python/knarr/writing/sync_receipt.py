"""The receipt of a sync: what came, changed, moved and went, what was left out, and what is stored without a file."""

from __future__ import annotations

from dataclasses import dataclass

from knarr.writing.receipt import AddReport


@dataclass(frozen=True, slots=True)
class MovedFile:
    """A document that went where its file went; nothing of it was embedded. `uri` is where it is now, `was` where it
    was, `path` its file below the folder. Both URIs are equal where a file has another name that makes the same one."""

    uri: str
    was: str
    path: str

    def __str__(self) -> str:
        return f"{self.was} to {self.uri}"


@dataclass(frozen=True, slots=True)
class RemovedFile:
    """A document that was removed, the file that it came from, and why."""

    uri: str
    path: str
    why: str

    def __str__(self) -> str:
        return f"{self.uri}: {self.why}"


@dataclass(frozen=True, slots=True)
class SyncReport(AddReport):
    """What one `sync` did; with `dry_run`, what it would do.

    folder:   on disk, absolute and without links
    moved:    documents whose files have another place or name; those that changed as well are `updated` too
    removed:  documents whose files are no longer part of the folder
    gone:     documents that are stored although their files are no longer there, with the reason why they were kept
    """

    folder: str = ""
    moved: tuple[MovedFile, ...] = ()
    removed: tuple[RemovedFile, ...] = ()
    dry_run: bool = False

    @property
    def changed(self) -> bool:
        """Whether anything was done, or in a dry run would be."""
        return bool(self.added or self.updated or self.moved or self.removed)

    def __str__(self) -> str:
        lines = [
            f"{self.into} {'would be' if self.dry_run else 'is'} in step with {self.folder}: {len(self.added)} added, "
            f"{len(self.updated)} updated, {len(self.moved)} moved, {len(self.removed)} removed, "
            f"{len(self.unchanged)} unchanged, {len(self.left_out)} left out "
            f"({self.total('embedded')} embedded, {self.total('reused')} reused, {self.seconds:.1f} s)"
        ]
        if self.unread or self.error:
            lines[0] = lines[0].replace(" is in step with ", " is not yet in step with ", 1)
        lines += [f"  moved: {file}" for file in self.moved]
        lines += [f"  removed: {file}" for file in self.removed]
        return "\n".join([*lines, *self._details()])
