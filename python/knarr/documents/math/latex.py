r"""LaTeX for the structure of an equation, with its letters and signs as the source has them.

Only what has no line form of its own becomes a command: fractions, roots, scripts, matrices, accents. A Greek letter
or a sign stays the character that it is, so that a reader who looks for "α" or "≤" finds it; current TeX engines
and browsers read them so. Every group is in braces, so that "(a+b)/c x²" can never become "a+bcx2".

Pieces are strings of LaTeX; joining two is `join`, which parts a command from a letter after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from knarr.language.plain import one_line

# Not "^" and "_": who types them into an equation means what TeX does with them.
_SPECIAL = re.compile(r"[\\{}$&#%~]")
_ESCAPES = {"\\": r"\backslash ", "~": r"\sim "}
_COMMAND_END = re.compile(r"\\[A-Za-z]+$")
_ATOM = re.compile(r"\\?[^\W_]|\\[A-Za-z]+|\d+")
FUNCTIONS = frozenset((
    "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "det", "dim", "exp", "gcd", "hom",
    "inf", "ker", "lg", "lim", "liminf", "limsup", "ln", "log", "max", "min", "Pr", "sec", "sin", "sinh", "sup", "tan",
    "tanh",
))  # fmt: skip
_ACCENTS = {
    "\u0302": "hat", "^": "hat", "ˆ": "hat", "\u0303": "tilde", "~": "tilde", "˜": "tilde", "\u0304": "bar", "¯": "bar",
    "\u0305": "overline", "‾": "overline", "_": "underline", "\u0332": "underline", "\u20d7": "vec", "→": "vec",
    "\u0307": "dot", "˙": "dot", "\u0308": "ddot", "¨": "ddot", "\u030c": "check", "ˇ": "check", "\u0306": "breve",
    "˘": "breve", "⏞": "overbrace", "︷": "overbrace", "⏟": "underbrace", "︸": "underbrace", "\u0301": "acute",
    "\u0300": "grave",
}  # fmt: skip
_FENCES = {"{": r"\{", "}": r"\}", "": "."}
_STRUCTURE = re.compile(r"[\\^_{}]")


def symbols(text: str) -> str:
    """Letters, digits and signs, with TeX's own characters escaped."""
    return _SPECIAL.sub(lambda found: _ESCAPES.get(found[0], f"\\{found[0]}"), one_line(text))


def words(text: str) -> str:
    """Words inside an equation."""
    return rf"\text{{{symbols(' '.join(text.split()))}}}" if text.strip() else ""


def function(name: str) -> str:
    """The name of a function: TeX's own command, where it has one."""
    return f"\\{name}" if name in FUNCTIONS else rf"\operatorname{{{symbols(name)}}}"


def join(pieces: Iterable[str]) -> str:
    """Pieces one after the other."""
    joined: list[str] = []
    for piece in pieces:
        if piece and joined and piece[0].isalnum() and _COMMAND_END.search(joined[-1][-40:]):
            joined.append(" ")
        joined.append(piece)
    return "".join(joined)


def fraction(above: str, below: str) -> str:
    return rf"\frac{{{above}}}{{{below}}}"


def binomial(above: str, below: str) -> str:
    """One above the other, without a line between them."""
    return rf"\genfrac{{}}{{}}{{0pt}}{{}}{{{above}}}{{{below}}}"


def root(inside: str, degree: str = "") -> str:
    return rf"\sqrt[{degree}]{{{inside}}}" if degree else rf"\sqrt{{{inside}}}"


def scripts(base: str, below: str = "", above: str = "") -> str:
    """A base with what stands below and above it; a base of several characters is grouped."""
    shown = base if _ATOM.fullmatch(base) or _is_operator(base) else f"{{{base}}}"
    return shown + (f"_{{{below}}}" if below else "") + (f"^{{{above}}}" if above else "")


def _is_operator(base: str) -> bool:
    return len(base) == 1 and not base.isspace()


def over(base: str, mark: str) -> str:
    """A base below an accent, a bar or a brace; below anything else where TeX has no command for it."""
    name = _ACCENTS.get(mark.strip())
    return rf"\{name}{{{base}}}" if name else rf"\overset{{{symbols(mark)}}}{{{base}}}"


def under(base: str, mark: str) -> str:
    """A base above a line or a brace, or above anything else."""
    name = _ACCENTS.get(mark.strip(), "")
    command = "underline" if name in ("bar", "overline") else name if name.startswith("under") else ""
    return rf"\{command}{{{base}}}" if command else rf"\underset{{{symbols(mark)}}}{{{base}}}"


def fenced(parts: Sequence[str], opening: str = "(", closing: str = ")", separator: str = ",") -> str:
    """Parts between two fences, "" for none on that side."""
    left, right = _FENCES.get(opening, opening), _FENCES.get(closing, closing)
    inside = join(piece for at, part in enumerate(parts) for piece in ((separator, part) if at else (part,)))
    plain = opening in ("(", "[", "|") and closing in (")", "]", "|") and not _STRUCTURE.search(inside)
    return f"{left}{inside}{right}" if plain else rf"\left{left} {inside} \right{right}"


def matrix(rows: Sequence[Sequence[str]]) -> str:
    if len(rows) == 1 and len(rows[0]) == 1:
        return rows[0][0]
    body = r" \\ ".join(" & ".join(row) for row in rows)
    return rf"\begin{{matrix}} {body} \end{{matrix}}"


def inline(latex: str) -> str:
    """An equation in a line of text. One without structure reads as it is, and needs no marks."""
    text = latex.strip()
    return f"${text}$" if _STRUCTURE.search(text) else text


def display(latex: str) -> str:
    """An equation that stands alone."""
    text = latex.strip()
    return f"$${text}$$" if _STRUCTURE.search(text) else text
