"""What ends a run because something failed, and is never told as "no evidence".

A call that a policy got wrong (a bad pattern, a URI that does not exist) is an observation: the policy can mend
it. A server, a disk or a catalog that fails is not the policy's mistake, and nothing that it tries next makes
the answer right. Such an error leaves `ask` when nothing was found before it; else the run ends with the status
"failed", its reason, and what was found until then.
"""

from __future__ import annotations

from knarr.errors import (
    CatalogError,
    ChatError,
    Corruption,
    DeviceError,
    EmbedderError,
    KnarrError,
    MissingPackage,
    ServerError,
    StorageError,
)
from knarr.language.plain import one_line, shortened
from knarr.types import ModelUsage

FAILURES = (
    ChatError,
    EmbedderError,
    CatalogError,
    Corruption,
    StorageError,
    DeviceError,
    MissingPackage,
)
_CHARS = 300


class ToolFailure(KnarrError):
    """A tool failed for a reason that no policy can mend; the cause is its `__cause__`."""


def in_words(error: BaseException) -> str:
    """An error on one bounded line."""
    return shortened(one_line(str(error)) or type(error).__name__, _CHARS)


def of_model(error: BaseException) -> str:
    """What failed, and how."""
    return f"the model failed: {in_words(error)}" if isinstance(error, ChatError) else in_words(error)


def usage_of(error: BaseException) -> ModelUsage:
    """What a failed turn of a model has cost, where the error says so."""
    usage = error.usage if isinstance(error, ServerError) else None
    return usage or ModelUsage()
