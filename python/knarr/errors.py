"""The tree of errors, and nothing else.

    KnarrError
    ├── EngineError                    from the native core
    │   ├── InvalidArgument  (ValueError)
    │   ├── NotFound         (LookupError)
    │   │   └── NotRetained                a version or state of the past that is not kept, or never was
    │   ├── AlreadyExists    (ValueError)
    │   ├── Corruption       (OSError)
    │   ├── StorageError     (OSError)
    │   ├── Unsupported      (ValueError)   a pattern or operation that is not offered
    │   └── DeviceError      (RuntimeError)
    ├── CatalogError         (OSError)      the catalog cannot be opened, or is another one
    ├── ServerError          (RuntimeError) a model's server, with the `kind` of its failure
    │   ├── EmbedderError                 an embedder is missing or answers wrongly
    │   └── ChatError                     a chat model cannot be reached, or answers wrongly
    │       └── ContextOverflow           a request that does not fit the model's window
    ├── SettingsError        (ValueError)   a setting that cannot be used; names it, its value and what is expected
    ├── DocumentError        (ValueError)   a file that cannot be read as a document
    ├── PolicyError          (TypeError)    a policy that breaks its protocol
    ├── ExportError          (ConnectionError) a collector that does not take a trace
    └── MissingPackage       (ImportError)  an optional package that this needs is not installed

Messages carry the value that was given, what was expected and how to mend it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from knarr.types import ModelUsage

FailureKind = Literal[
    "unconfigured",  # no server or model is named, or the address or key can never work
    "unreachable",  # nobody answers there, or the connection breaks
    "timeout",  # not in the time given
    "unauthorised",  # the key is missing, wrong, or may not do this
    "unknown_model",  # the server does not know the model
    "quota",  # the account's money or allowance is spent
    "busy",  # it asks to come back later, or is broken, try after try
    "refused",  # any other refusal of the request
    "empty",  # replies that hold nothing, try after try
    "too_large",  # a reply beyond the bound of bytes
    "redirect",  # it sends the request to another place
    "protocol",  # what comes back is not what such a server replies
    "overflow",  # the request does not fit the model's window
    "missing",  # a package or a model file is not installed
    "broken",  # a model gives what it must not, such as NaN
]


class KnarrError(Exception):
    """Base of everything knarr raises on purpose."""


class EngineError(KnarrError):
    """Base of the errors of the native core."""


class InvalidArgument(EngineError, ValueError):
    """A value the engine refuses; nothing was changed."""


class NotFound(EngineError, LookupError):
    """No node has this URI."""


class NotRetained(NotFound):
    """A version of a document, or a state of the past, that is no longer kept or never was; the message names what is
    kept."""


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
    """The catalog cannot be opened, read or written, or was made with other settings."""


class ServerError(KnarrError, RuntimeError):
    """A model could not do its work. `kind` tells failures apart; the message says where it was asked (without
    secrets), what came back, and what may mend it.

    usage:  what it has cost, where that is known"""

    kind: FailureKind = "protocol"
    usage: ModelUsage | None = None

    def __init__(self, message: str = "", kind: FailureKind = "protocol") -> None:
        super().__init__(message)
        self.kind = kind


class EmbedderError(ServerError):
    """An embedder is missing, cannot be reached, or its reply does not fit."""


class ChatError(ServerError):
    """A chat model that cannot be reached, or whose reply does not fit."""


class ContextOverflow(ChatError):
    """A request that does not fit the model's window."""

    def __init__(self, message: str = "", kind: FailureKind = "overflow") -> None:
        super().__init__(message, kind)


class SettingsError(KnarrError, ValueError):
    """A setting that cannot be used. One line names each variable, its value and what is expected."""


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
