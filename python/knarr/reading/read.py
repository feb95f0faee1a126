"""Read: the text of a chunk, an abstract, a section or a document, whole or up to a number of tokens."""

from __future__ import annotations

from dataclasses import replace

from knarr.arguments import checked
from knarr.engine import TextSpan
from knarr.errors import InvalidArgument, NotFound
from knarr.reading.cards import Card
from knarr.reading.context import ReadContext, consistent
from knarr.reading.search import folder_abstract_source
from knarr.types import Passage
from knarr.uris import abstract_of, canonical, parent

# How many bytes hold a token: one guess that nearly always suffices, and one for texts of long words. The
# text that was read is then cut by counted tokens.
_BYTES_PER_TOKEN = (6, 16)


@consistent
@checked
def read(context: ReadContext, uri: str, begin_byte: int = 0, max_tokens: int | None = None) -> Passage:
    """See `KnowledgeBase.read`."""
    uri = canonical(uri)
    if max_tokens is not None and max_tokens < 1:
        raise InvalidArgument(
            f"max_tokens: expected at least 1, or None for the whole text, got {max_tokens}"
        )
    card = context.cards.owning(uri)
    if card is None and not _is_abstract(uri):
        raise _no_text(context, uri)
    base = 0 if card is None or _is_abstract(uri) else card.span(uri)[0]
    # The engine counts in what the URI names, and knows best where that ends.
    offset = begin_byte if begin_byte < 0 else max(0, begin_byte - base)
    if max_tokens is None:
        span = context.engine.read(uri, offset)
        return _passage(uri, card, base, span, span.text)
    return _passage(uri, card, base, *_cut(context, uri, offset, max_tokens))


def _cut(context: ReadContext, uri: str, offset: int, max_tokens: int) -> tuple[TextSpan, str]:
    """A piece of the text, and its first `max_tokens` tokens."""
    for bytes_per_token in _BYTES_PER_TOKEN:
        span = context.engine.read(uri, offset, max(64, max_tokens * bytes_per_token))
        begins = context.embedder.tokenizer.token_begins(span.text)
        if len(begins) > max_tokens:
            cut = max(1, int(begins[max(1, max_tokens)]))
            # A piece that ends within a word has other tokens at its end than the whole text has there.
            if span.next_offset is None or any(map(str.isspace, span.text[cut:])):
                return span, span.text[:cut]
        elif span.next_offset is None:
            break
    return span, span.text if len(begins) <= max_tokens else span.text[:cut]


def _passage(uri: str, card: Card | None, base: int, span: TextSpan, text: str) -> Passage:
    """`base`: the byte of the document where the text of `uri` begins, from which the engine counts."""
    source = folder_abstract_source(uri) if card is None else card.provenance(uri)
    begin = base + span.begin_byte
    end = begin + len(text.encode("utf-8"))
    if card is not None and not _is_abstract(uri):
        lines = (span.line_begin, span.line_begin + text.rstrip("\n").count("\n"))
        source = replace(source, lines=lines, pages=card.pages(begin, end), bytes=(begin, end))
    return Passage(
        uri=uri,
        text=text,
        source=source,
        begin_byte=begin,
        end_byte=end,
        total_bytes=span.total_bytes,
        next_offset=end if end < base + span.total_bytes else None,
        uris=tuple(span.uris),
    )


def _is_abstract(uri: str) -> bool:
    return uri == abstract_of(parent(uri))


def _no_text(context: ReadContext, uri: str) -> InvalidArgument | NotFound:
    if context.engine.exists(uri):
        return InvalidArgument(f"{uri} is a folder of documents: list it, or read one of its documents")
    return NotFound(f"{uri}: no such document, section or object")
