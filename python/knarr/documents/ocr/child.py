"""The main program of the process that recognises text: pictures come in, lines of text go out as JSON.

Started by `recogniser` and never imported. A request is a line of JSON with what follows it: {"bytes": their number,
"microseconds": of processor time for one page, "width", "height"} and the grey dots of one page, or {"bytes",
"microseconds", "skip": pages (from 0) that are not wanted} and an image file, which may have several pages. The answer
is {"pages": count} for a file, a message of `_recognised` for each page, or {"error", "status"}, and {"done": true}.

The models are those in the package's own folder, named by their paths, so that it has no reason to fetch any; and
this process cannot open a connection.
"""

from __future__ import annotations

import importlib.util
import io
import json
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

MAX_FILE_PAGES = 2_000
MAX_DOTS = 100_000_000  # of a page of an image file, before it is made smaller
MAX_SIDE = 2_000
_TURNS = (1, 2, 3)  # quarters, against the clock
_POOR = 0.75  # a page recognised with less confidence may stand on its side or its head
_THREADS = 4


def _bounds() -> ModuleType:
    """The functions by which the other child process bounds itself, without the packages around them."""
    path = Path(__file__).parents[1] / "pdf" / "child.py"
    spec = importlib.util.spec_from_file_location("bounds", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _no_connection(*_: Any, **__: Any) -> Any:
    raise OSError("no connections from here")


def _engine() -> Any:
    import rapidocr

    models = Path(rapidocr.__file__).parent / "models"
    threads = min(_THREADS, os.cpu_count() or 1)
    options: dict[str, Any] = {
        "Global.log_level": "critical",
        "Global.use_cls": False,
        "Global.max_side_len": MAX_SIDE,
        "EngineConfig.onnxruntime.intra_op_num_threads": threads,
        "EngineConfig.onnxruntime.inter_op_num_threads": 1,
    }
    for part, pattern in (("Det", "*_det_*.onnx"), ("Rec", "*_rec_*.onnx"), ("Cls", "*_cls_*.onnx")):
        options[f"{part}.model_path"] = str(min(models.glob(pattern)))
    return rapidocr.RapidOCR(params=options)


class TextRecogniser:
    """One engine, loaded by its first page."""

    def __init__(self) -> None:
        import numpy

        self._numpy = numpy
        self._ocr = _engine()

    def page(self, grey: Any) -> dict[str, Any]:
        """What is read on a page, held as it is or turned as it is read best: {"width", "height", "turns": quarters,
        "lines": [[text, confidence, [x, y of four corners, clockwise from the top left]], …]}."""
        best = self._read(grey, 0)
        if _worth(best) > _POOR or not best["lines"]:
            return best
        for turns in _TURNS:
            other = self._read(grey, turns)
            if _worth(other) > _worth(best):
                best = other
        return best

    def _read(self, grey: Any, turns: int) -> dict[str, Any]:
        np = self._numpy
        turned = np.rot90(grey, turns)
        result = self._ocr(np.ascontiguousarray(np.repeat(turned[:, :, None], 3, axis=2)))
        boxes = result.boxes if result.boxes is not None else ()
        lines = [
            [str(text), round(float(score), 4), [round(float(value), 1) for value in np.ravel(box)]]
            for box, text, score in zip(boxes, result.txts or (), result.scores or (), strict=True)
        ]
        height, width = turned.shape[:2]
        return {"width": width, "height": height, "turns": turns, "lines": lines}


def _worth(page: dict[str, Any]) -> float:
    """The mean confidence of its characters, of which those on lines that run upwards count for nothing: such lines
    are recognised, but on a page that lies on its side."""
    total = sum(len(text) for text, _, _ in page["lines"])
    sure = sum(len(text) * score for text, score, corners in page["lines"] if _runs_across(text, corners))
    return sure / total if total else 0.0


def _runs_across(text: str, corners: list[float]) -> bool:
    left, top, right, _, _, bottom, *_ = corners
    return len(text) < 3 or right - left > bottom - top


def _file_pages(reader: TextRecogniser, data: bytes, skip: set[int], bound: Any) -> Iterator[dict[str, Any]]:
    """The pages of an image file. Its header says how large it is before any of it is unpacked."""
    import numpy as np
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = None  # ours is checked here, before anything is unpacked
    try:
        with Image.open(io.BytesIO(data)) as image:
            # The frames of what moves show the same thing.
            count = int(getattr(image, "n_frames", 1)) if image.format in ("TIFF", "MPO") else 1
            if count > MAX_FILE_PAGES:
                yield {
                    "error": f"an image of {count:,} pages, at most {MAX_FILE_PAGES:,} are read",
                    "status": "limit",
                }
                return
            yield {"pages": count}
            for index in range(count):
                if index in skip:
                    continue
                bound()
                image.seek(index)
                if image.width * image.height > MAX_DOTS:
                    error = (
                        f"an image of {image.width:,} × {image.height:,} dots, at most {MAX_DOTS:,} are read"
                    )
                    yield {"error": error, "status": "limit"}
                    return
                dots = float(image.info.get("dpi", (0, 0))[0] or 0)
                grey, shrunk = _grey(image)
                found = reader.page(np.asarray(grey))
                yield {"page": index, "dots": dots * shrunk, **found}
    except (OSError, ValueError, SyntaxError, EOFError, ArithmeticError) as error:
        yield {"error": f"not a whole image ({type(error).__name__})", "status": "corrupt"}


def _grey(image: Any) -> tuple[Any, float]:
    """An image on white, in grey, as it is meant to be held; and by how much it was made smaller."""
    from PIL import Image, ImageOps

    scale = min(1.0, MAX_SIDE / max(image.size))
    image.draft("L", tuple(max(1, int(side * scale)) for side in image.size))
    before = max(image.size)
    held = ImageOps.exif_transpose(image)
    if held.mode in ("RGBA", "LA", "PA") or "transparency" in held.info:
        held = held.convert("RGBA")
        held = Image.alpha_composite(Image.new("RGBA", held.size, "white"), held)
    if held.mode.startswith(("I", "F")):
        held = _in_eight_bits(held)
    grey = held.convert("L")
    if max(grey.size) > MAX_SIDE:
        grey.thumbnail((MAX_SIDE, MAX_SIDE))
    return grey, max(grey.size) / before


def _in_eight_bits(image: Any) -> Any:
    """A picture of sixteen bits or of real numbers, from its darkest to its lightest dot."""
    import numpy as np
    from PIL import Image

    values = np.nan_to_num(np.asarray(image, dtype=np.float32))
    low, high = float(values.min()), float(values.max())
    return Image.fromarray(((values - low) * (255 / max(high - low, 1e-9))).astype(np.uint8))


def _answer(
    reader: TextRecogniser, request: dict[str, Any], data: bytes, bound: Any
) -> Iterator[dict[str, Any]]:
    if "width" not in request:
        yield from _file_pages(reader, data, set(request["skip"]), bound)
        return
    import numpy as np

    bound()
    yield reader.page(np.frombuffer(data, dtype=np.uint8).reshape(request["height"], request["width"]))


def main() -> None:
    bounds = _bounds()
    out = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    socket.socket.connect = _no_connection  # type: ignore[method-assign]
    reader = TextRecogniser()
    bounds.give_up_rights()
    print('{"ready": true}', file=out, flush=True)
    source = sys.stdin.buffer
    while line := source.readline():
        request = json.loads(line)
        size = request["bytes"]
        bounds.bound_memory(int(sys.argv[1]) + 2 * size)

        def bound(microseconds: int = request["microseconds"]) -> None:
            bounds.bound_time(microseconds)

        try:
            for message in _answer(reader, request, source.read(size), bound):
                print(json.dumps(message), file=out, flush=True)
        except MemoryError:
            os._exit(1)
        print('{"done": true}', file=out, flush=True)


if __name__ == "__main__":
    main()
