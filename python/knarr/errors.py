"""The tree of errors, and nothing else.

    KnarrError
    ├── EngineError                    from the native core
    │   ├── InvalidArgument  (ValueError)
    │   ├── NotFound         (LookupError)
    │   ├── AlreadyExists    (ValueError)
    │   ├── Corruption       (OSError)
    │   ├── StorageError     (OSError)
    │   ├── Unsupported      (ValueError)   a pattern or operation that is not offered
    │   └── DeviceError      (RuntimeError)
    ├── CatalogError         (OSError)      the catalog cannot be opened, or is another one
    ├── EmbedderError        (RuntimeError) an embedder is missing or answers wrongly
    ├── ChatError            (RuntimeError) a chat model cannot be reached, or answers wrongly
    │   └── ContextOverflow               a request that does not fit the model's window
    ├── DocumentError        (ValueError)   a file that cannot be read as a document
    ├── PolicyError          (TypeError)    a policy that breaks its protocol
    ├── ExportError          (ConnectionError) a collector that does not take a trace
    └── MissingPackage       (ImportError)  an optional package that this needs is not installed

Messages carry the value that was given, what was expected and how to mend it.
"""

from __future__ import annotations

from typing import Any


class KnarrError(Exception):
    """Base of everything knarr raises on purpose."""


class EngineError(KnarrError):
    """Base of the errors of the native core."""


class InvalidArgument(EngineError, ValueError):
    """A value the engine refuses; nothing was changed."""


class NotFound(EngineError, LookupError):
    """No node has this URI."""


class AlreadyExists(EngineError, ValueError):
    """A node has this URI already."""


class Corruption(EngineError, OSError):
    """A stored file fails its checks."""


class StorageError(EngineError, OSError):
    """The operating system refused to read or write."""


class Unsupported(EngineError, ValueError):
    """A construct that is not offered, such as a back-reference in a pattern."""


class DeviceError(EngineError, RuntimeError):
    """A GPU is missing or failed."""


class CatalogError(KnarrError, OSError):
    """The catalog cannot be opened, read or written, or was made with other settings.

    report: of an `add` that it ended, the receipt of what was stored before (`AddReport`); else None"""

    report: Any = None


class EmbedderError(KnarrError, RuntimeError):
    """An embedder is missing, or its reply does not fit.

    report: of an `add` that it ended, the receipt of what was stored before (`AddReport`); else None"""

    report: Any = None


class ChatError(KnarrError, RuntimeError):
    """A chat model that cannot be reached, or whose reply does not fit."""


class ContextOverflow(ChatError):
    """A request that does not fit the model's window."""


class DocumentError(KnarrError, ValueError):
    """A file that cannot be read as a document; `status` is the receipt's word for why."""

    def __init__(self, message: str, status: str = "corrupt") -> None:
        super().__init__(message)
        self.status = status


class PolicyError(KnarrError, TypeError):
    """A policy returned something other than a Decision."""


class ExportError(KnarrError, ConnectionError):
    """An OpenTelemetry collector did not take a trace."""


class MissingPackage(KnarrError, ImportError):
    """An optional package is not installed; the message says which."""
