"""What a whole table answers: the row with the highest or lowest value of a column, and how many rows it has.

The question must name what the rows are (the header of the first column), and for a highest value one column. A row with
a blank or an unsure cell in that column leaves the answer open, so it is refused. Rows of totals do not take part.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from knarr.agent.policy.reckoning import VALUES, Operand, Refused, same_units, shown
from knarr.checker.asked import Piece, light
from knarr.language.figures import Figure, years_of
from knarr.language.lexical import terms
from knarr.language.tables import TextTable, tables

_HIGHEST = re.compile(r"\b(?:highest|largest|biggest|greatest|maximum|most)\b", re.IGNORECASE)
_LOWEST = re.compile(r"\b(?:lowest|smallest|least|minimum|fewest|cheapest)\b", re.IGNORECASE)
_PRICED = re.compile(r"\bmost expensive\b", re.IGNORECASE)
_SUMMED = re.compile(r"\b(?:total|sum|subtotal|average|mean|all|overall|combined|net)\b", re.IGNORECASE)
_COUNT = re.compile(r"\bhow many ([\w'’-]+)\b[^?]*\b(?:are|is|does|do|in|listed|rows?)\b", re.IGNORECASE)
_MOST_ROWS = 24

Found = tuple[str, tuple[Operand, ...]]


def extreme(question: str, words: frozenset[str], pieces: Sequence[Piece]) -> Found | None:
    """The row with the highest or lowest value, with the rows that it was held against; None where nothing of the kind is
    asked or shown. Raises Refused where the column has blank or unsure cells, or tables disagree."""
    high, low = _HIGHEST.search(question), _LOWEST.search(question)
    if (high is None) == (low is None):
        return None
    found: list[Found] = []
    for piece in pieces:
        for at, table in enumerate(tables(piece.text)):
            column = _column(question, words, table, piece)
            if column is not None:
                found.append(_row_of(table, at, column, piece, highest=high is not None))
    told = {text for text, _ in found}
    if len(told) > 1:
        raise Refused(f"tables disagree: {'; '.join(sorted(told))}")
    return found[0] if found else None


def _column(question: str, words: frozenset[str], table: TextTable, piece: Piece) -> int | None:
    """The one column that is asked about, of a table whose rows are what is asked for."""
    rows = _telling(table.corner)
    asked = frozenset(terms(question))
    if not rows or not rows <= asked:
        return None
    years = set(years_of(question))
    rest = words - rows - frozenset(terms(f"{piece.titles} {table.caption}"))
    fits = []
    for at, name in enumerate(table.columns):
        own = _telling(name)
        dated = (
            not years
            or set(years_of(name)) == years
            or (not years_of(name) and years <= set(years_of(table.caption)))
        )
        if own <= asked and rest <= own and (own & words or (years and years_of(name))) and dated:
            fits.append(at)
    return fits[0] if len(fits) == 1 else None


def _telling(text: str) -> frozenset[str]:
    return frozenset(word for word in terms(text) if not light(word) and not word.isdigit())


def _row_of(table: TextTable, at: int, column: int, piece: Piece, *, highest: bool) -> Found:
    operands: list[Operand] = []
    whole = Piece(piece.uri, piece.text, piece.source)
    by_place = {one.place: one for one in whole.figures() if one.place is not None}
    for number, row in enumerate(table.rows):
        if _SUMMED.search(row.label.text):
            continue
        figure = by_place.get((at, number, column))
        _sure(figure, row.label.text or row.fault, row.fault)
        assert figure is not None
        operands.append(Operand(row.label.text, figure, whole))
    if not 2 <= len(operands) <= _MOST_ROWS:
        raise Refused(f"{len(operands)} rows are shown")
    same_units(operands)
    pick = max if highest else min
    best = pick(one.figure.value for one in operands)
    winners = [one for one in operands if one.figure.value == best]
    names = " and ".join(one.name for one in winners)
    word = "highest" if highest else "lowest"
    text = (
        f"{names}: {shown(winners[0])}, the {word} {table.columns[column]} of the {len(operands)} rows shown"
    )
    return text, (*winners, *(one for one in operands if one not in winners))


def _sure(figure: Figure | None, name: str, fault: str) -> None:
    if fault:
        raise Refused(f"{name}: {fault}")
    if figure is None or figure.kind not in VALUES:
        raise Refused(f"{name} has no value")
    if figure.unsure or figure.high is not None or figure.bound:
        raise Refused(f"{name} is unsure: “{figure.text}”")


def counted(question: str, pieces: Sequence[Piece]) -> Found | None:
    """How many rows a table has, where the question counts what its first column names, and says nothing more of it."""
    match = _COUNT.search(question)
    if match is None:
        return None
    noun = _telling(match[1])
    asked = _telling(question)
    for piece in pieces:
        for at, table in enumerate(tables(piece.text)):
            place = frozenset(terms(f"{piece.titles} {table.caption}"))
            if (
                not noun
                or not noun <= _telling(table.corner)
                or asked - noun - place - {"listed", "table", "row"}
            ):
                continue
            whole = Piece(piece.uri, piece.text, piece.source)
            rows = [
                number
                for number, row in enumerate(table.rows)
                if row.label.text and not _SUMMED.search(row.label.text)
            ]
            if not all(row.label.text for row in table.rows) or not 1 <= len(rows) <= _MOST_ROWS:
                raise Refused("not every row shown has a label")
            first = {
                number: one
                for one in reversed(whole.figures())
                if one.place and one.place[0] == at
                for number in (one.place[1],)
            }
            operands = tuple(
                Operand(table.rows[number].label.text, first[number], whole)
                for number in rows
                if number in first
            )
            if len(operands) != len(rows):
                return None
            names = ", ".join(one.name for one in operands)
            return f"{len(rows)} {match[1]}, by the rows shown: {names}", operands
    return None
