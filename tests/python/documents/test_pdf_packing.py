"""Words go through the pipe of the PDF worker and come out as they were, whatever numbers a file states."""

from __future__ import annotations

import json
import math

from knarr.documents.pdf import worker as pdf_worker
from knarr.documents.pdf.lines import page_lines
from knarr.documents.pdf.packing import packed, unpacked
from knarr.documents.pdf.words import read_words
from make_pdf import Page, pdf

WORDS = [
    ["plain", 72.1, 99.9, 700.3, 10.0, 0, 0],
    ["bold", 102.0, 120.5, 700.3, 10.0, 1, 0],
    ["sideways\ud800", -5.5, 20.0, 3.1, 7.2, 0, 1, 1.5708],
    ["両方", 0.0, 0.1, 0.2, 0.3, 1, 1],
]


def test_words_come_out_as_they_went_in() -> None:
    sent = json.loads(json.dumps(packed(WORDS)))
    assert [list(word) for word in unpacked(sent)] == WORDS
    assert unpacked(packed([])) == []


def test_numbers_that_are_none_are_bounded() -> None:
    words = unpacked(packed([["far", math.inf, -math.inf, math.nan, math.nan, 0, 0]]))
    assert math.isinf(words[0][1]) and math.isnan(words[0][3])
    (line,) = page_lines(words, 0)
    assert all(map(math.isfinite, (line.x0, line.x1, line.y, line.size)))


def test_the_worker_gives_the_words_that_are_read() -> None:
    page = Page().text(72, 700, "Large", size=20).text(72, 660, "small and bold", size=9, bold=True)
    data = pdf([page.text(72, 640, "small again", size=9)])
    (message,) = list(read_words(data))[1:]
    assert [word[4:7] for word in message["words"]] == [[20.0, 0, 0], *3 * [[9.0, 1, 0]], *2 * [[9.0, 0, 0]]]
    _, (words,) = pdf_worker.read(data, lambda found: found["words"])
    assert [list(word) for word in words] == message["words"]
