"""knarr: retrieval-augmented generation over structured documents.

`open` a knowledge base, `add` documents, then `search`, `list`, `grep`, `read` and `ask`.
`Engine` is the native index alone, for those who bring their own vectors.

Names are imported when they are first used (PEP 562): `import knarr` imports nothing else, and
`from knarr import Engine` NumPy and the native index alone.
"""

from __future__ import annotations

TYPE_CHECKING = False  # what checkers take for `typing.TYPE_CHECKING`, without the import

if TYPE_CHECKING:
    from knarr.abstracts.report import AbstractReport
    from knarr.agent import Agent
    from knarr.agent.asker import AskOptions
    from knarr.agent.budget import Budget
    from knarr.care.backup import BackupPart, BackupReport
    from knarr.care.doctor import doctor
    from knarr.care.forget import ForgetOptions, ForgetReport
    from knarr.care.health import Finding, Health
    from knarr.care.reembed import ReembedReport, reembed
    from knarr.care.restore import restore
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
        NotRetained,
        ServerError,
        SettingsError,
        StorageError,
        Unsupported,
    )
    from knarr.history.records import DocumentDiff, DocumentHistory, SectionDifference, Version
    from knarr.knowledge_base import KnowledgeBase, open
    from knarr.reading.as_of import AsOf, Seq
    from knarr.types import (
        Answer,
        Box,
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
        PageShape,
        Passage,
        Principal,
        Provenance,
        QuoteNow,
        SearchResult,
        StoredDocument,
        Usage,
        Verdict,
    )
    from knarr.version import __version__ as __version__
    from knarr.writing.jobs import JobInfo
    from knarr.writing.receipt import AddReport, FileReport
    from knarr.writing.sync_receipt import SyncReport

# The same names again, for the process that runs: by the module that each is imported from.
_NAMES = {
    "knarr.abstracts.report": ("AbstractReport",),
    "knarr.agent": ("Agent",),
    "knarr.agent.asker": ("AskOptions",),
    "knarr.agent.budget": ("Budget",),
    "knarr.care.backup": ("BackupPart", "BackupReport"),
    "knarr.care.doctor": ("doctor",),
    "knarr.care.forget": ("ForgetOptions", "ForgetReport"),
    "knarr.care.health": ("Finding", "Health"),
    "knarr.care.reembed": ("ReembedReport", "reembed"),
    "knarr.care.restore": ("restore",),
    "knarr.config": ("Settings",),
    "knarr.engine": ("Engine",),
    "knarr.errors": (
        "AlreadyExists",
        "CatalogError",
        "ChatError",
        "ContextOverflow",
        "Corruption",
        "DocumentError",
        "EmbedderError",
        "EngineError",
        "InvalidArgument",
        "KnarrError",
        "MissingPackage",
        "NotFound",
        "NotRetained",
        "ServerError",
        "SettingsError",
        "StorageError",
        "Unsupported",
    ),
    "knarr.history.records": ("DocumentDiff", "DocumentHistory", "SectionDifference", "Version"),
    "knarr.reading.as_of": ("AsOf", "Seq"),
    "knarr.knowledge_base": ("KnowledgeBase", "open"),
    "knarr.types": (
        "Answer",
        "Box",
        "Citation",
        "ConstraintCheck",
        "EdgeHit",
        "Entry",
        "Gate",
        "GrepResult",
        "Hit",
        "Listing",
        "Match",
        "ModelUsage",
        "PageShape",
        "Passage",
        "Principal",
        "Provenance",
        "QuoteNow",
        "SearchResult",
        "StoredDocument",
        "Usage",
        "Verdict",
    ),
    "knarr.version": ("__version__",),
    "knarr.writing.jobs": ("JobInfo",),
    "knarr.writing.receipt": ("AddReport", "FileReport"),
    "knarr.writing.sync_receipt": ("SyncReport",),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})


__all__ = [
    "AbstractReport",
    "AddReport",
    "Agent",
    "AlreadyExists",
    "Answer",
    "AsOf",
    "AskOptions",
    "BackupPart",
    "BackupReport",
    "Box",
    "Budget",
    "CatalogError",
    "ChatError",
    "Citation",
    "ConstraintCheck",
    "ContextOverflow",
    "Corruption",
    "DocumentDiff",
    "DocumentError",
    "DocumentHistory",
    "EdgeHit",
    "EmbedderError",
    "Engine",
    "EngineError",
    "Entry",
    "FileReport",
    "Finding",
    "ForgetOptions",
    "ForgetReport",
    "Gate",
    "GrepResult",
    "Health",
    "Hit",
    "InvalidArgument",
    "JobInfo",
    "KnarrError",
    "KnowledgeBase",
    "Listing",
    "Match",
    "MissingPackage",
    "ModelUsage",
    "NotFound",
    "NotRetained",
    "PageShape",
    "Passage",
    "Principal",
    "Provenance",
    "QuoteNow",
    "ReembedReport",
    "SearchResult",
    "SectionDifference",
    "Seq",
    "ServerError",
    "Settings",
    "SettingsError",
    "StorageError",
    "StoredDocument",
    "SyncReport",
    "Unsupported",
    "Usage",
    "Verdict",
    "Version",
    "doctor",
    "open",
    "reembed",
    "restore",
]
