"""Headings turned into questions about their sections."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knarr.experience.warm_up.forms import Form, QuestionWriter
from knarr.language.words import STOP

_MARK = re.compile(
    r"^(?:(?:section|article|chapter|part|item|exhibit|appendix|schedule|annex|step|unit|module|week|note|table|figure|§)\s+)?"
    r"(?:\d+(?:\.\d+)*[.):]?|[IVXLC]+[.):]|\(?[a-zA-Z]{1,3}\)|[A-Z][.)])(?=\s|$)[\s.:–—-]*",
    re.IGNORECASE,
)
_GENERAL = frozenset(
    """abstract introduction overview general miscellaneous definitions conclusion conclusions background summary
    discussion results appendix preamble recitals notes note other part item article section chapter exhibit details
    description example examples text body contents related work main untitled document page""".split()  # noqa: SIM905
)
_CODE = re.compile(
    r"^`?(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|(?:new )?[\w$.]+\(.*\)|(?:\w+\.)+\w+|--[\w-]+|[a-z]+[A-Z]\w*)`?$"
)
_ASKS = re.compile(
    r"^(?:what|who|when|where|why|how|which|can|may|do|does|is|are|should|must|will)\b.*\?$", re.IGNORECASE
)
_RULES = re.compile(r"\b(?:shall|must|may not|required|prohibited|not permitted|is entitled|agrees to)\b")
_MOST_WORDS = 10


def heading_forms(titles: tuple[str, ...], called: str, text: str, writer: QuestionWriter) -> Iterator[Form]:
    """Questions about the section below the last of `titles` in a document called so. `text` is the section's."""
    raw = titles[-1] if titles else ""
    if "…" in raw:  # a heading that was cut from a sentence
        return
    title = " ".join(raw.split()).strip(" :.#*")
    if _ASKS.match(title + ("?" if title.endswith("?") else "")):
        yield Form("asked", title[0].upper() + title[1:], False)
        return
    title = _MARK.sub("", title).strip(" :.?")
    code = title.strip("`")
    same = _same(title, called)
    if _CODE.match(title) and not same:
        yield from _of_code(code)
        return
    if same or not _is_topic(title):
        if len(titles) <= 2 or title.lower() == "abstract":
            about = (
                f"What is {called} about?" if called.startswith("the ") else f"What is known about {called}?"
            )
            yield Form("about", about, True)
        return
    topic = writer.topic(title)
    how = re.match(r"how to (.+)", topic, re.IGNORECASE)
    if how:
        yield Form("how", f"How do I {how[1]}?")
    if _RULES.search(text):
        yield Form("rules", f"What are the rules on {topic}?")
        yield Form("rules", f"What is required about {topic}?")
    yield Form("section", f"What does {called} say about {topic}?", True)
    yield Form("section", f"What is said about {topic}?")
    for one in reversed(titles[1:-1]):
        above = _MARK.sub("", one).strip(" :.?")
        if _is_topic(above) and "…" not in above and not _same(above, called) and not _same(above, title):
            yield Form("section", f"What is said on {topic} under {writer.topic(above)}?")
            return


def _same(title: str, called: str) -> bool:
    """Whether a heading only says what the document is called."""
    own, other = (re.sub(r"\W+|_", "", text).lower() for text in (title, called))
    return own in other


def _of_code(code: str) -> Iterator[Form]:
    called, bracket, _ = code.partition("(")
    if bracket:
        yield Form("code", f"How is {called}() used?", True)
        yield Form("code", f"What does {called}() do?", True)
        yield Form("code", f"Which parameters does {called}() take?", True)
    elif re.match(r"^(?:ERR_|[A-Z_]*ERROR)|Error$", code):
        yield Form("code", f"When does {code} occur?", True)
        yield Form("code", f"What does the error {code} mean?", True)
    else:
        yield Form("code", f"What does {code} do?", True)
        yield Form("code", f"How is {code} used?", True)


def _is_topic(title: str) -> bool:
    words = re.findall(r"[^\W\d_]{2,}", title)
    telling = [word for word in words if word.lower() not in STOP and word.lower() not in _GENERAL]
    return bool(telling) and len(title.split()) <= _MOST_WORDS
