"""Documents that are versions of each other by name, as manuals come: `handbook_v17` and `handbook_v18` in one folder.

A family is a folder and a name without its version. A name from a question means the families, or the single
documents, whose names have all of its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from knarr.agent.scope_index import ScopeEntry
from knarr.language.words import STOP, Version, forms, meets, stem, words
from knarr.uris import name_of, parent, within, without_slash

_VERSION = re.compile(
    r"(?:(?<=[\s_.-])|^)(?:v|version|release)?[\s_-]?(\d+(?:\.\d+)*)(?![\w]*\d*[a-z])", re.IGNORECASE
)
_DOTTED = re.compile(r"v?(\d+(?:\.\d+)+)", re.IGNORECASE)
_MOST = 8


@dataclass(frozen=True, slots=True)
class Family:
    """Documents by their versions, as these are written; the oldest first."""

    name: str
    documents: tuple[tuple[str, str], ...]

    def of(self, version: str) -> tuple[str, str] | None:
        """The (version, URI) that a version means: 18 means 18.20.8 where no other begins so."""
        asked = numbers(version)
        exact = [one for one in self.documents if numbers(one[0]) == asked]
        near = exact or [one for one in self.documents if meets(asked, numbers(one[0]))]
        return near[0] if len(near) == 1 else None


@dataclass(frozen=True, slots=True)
class Meant:
    """What a name means below a scope: families, or else single documents."""

    families: tuple[Family, ...] = ()
    documents: tuple[str, ...] = ()


def meant_by(name: str, entries: Iterable[ScopeEntry], scope: str) -> Meant:
    """What a name means. A document or family is called so when each telling word of the name is in its own; of several
    documents only those are meant whose names have no further word, if there are any."""
    asked = [word.text.lower() for word in words(name) if word.whole not in STOP]
    if not asked:
        return Meant()
    wanted = forms(name)
    grouped: dict[tuple[str, str], list[tuple[str, str]]] = {}
    single: list[tuple[str, str]] = []
    for entry in entries:
        if entry.is_folder or not within(entry.uri, scope):
            continue
        uri = without_slash(entry.uri)
        own = name_of(uri)
        cut = _cut(own)
        if cut is not None and _called(cut[0], asked):
            grouped.setdefault((parent(uri), cut[0]), []).append((cut[1], uri))
        if _called(own, asked):
            single.append((own, uri))
    families = [
        _family(stem, listed) for (_, stem), listed in grouped.items() if len({v for v, _ in listed}) > 1
    ]
    exact = [uri for own, uri in single if forms(own.replace("_", " ")) <= wanted | STOP]
    alone = exact or [uri for _, uri in single]
    return Meant(tuple(families[:_MOST]), tuple(alone) if len(alone) == 1 else ())


def numbers(version: str) -> Version:
    """A version as numbers, to be compared."""
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def _cut(name: str) -> tuple[str, str] | None:
    """A name without its version, and the version; None for a name without one."""
    found = _DOTTED.search(name) or next(iter(reversed(list(_VERSION.finditer(name)))), None)
    if found is None:
        return None
    return (name[: found.start()] + " " + name[found.end() :]).replace("_", " ").strip(" -"), found[1]


def _called(name: str, asked: list[str]) -> bool:
    """Whether the words, some of them joined to neighbours, all stand in a name: "Node.js Assert" in assert_nodejs."""
    own = forms(name.replace("_", " "))

    def stands(rest: list[str]) -> bool:
        return not rest or any(
            stem("".join(rest[:size])) in own and stands(rest[size:])
            for size in range(1, min(3, len(rest)) + 1)
        )

    return stands(asked)


def _family(stem: str, listed: list[tuple[str, str]]) -> Family:
    return Family(" ".join(stem.split()), tuple(sorted(listed, key=lambda one: (numbers(one[0]), one[1]))))
