"""Abstracts of folders: none stale, none missing, none of what is gone."""

from __future__ import annotations

import re

import sqlalchemy as sa

from knarr.abstracts.folders import parts_of
from knarr.care.health import Notes
from knarr.catalog import abstracts, folders
from knarr.catalog.folders import FolderRecord
from knarr.catalog.schema import documents, model_abstracts
from knarr.uris import above

PART = "folders"
_WORD = re.compile(r"[^\W_]{2,}")
_RENEW = "knarr doctor --repair makes it anew"


def check_folders(connection: sa.Connection, notes: Notes) -> None:
    """Note what is not as `knarr.abstracts.folders` would leave it."""
    needed: set[str] = set()
    for uri in connection.execute(sa.select(documents.c.uri)).scalars():
        needed.update(above(uri))
    stale = set(folders.stale(connection))
    for uri in sorted(stale):
        what = "a change touched it, and its abstract was not made anew"
        notes.add("warning", PART, uri, what, _RENEW, mendable=True)
    known: set[str] = set()
    for record in folders.all_of(connection):
        known.add(record.uri)
        notes.count("folders")
        if record.uri in stale:
            continue
        if record.uri not in needed:
            notes.add("error", PART, record.uri, "it has an abstract and no documents", _RENEW, mendable=True)
        elif not _is_founded(connection, record):
            what = "its abstract says what nothing in it says"
            notes.add("error", PART, record.uri, what, _RENEW, mendable=True)
    for uri in sorted(needed - known - stale):
        notes.add("warning", PART, uri, "it has documents and no abstract", _RENEW, mendable=True)


def _is_founded(connection: sa.Connection, record: FolderRecord) -> bool:
    """Whether an abstract says only what its contents say: the same words, for one by rule; one by a model was made
    of contents that the folder still has."""
    title, parts = parts_of(connection, record.uri)
    said = _words(record.text)
    if said <= _words(" ".join((title, "Contains", *(f"{name} {text}" for name, text in parts)))):
        return True
    keys = abstracts.used(connection, record.uri)
    made = sa.select(model_abstracts.c.text).where(model_abstracts.c.key.in_(keys))
    return record.text in connection.execute(made).scalars().all()


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text.replace("_", " "))}
