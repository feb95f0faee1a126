"""knarr: retrieval-augmented generation over structured documents.

`open` a knowledge base, `add` documents, then `search`, `list`, `grep`, `read` and `ask`.
`Engine` is the native index alone, for those who bring their own vectors.

Names are imported when they are first used: `import knarr` imports nothing else, and
`from knarr import Engine` NumPy and the native index alone.
"""

from __future__ import annotations

from knarr import late

TYPE_CHECKING = False  # as in `knarr.late`

if TYPE_CHECKING:
    from knarr.abstracts.report import AbstractReport
    from knarr.agent import Agent
    from knarr.config import Settings
    from knarr.engine import Engine
    from knarr.errors import (
        AlreadyExists,
        CatalogError,
        ChatError,
        ContextOverflow,
        Corruption,
        DocumentError,
        EmbedderError,
        EngineError,
        InvalidArgument,
        KnarrError,
        MissingPackage,
        NotFound,
        StorageError,
        Unsupported,
    )
    from knarr.knowledge_base import KnowledgeBase, open
    from knarr.types import (
        Answer,
        Citation,
        ConstraintCheck,
        EdgeHit,
        Entry,
        Gate,
        GrepResult,
        Hit,
        Listing,
        Match,
        ModelUsage,
        Passage,
        Provenance,
        SearchResult,
        Usage,
        Verdict,
    )
    from knarr.version import __version__ as __version__
    from knarr.writing.receipt import AddReport, FileReport

_HOMES = {
    "Agent": "knarr.agent",
    "Settings": "knarr.config",
    "Engine": "knarr.engine",
    "AlreadyExists": "knarr.errors",
    "CatalogError": "knarr.errors",
    "ChatError": "knarr.errors",
    "ContextOverflow": "knarr.errors",
    "Corruption": "knarr.errors",
    "DocumentError": "knarr.errors",
    "EmbedderError": "knarr.errors",
    "EngineError": "knarr.errors",
    "InvalidArgument": "knarr.errors",
    "KnarrError": "knarr.errors",
    "MissingPackage": "knarr.errors",
    "NotFound": "knarr.errors",
    "StorageError": "knarr.errors",
    "Unsupported": "knarr.errors",
    "KnowledgeBase": "knarr.knowledge_base",
    "open": "knarr.knowledge_base",
    "AbstractReport": "knarr.abstracts.report",
    "AddReport": "knarr.writing.receipt",
    "FileReport": "knarr.writing.receipt",
    "Answer": "knarr.types",
    "Citation": "knarr.types",
    "ConstraintCheck": "knarr.types",
    "EdgeHit": "knarr.types",
    "Entry": "knarr.types",
    "Gate": "knarr.types",
    "GrepResult": "knarr.types",
    "Hit": "knarr.types",
    "Listing": "knarr.types",
    "Match": "knarr.types",
    "ModelUsage": "knarr.types",
    "Passage": "knarr.types",
    "Provenance": "knarr.types",
    "SearchResult": "knarr.types",
    "Usage": "knarr.types",
    "Verdict": "knarr.types",
    "__version__": "knarr.version",
}
late.install(globals(), _HOMES)

__all__ = [
    "AbstractReport",
    "AddReport",
    "Agent",
    "AlreadyExists",
    "Answer",
    "CatalogError",
    "ChatError",
    "Citation",
    "ConstraintCheck",
    "ContextOverflow",
    "Corruption",
    "DocumentError",
    "EdgeHit",
    "EmbedderError",
    "Engine",
    "EngineError",
    "Entry",
    "FileReport",
    "Gate",
    "GrepResult",
    "Hit",
    "InvalidArgument",
    "KnarrError",
    "KnowledgeBase",
    "Listing",
    "Match",
    "MissingPackage",
    "ModelUsage",
    "NotFound",
    "Passage",
    "Provenance",
    "SearchResult",
    "Settings",
    "StorageError",
    "Unsupported",
    "Usage",
    "Verdict",
    "open",
]
