"""Extractive abstracts and previews, without a model.

A section's abstract is its title, the titles of its subsections, and the sentences nearest the
section's centroid in a tf-idf space over the document: the centroid of a leaf is over its own
sentences, that of an inner section over its own and the ones its children's abstracts chose. So
abstracts are made bottom-up and never look at more text than a section's own plus its children's
abstracts.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from knarr.documents.sections import Document, Section
from knarr.documents.sentences import sentence_spans
from knarr.embed.tokens import RegexTokenizer, count_tokens

_WORD = re.compile(r"[^\W_]{2,}")
_MARKUP = re.compile(r"<!--.*?-->|<[a-zA-Z/][^>]*>|^#{1,6}\s+|^[-=]{3,}\s*$|[`*]{1,3}|^\s*\|?[\s|:-]+\|[\s|:-]*$", re.M | re.S)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_SPACE = re.compile(r"\s+")
_MAX_SENTENCES = 400
_TOKENS = RegexTokenizer()


@dataclass(slots=True)
class _Sentence:
    text: str
    words: Counter[str]


@dataclass(slots=True)
class _Draft:
    section: Section
    chosen: list[_Sentence] = field(default_factory=list)
    text: str = ""


def plain(text: str) -> str:
    """Markdown as running text on one line: markup, comments and link targets dropped."""
    return _SPACE.sub(" ", _LINK.sub(r"\1", _MARKUP.sub(" ", text))).strip()


def preview(text: str, max_chars: int) -> str:
    """The first words of a text on one line, cut at a word, with `…` when something follows."""
    flat = plain(text)
    if len(flat) <= max_chars:
        return flat
    cut = flat.rfind(" ", max_chars // 2, max_chars)
    return flat[: cut if cut > 0 else max_chars - 1].rstrip() + "…"


def abstracts(document: Document, max_tokens: int) -> list[str]:
    """One abstract per section, in the order of `document.root.walk()`; none longer than `max_tokens`
    by more than its title."""
    sections = list(document.root.walk())
    own = {id(section): _sentences(document, section) for section in sections}
    weights = _weights(own.values())
    drafts: dict[int, _Draft] = {}
    for section in reversed(sections):
        draft = _Draft(section)
        candidates = own[id(section)] + [s for child in section.children for s in drafts[id(child)].chosen[:3]]
        _fill(draft, candidates[:_MAX_SENTENCES], weights, max_tokens)
        drafts[id(section)] = draft
    return [drafts[id(section)].text for section in sections]


def _sentences(document: Document, section: Section) -> list[_Sentence]:
    end = section.children[0].begin_byte if section.children else section.end_byte
    text = document.data[section.body_byte : end].decode("utf-8")
    found = []
    for begin, stop in sentence_spans(text)[:_MAX_SENTENCES]:
        flat = plain(text[begin:stop])
        words = Counter(word.lower() for word in _WORD.findall(flat))
        if words:
            found.append(_Sentence(flat, words))
    return found


def _weights(groups: Iterable[list[_Sentence]]) -> dict[str, float]:
    """Inverse sentence frequency of each word of the document."""
    count, frequency = 0, Counter[str]()
    for group in groups:
        for sentence in group:
            count += 1
            frequency.update(sentence.words.keys())
    return {word: math.log(1 + count / n) for word, n in frequency.items()}


def _fill(draft: _Draft, candidates: list[_Sentence], weights: dict[str, float], max_tokens: int) -> None:
    titles = _titles(draft.section, max_tokens // 2)
    left = max_tokens - count_tokens(_TOKENS, titles)
    order = {id(sentence): at for at, sentence in enumerate(candidates)}
    for sentence in _ranked(candidates, weights):
        size = count_tokens(_TOKENS, sentence.text)
        if size <= left:
            draft.chosen.append(sentence)
            left -= size
        elif not draft.chosen:
            draft.chosen.append(_cut(sentence, left))
            break
        if left < 8:
            break
    shown = sorted(draft.chosen, key=lambda s: order.get(id(s), 0))
    draft.text = " ".join(part for part in [titles, *(s.text for s in shown)] if part)


def _titles(section: Section, max_tokens: int) -> str:
    """`Title.` and, for an inner section, `Sections: a; b; c.` within the bound."""
    head = f"{section.title}." if section.title else ""
    names: list[str] = []
    for child in section.children:
        names.append(child.title)
        if count_tokens(_TOKENS, "; ".join(names)) > max_tokens:
            names[-1] = "…"
            break
    return f"{head} Sections: {'; '.join(names)}." if names else head


def _ranked(sentences: list[_Sentence], weights: dict[str, float]) -> list[_Sentence]:
    """By nearness to the centroid; the first sentences of a section get a small lift, since writers
    put what a section is about there."""
    centroid: defaultdict[str, float] = defaultdict(float)
    norms = []
    for sentence in sentences:
        vector = {word: n * weights[word] for word, n in sentence.words.items()}
        norm = math.sqrt(sum(v * v for v in vector.values())) or 1.0
        norms.append(norm)
        for word, value in vector.items():
            centroid[word] += value / norm
    scored = []
    for at, (sentence, norm) in enumerate(zip(sentences, norms, strict=True)):
        nearness = sum(n * weights[word] * centroid[word] for word, n in sentence.words.items()) / norm
        brevity = min(1.0, sum(sentence.words.values()) / 6)
        scored.append((-(nearness * brevity) * (1.2 if at == 0 else 1.0), at))
    return [sentences[at] for _, at in sorted(scored)]


def _cut(sentence: _Sentence, max_tokens: int) -> _Sentence:
    words = sentence.text.split(" ")
    text = ""
    for word in words:
        if count_tokens(_TOKENS, f"{text} {word}…") > max_tokens:
            break
        text = f"{text} {word}".strip()
    return _Sentence(f"{text}…", sentence.words)
