"""Rules on who may see what: read and written inside a caller's transaction.

A rule belongs to a URI and not to what stands there: it may come before the document, stays when that goes, and
follows a move. Every change of rules is logged as "rights" at its URI, in the transaction that makes it, so that
every process takes it up before its next call.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, cast

import sqlalchemy as sa

from knarr.catalog import changes
from knarr.catalog.schema import rules
from knarr.uris import moved, span_below

RuleKind = Literal["grant", "deny", "label"]
Whom = Literal["subject", "group", "everyone", "label"]


class RuleRecord(NamedTuple):
    """One rule. A grant or a deny names whom it is for: a subject or a group by `name`, or everyone; a label is
    named by `name` too."""

    uri: str
    kind: RuleKind
    whom: Whom
    name: str


def add(connection: sa.Connection, new: Iterable[RuleRecord]) -> int:
    """Store rules; returns how many were not there. Only those are logged."""
    added = [rule for rule in new if not _has(connection, rule)]
    for rule in added:
        connection.execute(rules.insert().values(**rule._asdict()))
    _log(connection, added)
    return len(added)


def remove(connection: sa.Connection, old: Iterable[RuleRecord]) -> int:
    """Delete rules; returns how many were there. Only those are logged."""
    gone = [rule for rule in old if connection.execute(rules.delete().where(_same(rule))).rowcount]
    _log(connection, gone)
    return len(gone)


def move(connection: sa.Connection, source: str, target: str) -> None:
    """The rules at and below `source` are from now on those of `target`, beside what was ruled there before. The
    move of the documents, logged beside it, tells every engine."""
    for rule in below(connection, source):
        connection.execute(rules.delete().where(_same(rule)))
        there = rule._replace(uri=moved(rule.uri, source, target))
        if not _has(connection, there):
            connection.execute(rules.insert().values(**there._asdict()))


def below(connection: sa.Connection, uri: str) -> list[RuleRecord]:
    """The rules at and below a URI, in order."""
    low, high = span_below(uri)
    inside = sa.or_(rules.c.uri == uri, sa.and_(rules.c.uri >= low, rules.c.uri < high))
    query = sa.select(rules).where(inside)
    return _read(connection, query.order_by(*rules.primary_key.columns))


def at(connection: sa.Connection, uris: Iterable[str]) -> list[RuleRecord]:
    """The rules at exactly these URIs, in order."""
    query = sa.select(rules).where(rules.c.uri.in_(list(uris)))
    return _read(connection, query.order_by(*rules.primary_key.columns))


def _read(connection: sa.Connection, query: sa.Select[Any]) -> list[RuleRecord]:
    return [
        RuleRecord(str(row.uri), cast(RuleKind, row.kind), cast(Whom, row.whom), str(row.name))
        for row in connection.execute(query)
    ]


def _has(connection: sa.Connection, rule: RuleRecord) -> bool:
    return connection.execute(sa.select(rules.c.uri).where(_same(rule))).first() is not None


def _same(rule: RuleRecord) -> sa.ColumnElement[bool]:
    return sa.and_(*(rules.c[name] == value for name, value in rule._asdict().items()))


def _log(connection: sa.Connection, touched: Iterable[RuleRecord]) -> None:
    changes.append_all(connection, "rights", list(dict.fromkeys(rule.uri for rule in touched)))
