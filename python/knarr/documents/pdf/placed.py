"""Words at their places on a page, before they are lines."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class PlacedWord:
    """A word with its place (in points, y growing upwards), its look, its rank in the order of writing, and by how many radians it is
    turned anticlockwise: its place is that on the page turned back."""

    text: str
    x0: float
    x1: float
    y: float
    size: float
    bold: bool
    italic: bool
    order: int
    angle: float = 0.0


Cells = list[list[PlacedWord]]
"""A row parted into cells, each a run of words."""
