"""Pages as pictures, for pages whose text nobody but a reader of pictures can give.

Part of the worker process (see `child`). A picture is grey, at `DOTS` to the inch, and smaller where a page is so
large that a side would have more than `MAX_SIDE` dots: a page may name any size.
"""

from __future__ import annotations

import base64
import ctypes
from collections.abc import Iterator, Sequence
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

DOTS = 150
MAX_SIDE = 2_000
_WHITE = 0xFFFFFFFF


def draw(data: bytes, pages: Sequence[int]) -> Iterator[dict[str, Any]]:
    """For each page that can be drawn {"page": index, "width": dots, "height": dots, "dot": its side in points,
    "grey": the rows, one byte a dot, in base64}."""
    pypdfium2  # noqa: B018  importing the package is what initialises the library
    document = pdfium.FPDF_LoadMemDocument64(data, len(data), None)
    if not document:
        return
    try:
        for index in pages:
            page = pdfium.FPDF_LoadPage(document, index)
            if page:
                try:
                    yield {"page": index, **_picture(page)}
                finally:
                    pdfium.FPDF_ClosePage(page)
    finally:
        pdfium.FPDF_CloseDocument(document)


def _picture(page: Any) -> dict[str, Any]:
    wide = max(1.0, pdfium.FPDF_GetPageWidthF(page))
    high = max(1.0, pdfium.FPDF_GetPageHeightF(page))
    scale = min(DOTS / 72, MAX_SIDE / max(wide, high))
    width, height = max(1, round(wide * scale)), max(1, round(high * scale))
    bitmap = pdfium.FPDFBitmap_CreateEx(width, height, pdfium.FPDFBitmap_Gray, None, 0)
    try:
        pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, _WHITE)
        flags = pdfium.FPDF_ANNOT | pdfium.FPDF_GRAYSCALE
        pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, flags)
        stride = pdfium.FPDFBitmap_GetStride(bitmap)
        rows = ctypes.string_at(pdfium.FPDFBitmap_GetBuffer(bitmap), stride * height)
    finally:
        pdfium.FPDFBitmap_Destroy(bitmap)
    grey = b"".join(rows[at * stride : at * stride + width] for at in range(height))
    return {
        "width": width,
        "height": height,
        "dot": 1 / scale,
        "grey": base64.b64encode(grey).decode("ascii"),
    }
