"""Questions have a bound, and what is kept of texts counts their bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import knarr
from knarr.errors import InvalidArgument
from knarr.kept import kept, weight_of
from knarr.language.plain import (
    MOST_PATTERN_BYTES,
    MOST_QUERY_BYTES,
    MOST_QUERY_TOKENS,
    bounded_query,
    one_line,
)
from knarr.models.embed.tokens import RegexTokenizer, count_tokens
from knarr.reading.context import QueryVectors
from support import WriteDocs


def tokens(text: str) -> int:
    return count_tokens(RegexTokenizer(), text)


def test_a_query_up_to_the_bound_passes_and_one_beyond_is_refused_with_both_numbers() -> None:
    words = "fee " * MOST_QUERY_TOKENS
    assert bounded_query(words, tokens) == words
    with pytest.raises(InvalidArgument, match=r"the question has 2,001 tokens; at most 2,000 "):
        bounded_query(words + "due", tokens, "question")
    with pytest.raises(InvalidArgument, match=r"the query has 250,000 bytes; at most 16,384 "):
        bounded_query("x" * 250_000, tokens)
    with pytest.raises(InvalidArgument, match=r"16,385 bytes"):
        bounded_query("ü" * (MOST_QUERY_BYTES // 2) + "x", tokens)


def test_a_query_is_refused_by_its_bytes_before_anything_counts_its_tokens() -> None:
    def count(text: str) -> int:
        raise AssertionError("counted")

    with pytest.raises(InvalidArgument):
        bounded_query("word " * 50_000, count)


@pytest.mark.parametrize("value", [None, 3, b"fee", "\ud800"])
def test_what_is_no_text_is_refused(value: Any) -> None:
    with pytest.raises(InvalidArgument):
        bounded_query(value, tokens)


def test_search_ask_and_grep_have_the_bound(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    kb.add(write_docs({"fees.md": "# Fees\n\nThe late fee is 15 euros.\n"}), into="viking://kb")
    long = "late fee " * 30_000
    for call in (kb.search, kb.ask, lambda text: kb.search("fee", gamma=0.5, question=text)):
        with pytest.raises(InvalidArgument, match="at most 16,384"):
            call(long)
    with pytest.raises(InvalidArgument, match=r"the pattern has 270,000 bytes"):
        kb.grep(long)
    with pytest.raises(InvalidArgument):
        kb.grep(None)  # type: ignore[arg-type]
    assert kb.grep("late|" + "x" * (MOST_PATTERN_BYTES // 2)).matches
    assert kb.search("late fee " * 200).hits and kb.traces.list() == []


def test_query_vectors_are_kept_by_hash_and_made_once() -> None:
    class Embedder:
        id, dim, tokenizer = "counting", 2, RegexTokenizer()
        calls = 0

        def embed(self, texts: list[str]) -> Any:
            self.calls += 1
            return np.ones((len(texts), 2), dtype=np.float32)

    embedder = Embedder()
    queries = QueryVectors(embedder)
    for _ in range(3):
        queries.of("the same question " * 300)
    assert embedder.calls == 1
    assert all(len(key) == 32 for key in queries._vectors)


def test_what_is_kept_is_bounded_in_bytes_and_drops_what_was_used_longest_ago() -> None:
    made: list[str] = []

    @kept(20 * weight_of("x" * 100))
    def length(text: str) -> int:
        made.append(text)
        return len(text)

    texts = [f"{at:0100}" for at in range(25)]
    assert [length(text) for text in texts] == [100] * 25
    made.clear()
    length(texts[24]), length(texts[0])
    assert made == [texts[0]]
    long = "y" * 10_000
    length(long), length(long)
    assert made == [texts[0], long, long]
    length(texts[24])
    assert made[-1] == long


def test_one_line_is_the_same_in_steps() -> None:
    text = " a\tb \n\u00a0c" * 200_000
    assert one_line(text) == " ".join(text.split())
    assert one_line(" " * 600_000) == "" and one_line("x" * 600_000) == "x" * 600_000
