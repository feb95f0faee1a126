"""The scope index of a library: built by walking its namespace once, kept until the library changes."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from weakref import WeakKeyDictionary

from knarr.agent.library import Library, Outlines
from knarr.agent.scope import ScopeIndex
from knarr.agent.scope_index import HEAD_CHARS, ScopeEntry
from knarr.errors import KnarrError
from knarr.types import Listing
from knarr.uris import SCHEME, above, as_directory

_PAGE = 1_000
_HEAD_TOKENS = 600
_MOST_HEADS = 5_000  # more documents are known by their names alone, so that a first question stays quick

_LOCK = threading.Lock()
_INDEXES: WeakKeyDictionary[object, tuple[object, ScopeIndex]] = WeakKeyDictionary()


def scope_index(library: Library) -> ScopeIndex:
    """The index over the library's present documents. Safe from any thread; two threads that find
    it stale may both build it, and the results are equal."""
    holder, state = library.edition if isinstance(library, Outlines) else (library, library.info().get("seq"))
    with _LOCK:
        kept = _INDEXES.get(holder)
    if kept is not None and state is not None and kept[0] == state:
        return kept[1]
    if isinstance(library, Outlines):
        (holder, state), rows = library.outlined(HEAD_CHARS)
        index = ScopeIndex(_entries_of(rows))
    else:
        index = ScopeIndex(entries(library))
    with _LOCK:
        _INDEXES[holder] = (state, index)
    return index


def _entries_of(rows: Iterable[tuple[str, str, str]]) -> Iterator[ScopeEntry]:
    """Documents as a library lists them, each folder before the first document in it."""
    folders: set[str] = set()
    for number, (uri, title, head) in enumerate(rows):
        new = [folder for folder in above(uri) if folder != SCHEME and folder not in folders]
        folders.update(new)
        yield from (ScopeEntry(as_directory(folder), "", is_folder=True) for folder in reversed(new))
        yield ScopeEntry(as_directory(uri), title, head if number < _MOST_HEADS else "")


def entries(library: Library) -> Iterator[ScopeEntry]:
    """Every folder and document, in the order of the namespace. Documents deleted meanwhile are left out."""
    waiting, heads = [SCHEME], 0
    while waiting:
        folder = waiting.pop()
        below: list[str] = []
        for uri in _directories(library, folder):
            found = _document(library, uri, _HEAD_TOKENS if heads < _MOST_HEADS else 1)
            if found is None:
                below.append(uri)
                yield ScopeEntry(uri, "", is_folder=True)
            else:
                heads += 1
                yield found
        waiting.extend(reversed(below))


def _directories(library: Library, folder: str) -> Iterator[str]:
    offset: int | None = 0
    while offset is not None:
        try:
            page: Listing = library.list(folder, offset, _PAGE)
        except KnarrError:
            return
        for entry in page:
            if entry.is_directory:
                yield entry.uri
        offset = page.next_offset


def _document(library: Library, uri: str, tokens: int) -> ScopeEntry | None:
    """The document at this URI; None when it is a folder of documents."""
    try:
        passage = library.read(uri, 0, tokens)
    except KnarrError:
        return None
    section = passage.source.section
    return ScopeEntry(uri, section[0] if section else "", passage.text)
