"""What the model is shown of a directory: one message, bounded whatever the size of the content.

    Title:
    > Carbonara
    Text:                                             the section's own, before its subsections
    > …                                               in lines that are all marked
    Parts:                                            what lies in the directory
    > Cheese: Pecorino Romano, finely grated, …       title and abstract of each

What does not fit is sampled, and the message says so: of a long text up to `_WINDOWS` passages, spread
evenly from its first to its last chunk, the beginning of each; of many parts as many as have room for
`_PART_TOKENS` each, spread evenly too. So a message costs the same for a text of a page and one of
20 MB, and for ten parts and three thousand.

Everything from a document stands in marked lines, titles included: a text cannot leave its block.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from knarr.models.prompts import prompt

PROMPT = "abstract_v1"
MARK = "> "
_WINDOWS = 12
_PART_TOKENS = 48
_MOST_PARTS = 64
_CHARS_PER_TOKEN = 16  # an upper bound: longer text is cut before its tokens are counted
_FRAME_TOKENS = 64  # the server's own marks around two messages

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class LazyChunk:
    """A stretch of a section's own text; `tokens` is how long it is, roughly."""

    text: Callable[[], str]
    tokens: int


@dataclass(frozen=True, slots=True)
class Content:
    """A directory: its title, its own text in chunks, and `(title, abstract)` of its parts."""

    title: str
    chunks: tuple[LazyChunk, ...]
    parts: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Ask:
    """One abstract to be asked for.

    user:   the message; `system` is the prompt
    whole:  whether everything was shown; else `seen` says in words what was
    """

    user: str
    words: int
    whole: bool
    seen: str

    @cached_property
    def system(self) -> str:
        return prompt(PROMPT).replace("{{words}}", str(self.words))

    @cached_property
    def key(self) -> bytes:
        """Names what is asked. With the model's and the prompt's name it names the abstract."""
        return hashlib.sha256(f"{self.words}\n{self.user}".encode("utf-8", "replace")).digest()

    def messages(self) -> list[dict[str, Any]]:
        """In the chat-completions form."""
        return [{"role": "system", "content": self.system}, {"role": "user", "content": self.user}]

    def prompt_tokens(self, count: Count) -> int:
        """The tokens of the request, by our own count."""
        return count(self.system) + count(self.user) + _FRAME_TOKENS


def mark(text: str) -> str:
    """Every line of a text marked. All that any reader takes for a line end is one."""
    return "\n".join(f"{MARK}{line}" for line in text.splitlines() if line.strip())


def compose(content: Content, count: Count, *, prompt_tokens: int, words: int) -> Ask:
    """The message about a directory, such that the whole request has at most `prompt_tokens`."""
    empty = Ask("", words, True, "")
    room = prompt_tokens - empty.prompt_tokens(count) - 64  # for the headings between the blocks
    title = cut(mark(" ".join(content.title.split())) or MARK, max(16, room // 8), count)
    room -= count(title)
    text, text_seen = _text(content.chunks, room if not content.parts else room // 3, count)
    parts, parts_seen = _parts(content.parts, room - count(text), count)
    blocks = [f"Title:\n{title}"]
    if text:
        blocks.append(f"Text{f' ({text_seen})' if text_seen else ''}:\n{text}")
    if parts:
        blocks.append(f"Parts{f' ({parts_seen})' if parts_seen else ''}:\n{parts}")
    seen = "; ".join(filter(None, (text_seen, parts_seen)))
    return Ask("\n".join(blocks), words, not seen, seen)


def cut(text: str, tokens: int, count: Count) -> str:
    """The longest beginning of about `tokens`, never more."""
    if tokens <= 0:
        return ""
    text = text[: tokens * _CHARS_PER_TOKEN]
    while text and (size := count(text)) > tokens:
        text = text[: min(len(text) - 1, len(text) * tokens // size)]
    return text


def spread(count: int, most: int) -> list[int]:
    """At most `most` of `count` places, evenly from the first to the last."""
    if count <= most:
        return list(range(count))
    if most <= 1:
        return [0][:most]
    return [at * (count - 1) // (most - 1) for at in range(most)]


def _text(chunks: Sequence[LazyChunk], room: int, count: Count) -> tuple[str, str]:
    """The marked text, and what was seen of it when that is not all."""
    if not chunks or room <= 0:
        return "", "none of it shown" if chunks else ""
    total = sum(chunk.tokens for chunk in chunks)
    if total <= room:
        whole = mark("\n".join(chunk.text() for chunk in chunks))
        if len(whole) <= room * _CHARS_PER_TOKEN and count(whole) <= room:
            return whole, ""
    places = spread(len(chunks), min(_WINDOWS, max(1, room // _PART_TOKENS)))
    share = room // len(places) - 2
    shown = [cut(mark(chunks[at].text()[: share * _CHARS_PER_TOKEN]), share, count) for at in places]
    return "\n".join(filter(None, shown)), f"about {room} of {total} tokens, from {len(places)} places"


def _parts(parts: Sequence[tuple[str, str]], room: int, count: Count) -> tuple[str, str]:
    if not parts or room <= 0:
        return "", "no parts shown" if parts else ""
    if len(parts) <= room:
        whole = "\n".join(_line(part) for part in parts)
        if len(whole) <= room * _CHARS_PER_TOKEN and count(whole) <= room:
            return whole, ""
    places = spread(len(parts), min(_MOST_PARTS, max(1, room // _PART_TOKENS)))
    share = room // len(places) - 2
    shown = [cut(_line(parts[at]), share, count) for at in places]
    return "\n".join(filter(None, shown)), f"{len(places)} of {len(parts)}, spread evenly"


def _line(part: tuple[str, str]) -> str:
    title, abstract = (" ".join(text.split()) for text in part)
    return mark(f"{title}: {abstract}")
