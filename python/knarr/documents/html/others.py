"""Other articles that follow the one a page is about: the next posts of a blog, stories loaded as one reads on.

The article is known by its title, which the page's own title names. A later title made like it begins another one when it
is a link to another page, or stands in an ``<article>`` of its own. Titles of sections are neither. Cost: linear.
"""

from __future__ import annotations

import re
from itertools import accumulate

from knarr.documents.html.boxes import Boxes
from knarr.documents.html.cards import signature
from knarr.documents.html.elements import HEADINGS

OTHERS = "other articles"
_WORD = re.compile(r"\w+")
_LEAST_TITLE, _MOST_TITLE = 8, 2_000
_MOST_PARENTS = 64


def other_articles(boxes: Boxes, titles: str, links: list[int], sizes: list[int]) -> list[int]:
    """The largest boxes that hold another article and not the page's own, in order; `titles` are what the page is called."""
    named = _words(titles[:_MOST_TITLE])
    heads = [at for at, tag in enumerate(boxes.tags) if tag in HEADINGS and sizes[at] and at in boxes.lines]
    own = next((at for at in heads if _is_named(boxes.lines[at][0], named)), 0)
    if not own:
        return []
    around = set(_path(boxes, own))
    inside = _article(boxes, own)
    made = signature(boxes.nodes[own])
    of_one = signature(boxes.nodes[inside]) if inside else None
    before = [0, *accumulate(boxes.content)]
    found: list[int] = []
    for at in heads:
        if at <= own or boxes.tags[at] != boxes.tags[own] or (found and at < boxes.ends_of(found[-1])):
            continue
        other = _article(boxes, at)
        apart = (
            boxes.tags[at] == "h1"
            and of_one
            and other
            and other not in around
            and signature(boxes.nodes[other]) == of_one
        )
        linked = links[at] >= 0.9 * sizes[at] and signature(boxes.nodes[at]) == made
        if apart or linked:
            unit = 0
            for box in _path(boxes, at):
                if box in around or before[box] != before[at]:
                    break
                unit = box
            if unit:
                found.append(unit)
    return found


def _is_named(text: str, named: str) -> bool:
    words = _words(text)
    return len(words) >= _LEAST_TITLE and words in named


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.lower()))} "


def _path(boxes: Boxes, at: int) -> list[int]:
    found: list[int] = []
    while at and len(found) < _MOST_PARENTS:
        at = boxes.parents[at]
        found.append(at)
    return found


def _article(boxes: Boxes, at: int) -> int:
    """The number of the <article> around a box, 0 if none."""
    return next((box for box in _path(boxes, at) if boxes.tags[box] == "article"), 0)
