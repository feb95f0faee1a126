"""For tests of abstracts by a model: small settings, and what a knowledge base holds."""

from __future__ import annotations

import sqlalchemy as sa

import knarr
from knarr.abstracts.outline import count
from knarr.models.chat import ChatRequest

SETTINGS = knarr.Settings(abstract_tokens=24, abstract_prompt_tokens=600, abstract_threads=3)


def everything(base: knarr.KnowledgeBase, uri: str = "viking://") -> dict[str, str]:
    """Every directory's abstract, by URI."""
    found = {uri: base.list(uri).abstract}
    for entry in base.list(uri, limit=1000):
        if entry.is_directory:
            found |= everything(base, entry.uri)
    return found


def prompt_tokens(request: ChatRequest) -> int:
    return sum(count(str(message["content"])) for message in request.messages)


def rows(base: knarr.KnowledgeBase, table: sa.Table) -> int:
    with base._catalog.reading() as connection:
        return int(connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())
