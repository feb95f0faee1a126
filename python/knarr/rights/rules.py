"""All rules of a base in memory, and what they say of a document.

A document is seen when some grant on its path names the principal, no deny does, and the principal has all labels
that are set there. The path is the document's URI and the folders above. Rules may come before documents; where a
document has since taken a place above a rule, a deny or a label there hides the whole document, since text
has the rights of its document, and a grant says nothing.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import sqlalchemy as sa

from knarr.catalog import documents, rights
from knarr.catalog.records import Change
from knarr.catalog.rights import RuleRecord
from knarr.types import Principal
from knarr.uris import SCHEME, above, lies_in, span_below


class ClassKey(NamedTuple):
    """What rules see of a principal: its subject where a rule names it, and those groups and labels that rules
    name. Principals of one key see the same."""

    subject: str
    groups: frozenset[str]
    labels: frozenset[str]


class Verdicts(NamedTuple):
    """The rules that speak of a document to a class, by their effect."""

    grants: tuple[RuleRecord, ...]
    hides: tuple[RuleRecord, ...]

    @property
    def seen(self) -> bool:
        return bool(self.grants) and not self.hides


class RuleSet:
    """Follows the log; not safe for several threads at once. A look costs the depth of a URI, a change the rules
    that it touches."""

    def __init__(self) -> None:
        self._at: dict[str, tuple[RuleRecord, ...]] = {}
        self._uris: list[str] = []  # those that have rules, sorted
        self._documents: dict[str, str] = {}  # the document that a rule lies in, where there is one
        self._naming: dict[tuple[str, str], set[str]] = {}  # where rules are by whom they name

    def load(self, connection: sa.Connection) -> None:
        """Take up all rules."""
        self._take(connection, SCHEME)

    def follow(self, connection: sa.Connection, change: Change) -> list[str]:
        """Take up a change, in the catalog's newest state; returns the URIs at and below which documents may be
        seen by others than before."""
        touched = [change.uri] if change.target is None else [change.uri, change.target]
        if change.kind == "rights":
            self._set(change.uri, rights.at(connection, [change.uri]))
            self._anchor(connection, [change.uri])
            owner = documents.owning(connection, change.uri)
            return touched if owner is None else [owner.uri]
        if change.kind == "move":
            for uri in touched:
                self._take(connection, uri)
        elif change.kind in ("put", "remove"):
            self._anchor(connection, list(self._strictly_below(change.uri)))
        else:
            return []
        return touched

    def _take(self, connection: sa.Connection, uri: str) -> None:
        """Read the rules at and below a URI anew."""
        for known in [uri, *self._strictly_below(uri)]:
            self._set(known, ())
        found: dict[str, list[RuleRecord]] = {}
        for rule in rights.below(connection, uri):
            found.setdefault(rule.uri, []).append(rule)
        for place, rules in found.items():
            self._set(place, rules)
        self._anchor(connection, list(found))

    def _set(self, uri: str, rules: Iterable[RuleRecord]) -> None:
        old, new = self._at.pop(uri, ()), tuple(rules)
        for name in {(rule.whom, rule.name) for rule in old}:
            self._naming[name].discard(uri)
            if not self._naming[name]:
                del self._naming[name]
        for rule in new:
            self._naming.setdefault((rule.whom, rule.name), set()).add(uri)
        at = bisect.bisect_left(self._uris, uri)
        if new:
            self._at[uri] = new
            if not old:
                self._uris.insert(at, uri)
        elif old:
            del self._uris[at]
            self._documents.pop(uri, None)

    def _anchor(self, connection: sa.Connection, uris: Iterable[str]) -> None:
        for uri in uris:
            owner = documents.owning(connection, uri) if uri in self._at else None
            if owner is None or owner.uri == uri:
                self._documents.pop(uri, None)
            else:
                self._documents[uri] = owner.uri

    def _strictly_below(self, uri: str) -> list[str]:
        low, high = span_below(uri)
        begin = bisect.bisect_left(self._uris, low)
        end = bisect.bisect_left(self._uris, high, begin)
        return [found for found in self._uris[begin:end] if found != uri]

    # ------------------------------------------------------------------ what they say

    def key(self, principal: Principal) -> ClassKey:
        """The class of a principal."""
        named = self._naming
        return ClassKey(
            principal.subject if ("subject", principal.subject) in named else "",
            frozenset(name for name in principal.groups if ("group", name) in named),
            frozenset(name for name in principal.labels if ("label", name) in named),
        )

    def speaking(self, key: ClassKey, uri: str) -> Iterator[RuleRecord]:
        """The rules at exactly a URI that grant something to a class, or hide something from it."""
        return (rule for rule in self._at.get(uri, ()) if _concerns(rule, key))

    def below(self, key: ClassKey, uri: str) -> Iterator[tuple[RuleRecord, str]]:
        """The same strictly below a URI, each with the place that it speaks of: that of its document where it
        lies in one. A grant in a document says nothing."""
        for place in self._below_for(key, uri):
            for rule in self.speaking(key, place):
                document = self._documents.get(place)
                if document is None:
                    yield rule, place
                elif rule.kind != "grant":
                    yield rule, document

    def _below_for(self, key: ClassKey, uri: str) -> list[str]:
        """The places strictly below a URI whose rules may concern a class: of all rules there, or of all that concern
        it, whichever are fewer."""
        below = self._strictly_below(uri)
        names = [("everyone", ""), ("subject", key.subject), *(("group", name) for name in key.groups)]
        names += [name for name in self._naming if name[0] == "label" and name[1] not in key.labels]
        concerned = [self._naming[name] for name in names if name in self._naming]
        if sum(map(len, concerned)) >= len(below):
            return below
        return sorted(place for place in set().union(*concerned) if place != uri and lies_in(place, uri))

    def on_path(self, key: ClassKey, uri: str) -> Verdicts:
        """The rules at and above a URI, nearest first."""
        return _sorted_out(rule for place in (uri, *above(uri)) for rule in self.speaking(key, place))

    def of_document(self, key: ClassKey, uri: str) -> Verdicts:
        """The rules that decide on the document at a URI."""
        path = self.on_path(key, uri)
        inside = tuple(rule for rule, _ in self.below(key, uri) if rule.kind != "grant")
        return path._replace(hides=path.hides + inside)


def _sorted_out(found: Iterable[RuleRecord]) -> Verdicts:
    rules = list(found)
    return Verdicts(
        tuple(rule for rule in rules if rule.kind == "grant"),
        tuple(rule for rule in rules if rule.kind != "grant"),
    )


def _concerns(rule: RuleRecord, key: ClassKey) -> bool:
    if rule.kind == "label":
        return rule.name not in key.labels
    if rule.whom == "subject":
        return rule.name == key.subject and rule.name != ""
    return rule.whom == "everyone" or rule.name in key.groups
