"""Extractive abstracts and previews, without a model.

A section's abstract is its title, the titles of its subsections, and the sentences nearest the
section's centroid in a tf-idf space over the document: the centroid of a leaf is over its own
sentences, that of an inner section over its own and the ones its children's abstracts chose. So
abstracts are made bottom-up and never look at more text than a section's own plus its children's
abstracts. A folder's abstract is made the same way from the abstracts of what lies in it.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from knarr.documents.sections import Document, Section
from knarr.language.markup import running_text
from knarr.language.sentences import sentence_spans
from knarr.models.embed.tokens import RegexTokenizer, count_tokens

_WORD = re.compile(r"[^\W_]{2,}")
_MAX_SENTENCES = 400
# Of the text of a section, and of one sentence of it: what lies beyond is for chunks, not for an abstract.
_MAX_CHARS = 200_000
_MAX_SENTENCE_CHARS = 4_000
_KEPT_OF_A_CHILD = 3
_TOKENS = RegexTokenizer()


@dataclass(slots=True)
class _Sentence:
    text: str
    words: Counter[str]
    length: int  # in words of two letters and more: never more than its tokens


def preview(text: str, max_chars: int) -> str:
    """The first words of a text on one line, cut at a word, with `…` when something follows."""
    flat = running_text(text[: max_chars * 8])
    if len(flat) <= max_chars:
        return flat
    cut = flat.rfind(" ", max_chars // 2, max_chars)
    return flat[: cut if cut > 0 else max_chars - 1].rstrip() + "…"


def abstracts(document: Document, max_tokens: int) -> list[str]:
    """One abstract per section, in the order of `document.root.walk()`, of at most `max_tokens` (as
    `RegexTokenizer` counts)."""
    sections = list(document.root.walk())
    own = {id(section): _own_sentences(document, section) for section in sections}
    weights = _weights(own.values())
    kept: dict[int, list[_Sentence]] = {}
    texts: dict[int, str] = {}
    for section in reversed(sections):
        below = [s for child in section.children for s in kept[id(child)][:_KEPT_OF_A_CHILD]]
        head = _head(section.title, "Sections", [child.title for child in section.children], max_tokens // 2)
        chosen = _choose(own[id(section)] + below, weights, max_tokens - count_tokens(_TOKENS, head))
        kept[id(section)] = chosen
        texts[id(section)] = " ".join([head, *(s.text for s in chosen)]).strip()
    return [texts[id(section)] for section in sections]


def folder_abstract(title: str, names: Sequence[str], below: Iterable[str], max_tokens: int) -> str:
    """The abstract of a folder: its name, what lies in it, and sentences of the abstracts below."""
    sentences = [s for text in below for s in _sentences(text)[:_KEPT_OF_A_CHILD]][:_MAX_SENTENCES]
    head = _head(title, "Contains", names, max_tokens // 2)
    chosen = _choose(sentences, _weights([sentences]), max_tokens - count_tokens(_TOKENS, head))
    return " ".join([head, *(s.text for s in chosen)]).strip()


def _own_sentences(document: Document, section: Section) -> list[_Sentence]:
    end = section.children[0].begin_byte if section.children else section.end_byte
    own = document.data[section.body_byte : min(end, section.body_byte + _MAX_CHARS)]
    # The bound may fall inside a character, which is then left out.
    return _sentences(own.decode("utf-8", "ignore"))


def _sentences(text: str) -> list[_Sentence]:
    found = []
    for begin, end in sentence_spans(text[:_MAX_CHARS])[:_MAX_SENTENCES]:
        flat = running_text(text[begin : min(end, begin + _MAX_SENTENCE_CHARS)])
        words = Counter(word.lower() for word in _WORD.findall(flat))
        if words:
            found.append(_Sentence(flat, words, sum(words.values())))
    return found


def _weights(groups: Iterable[list[_Sentence]]) -> dict[str, float]:
    """Inverse sentence frequency of each word."""
    count, frequency = 0, Counter[str]()
    for group in groups:
        for sentence in group:
            count += 1
            frequency.update(sentence.words.keys())
    return {word: math.log(1 + count / n) for word, n in frequency.items()}


def _head(title: str, label: str, names: Sequence[str], max_tokens: int) -> str:
    """`Title. Label: a; b; c.` within the bound, `…` for the names that do not fit."""
    head = f"{title}." if title else ""
    if not names:
        return head
    left = max_tokens - count_tokens(_TOKENS, head) - 3
    shown: list[str] = []
    for name in names:
        left -= count_tokens(_TOKENS, name) + 1
        if left < 0:
            shown.append("…")
            break
        shown.append(name)
    return f"{head} {label}: {'; '.join(shown)}.".strip()


def _choose(candidates: list[_Sentence], weights: dict[str, float], max_tokens: int) -> list[_Sentence]:
    """The best sentences that fit, in the order of the text; a cut one rather than none."""
    candidates = candidates[:_MAX_SENTENCES]
    chosen: list[int] = []
    cut: list[_Sentence] = []
    left = max_tokens
    for at in _ranked(candidates, weights):
        if left < 8:
            break
        if chosen and candidates[at].length > left:
            continue
        size = count_tokens(_TOKENS, candidates[at].text)
        if size <= left:
            chosen.append(at)
            left -= size
        elif not chosen:
            cut = [_cut(candidates[at], left)]
            break
    return cut or [candidates[at] for at in sorted(chosen)]


def _ranked(sentences: list[_Sentence], weights: dict[str, float]) -> list[int]:
    """Indices by nearness to the centroid; the first sentence gets a small lift, since writers put
    what a section is about there."""
    centroid: defaultdict[str, float] = defaultdict(float)
    norms = []
    for sentence in sentences:
        norm = math.sqrt(sum((n * weights[word]) ** 2 for word, n in sentence.words.items())) or 1.0
        norms.append(norm)
        for word, n in sentence.words.items():
            centroid[word] += n * weights[word] / norm
    scores = []
    for at, (sentence, norm) in enumerate(zip(sentences, norms, strict=True)):
        nearness = sum(n * weights[word] * centroid[word] for word, n in sentence.words.items()) / norm
        brevity = min(1.0, sentence.length / 6)
        scores.append((-nearness * brevity * (1.2 if at == 0 else 1.0), at))
    return [at for _, at in sorted(scores)]


def _cut(sentence: _Sentence, max_tokens: int) -> _Sentence:
    """The first words of a sentence that alone is too long."""
    begins = _TOKENS.token_begins(sentence.text)
    if len(begins) < max_tokens:
        return sentence
    text = sentence.text[: int(begins[max_tokens - 1])]
    cut = text.rfind(" ")
    return _Sentence((text[:cut] if cut > 0 else text).rstrip() + "…", sentence.words, max_tokens)
