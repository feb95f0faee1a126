"""The operands of simple arithmetic, found in tables and sentences, and the form in which values are shown.

An operand is a figure of which everything that the question says is true, and of which nothing else is said: its row's
label, or its sentence, has no telling word that the question lacks. A figure that is unsure, or two different values for
one operand, end the search with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from knarr.agent.values import Quote
from knarr.checker.asked import NAMING, Piece, light, other_way
from knarr.language.citations import too_short
from knarr.language.figures import Figure
from knarr.language.lexical import root, terms
from knarr.language.plain import one_line
from knarr.language.quantities import Kind
from knarr.language.words import stem

VALUES: frozenset[Kind] = frozenset({"money", "number", "percent", "duration"})


@dataclass(frozen=True, slots=True)
class Operand:
    """A figure that arithmetic uses: `name` says which of the operands it is ("2024", "Isle to Cape")."""

    name: str
    figure: Figure
    piece: Piece

    @property
    def quote(self) -> Quote:
        """Its row or sentence as a quote, widened by the lines above while it is too short to be checked."""
        text, (begin, end) = self.piece.text, self.figure.line
        while too_short(text[begin:end]) and begin > 0:
            begin = text.rfind("\n", 0, begin - 1) + 1
        return Quote(self.piece.uri, text[begin:end].strip())


class Refused(Exception):
    """Why a question of arithmetic is not answered: an operand is missing, unsure, or stands for two values. It never
    leaves this folder."""


# Words of growing and of comparing, which a sentence may have about a value without narrowing what it is of.
_TOLD = frozenset(
    root(stem(word))
    for word in """
    grow grew grown growth rise rose risen increase increased decrease decreased fall fell fallen drop dropped decline declined climb
    reach reached stand stood amount amounted come came total totalled totaled compare compared prior previous preceding respectively
    january february march april may june july august september october november december ended ending end euro euros dollar dollars
    usd eur gbp pound pounds million billion thousand report reported sum record recorded figure figures only just alone mere again
    """.split()  # noqa: SIM905 - one word per line would hide the list
)


def _foreign(words: frozenset[str], wanted: frozenset[str]) -> bool:
    """Whether words tell of something that was not asked for."""
    return any(
        (not light(word) or word in NAMING - {"total"})
        and word not in _TOLD
        and not re.fullmatch(r"[\d.,]+", word)
        for word in words - wanted
    )


def candidates(
    words: frozenset[str],
    year: int | None,
    pieces: Sequence[Piece],
    kinds: frozenset[Kind],
    *,
    known: frozenset[str],
) -> Iterator[Operand]:
    """The figures of `words` in a year; `known` are all words of the question, which labels may have besides."""
    for piece in pieces:
        place = frozenset(terms(piece.titles))
        for one in piece.figures():
            if one.kind not in kinds:
                continue
            if year is not None and (tuple(one.years) != (year,) and not (year in one.years and one.unsure)):
                continue
            if year is None and one.years and one.kind != "date":
                continue
            near = one.subject | frozenset(terms(one.caption)) if one.place else one.subject
            if words - near - place or not words & one.subject:
                continue
            told = one.row_words | one.column_words if one.place else one.subject
            if not _foreign(told, words | known):
                yield Operand("", one, piece)


def operand(
    name: str,
    words: frozenset[str],
    year: int | None,
    pieces: Sequence[Piece],
    *,
    known: frozenset[str],
    kinds: frozenset[Kind] = VALUES,
) -> Operand | None:
    """The one figure for an operand, the most exact of equal ones; None where there is none. Raises Refused where it is
    unsure or has two values."""
    found = [
        one
        for one in candidates(words, year, pieces, kinds, known=known)
        if not other_way(name, one.figure.row or one.piece.text[slice(*one.figure.line)])
    ]
    if not found:
        return None
    doubt = next((one for one in found if one.figure.unsure), None)
    if doubt is not None:
        raise Refused(f"{name} is unsure: {doubt.figure.unsure}")
    best = min(found, key=lambda one: one.figure.step)
    for one in found:
        if one.figure.high is not None or one.figure.bound in ("least", "most"):
            raise Refused(f"{name} is a range: “{one.figure.text}”")
        if not _equal(best.figure, one.figure):
            raise Refused(f"two values stand for {name}: “{best.figure.text}” and “{one.figure.text}”")
    return Operand(name, best.figure, best.piece)


def _equal(one: Figure, two: Figure) -> bool:
    slack = Decimal(0) if one.step == two.step else max(one.step, two.step) / 2
    return one.kind == two.kind and abs(one.value - two.value) <= slack


def same_units(operands: Sequence[Operand]) -> None:
    """Raises Refused where operands are of different kinds or units; a cell without a unit has that of its table."""
    first = operands[0].figure
    for one in operands[1:]:
        other = one.figure
        together = first.place is not None and other.place is not None and first.place[0] == other.place[0]
        plain = (
            together and "" in (first.unit, other.unit) and {first.kind, other.kind} <= {"money", "number"}
        )
        if (first.kind, first.unit) != (other.kind, other.unit) and not plain:
            raise Refused(f"the units differ: “{first.text}” and “{other.text}”")


# ------------------------------------------------------------------ values as text

_OUTER = re.compile(
    r"^[(\-–−\s]*(?P<sign>[^\d(.\-–−]*)[(\-–−\s]*(?P<numeral>[\d.,\s\u00a0\u202f]*\d)?\)?(?P<unit>.*?)\)?$",
    re.DOTALL,
)


def shown(one: Operand) -> str:
    """An operand as it stands, with the scale that its table gives it; a negative one with a minus sign."""
    figure = one.figure
    text = one_line(figure.text)
    parts = _OUTER.match(text)
    if figure.value < 0 and parts is not None and parts["numeral"]:
        text = f"−{parts['sign']}{parts['numeral']}{parts['unit']}"
    return f"{text}{_scale_note(figure)}"


def _scale_note(figure: Figure) -> str:
    named = re.search(r"million|billion|thousand|\d\s?(?:mn?|bn?|k)\b", figure.text, re.IGNORECASE)
    names = {Decimal(1000): " thousand", Decimal(10**6): " million", Decimal(10**9): " billion"}
    return "" if named else names.get(figure.scale, "")


def like(value: Decimal, operands: Sequence[Operand], *, places: int | None = None) -> str:
    """A value in the form of the operands: their scale and unit where they agree, else in full. Its decimals are those of
    the most exact operand, unless `places` says more."""
    pattern = next((one for one in operands if one.figure.unit), operands[0]).figure
    scales = {one.figure.scale for one in operands}
    scale = pattern.scale if len(scales) == 1 else Decimal(1)
    steps = min(one.figure.step / scale for one in operands)
    exponent = steps.normalize().as_tuple().exponent
    decimals = max(0, -exponent) if isinstance(exponent, int) else 0
    number = plain(value / scale, max(decimals, places or 0))
    if pattern.kind == "percent":
        return f"{number} percentage points"
    if len(scales) > 1:
        return f"{number} {pattern.unit}".strip()
    parts = _OUTER.match(one_line(pattern.text))
    sign, unit = (parts["sign"], parts["unit"]) if parts is not None and parts["numeral"] else ("", "")
    minus = "−" if number.startswith("−") else ""
    return f"{minus}{sign}{number.removeprefix('−')}{unit}{_scale_note(pattern)}"


def plain(value: Decimal, places: int) -> str:
    """A number with marks of thousands and a true minus sign, at most `places` decimals."""
    rounded = round(value, places)
    text = f"{abs(rounded):,.{places}f}"
    if "." in text and places:
        text = text.rstrip("0").rstrip(".") if value == rounded.to_integral_value() else text
    return f"−{text}" if rounded < 0 else text
