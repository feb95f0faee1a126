"""Many texts at a time: the same vectors in the same order, and failures and interrupts come through."""

from __future__ import annotations

import _thread
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from knarr.models.embed.local import embedding_model
from knarr.models.embed.onnx import OnnxEmbedder
from knarr.models.embed.parallel import in_parallel, longest_first
from knarr.models.rerank import Reranker, load_reranker

TEXTS = [" ".join(["A fee is due when a payment is late."] * (1 + 7 * n % 13)) + f" {n}" for n in range(11)]


def test_the_number_of_threads_changes_no_vector() -> None:
    alone = OnnxEmbedder(embedding_model(), threads=1)
    beside = OnnxEmbedder(embedding_model(), threads=3)
    long = "Quarks are held together by gluons. " * 120
    texts = [*TEXTS, long, ""]
    one_by_one = np.stack([alone.embed([text])[0] for text in texts])
    for embedder in (alone, beside):
        assert np.array_equal(embedder.embed(texts), one_by_one)
    assert np.array_equal(beside.embed(texts[:1]), one_by_one[:1])  # by all threads together
    assert beside.embed([]).shape == (0, beside.dim)


def test_the_number_of_threads_changes_no_score() -> None:
    if load_reranker() is None:
        pytest.skip("the extra `local` is not installed")
    folder = load_reranker()._folder  # type: ignore[union-attr]
    rows = [Reranker(folder, threads=n).scores("late fee", [*TEXTS, *TEXTS[:3]]) for n in (1, 3)]
    assert np.array_equal(*rows) and rows[0].shape == (14,)


@pytest.mark.parametrize("threads", [1, 2, 5, 40])
def test_each_is_called_once_by_few_threads(threads: int) -> None:
    called: list[int] = []
    by: set[int] = set()

    def work(number: int) -> None:
        called.append(number)
        by.add(threading.get_ident())
        time.sleep(0.001)

    order = list(range(20, 0, -1))
    in_parallel(work, order, threads)
    assert Counter(called) == Counter(order)
    assert len(by) <= threads and (threads > 1 or called == order)
    in_parallel(work, [], threads)


def test_a_failure_ends_the_work_and_is_raised() -> None:
    done: list[int] = []
    running = threading.Semaphore(0)

    def work(number: int) -> None:
        if number == 3:
            raise ValueError("number 3")
        done.append(number)
        time.sleep(0.01)
        running.release()

    with pytest.raises(ValueError, match="number 3"):
        in_parallel(work, range(1000), 4)
    settled = len(done)
    time.sleep(0.05)
    assert len(done) == settled < 20


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Interrupts are heard, though whoever runs the tests in the background may have had them ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_ends_the_work() -> None:
    done: list[int] = []

    def work(number: int) -> None:
        if number == 5:
            _thread.interrupt_main()
        done.append(number)
        time.sleep(0.01)

    with pytest.raises(KeyboardInterrupt):
        in_parallel(work, range(1000), 3)
    settled = len(done)
    time.sleep(0.05)
    assert len(done) == settled < 30


def test_long_texts_go_first() -> None:
    assert longest_first(["a", "ccc", "bb", "ddd"]) == [1, 3, 2, 0]
