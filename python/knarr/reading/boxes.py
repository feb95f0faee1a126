"""Boxes: where a range of a document's text stands on its pages, for a viewer that marks it."""

from __future__ import annotations

from knarr.arguments import checked
from knarr.errors import CatalogError, InvalidArgument
from knarr.reading.context import ReadContext, consistent
from knarr.types import Box, Citation, EdgeHit, Hit, Match, Passage
from knarr.uris import canonical

Place = Hit | EdgeHit | Match | Passage | Citation | str


@consistent
@checked
def boxes(
    context: ReadContext,
    place: Place,
    begin_byte: int | None = None,
    end_byte: int | None = None,
) -> tuple[Box, ...]:
    """See `KnowledgeBase.boxes`."""
    # A base that only searches does without the room that reads documents.
    from knarr.documents.boxes import PackedPage, WordBoxes

    uri, version, span = _range(place)
    card = context.cards.owning(canonical(uri))
    if card is None or (version and card.record.version != version):
        return ()
    if span is None:
        span = card.span(canonical(uri))
    begin = span[0] if begin_byte is None else begin_byte
    end = span[1] if end_byte is None else end_byte
    if not 0 <= begin <= end:
        raise InvalidArgument(f"expected bytes 0 <= begin <= end, got {begin} and {end}")
    stored = context.cards.pages_touching(card, begin, end)
    try:
        packed = [PackedPage(one.number - 1, one.begin_byte, one.end_byte, one.boxes) for one in stored]
        return tuple(box for page in packed for box in WordBoxes.unpacked(page).within(begin, end))
    except ValueError as error:
        raise CatalogError(f"{card.record.uri}: its stored boxes are damaged ({error})") from error


def uri_of(place: Place) -> str:
    """The URI of a place, or of what a tool returned. Raises InvalidArgument."""
    return _range(place)[0]


def _range(place: Place) -> tuple[str, int, tuple[int, int] | None]:
    """The URI, version (0 for the one that is stored) and bytes of what a tool returned."""
    if isinstance(place, str):
        return place, 0, None
    if isinstance(place, Match):
        return place.document, place.version, (place.begin_byte, place.end_byte)
    if isinstance(place, Citation):
        return place.document if place.bytes else place.uri, place.version, place.bytes
    if isinstance(place, (Hit, EdgeHit, Passage)):
        return place.uri, place.source.version, place.source.bytes
    raise InvalidArgument(f"place: expected a URI, or what a tool returned, got {type(place).__name__}")
