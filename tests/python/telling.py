"""A chat model that tells what it was shown, and documents to be told."""

from __future__ import annotations

import itertools
import random
import threading

from knarr.models.chat import ChatReply, ChatRequest, ScriptedChat

WORDS = [
    "anchor",
    "barrel",
    "cargo",
    "deck",
    "ember",
    "fathom",
    "galley",
    "harbour",
    "island",
    "jetty",
    "keel",
    "lantern",
    "mast",
]


def shown(request: ChatRequest) -> str:
    """The user message of a request."""
    return str(request.messages[1]["content"])


def told(request: ChatRequest) -> ChatReply:
    """An abstract made of the first words shown, so that other content has another one."""
    lines = [line[2:] for line in shown(request).splitlines() if line.startswith("> ")]
    words = [word.strip(".:") for word in " ".join(lines).split() if word[0].isalnum()]
    return ChatReply("It tells of " + " ".join(words[:12]) + ".")


class Teller(ScriptedChat):
    """Tells; `most_at_once` is how many calls ran together at most."""

    def __init__(self, tell=told, name: str = "teller", window_tokens: int = 8192) -> None:  # type: ignore[no-untyped-def]
        super().__init__(itertools.repeat(self._tell), name=name, window_tokens=window_tokens)
        self._teller = tell
        self._now = 0
        self._count = threading.Lock()
        self.most_at_once = 0

    def _tell(self, request: ChatRequest) -> ChatReply:
        with self._count:
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
        try:
            return self._teller(request)
        finally:
            with self._count:
                self._now -= 1

    @property
    def calls(self) -> int:
        return len(self.requests)


def prose(seed: object, words: int) -> str:
    """Sentences of eight words, the same for the same seed."""
    chosen = random.Random(str(seed)).choices(WORDS, k=words)
    sentences = [" ".join(chosen[at : at + 8]).capitalize() + "." for at in range(0, words, 8)]
    return " ".join(sentences)


def manual(name: str, sections: int = 3, words: int = 160) -> str:
    """A document of sections, each longer than its abstract."""
    body = "\n\n".join(f"## Part {at} of {name}\n\n{prose((name, at), words)}" for at in range(sections))
    return f"# {name}\n\n{body}\n"
