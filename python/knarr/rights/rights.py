"""`kb.rights`: who may see which documents and folders."""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from dataclasses import dataclass

from knarr.arguments import checked, has_utf8, shown
from knarr.catalog import Catalog, documents, rights
from knarr.catalog.rights import RuleKind, RuleRecord, Whom
from knarr.errors import InvalidArgument
from knarr.rights.keeper import Keeper
from knarr.types import Principal
from knarr.uris import SCHEME, canonical, place

_MOST_NAME_BYTES = 1_024


@dataclass(frozen=True, slots=True)
class RightsRule:
    """A rule on all that is at and below `uri`. kind: "grant", "deny" or "label"; a grant or a deny is for a
    `subject`, a `group` or everyone, a label is one that its readers must have."""

    uri: str
    kind: RuleKind
    whom: Whom
    name: str

    def __str__(self) -> str:
        if self.kind == "label":
            return f"label {self.name} on {self.uri}"
        named = "everyone" if self.whom == "everyone" else f"{self.whom} {self.name}"
        return f"{self.kind} to {named} on {self.uri}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """Whether a principal may see the document or folder at `uri`, and which rules decided: of one that is seen its
    grants, of one that is not the denies and labels that hide it, and none where nothing grants it."""

    uri: str
    seen: bool
    reason: str
    rules: tuple[RightsRule, ...]


class Rights:
    """Each change is one transaction: it stands when the call returns, and the next call of every process obeys it.
    Nobody but the owner sees anything before the first grant. Safe to use from several threads."""

    def __init__(self, catalog: Catalog, keeper: Keeper) -> None:
        self._catalog = catalog
        self._keeper = keeper

    @checked
    def grant(
        self, uri: str, *, subject: str | None = None, group: str | None = None, everyone: bool = False
    ) -> bool:
        """Let a subject, a group or everyone see what is at and below a URI, now and later, unless a deny or a label
        hides it. False when they were let already.

        The URI may be unknown yet, and the rule follows it when it is moved. Raises InvalidArgument for a place
        inside a document, whose sections have its rights, and unless exactly one is named."""
        return self._add(uri, [_for(uri, "grant", subject, group, everyone)]) == 1

    @checked
    def deny(
        self, uri: str, *, subject: str | None = None, group: str | None = None, everyone: bool = False
    ) -> bool:
        """Hide what is at and below a URI from a subject, a group or everyone, whatever grants them more. Otherwise
        as `grant`."""
        return self._add(uri, [_for(uri, "deny", subject, group, everyone)]) == 1

    @checked
    def label(self, uri: str, *labels: str) -> int:
        """Show what is at and below a URI only to those who have all these labels, beside being granted it; returns
        how many of the labels are new there."""
        return self._add(uri, _labels(uri, labels))

    @checked
    def revoke(
        self, uri: str, *, subject: str | None = None, group: str | None = None, everyone: bool = False
    ) -> int:
        """Take back the grants and denies at exactly this URI for a subject, a group or everyone; for all of them when
        nobody is named. Returns how many went."""
        uri = canonical(uri)
        with self._catalog.writing() as connection:
            here = [rule for rule in rights.at(connection, [uri]) if rule.kind != "label"]
            if subject is not None or group is not None or everyone:
                whom = _for(uri, "grant", subject, group, everyone)[2:]
                here = [rule for rule in here if rule[2:] == whom]
            removed = rights.remove(connection, here)
        self._keeper.follow()
        return removed

    @checked
    def unlabel(self, uri: str, *labels: str) -> int:
        """Take labels off exactly this URI, all when none is named; returns how many went."""
        uri = canonical(uri)
        with self._catalog.writing() as connection:
            here = [rule for rule in rights.at(connection, [uri]) if rule.kind == "label"]
            removed = rights.remove(
                connection, [rule for rule in here if not labels or rule.name in set(labels)]
            )
        self._keeper.follow()
        return removed

    @checked
    def list(self, scope: str = SCHEME) -> builtins.list[RightsRule]:
        """The rules at and below a URI, in order of URIs. Those of folders above it hold too: see `explain`."""
        with self._catalog.reading() as connection:
            return [RightsRule(*rule) for rule in rights.below(connection, canonical(scope))]

    def explain(self, uri: str, principal: Principal | None) -> Explanation:
        """Whether a principal may see what is at a URI, or would once something is there, and which rules decide. Of
        a folder it is said whether its path grants it: single documents below may have rules of their own."""
        uri = canonical(uri)
        if principal is None:
            return Explanation(uri, True, "the owner sees all", ())
        principal = checked_principal(principal)
        with self._keeper.held() as rules:
            with self._catalog.reading() as connection:
                owner = documents.owning(connection, uri)
            uri = uri if owner is None else owner.uri
            key = rules.key(principal)
            found = rules.on_path(key, uri) if owner is None else rules.of_document(key, uri)
        decisive = tuple(RightsRule(*rule) for rule in found.hides or found.grants)
        if found.hides:
            reason = f"hidden by {decisive[0]}" + _lacking(decisive[0])
        elif found.grants:
            reason = f"seen by {decisive[0]}"
        else:
            reason = f"hidden: nothing grants {uri} or a folder above it to this principal"
        return Explanation(uri, found.seen, reason, decisive)

    def _add(self, uri: str, new: builtins.list[RuleRecord]) -> int:
        with self._catalog.writing() as connection:
            owner = documents.owning(connection, new[0].uri)
            if owner is not None and owner.uri != new[0].uri:
                raise InvalidArgument(
                    f"{uri}: lies in the document {owner.uri}, and a section has the rights of its document; name "
                    "the document or a folder"
                )
            added = rights.add(connection, new)
        self._keeper.follow()
        return added


def _lacking(rule: RightsRule) -> str:
    return ", which the principal does not have" if rule.kind == "label" else ""


def _for(uri: str, kind: RuleKind, subject: str | None, group: str | None, everyone: bool) -> RuleRecord:
    """The rule for the one who is named."""
    if (subject is not None) + (group is not None) + bool(everyone) != 1:
        raise InvalidArgument(
            f"whom a {kind} is for: expected exactly one of subject=, group= and everyone=True, got "
            f"subject={shown(subject)}, group={shown(group)}, everyone={shown(everyone)}"
        )
    if everyone:
        return RuleRecord(place(uri), kind, "everyone", "")
    if subject is not None:
        return RuleRecord(place(uri), kind, "subject", _name("subject", subject))
    return RuleRecord(place(uri), kind, "group", _name("group", group))


def _labels(uri: str, labels: Iterable[str]) -> builtins.list[RuleRecord]:
    found = [RuleRecord(place(uri), "label", "label", _name("label", name)) for name in dict.fromkeys(labels)]
    if not found:
        raise InvalidArgument(f"{uri}: no label was named")
    return found


def _name(what: str, value: object) -> str:
    """A subject, group or label as a name: text that is not empty, and that a catalog can hold."""
    if not isinstance(value, str) or not value.strip() or not has_utf8(value) or "\0" in value:
        raise InvalidArgument(f"{what}: expected a name, not empty and without NUL, got {shown(value)}")
    if len(value.encode()) > _MOST_NAME_BYTES:
        raise InvalidArgument(f"{what}: expected at most {_MOST_NAME_BYTES} bytes, got {shown(value)}")
    return value


def checked_principal(principal: object) -> Principal:
    """A principal whose fields are what they say. Raises InvalidArgument: a text where names are expected would be
    taken for its letters, and an empty name for nobody's."""
    if not isinstance(principal, Principal):
        raise InvalidArgument(
            f"principal: expected a knarr.Principal, or None for the owner, got {shown(principal)}"
        )
    for what in ("tenant", "subject"):
        value = getattr(principal, what)
        if value != "":
            _name(what, value)
    for what in ("groups", "labels"):
        value = getattr(principal, what)
        if isinstance(value, str) or not isinstance(value, (tuple, builtins.list, set, frozenset)):
            raise InvalidArgument(f"{what}: expected a tuple of names, got {shown(value)}")
        for name in value:
            _name(what.removesuffix("s"), name)
    return Principal(
        principal.tenant,
        principal.subject,
        tuple(sorted(set(principal.groups))),
        tuple(sorted(set(principal.labels))),
    )
