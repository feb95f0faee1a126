"""A DOCX file as a package: what is Word's own about it. Its parts are read and bounded by `zip_parts`."""

from __future__ import annotations

from knarr.documents.zip_parts import ZipParts
from knarr.errors import DocumentError

_OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_STREAM = "EncryptedPackage".encode("utf-16-le")


class Package(ZipParts):
    """The parts of one file. Raises DocumentError with status "encrypted", "limit" or "corrupt"."""

    def __init__(self, data: bytes) -> None:
        if data.startswith(_OLE_MAGIC):
            if _ENCRYPTED_STREAM in data:
                raise DocumentError("the file is protected by a password", "encrypted")
            raise DocumentError("an old Word file (.doc); save it as .docx", "unsupported")
        super().__init__(data, "DOCX")

    def main_part(self) -> str:
        """The path of the main document, by the package's relationships."""
        return self.office_document("word/document.xml")
