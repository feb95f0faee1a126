"""Mutants of seeds: flips, cuts, copied and exchanged slices, tokens of the format again and again, parts of other seeds."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from fuzzing.seeds import Seed, seeds_of, tokens_of
from fuzzing.trees import mutated_json, mutated_xml

MOST_BYTES = 40_000
_WORDS = re.compile(rb"</?[\w:.-]+|\\[a-zA-Z]+|[^\w\s]{1,4}|\w{1,24}|\n\s*|\s+")
_NUMBER = re.compile(rb"\d+(?:\.\d+)?")
_NUMBERS = (
    b"0",
    b"-1",
    b"1",
    b"7",
    b"255",
    b"65536",
    b"4294967295",
    b"-2147483649",
    b"99999999999999999999",
    b"1e999",
    b"nan",
)
# What text may hold and nobody expects: NUL, controls, marks of order and direction, loose accents, half characters.
_ODD = (
    "\0", "\ufeff", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x1e", "\x85", "\u2028", "\u2029", "\xa0", "\xad", "\u200b", "\u202e",
    "\u0301", "e\u0301", "ﬁ", "好", "ไทย", "שלום", "\U0001f600", "\uf0b7", "\t", "    ", "\n\n", "\u3000", "٣", "²", "Ⅳ", "İ", "ß",
)  # fmt: skip
_ODD_BYTES = (
    *(text.encode() for text in _ODD),
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xfe\xff",
)

Change = Callable[[bytes, random.Random, Sequence[bytes], Sequence[bytes]], bytes]


def mutant(format: str, number: int, more: Sequence[Seed] = ()) -> tuple[str, bytes, int]:
    """The name of the file, its bytes and how many they are before they are packed. `more` are seeds besides ours."""
    chance = random.Random(f"{format}:{number}")
    seeds = [*seeds_of(format), *more]
    seed = chance.choice(seeds)
    parts = dict(seed.parts)
    tokens = [*tokens_of(format), *_tokens(seed)]
    others = [part for other in seeds for part in other.parts.values() if len(part) < MOST_BYTES]
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        name = chance.choice([key for key in parts if key not in seed.fixed])
        parts[name] = _mutated(parts[name], chance, tokens, others)
    if len(parts) > 2 and chance.random() < 0.03:
        del parts[chance.choice([key for key in parts if key not in seed.fixed])]
    data = seed.pack(parts)
    if len(parts) > 1 and chance.random() < 0.05:
        data = _bytes_changed(data, chance, tokens, others)
    return seed.name, data, max(len(data), sum(map(len, parts.values())))


def _mutated(data: bytes, chance: random.Random, tokens: Sequence[bytes], others: Sequence[bytes]) -> bytes:
    if chance.random() < 0.6:
        start = data.lstrip()[:1]
        changed = mutated_xml(data, chance) if start == b"<" else None
        changed = mutated_json(data, chance) if start in (b"{", b"[") else changed
        if changed is not None:
            return changed
    return _bytes_changed(data, chance, tokens, others)


def _bytes_changed(
    data: bytes, chance: random.Random, tokens: Sequence[bytes], others: Sequence[bytes]
) -> bytes:
    most = max(MOST_BYTES, len(data))
    for _ in range(chance.choice((1, 1, 2, 3, 5, 10))):
        data = chance.choice(_CHANGES)(data, chance, tokens, others)[:most]
    return data


@lru_cache(maxsize=256)
def _tokens(seed: Seed) -> tuple[bytes, ...]:
    found = {word for part in seed.parts.values() for word in _WORDS.findall(part[:MOST_BYTES])}
    return tuple(sorted(found))[:3_000]


def _slice(data: bytes, chance: random.Random) -> tuple[int, int]:
    begin = chance.randrange(len(data) + 1)
    return begin, min(len(data), begin + int(max(1, len(data)) ** chance.random()))


def _flip(data: bytes, chance: random.Random, _: Sequence[bytes], __: Sequence[bytes]) -> bytes:
    changed = bytearray(data)
    for _times in range(chance.choice((1, 1, 4, 16)) if data else 0):
        at = chance.randrange(len(data))
        changed[at] = (
            changed[at] ^ (1 << chance.randrange(8)) if chance.random() < 0.5 else chance.randrange(256)
        )
    return bytes(changed)


def _cut(data: bytes, chance: random.Random, _: Sequence[bytes], __: Sequence[bytes]) -> bytes:
    begin, end = _slice(data, chance)
    return data[:begin] + data[end:]


def _cut_off(data: bytes, chance: random.Random, _: Sequence[bytes], __: Sequence[bytes]) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _copy(data: bytes, chance: random.Random, _: Sequence[bytes], __: Sequence[bytes]) -> bytes:
    begin, end = _slice(data, chance)
    times = 1 if chance.random() < 0.5 else int((MOST_BYTES / max(1, end - begin)) ** chance.random())
    return data[:end] + data[begin:end] * max(1, times) + data[end:]


def _exchange(data: bytes, chance: random.Random, _: Sequence[bytes], __: Sequence[bytes]) -> bytes:
    first, second = sorted((_slice(data, chance), _slice(data, chance)))
    if first[1] > second[0]:
        return data
    return b"".join(
        (
            data[: first[0]],
            data[slice(*second)],
            data[first[1] : second[0]],
            data[slice(*first)],
            data[second[1] :],
        )
    )


def _insert(data: bytes, chance: random.Random, tokens: Sequence[bytes], _: Sequence[bytes]) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + b"".join(chance.choices(tokens, k=chance.choice((1, 1, 2, 4)))) + data[at:]


def _repeat(data: bytes, chance: random.Random, tokens: Sequence[bytes], _: Sequence[bytes]) -> bytes:
    """One or two tokens again and again, with or without a line end between."""
    unit = b"".join(chance.choices(tokens, k=chance.choice((1, 1, 1, 2, 3)))) + chance.choice(
        (b"", b"", b"\n", b" ")
    )
    at = chance.choice((0, len(data), chance.randrange(len(data) + 1)))
    return data[:at] + unit * int((MOST_BYTES / max(1, len(unit))) ** chance.random()) + data[at:]


def _exchange_token(data: bytes, chance: random.Random, tokens: Sequence[bytes], _: Sequence[bytes]) -> bytes:
    """A token becomes another one, once or wherever it stands."""
    token = chance.choice(tokens)
    other = chance.choice((b"", b"\n", chance.choice(tokens), chance.choice(tokens)))
    return data.replace(token, other, -1 if chance.random() < 0.5 else 1)


def _splice(data: bytes, chance: random.Random, _: Sequence[bytes], others: Sequence[bytes]) -> bytes:
    other = chance.choice(others)
    begin, end = _slice(other, chance)
    at = chance.randrange(len(data) + 1)
    return data[:at] + other[begin:end] + data[at if chance.random() < 0.5 else len(data) :]


def _number(data: bytes, chance: random.Random, _: Sequence[bytes], __: Sequence[bytes]) -> bytes:
    found = list(_NUMBER.finditer(data[:MOST_BYTES]))
    if not found:
        return data
    one = chance.choice(found)
    return data[: one.start()] + chance.choice(_NUMBERS) + data[one.end() :]


def _odd(data: bytes, chance: random.Random, _: Sequence[bytes], __: Sequence[bytes]) -> bytes:
    odd = chance.choice(_ODD_BYTES)
    if chance.random() < 0.2:
        return data.replace(chance.choice((b" ", b"\n", b"a")), odd)
    at = chance.choice((0, len(data), chance.randrange(len(data) + 1)))
    return data[:at] + odd + data[at:]


_CHANGES: tuple[Change, ...] = (
    _flip, _cut, _cut_off, _copy, _copy, _exchange, _insert, _insert, _repeat, _repeat, _exchange_token, _splice, _number, _odd,
)  # fmt: skip
