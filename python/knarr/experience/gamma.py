"""The similarity of questions from which an edge is followed, where nothing was set or calibrated."""

from __future__ import annotations

_DEFAULT = 0.8
# What gamma means depends on the embedder. For bge-small, on the development questions of six sets against
# 300 questions made from the documents of each: activations whose target held gold evidence were .10 of all
# from .64 on, .17 from .68, .30 from .72, .41 from .74 (32 of them; manuals by version left out), and from 0.8
# on hardly any edge is followed at all.
_MEASURED = (("bge-small-en", 0.74),)


def known_gamma(embedder_id: str) -> float:
    """What was measured for this embedder, else 0.8."""
    return next((gamma for name, gamma in _MEASURED if name in embedder_id), _DEFAULT)
