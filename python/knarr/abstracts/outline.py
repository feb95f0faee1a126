"""A document as a tree of directories with their own text, from what `lay_out` gives or the catalog holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from knarr.abstracts.messages import Ask, Content, LazyChunk, compose
from knarr.config import Settings
from knarr.models.embed.tokens import RegexTokenizer, count_tokens

_TOKENS = RegexTokenizer()


@dataclass(slots=True)
class SectionNode:
    """A section. `text` is its abstract as it stands now, `at` the abstract's place among the objects;
    `modelled` says that the text was made by a model, or taken over from a part of which that is true."""

    title: str
    parent: int | None
    path: str
    at: int
    text: str
    modelled: bool = False
    children: list[int] = field(default_factory=list)
    chunks: list[LazyChunk] = field(default_factory=list)

    def take(self, text: str) -> None:
        """Let a model's text stand for this section; nothing happens when there is none."""
        if text:
            self.text, self.modelled = text, True


def outline(sections: Sequence[Any], objects: Sequence[Any], data: bytes) -> list[SectionNode]:
    """Nodes in document order, parents first. `sections` and `objects` are those of `Laid`, or the
    catalog's rows, which name the same things alike."""
    nodes = [SectionNode(section.title, section.parent, section.path, -1, "") for section in sections]
    for at, node in enumerate(nodes):
        if node.parent is not None:
            nodes[node.parent].children.append(at)
    for place, part in enumerate(objects):
        node = nodes[part.section]
        if part.kind == "abstract":
            node.at, node.text = place, str(part.text)
            continue
        # The title already says what the heading lines at the beginning of a chunk say.
        begin = max(part.begin_byte, sections[part.section].body_byte)
        if data[begin : part.end_byte].strip():
            node.chunks.append(LazyChunk(_slice(data, begin, part.end_byte), part.tokens))
    return nodes


def content(nodes: Sequence[SectionNode], at: int) -> Content:
    """What a node's abstract is made from: its own text, and its parts' abstracts as they stand."""
    node = nodes[at]
    parts = tuple((nodes[child].title, nodes[child].text) for child in node.children)
    return Content(node.title, tuple(node.chunks), parts)


def count(text: str) -> int:
    """Tokens as they are counted for what is asked, so that its key is the same whatever the model."""
    return count_tokens(_TOKENS, text)


def asks(directory: Content, settings: Settings, *, modelled: bool = False) -> Ask | None:
    """What is asked about a directory; None when all of it is no longer than an abstract may be, and no
    part of it has a model's abstract (`modelled`): then its own words say it best."""
    body = sum(chunk.tokens for chunk in directory.chunks)
    body += sum(count(abstract) for _, abstract in directory.parts)
    if body <= settings.abstract_tokens and not modelled:
        return None
    words = settings.abstract_tokens * 3 // 4
    return compose(directory, count, prompt_tokens=settings.abstract_prompt_tokens, words=words)


def node_asks(nodes: Sequence[SectionNode], at: int, settings: Settings) -> tuple[Content, Ask | None]:
    """A section's content, and what is asked about it."""
    directory = content(nodes, at)
    modelled = any(nodes[child].modelled for child in nodes[at].children)
    return directory, asks(directory, settings, modelled=modelled)


def only_child(nodes: Sequence[SectionNode], at: int) -> SectionNode | None:
    """The part that is all there is in a directory: its abstract serves both."""
    node = nodes[at]
    return nodes[node.children[0]] if len(node.children) == 1 and not node.chunks else None


def _slice(data: bytes, begin: int, end: int) -> Any:
    return lambda: data[begin:end].decode("utf-8", "replace")
