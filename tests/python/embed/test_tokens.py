"""Long runs of letters are taken apart before a vocabulary of word pieces gives them up."""

from __future__ import annotations

import numpy as np
import pytest

from knarr.models.embed.tokens import parted


@pytest.mark.parametrize("run", ["x" * 5_000, "한" * 500, "ไทย" * 400, "😀" * 300, "é" * 99])
def test_a_long_run_of_letters_is_many_words(run: str) -> None:
    """ING-38: no chunk of a script without spaces, or of one long line, counts as a few tokens."""
    spaced, spaces = parted(f"a {run} b")
    assert max(map(len, spaced.split())) <= 32
    assert "".join(char for at, char in enumerate(spaced) if at not in set(spaces.tolist())) == f"a {run} b"
    begins = np.asarray([at for at, char in enumerate(spaced) if char != " " and spaced[at - 1] == " "])
    # Where a word begins in the spaced text is told back to its place in the text itself.
    assert all(
        f"a {run} b"[at] == spaced[here]
        for at, here in zip(begins - np.searchsorted(spaces, begins), begins, strict=True)
    )


def test_words_and_ideographs_stay_as_they_are() -> None:
    text = "A sentence of words, 中文文本没有空格中文文本没有空格中文文本没有空格 and https://example.org/a/long/path/to/it."
    assert parted(text)[0] == text
