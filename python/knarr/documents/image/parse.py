"""Image files to the one document model: pages as OCR reads them, then the same way as a PDF's."""

from __future__ import annotations

from knarr.documents.decode import Limits
from knarr.documents.ocr import PageReader, installed
from knarr.documents.pdf.lines import page_lines
from knarr.documents.pdf.parse import Page, pages_document
from knarr.documents.sections import Document
from knarr.errors import DocumentError


def parse(data: bytes, name: str, limits: Limits, ocr: PageReader | None = None) -> Document:
    """Read an image file, of several pages where it has them (TIFF).

    Raises DocumentError with status "unsupported" where no OCR is to be had, "no_text", "corrupt" or "limit".
    """
    if ocr is None:
        how = "OCR is off (KNARR_OCR)" if installed() else "`pip install 'knarr[ocr]'` reads it"
        raise DocumentError(f"an image: {how}", "unsupported")
    read = ocr.file(data)
    if not any(page.words for page in read):
        raise DocumentError("an image on which OCR found no text", "no_text")
    pages = [Page(page_lines(page.words, at), read=page) for at, page in enumerate(read)]
    return pages_document("image", {"outline": []}, pages, tried=True)
