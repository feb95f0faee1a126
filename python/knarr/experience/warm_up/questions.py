"""Historical questions made from documents alone, so that experience can begin before anyone has asked.

Offline each comes from one sentence or heading, by rule. Which ones is a matter of text size and a seed: the same
documents give the same questions, and more questions are the fewer ones and others.
"""

from __future__ import annotations

import hashlib
import heapq
import itertools
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from knarr.errors import InvalidArgument
from knarr.experience.warm_up.forms import Form, QuestionWriter
from knarr.experience.warm_up.headings import heading_forms
from knarr.experience.warm_up.material import DocumentMaterial, Material
from knarr.experience.warm_up.naming import visible_line
from knarr.experience.warm_up.rows import row_forms

MOST_CHARS = 240
_LEAST_WORDS = 3
_MOST_RUN = 7
_WORD = re.compile(r"\w+")
# Table marks, template fields, and what converters leave in place of a formula or a reference.
_PLACEHOLDER = re.compile(r"[|{}<>\[\]@\\^]|[A-Z]{5,}\d|_{3,}")


@dataclass(frozen=True, slots=True)
class HistoricalQuestion:
    """`text`, on one line, made from the chunk `uri`; `kind` names the form it has."""

    text: str
    uri: str
    kind: str


def by_rule(sources: Iterable[DocumentMaterial], count: int, seed: int = 0) -> list[HistoricalQuestion]:
    """At most `count` questions, fewer where the documents give no more. Raises InvalidArgument for count < 1."""
    if count < 1:
        raise InvalidArgument(f"expected at least 1 question to make, got {count}")
    found: dict[str, HistoricalQuestion] = {}
    for source, material, turn in walk(sources, seed):
        made = rule_question(source, material, turn, seed)
        if made is not None:
            found.setdefault(made.text.lower(), made)
            if len(found) == count:
                break
    return list(found.values())


_TURNS = 4
_HEADINGS = 0.25  # the share of chunks that are asked about by heading first, where both can be


def walk(sources: Iterable[DocumentMaterial], seed: int) -> Iterator[tuple[DocumentMaterial, Material, int]]:
    """Chunks in the order in which they are asked about, each `_TURNS` times: documents take turns as often as
    the size of their text says, and within a document so do chunks. Two questions of one chunk are far apart."""

    def of(source: DocumentMaterial) -> Iterator[tuple[float, str, tuple[DocumentMaterial, Material, int]]]:
        size = sum(_weight(chunk) for chunk in source.chunks)
        order = sorted(source.chunks, key=lambda chunk: -math.log(_chance(seed, chunk.uri)) / _weight(chunk))
        places = itertools.product(range(_TURNS), order)
        for at, (turn, chunk) in enumerate(places):
            yield (at + _chance(seed, source.document)) / size, chunk.uri, (source, chunk, turn)

    for _, _, item in heapq.merge(*(of(source) for source in sources), key=lambda entry: entry[:2]):
        yield item


def _weight(chunk: Material) -> float:
    """Long chunks say more, but not in proportion to their length."""
    return math.sqrt(min(chunk.words, 400))


def _chance(seed: int, name: str) -> float:
    """A number in (0, 1) that is always the same for the same name."""
    digest = hashlib.blake2b(f"{seed}:{name}".encode(), digest_size=8).digest()
    return (int.from_bytes(digest, "big") + 0.5) / 2**64


def rule_question(
    source: DocumentMaterial, material: Material, turn: int, seed: int
) -> HistoricalQuestion | None:
    """The question of a chunk at its turn: sentences first, mostly; each turn of another sentence."""
    made = candidates(source, material)
    if not made:
        return None
    chance = _chance(seed, f"{material.uri}#")
    heads = [one for one in made if one[0] == ""]
    bodies = [one for one in made if one[0] != ""]
    bodies.sort(key=lambda one: _chance(seed, material.uri + one[0]))
    heads.sort(key=lambda one: _chance(seed, material.uri + one[1].text))
    first, rest = (heads, bodies) if chance < _HEADINGS or not bodies else (bodies, heads)
    ordered = first[:1] + rest[:1] + bodies + heads
    distinct = list({one[0] or one[1].text: one for one in reversed(ordered)}.values())[::-1]
    if turn >= len(distinct):
        return None
    _, form = distinct[turn]
    text = placed(form, material.called, _chance(seed, material.uri + form.text))
    return HistoricalQuestion(text, material.uri, form.kind)


def candidates(source: DocumentMaterial, material: Material) -> list[tuple[str, Form]]:
    """Every (sentence, form) of a chunk; the sentence is "" for what its heading gives."""
    writer = QuestionWriter(
        source.known_small, "the authors" if material.called.startswith("the paper") else "they"
    )
    found = [("", form) for form in heading_forms(material.titles, material.called, material.text, writer)]
    found = [(sentence, form) for sentence, form in found if asks(form.text, "")]
    found += row_forms(material.text, writer)
    for sentence in itertools.islice(material.sentences(), 200):
        flat = visible_line(sentence)
        if 20 <= len(flat) <= 700:
            found += [(flat, form) for form in writer.forms(flat) if asks(form.text, flat)]
    return [(sentence, form) for sentence, form in found if len(form.text) <= MOST_CHARS]


def asks(question: str, sentence: str) -> bool:
    """Whether a question is one, and does not repeat its sentence word for word."""
    asked, stated = (_WORD.findall(text.lower()) for text in (question, sentence))
    if len(asked) < _LEAST_WORDS or _PLACEHOLDER.search(question):
        return False
    known = {tuple(stated[at : at + _MOST_RUN + 1]) for at in range(len(stated) - _MOST_RUN)}
    return not any(tuple(asked[at : at + _MOST_RUN + 1]) in known for at in range(len(asked) - _MOST_RUN))


def placed(form: Form, called: str, chance: float) -> str:
    """A question with its document, in the ways that people name one; without, now and then, where it says
    enough alone."""
    if called.lower() in form.text.lower():
        return visible_line(form.text)
    if form.alone and chance < 0.5:
        return visible_line(form.text)
    begin = form.text[0].lower() + form.text[1:]
    if chance > 0.85:
        return visible_line(f"According to {called}, {begin}")
    return visible_line(f"Based on {called}: {form.text}")
