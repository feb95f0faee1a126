"""Giving unchanged directories the abstracts that a model made of them before, without a call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import sqlalchemy as sa

from knarr.abstracts.extractive import preview
from knarr.abstracts.messages import PROMPT, Ask, Content
from knarr.abstracts.outline import SectionNode, asks, node_asks, only_child, outline
from knarr.catalog import Catalog, abstracts
from knarr.catalog.abstracts import Made
from knarr.catalog.records import Laid, NamedObject
from knarr.config import Settings
from knarr.models.embed import Tokenizer, count_tokens


@dataclass(frozen=True, slots=True)
class AbstractRecall:
    """`model` made the abstracts that are remembered; they are `wanted`, or only kept for later."""

    settings: Settings
    model: str
    wanted: bool

    @classmethod
    def of(cls, catalog: Catalog, settings: Settings) -> AbstractRecall:
        """By the model of this catalog's last job; wanted where the settings say so."""
        return cls(settings, catalog.get(abstracts.MODEL) or "", settings.abstracts == "model")

    def find(self, connection: sa.Connection, key: bytes) -> Made | None:
        """What the model gave for this key, if it was asked."""
        return abstracts.get(connection, key, self.model, PROMPT) if self.model else None

    def document(
        self, connection: sa.Connection, laid: Laid, data: bytes, tokenizer: Tokenizer
    ) -> tuple[Laid, list[bytes]]:
        """A document with the abstracts known for its sections, and the keys of all that it asks for."""
        if not abstracts.any_made(connection):
            return laid, []
        nodes = outline(laid.sections, laid.objects, data)
        keys = self._nodes(connection, nodes)
        objects = list(laid.objects)
        for node in nodes:
            if node.modelled and self.wanted:
                objects[node.at] = self._with(objects[node.at], node, tokenizer)
        return replace(laid, objects=tuple(objects)), keys

    def folder(
        self, connection: sa.Connection, title: str, parts: Sequence[tuple[str, str]]
    ) -> tuple[str, list[bytes]]:
        """The abstract known for a folder of these parts, empty for none, and the key it asks for."""
        ask = folder_asks(title, parts, self.settings) if abstracts.any_made(connection) else None
        if ask is None:
            return "", []
        made = self.find(connection, ask.key) if self.wanted else None
        return made.text if made is not None else "", [ask.key]

    def _nodes(self, connection: sa.Connection, nodes: list[SectionNode]) -> list[bytes]:
        keys = []
        for at in reversed(range(len(nodes))):
            node, child = nodes[at], only_child(nodes, at)
            if child is not None:
                node.take(child.text if child.modelled else "")
                continue
            _, ask = node_asks(nodes, at, self.settings)
            if ask is not None:
                keys.append(ask.key)
                made = self.find(connection, ask.key)
                node.take(made.text if made is not None else "")
        return keys

    def _with(self, part: NamedObject, node: SectionNode, tokenizer: Tokenizer) -> NamedObject:
        return replace(
            part,
            text=node.text,
            tokens=count_tokens(tokenizer, node.text),
            preview=preview(node.text, self.settings.preview_chars),
            embedded=stands_for(node.title, node.text),
        )


def folder_asks(title: str, parts: Sequence[tuple[str, str]], settings: Settings) -> Ask | None:
    """What is asked about a folder; nothing about one that holds a single thing."""
    return asks(Content(title, (), tuple(parts)), settings) if len(parts) > 1 else None


def stands_for(title: str, text: str) -> str:
    """What the vector of a model's abstract stands for: models seldom repeat the title."""
    return f"{title}\n{text}".strip()
