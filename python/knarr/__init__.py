"""knarr: retrieval-augmented generation over structured documents.

`open` a knowledge base, `add` documents, then `search`, `list`, `grep`, `read` and `ask`.
`Engine` is the native index alone, for those who bring their own vectors.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from knarr.config import Settings
from knarr.engine import Engine
from knarr.errors import (
    AlreadyExists,
    CatalogError,
    Corruption,
    DocumentError,
    EmbedderError,
    EngineError,
    InvalidArgument,
    KnarrError,
    NotFound,
    StorageError,
    Unsupported,
)
from knarr.knowledge_base import KnowledgeBase, open
from knarr.report import AddReport, FileReport
from knarr.types import (
    Answer,
    Citation,
    Entry,
    GrepResult,
    Hit,
    Listing,
    Match,
    Passage,
    Provenance,
    SearchResult,
    Usage,
)

try:
    __version__ = version("knarr")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0+unknown"

__all__ = [
    "AddReport",
    "AlreadyExists",
    "Answer",
    "CatalogError",
    "Citation",
    "Corruption",
    "DocumentError",
    "EmbedderError",
    "Engine",
    "EngineError",
    "Entry",
    "FileReport",
    "GrepResult",
    "Hit",
    "InvalidArgument",
    "KnarrError",
    "KnowledgeBase",
    "Listing",
    "Match",
    "NotFound",
    "Passage",
    "Provenance",
    "SearchResult",
    "Settings",
    "StorageError",
    "Unsupported",
    "Usage",
    "open",
]
