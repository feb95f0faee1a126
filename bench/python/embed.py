"""Are texts embedded as fast as onnxruntime can run the model, and is one query's vector there at once?

    python -m bench.python.embed [--texts 64] [--rounds 5] [--threads 0] [--results FILE]

Contenders take turns over the same texts of 40 to 510 tokens: what ingest calls (which also cuts the texts
into tokens); onnxruntime alone over the same token ids, one text after the other with all threads; and the
same ids by one thread each, beside each other, which is the roof. `of_alone` is knarr's rate by that of
onnxruntime with all threads: above 1 knarr is faster. Then one query of a few words, by all threads together
and by one.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from bench import results
from bench.python.harness import Timing, alternate

from knarr.models.embed.local import embedding_model
from knarr.models.embed.onnx import OnnxEmbedder
from knarr.models.embed.parallel import available_cores, in_parallel

TEXT = (
    "the a of late fee payment loan is due when harbour boat rope winter storm keeper oar tide each day "
    "member pays before after report year notice chapter section rule hull paint engine licence shall"
)
COLUMNS = ["contender", "threads", "texts_per_s", "p50_ms", "of_alone"]


def make_texts(count: int, tokens: tuple[int, int], seed: int) -> list[str]:
    """Texts of about so many tokens, their lengths spread evenly."""
    rng = random.Random(seed)
    return [" ".join(rng.choices(TEXT.split(), k=rng.randint(*tokens))) for _ in range(count)]


def token_rows(embedder: OnnxEmbedder, texts: list[str]) -> list[np.ndarray[Any, Any]]:
    """The ids that the model reads, with its special tokens."""
    cls, sep = embedder.tokenizer.id_of("[CLS]"), embedder.tokenizer.id_of("[SEP]")
    return [np.asarray([[cls, *embedder.tokenizer.ids(text)[:510], sep]], dtype=np.int64) for text in texts]


def session_of(threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    path = str(embedding_model() / "model.onnx")
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def run_one(session: onnxruntime.InferenceSession, row: np.ndarray[Any, Any]) -> None:
    values = {
        "input_ids": row,
        "attention_mask": np.ones_like(row),
        "token_type_ids": np.zeros_like(row),
    }
    session.run(None, {spec.name: values[spec.name] for spec in session.get_inputs()})


def measure(texts: list[str], threads: int, rounds: int, limit_s: float) -> list[dict[str, Any]]:
    """A line for each contender."""
    embedder = OnnxEmbedder(embedding_model(), threads=threads)
    together, single = session_of(threads), session_of(1)
    rows = token_rows(embedder, texts)
    timings = alternate(
        [
            lambda _: embedder.embed(texts),
            lambda _: [run_one(together, row) for row in rows],
            lambda _: in_parallel(lambda place: run_one(single, rows[place]), range(len(rows)), threads),
        ],
        rounds,
        limit_s=limit_s,
    )
    names = ["knarr", "onnxruntime alone", "onnxruntime, a text a thread"]
    rates = [len(texts) / (results.percentile(timing.ms, 0.5) / 1e3) for timing in timings]
    return [
        {
            "contender": name,
            "texts": len(texts),
            "threads": threads,
            "texts_per_s": round(rate, 2),
            "p50_ms": round(results.percentile(timing.ms, 0.5), 2),
            "of_alone": round(rate / rates[1], 3),
        }
        for name, timing, rate in zip(names, timings, rates, strict=True)
    ]


def measure_query(threads: int, rounds: int, limit_s: float) -> list[dict[str, Any]]:
    """One query of a few words: with all threads, and with one."""
    by = {name: OnnxEmbedder(embedding_model(), threads=n) for name, n in (("all", threads), ("one", 1))}
    queries = make_texts(64, (6, 14), seed=3)
    timings: list[Timing] = alternate(
        [lambda n, e=embedder: e.embed([queries[n % 64]]) for embedder in by.values()],  # type: ignore[misc]
        rounds,
        limit_s=limit_s,
    )
    return [
        {
            "contender": f"a query, {name}",
            "threads": by_threads,
            "texts_per_s": round(1e3 / results.percentile(timing.ms, 0.5), 1),
            "p50_ms": round(results.percentile(timing.ms, 0.5), 2),
            "of_alone": None,
        }
        for name, by_threads, timing in zip(by, (threads, 1), timings, strict=True)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--texts", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=0, help="0 is one per core")
    parser.add_argument("--limit-s", type=float, default=60.0)
    parser.add_argument("--results", type=Path, help="append the JSON lines to this file")
    options = parser.parse_args()
    threads = options.threads or available_cores()
    texts = make_texts(options.texts, (40, 500), seed=1)
    lines = measure(texts, threads, options.rounds, options.limit_s)
    lines += measure_query(threads, 200, options.limit_s / 4)
    settings = {"onnxruntime": onnxruntime.__version__, "model": "bge-small-en-v1.5 int8"}
    for line in lines:
        results.emit(results.record("embed", settings, line), options.results)
    print(results.table(lines, COLUMNS), file=sys.stderr)


if __name__ == "__main__":
    main()
