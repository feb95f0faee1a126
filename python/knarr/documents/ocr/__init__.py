"""Pictures of pages to words, by the models inside the package `rapidocr`, in a bounded child process.

Only pages without usable text come here. `reader` is what formats use; without the extra `ocr` nothing is read, and
the receipt says what would. Nothing is ever downloaded.
"""

from knarr.documents.ocr.reader import PageReader, PageStore, installed, why_not

__all__ = ["PageReader", "PageStore", "installed", "why_not"]
