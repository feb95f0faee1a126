"""Questions about the versions of a document: which there are, what changed between two, what one said.

Only whole questions of a few plain forms are taken for such, and only as a wish: whether the name means a document or
a set of documents with these versions is for others to find out. "What changed in the fee between 2023 and 2024?" has
the form, but is about history only where something called "fee" has versions of these names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from knarr.language.dates import MONTHS, read_date

Wish = Literal["all", "newest", "oldest", "exists", "changes", "said"]

_V = r"\d+(?:\.\d+)*"
_NAMED = r"(?:versions?|releases?|v\.?)\s*"
_NAME = r"(?P<name>[^?]{1,120}?)"
_ABOUT = r"(?P<about>[^?]{1,160}?)"
_KNOWN = (
    r"(?:are|is|were|do|does|can|that)?\s*(?:there|available|exist|stored|kept|known|here|you(?: are| have| know)?)?"
    r"\s*(?:aware of|know(?: of)?|have|there|stored|available|in the (?:system|base|knowledge base|store))?"
)
_PAIR = rf"(?P<said>{_NAMED})?(?P<old>{_V})\s+(?:and|to|with|vs\.?)\s+(?:{_NAMED})?(?P<new>{_V})"
_CHANGED = (
    r"(?:what(?:'s|’s| is| are| was| were| has| have)?(?: been)? (?:changed|changes|change|different|new|the (?:changes|differences?))"
    r"|(?:list|show|give)(?: me)?(?: all)? (?:the )?(?:changes|differences))"
)
_DATE = (
    rf"(?P<date>\d{{4}}-\d\d-\d\d|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{MONTHS})\.?,? \d{{4}}"
    rf"|(?:{MONTHS})\.? \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}})"
)
_FORMS: tuple[tuple[Wish, str], ...] = (
    ("all", rf"(?:which|what) versions of {_NAME} {_KNOWN}"),
    ("all", rf"(?:which|what) {_NAME} versions {_KNOWN}"),
    ("all", rf"how many versions (?:of {_NAME}) {_KNOWN}"),
    ("all", rf"how many {_NAME} versions {_KNOWN}"),
    ("all", rf"(?:list|show|name)(?: me)?(?: all)?(?: the)? versions of {_NAME}"),
    ("newest", rf"(?:what|which) is the (?:latest|newest|most recent|last) version of {_NAME}(?: {_KNOWN})?"),
    ("newest", rf"(?:what|which) is the (?:latest|newest|most recent|last) {_NAME} version {_KNOWN}"),
    ("oldest", rf"(?:what|which) is the (?:oldest|earliest|first) version of {_NAME}(?: {_KNOWN})?"),
    ("oldest", rf"(?:what|which) is the (?:oldest|earliest|first) {_NAME} version {_KNOWN}"),
    (
        "exists",
        rf"(?:does|is) (?:there )?{_NAME} {_NAMED}(?P<at>{_V}) (?:exist|there|available|stored)(?: in the \w+)?",
    ),
    ("exists", rf"(?:is|are) (?:the system|you|there) (?:aware of )?(?:an? )?{_NAME} {_NAMED}(?P<at>{_V})"),
    (
        "exists",
        rf"(?:is there|do you (?:have|know)|does) (?:an? )?{_NAMED}(?P<at>{_V}) of {_NAME}(?: exist)?",
    ),
    ("changes", rf"{_CHANGED} (?:between|from) {_PAIR} (?:of|in) {_NAME}"),
    ("changes", rf"{_CHANGED} (?:in|to|about|for) {_ABOUT} (?:between|from) {_PAIR} (?:of|in) {_NAME}"),
    ("changes", rf"{_CHANGED} (?:in|to|of|for|with) {_NAME},? (?:between|from) {_PAIR}"),
    ("changes", rf"{_CHANGED} (?:between|from) {_NAME}[\s_-]+{_PAIR}"),
    (
        "changes",
        rf"{_CHANGED} (?:between|from) (?P<name>[^?\s]{{1,80}}?)[_-]?v?(?P<old>{_V}) (?:and|to) (?P=name)[_-]?v?(?P<new>{_V})",
    ),
    ("changes", rf"how (?:did|has|have|does|do) {_NAME} (?:changed?|differ) (?:between|from) {_PAIR}"),
    ("changes", rf"compare {_PAIR} of {_NAME}"),
    ("changes", rf"how (?:does|do|did) {_NAMED}(?P<old>{_V}) of {_NAME} differ from {_NAMED}(?P<new>{_V})"),
    (
        "said",
        rf"what (?:did|does) {_NAME} (?:say|state)(?: about {_ABOUT})? (?:in|as of) (?:its )?{_NAMED}(?P<at>{_V})",
    ),
    (
        "said",
        rf"what (?:did|does) {_NAME} (?:say|state) (?:in|as of) (?:its )?{_NAMED}(?P<at>{_V}) about {_ABOUT}",
    ),
    ("said", rf"what (?:did|does) {_NAMED}(?P<at>{_V}) of {_NAME} (?:say|state)(?: about {_ABOUT})?"),
    ("said", rf"what did {_NAME} (?:say|state)(?: about {_ABOUT})? (?:on|as of|at) {_DATE}"),
    ("said", rf"what did {_NAME} (?:say|state) (?:on|as of|at) {_DATE} about {_ABOUT}"),
)
_COMPILED = tuple((wish, re.compile(form + r"\s*[?.!]?", re.IGNORECASE)) for wish, form in _FORMS)
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class AskedVersions:
    """What a question wants to know of versions.

    name:   what the question calls the document, or the set of documents
    old, new, at: versions as they are written; `at` may be a date (2025-05-01)
    about:  the part of the document that is meant, "" for all
    said:   the question says that its numbers are versions
    """

    wish: Wish
    name: str
    old: str = ""
    new: str = ""
    at: str = ""
    about: str = ""
    said: bool = True


def asked_versions(question: str) -> AskedVersions | None:
    """What a question wants to know of versions; None for all other questions."""
    text = " ".join(question.split())
    if len(text) > _LONGEST:
        return None
    for wish, form in _COMPILED:
        found = form.fullmatch(text)
        if found is not None:
            read = _read(wish, {name: (value or "").strip() for name, value in found.groupdict().items()})
            if read is not None:
                return read
    return None


def _read(wish: Wish, named: dict[str, str]) -> AskedVersions | None:
    at = named.get("at", "")
    if named.get("date"):
        at = _iso(named["date"])
        if not at:
            return None
    return AskedVersions(
        wish,
        _plain(named["name"]),
        named.get("old", ""),
        named.get("new", ""),
        at,
        _plain(named.get("about", "")),
        wish != "changes" or bool(named.get("said")),
    )


def _iso(text: str) -> str:
    """A written day as ISO 8601; "" where there is no such day."""
    import datetime

    day = read_date(re.sub(r"(?<=\d)(?:st|nd|rd|th)", "", text))
    if day is None or day.unit != "day":
        return ""
    return datetime.date.fromordinal(int(day.value)).isoformat()


def _plain(name: str) -> str:
    return re.sub(r"^(?:the|our|your|this|document|file)\s+", "", name.strip(" \"'“”,"), flags=re.IGNORECASE)
