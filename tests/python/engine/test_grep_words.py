"""Grep's words, digits and spaces are those of Unicode (GREP-05), and hostile patterns end (GREP-01)."""

from __future__ import annotations

import random
import re

import pytest

from engine_rows import vectors
from knarr.engine import Engine
from knarr.errors import EngineError, InvalidArgument, Unsupported
from knarr.language.question import Constraint

_MARK = "\u0301"
_WORD = rf"[\w{_MARK}]"  # as Python's `\w`, with the mark of a decomposed letter
_EDGE = rf"(?:(?<={_WORD})(?!{_WORD})|(?<!{_WORD})(?={_WORD}))"

PIECES = [
    *"abzAZ_7- .\n",
    "ü",
    "é",
    "e" + _MARK,
    "ß",
    "ж",
    "Я",
    "٣",
    "日",
    "😀",
    "’",
    "\u00a0",
    "über",
    "ab",
    "ab, é.",
]

PATTERNS = [
    r"\büber\b",
    r"\bab",
    r"b\b",
    r"\b(?:a|ab)\b",
    r"\b(?:ü|üb|über)\b",
    r"\w+",
    r"\W+",
    r"\d+",
    r"\D+",
    r"\s+",
    r"\S+",
    r"\b\w",
    r"\w\b",
    r"\b\w+\b",
    r"\w{2,4}",
    r"\w+?\b",
    r"[\w-]+",
    r"[^\w\s]+",
    r"[\d_]+",
    r"\Bab|ж\B",
    r"(?i)\bÜBER\b",
    r"(?i)я\b",
    r"ü\b.\bé|\bz",
    r"\ba.*?\b7",
    r"\bab\b.*\bé\b",
    r"(?:\b\w+\b ?)+",
]


def in_python(pattern: str) -> re.Pattern[str]:
    outside = pattern.replace(r"\b", _EDGE).replace(r"\B", f"(?!{_EDGE})")
    outside = re.sub(r"\[(\^?)\\w", rf"[\1\\w{_MARK}", outside)
    outside = re.sub(r"(?<!\[)(?<!\[\^)\\w", lambda _: _WORD, outside)
    return re.compile(outside.replace(r"\W", rf"[^\w{_MARK}]"))


def in_grep(engine: Engine, pattern: str, text: str) -> list[tuple[int, int]]:
    engine.remove("viking://d")
    engine.add(["viking://d/c"], vectors(1), [text])
    found = engine.grep(pattern, "viking://d", limit=1000)
    return [(match.begin_byte, match.end_byte) for match in found.matches]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_words_are_those_of_unicode(engine: Engine, pattern: str) -> None:
    """GREP-05: as Python's `re`, in texts of many scripts."""
    model, chance, total = in_python(pattern), random.Random(pattern), 0
    engine.add(["viking://d/c"], vectors(1), ["x"])
    for _ in range(60):
        text = "".join(chance.choices(PIECES, k=chance.randint(1, 24)))
        expected = [
            (len(text[: match.start()].encode()), len(text[: match.end()].encode()))
            for match in model.finditer(text)
        ]
        assert in_grep(engine, pattern, text) == expected, text
        total += len(expected)
    assert total > 0


def test_a_word_beyond_ascii_is_found_whole(engine: Engine) -> None:
    """GREP-05."""
    engine.add(["viking://u"], vectors(1), ["# U\n\nNaïve café über Übung darüber\n"])
    for pattern, count in {
        r"\büber\b": 1,
        r"\bber\b": 0,
        r"\bcafé\b": 1,
        r"\bcaf\b": 0,
        r"(?i)\bÜBUNG": 1,
        r"\b\w+ve\b": 1,
        Constraint("word", "Übung").pattern(): 1,
        Constraint("word", "über").pattern(): 1,
    }.items():
        assert engine.grep(pattern).total == count, pattern


def test_words_are_found_through_the_index(engine: Engine) -> None:
    """GREP-05: enough text for the index to choose pages."""
    rows = 600
    texts = [f"Zeile {i} über {'lorem ipsum ' * 60}\n" for i in range(rows)]
    texts[431] += "Der Überschuss; darüber, die Gebühr.\n"
    engine.add([f"viking://d{i}/c" for i in range(rows)], vectors(rows), texts)
    assert engine.grep(r"\bGebühr\b").total == 1
    assert engine.grep(r"\bGebüh\b").total == 0
    assert engine.grep(r"\büber\b").total == rows
    assert engine.grep(r"\w+über\b").total == 1


HOSTILE = {
    "longer than the limit": "ü" * 20_000,
    "deep": "(" * 5000 + "a" + ")" * 5000,
    "deep, with words": "(" * 300 + r"\b" + ")" * 300,
    "repetitions of repetitions": "((a{1000}){1000}){1000}",
    "a large class, often": r"(?:\pL{100}){10}",
    "many large classes": r"[\w\pL]{1000}",
    "empty repetitions": r"(?:(?:(?:\b)*)*)*é",
    "alternatives in any case": "(?i)" + "|".join(f"wört{i:x}" for i in range(3000)) + r"\b",
    "word edges": r"\b" * 10_000,
    "classes": "".join(rf"[\w{chr(0x4E00 + i)}]" for i in range(2000)),
    "classes that are forms": "(?i)" + "".join(chr(0xA640 + i) for i in range(1500)) + r"\b",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_patterns_are_answered_or_refused(engine: Engine, name: str) -> None:
    """GREP-01: by an error of ours, or within the call's own limit."""
    engine.add(["viking://a"], vectors(1), ["aé " * 20_000])
    try:
        assert engine.grep(HOSTILE[name], timeout_ms=2000).outcome in ("matches", "no_matches", "incomplete")
    except EngineError as error:
        assert isinstance(error, (InvalidArgument, Unsupported))
        assert len(str(error)) < 400


def test_refused_patterns_say_why(engine: Engine) -> None:
    engine.add(["viking://a"], vectors(1), ["é"])
    for pattern, why in {
        "": "bad pattern: it is empty",
        "ü" * 20_000: "40000 bytes, expected at most 32768",
        r"\bü\C": r"cannot stand beside \\C",
        r"(?=a)b": "look-ahead",
        r"a(?<!b)": "look-behind",
        r"(a)\1": "back-reference",
        r"a\Rb": "escape sequence",
        r"a\hb": "escape sequence",
        r"a++": "possessive",
    }.items():
        with pytest.raises((InvalidArgument, Unsupported), match=why):
            engine.grep(pattern)
