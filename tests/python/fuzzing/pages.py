"""Words of PDF pages by chance, as the worker sends them: our half of reading a PDF without PDFium, which is slow to
fuzz and has fuzzers of its own."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

from knarr.documents import Document, parse
from knarr.documents.pdf import worker

_FILE = b"%PDF-1.7\n%%EOF"
_WORD_BYTES = 30  # what a word takes in a file, about
_MOST_WORDS = 4_000
_TEXTS = (
    "the", "Isle", "22", "1.", "(a)", "1.1", "$", "€", ")", "%", "—", "•", "[x]", "Total", "2,345.10", "FARES", "CHAPTER", "II", "be-\xad", "\xad", "-", "2026",
    "Page", "of", "ﬁne", "好的", "שלום", "عربي", "\uf0b7", "\uf041\uf042\uf043\uf044", "\u0301", "é", "...", "....................", "x" * 300, "\ufffd", "|", "#", "*a*",
    "Adult", "fares", "carried", "cargo.", "Note:", "pts", "²", "http://a.b/c", "\u200b", "٣",
)  # fmt: skip
_PLACES = (float("nan"), float("inf"), -float("inf"), 1e30, -1e30, 0.0, -0.0, 1e-9, 20_000.0, 612.0, -500.0)

Words = list[list[Any]]


def read_pages(number: int) -> tuple[Callable[[], Document], int]:
    """The reading of the pages of this number, and about how many bytes a file with them would have."""
    chance = random.Random(f"pages:{number}")
    head, messages = _file(chance)
    words = sum(len(message.get("words", ())) for message in messages)

    def read() -> Document:
        def answer(data: bytes, page: Callable[[dict[str, Any]], Any]) -> tuple[dict[str, Any], list[Any]]:
            return head, [page(dict(message)) for message in messages]

        with patch.object(worker, "read", answer):
            return parse(_FILE, "a.pdf")

    return read, _WORD_BYTES * words + 200 * len(messages)


def _file(chance: random.Random) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    count = chance.choice((1, 1, 2, 3, 8, 30))
    layouts = [chance.choice(_LAYOUTS) for _ in range(chance.choice((1, 1, 2)))]
    same = chance.randrange(1 << 30)
    messages = []
    left = _MOST_WORDS
    for at in range(count):
        # Pages that are made alike have the same heads and feet.
        own = random.Random(same) if chance.random() < 0.4 else chance
        words = [word for layout in layouts for word in layout(own)][:left]
        left -= len(words)
        messages.append(_message(chance, at, _damaged(words, chance)))
    outline = [
        [
            chance.randrange(1, 9),
            _text(chance) * chance.choice((1, 3)),
            chance.randrange(-1, count + 2),
            chance.choice((None, 700.0, *_PLACES)),
        ]
        for _ in range(chance.choice((0, 0, 0, 1, 5, 300)))
    ]
    head = {
        "pages": count,
        "title": _text(chance),
        "outline": outline,
        "attached": ["a", ""][: chance.randrange(3)],
        "placeholder": chance.random() < 0.03,
    }
    return head, messages


def _message(chance: random.Random, page: int, words: Words) -> dict[str, Any]:
    if chance.random() < 0.03:
        return {"page": page, "lost": True}
    shape = chance.choice(
        (
            [0.0, 0.0, 612.0, 792.0, 0],
            [0.0, 0.0, 612.0, 792.0, 90],
            [9.0, 9.0, 9.0, 9.0, 270],
            [-1e9, 0.0, 1e9, 3.0, 0],
            [],
        )
    )
    message: dict[str, Any] = {"page": page, "blank": chance.random() < 0.1, "shape": shape, "words": words}
    message["unmapped"] = chance.choice((0, 0, 0, len(words)))
    if chance.random() < 0.1:
        message["comments"] = [
            ["Ann", _text(chance), " ".join(_text(chance) for _ in range(5))]
        ] * chance.choice((1, 40))
        message["hidden"], message["unread"] = 2, 1
    return message


def _damaged(words: Words, chance: random.Random) -> Words:
    """Some words at places, in sizes or turned as no page has them, dropped, doubled or out of order."""
    if chance.random() < 0.3 or not words:
        return words
    share = chance.choice((0.002, 0.02, 0.3))
    for word in words:
        if chance.random() < share:
            at = chance.choice((1, 2, 3, 4))
            word[at] = chance.choice((*_PLACES, word[at] + chance.uniform(-50, 50)))
        if chance.random() < share / 4:
            word[7:] = [chance.choice((1.5708, -1.5708, 3.1416, 0.3, *_PLACES))]
    kind = chance.randrange(4)
    if kind == 0:
        chance.shuffle(words)
    elif kind == 1:
        words += [list(word) for word in words[: chance.randrange(len(words) + 1)]]
    return words


def _text(chance: random.Random) -> str:
    return (
        chance.choice(_TEXTS)
        if chance.random() < 0.8
        else "".join(chance.choices("abcdeINQ 012.-".replace(" ", ""), k=chance.randrange(1, 14)))
    )


def _word(text: str, x: float, y: float, size: float = 10.0, bold: int = 0, italic: int = 0) -> list[Any]:
    return [text, round(x, 1), round(x + 0.5 * size * len(text), 1), round(y, 1), size, bold, italic]


def _prose(chance: random.Random) -> Words:
    return list(_column(chance, 72.0, 500.0))


def _columns(chance: random.Random) -> Words:
    count = chance.choice((2, 2, 3, 8))
    return [word for at in range(count) for word in _column(chance, 50.0 + 520.0 * at / count, 490.0 / count)]


def _column(chance: random.Random, left: float, width: float) -> Iterator[list[Any]]:
    size, y = chance.choice((8.0, 10.0, 10.0, 12.0)), 740.0
    for _ in range(chance.choice((1, 5, 20, 60))):
        heading = chance.random() < 0.1
        x = left
        while x < left + width * (0.4 if heading else chance.choice((1.0, 1.0, 0.5))):
            yield (word := _word(_text(chance)[:40], x, y, size + 4 * heading, int(heading)))
            x = word[2] + 0.3 * size
        y -= size * chance.choice((1.2, 1.2, 1.2, 2.0, 0.0))


def _table(chance: random.Random) -> Words:
    columns, rows = chance.choice((2, 3, 5, 12, 200)), chance.choice((2, 5, 20, 40))
    step, gap = chance.choice((12.0, 3.0, 0.4)), 500.0 / columns if columns < 20 else 30.0
    return [
        _word(
            _text(chance)[:12],
            60.0 + gap * column + chance.choice((0.0, 0.0, 7.0)),
            600.0 - step * row,
            9.0,
            int(row == 0),
        )
        for row in range(rows)
        for column in range(columns)
        if chance.random() < 0.9
    ]


def _one_line(chance: random.Random) -> Words:
    step = chance.choice((0.0, 0.01, 5.0, 11.0, 40.0))
    return [_word(_text(chance), 50.0 + step * at, 400.0) for at in range(chance.choice((100, 1_000, 3_000)))]


def _stack(chance: random.Random) -> Words:
    step = chance.choice((0.0, 0.3, 2.0, 12.0))
    text = _text(chance)
    return [
        _word(chance.choice((text, _text(chance))), 72.0 + at % chance.choice((1, 2, 7)), 780.0 - step * at)
        for at in range(chance.choice((50, 1_500)))
    ]


def _scattered(chance: random.Random) -> Words:
    return [
        _word(
            _text(chance),
            chance.uniform(-100, 700),
            chance.uniform(-100, 900),
            chance.choice((0.0, -9.0, 1.0, 10.0, 72.0, 900.0)),
        )
        for _ in range(chance.choice((5, 200, 2_000)))
    ]


_LAYOUTS = (_prose, _prose, _columns, _columns, _table, _table, _one_line, _stack, _scattered)
