"""The rows that one class of principals may see, kept in step with the log at the cost of each change.

Rows of documents follow the rules. The abstract of a folder is made from all that lies in it, so its row is seen by
nobody but the owner: not where all of the folder may be seen either, since a folder without an abstract would tell that
something in it is hidden. To others a listing describes each folder by what they see (`reading.seen`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from knarr.engine import Engine, RowSet
from knarr.errors import NotFound
from knarr.rights.rules import ClassKey, RuleSet
from knarr.uris import SCHEME

Extent = Literal["documents", "rights", "abstract"]


@dataclass(frozen=True, slots=True)
class Touch:
    """A place that a change touched: the documents at and below it, who may see them, or the abstract of a folder
    alone."""

    uri: str
    extent: Extent


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a class is held against: one state of the engine, and of the rules and folders beside it.

    folders: the rows of the abstracts of folders
    """

    engine: Engine
    rules: RuleSet
    folders: RowSet

    def rows(self, uri: str) -> RowSet:
        """The rows at and below a URI, none where nothing is."""
        try:
            return self.engine.rows(uri)
        except NotFound:
            return RowSet()


class VisibleRows:
    """`rows` is never changed in place, so a call that is at work keeps the ones that it began with. `version` grows
    when something that the class may see has changed, and with nothing else."""

    def __init__(self, key: ClassKey, place: Surroundings) -> None:
        self.key = key
        self.version = 0
        self.rows = allowed_below(key, place, SCHEME)

    def renew(self, place: Surroundings, touches: Iterable[Touch]) -> None:
        """Make all rows anew, after the engine gave them other numbers. Told is what was touched since."""
        old, self.rows = self.rows, allowed_below(self.key, place, SCHEME)
        told = any(touch.extent == "documents" and place.rows(touch.uri) & self.rows for touch in touches)
        if told or len(old) != len(self.rows):
            self.version += 1

    def follow(self, place: Surroundings, touches: Iterable[Touch]) -> None:
        """Take up what changed: the rows below the places touched."""
        old, rows, told = self.rows, self.rows, False
        for touch in touches:
            if touch.extent != "abstract":
                allowed = allowed_below(self.key, place, touch.uri)
                rows = (rows - place.rows(touch.uri)) | allowed
                told = told or (touch.extent == "documents" and bool(allowed))
        self.rows = rows & place.rows(SCHEME)  # without those of documents that are gone
        if told or self.rows != old:
            self.version += 1


def allowed_below(key: ClassKey, place: Surroundings, uri: str) -> RowSet:
    """The rows at and below a URI that a class may see."""
    below = place.rows(uri)
    path = place.rules.on_path(key, uri)
    if path.hides or not below:
        return RowSet()
    speaking = list(place.rules.below(key, uri))
    if path.grants:
        allowed = below
    else:
        allowed = RowSet()
        for rule, at in speaking:
            if rule.kind == "grant":
                allowed = allowed | place.rows(at)
    for rule, at in speaking:
        if rule.kind != "grant":
            allowed = allowed - place.rows(at)
    return allowed - place.folders
