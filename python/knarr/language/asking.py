"""Whether a text asks anything that could be looked up."""

from __future__ import annotations

import re

from knarr.language.words import STOP

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_FILLERS = frozenset(
    """about ah again also alright any anything bye eh er good great hello hey hi hm hmm huh just let like me more
    no nope oh ok okay one please really right so some something sorry sure tell thank thanks there thing things
    too uh um very well yeah yep yes again ja nein oui non si danke merci bitte hallo""".split()  # noqa: SIM905 - a line, not a column
)


def asks_nothing(question: str) -> bool:
    """True for "?", "ok", "…" and "so what is it then": no word of it says what to look for.

    A word with a capital inside the sentence is a name ("Who is Will?", "What is IT?"), and every word of a
    script that knows no capitals counts, so nothing that might mean something is refused."""
    found = _WORD.findall(question)
    return all(_is_idle(word, first=at == 0) for at, word in enumerate(found))


def _is_idle(word: str, *, first: bool) -> bool:
    named = word[:1].isupper() and (not first or (len(word) > 1 and word.isupper())) and word != "I"
    lower = word.casefold().replace("’", "'")
    return lower in _FILLERS or (not named and (lower in STOP or lower.split("'")[0] in STOP))
