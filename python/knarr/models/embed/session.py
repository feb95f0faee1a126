"""An ONNX model on the CPU, run by all threads for one text, or by one thread for each of many texts.

Both ways give the same bits. Each way has an onnxruntime session of its own, made when first needed;
for the offline models the second one takes 40 MB.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from knarr.errors import EmbedderError
from knarr.models.embed.parallel import available_cores, in_parallel, longest_first

if TYPE_CHECKING:
    import onnxruntime


def onnx_session(folder: Path, threads: int) -> onnxruntime.InferenceSession:
    """A CPU session over `folder/model.onnx`. Raises EmbedderError when onnxruntime is missing, or the file is
    no model."""
    try:
        import onnxruntime
    except ImportError:
        raise EmbedderError("onnxruntime is not installed: pip install 'knarr[local]'", "missing") from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Spinning while a text runs saves a quarter of its time; after it, it would keep a core from the engine.
    options.add_session_config_entry("session.force_spinning_stop", "1")
    model = str(folder / "model.onnx")
    try:
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has a class of error for each code, under none of its own
        raise EmbedderError(
            f"{model} is no model that onnxruntime can load: {brief(error)}", "broken"
        ) from None


def brief(error: Exception) -> str:
    """What a library says of its failure, on one bounded line."""
    return " ".join(str(error).split())[:200]


class OnnxModel:
    """`folder/model.onnx` for up to `threads` threads at once, 0 for one per core. Thread-safe."""

    def __init__(self, folder: Path, threads: int = 0) -> None:
        self._folder = folder
        self._threads = threads or available_cores()
        self._lock = threading.Lock()
        self._sessions: dict[int, onnxruntime.InferenceSession] = {}  # by threads of a run

    def for_each(
        self, texts: Sequence[str], work: Callable[[onnxruntime.InferenceSession, int], object]
    ) -> None:
        """Call `work(session, i)` for each place in `texts`. Raises what a call raises."""
        if 2 * len(texts) < self._threads or len(texts) < 2 or self._threads < 2:
            session = self._session(self._threads)
            for place in range(len(texts)):
                work(session, place)
            return
        session = self._session(1)
        in_parallel(lambda place: work(session, place), longest_first(texts), self._threads)

    def _session(self, threads: int) -> onnxruntime.InferenceSession:
        with self._lock:
            if threads not in self._sessions:
                self._sessions[threads] = onnx_session(self._folder, threads)
            return self._sessions[threads]
