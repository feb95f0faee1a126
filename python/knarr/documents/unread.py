"""Files that are not read: what they are and what can be done about it, in a line.

People add folders with everything in them. A receipt that says only "not a format that knarr reads" leaves them to
guess; a program and a format to export to is what they need.
"""

from __future__ import annotations

from knarr.documents.decode import Limits
from knarr.documents.sections import Document
from knarr.errors import DocumentError

_KINDS = {
    ".xlsb": "a binary Excel workbook; save it as .xlsx",
    ".pages .numbers .key": "a file of Apple's iWork; export it as .docx, .xlsx, .pptx or PDF",
    ".mobi .azw .azw3 .kfx .prc .lit .pdb": "an e-book of another kind; convert it to .epub",
    ".djvu .djv": "a DjVu scan; convert it to PDF",
    ".ps .eps .xps .oxps .chm": "convert it to PDF",
    ".one .onetoc2 .onepkg": "a OneNote notebook; export its pages as .docx or PDF",
    ".vsd .vsdx .vsdm .drawio .dwg .dxf": "a drawing; export it as PDF",
    ".pub .indd .wps .wpd .hwp .hwpx .abw .sxw .lwp": "a word processor's own file; save it as .docx or PDF",
    ".mpp": "a Project plan; export it as .xlsx or PDF",
    ".mdb .accdb .sqlite .sqlite3 .db .dbf": "a database; export its tables as .csv or .xlsx",
    ".parquet .feather .arrow .avro .sav .dta .rds": "a file of data; export it as .csv",
    ".pst .ost .olm": "a mailbox of Outlook; export its messages as .eml or .msg, or as .mbox",
    ".7z .rar .gz .bz2 .xz .zst .iso .cab .tbz2 .txz": "an archive of another kind; unpack it, or repack it as .zip",
    ".mht .mhtml .webarchive": "a saved web page in one file; save it as .html",
    ".sig .p7s .gpg .pgp": "a signature or an encrypted file; decrypt it first",
    ".gif .heic .heif .avif .svg .psd .ai .ico .emf .wmf": "a picture; save it as .png or PDF",
    ".mp3 .m4a .wav .ogg .flac .aac .mp4 .mkv .mov .avi .webm .wmv": "sound or film; add its transcript or subtitles",
    ".log .ini .cfg .conf .yaml .yml .toml .vcf .textile .wiki .typ .env .properties": "copy it to .txt to have it "
    "read as text",
}
_ADVICE = {suffix: advice for suffixes, advice in _KINDS.items() for suffix in suffixes.split()}
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def advice(data: bytes, suffix: str) -> str:
    """What to do about a file that no parser takes, by its suffix (lower case, with the dot)."""
    found = _ADVICE.get(suffix)
    if found is None and data.startswith(_OLE):
        return "an old Office file of an unknown kind; save it as .docx, .xlsx, .pptx or PDF"
    return found or "not a format that knarr reads"


def refuse_armoured(data: bytes, name: str, limits: Limits) -> Document:
    """The parser of what PGP has sealed: raises DocumentError."""
    is_message = b"BEGIN PGP MESSAGE" in data[:400]
    status = "encrypted" if is_message else "unsupported"
    raise DocumentError(
        f"{name}: {'encrypted with PGP' if is_message else 'a key or signature of PGP'}", status
    )


def refuse_binary_workbook(data: bytes, name: str, limits: Limits) -> Document:
    """The parser of XLSB files: raises DocumentError."""
    raise DocumentError(f"{name}: {_ADVICE['.xlsb']}", "unsupported")
