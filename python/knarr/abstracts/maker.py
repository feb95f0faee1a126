"""`kb.abstracts`: abstracts by a chat model, made or estimated."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from knarr.arguments import checked
from knarr.catalog import Catalog
from knarr.config import Settings
from knarr.index.index import Changing
from knarr.models.configured import ConfiguredChat
from knarr.models.embed import Embedder
from knarr.types import Progress
from knarr.uris import SCHEME, canonical

if TYPE_CHECKING:
    from knarr.abstracts.job import Job
    from knarr.abstracts.report import AbstractReport
    from knarr.models.chat import ChatModel


class AbstractMaker:
    """Lets a chat model write what directories hold. `published` is called after each change."""

    def __init__(
        self,
        catalog: Catalog,
        embedder: Embedder,
        settings: Settings,
        configured: ConfiguredChat,
        changing: Changing,
        published: Callable[[], object],
    ) -> None:
        self._catalog = catalog
        self._embedder = embedder
        self._settings = settings
        self._configured = configured
        self._changing = changing
        self._published = published

    @property
    def has_model(self) -> bool:
        """Whether the settings name a chat model."""
        return self._configured.exists

    @checked
    def make(
        self,
        scope: str = SCHEME,
        *,
        chat: ChatModel | None = None,
        max_tokens: int | None = None,
        progress: Progress | None = None,
    ) -> AbstractReport:
        """Write the abstracts of everything at and below `scope`, and of the folders above it.

        Bottom-up, a few calls at a time, within `max_tokens` for prompts and replies (the settings' bound
        when it is None, 0 for no bound). A text that was made before of the same content costs nothing. Each
        text is stored as soon as it is made, so a job that ended early goes on where it stopped. Directories
        without a model's abstract keep the extractive one. Documents and folders can be searched all the while.
        `progress(done, total, uri)` counts directories. `chat` is by default the model of the settings.

        Raises NotFound for a scope without documents, ChatError when no model is configured, CatalogError
        when another process changes documents at the moment that a document is to be written."""
        self._catalog.check_open()
        chat = self._configured.model() if chat is None else chat
        return self._job(chat, max_tokens, progress).run(canonical(scope))

    @checked
    def estimate(
        self, scope: str = SCHEME, *, chat: ChatModel | None = None, max_tokens: int | None = None
    ) -> AbstractReport:
        """What `make` would do and cost at most; calls no model and changes nothing. Needs no chat model: without
        one, tokens are counted by words. Raises NotFound for a scope without documents."""
        from knarr.abstracts.calls import NoChat

        if chat is None:
            chat = self._configured.model() if self._configured.exists else NoChat(self._catalog)
        return self._job(chat, max_tokens, dry_run=True).run(canonical(scope))

    @checked
    def make_for(self, documents: Collection[str], progress: Progress | None = None) -> AbstractReport:
        """Write the abstracts of these documents, by URI, and of the folders above them. Raises ChatError."""
        self._catalog.check_open()
        return self._job(self._configured.model(), None, progress).run(SCHEME, documents)

    def _job(
        self,
        chat: ChatModel,
        max_tokens: int | None,
        progress: Progress | None = None,
        *,
        dry_run: bool = False,
    ) -> Job:
        from knarr.abstracts.job import Job

        return Job(
            self._catalog,
            self._embedder,
            self._settings,
            chat,
            self._changing,
            self._published,
            limit=self._settings.abstract_job_tokens if max_tokens is None else max_tokens,
            dry_run=dry_run,
            progress=progress,
        )
