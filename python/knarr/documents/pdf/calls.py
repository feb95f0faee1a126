"""PDFium's functions as those places call them that call them for every word or every piece of a drawing.

Part of the worker process (see `child`). A handle or a buffer is the number of its address, 0 or None for none: a call
costs half of one with pointers, whose kinds are checked. The caller keeps the buffers that it names.
"""

import ctypes
from typing import Any

import pypdfium2.raw as pdfium


def _by_address(function: Any, result: Any, *arguments: Any) -> Any:
    return ctypes.CFUNCTYPE(result, *arguments)(ctypes.cast(function, ctypes.c_void_p).value or 0)


def address(handle: Any) -> int:
    """The address that a handle or a buffer is known by; 0 for a handle that is none."""
    return ctypes.cast(handle, ctypes.c_void_p).value or 0


_int, _double, _address = ctypes.c_int, ctypes.c_double, ctypes.c_void_p

# Of a character of a page's text
text_object = _by_address(pdfium.FPDFText_GetTextObject, _address, _address, _int)
font_size = _by_address(pdfium.FPDFText_GetFontSize, _double, _address, _int)
matrix = _by_address(pdfium.FPDFText_GetMatrix, _int, _address, _int, _address)
origin = _by_address(pdfium.FPDFText_GetCharOrigin, _int, _address, _int, _address, _address)
char_box = _by_address(pdfium.FPDFText_GetCharBox, _int, _address, _int, *(4 * [_address]))
# Of a text object
font = _by_address(pdfium.FPDFTextObj_GetFont, _address, _address)
# Of the objects of a page
page_object = _by_address(pdfium.FPDFPage_GetObject, _address, _address, _int)
object_kind = _by_address(pdfium.FPDFPageObj_GetType, _int, _address)
object_matrix = _by_address(pdfium.FPDFPageObj_GetMatrix, _int, _address, _address)
form_object = _by_address(pdfium.FPDFFormObj_GetObject, _address, _address, ctypes.c_ulong)
form_objects = _by_address(pdfium.FPDFFormObj_CountObjects, _int, _address)
# Of a path
draw_mode = _by_address(pdfium.FPDFPath_GetDrawMode, _int, _address, _address, _address)
segments = _by_address(pdfium.FPDFPath_CountSegments, _int, _address)
segment = _by_address(pdfium.FPDFPath_GetPathSegment, _address, _address, _int)
segment_kind = _by_address(pdfium.FPDFPathSegment_GetType, _int, _address)
segment_point = _by_address(pdfium.FPDFPathSegment_GetPoint, _int, _address, _address, _address)
segment_closes = _by_address(pdfium.FPDFPathSegment_GetClose, _int, _address)
