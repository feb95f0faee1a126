"""The words and patterns by which forms of sentences are known: English, and no parser."""

from __future__ import annotations

import re

NOT_SUBJECTS = frozenset(
    """it this that these those they he she we you i there such which who one both each either neither what if when
    while although however as in on at for from by with after before during since because unless upon under note and
    or but so then also thus hence here see""".split()  # noqa: SIM905 - one word per line would hide the list
)
MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
DATE = (
    rf"(?:(?:early|late|mid-?)?\s*(?:{MONTHS})\.?\s+\d|(?:{MONTHS})\b|\d{{1,2}}\s+(?:{MONTHS})"
    r"|(?:the\s+)?(?:1[5-9]|20)\d\d\b|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)"
)
NUMBER = (
    r"(?:\d[\d,.]*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|sixty|ninety)"
    r"(?:\s+\(\d+\))?"
)
SUBJECT = r"(?P<subject>[\"“]?[A-Z0-9][^,;:?!|]{1,70}?)"
PERSON = re.compile(
    r"\b(?:actor|actress|singer|songwriter|player|politician|author|writer|director|producer|musician|rapper|poet|artist"
    r"|professor|scientist|coach|footballer|businessman|businesswoman|journalist|lawyer|composer|model|wrestler|painter"
    r"|comedian|filmmaker|born|officer|instructor|person)\b"
)
LABEL = re.compile(
    r"(?:[A-Za-z-]+ ){0,3}(?:office|hours?|instructors?|professors?|teachers?|tas?|e-?mail|phone|credits?|prerequisites?|co-?requisites?"
    r"|textbooks?|texts?|readings?|materials?|grading|grades?|exams?|quizzes|homework|attendance|participation|location|room"
    r"|time|date|deadline|website|address|contact|price|fees?|costs?|rates?|term|governing law|status|types?|defaults?|versions?"
    r"|author|publisher|class|lectures?|lab|meetings?|schedule|objectives?|purpose|scope|owner|duration|capacity|size|weight"
    r"|population|capital|language|founder|director|producer|label|genre|borrower|lender|licensor|licensee|territory|notices?)",
    re.IGNORECASE,
)
ARTICLES = frozenset("the a an all any each every no some most our your their its other only such".split())  # noqa: SIM905
PLACED = (
    "located",
    "held",
    "situated",
    "based",
    "born",
    "found",
    "built",
    "headquartered",
    "available",
    "set",
)
PLAIN = {
    "has": "have", "had": "have", "contains": "contain", "includes": "include", "requires": "require",
    "receives": "receive", "covers": "cover", "uses": "use", "comprises": "comprise", "consists of": "consist of",
    "employs": "employ", "operates": "operate", "owns": "own", "lasts": "last", "increased": "increase",
    "decreased": "decrease", "grew": "grow", "rose": "rise", "fell": "fall", "declined": "decline",
    "dropped": "drop", "improved": "improve", "trained": "train", "evaluated": "evaluate", "collected": "collect",
    "conducted": "conduct", "tested": "test", "obtained": "obtain", "employed": "employ", "selected": "select",
    "reported": "report", "annotated": "annotate",
}  # fmt: skip
METHODS = (
    "use", "used", "evaluate", "evaluated", "train", "trained", "compare", "compared", "propose", "proposed",
    "collect", "collected", "apply", "employ", "employed", "introduce", "report", "reported", "conduct", "conducted",
    "test", "tested", "choose", "select", "selected", "obtain", "obtained", "annotate", "annotated", "adopt", "explore",
    "investigate", "measure", "build", "create", "develop",
)  # fmt: skip
IDLE_VERBS = frozenset(
    """be have not also only never mean include remain become constitute at in on for to the
    apply""".split()  # noqa: SIM905 - one word per line would hide the list
)
_MOST_ACT_WORDS = 7
_BREAKS = re.compile(
    r",|;|:|\(|\.(?:\s|$)|\s(?:if|unless|when|which|that|in the event|provided|within|upon|by|no later|before|after|until"
    r"|except|pursuant|subject to|in accordance|under|as)\b"
)
_DANGLING = frozenset("a an the of to in on at for with and or by from its their any all such".split())  # noqa: SIM905


def head_of(rest: str) -> str:
    """The first part of a predicate: up to a comma or a condition, a few words."""
    stop = _BREAKS.search(rest)
    words = rest[: stop.start() if stop else len(rest)].split()[:_MOST_ACT_WORDS]
    while words and words[-1].lower() in _DANGLING:
        words.pop()
    return f" {' '.join(words)}" if words else ""


def tail_of(tail: str) -> str:
    words = tail.split()[:_MOST_ACT_WORDS]
    while words and words[-1].lower() in _DANGLING:
        words.pop()
    return f" {' '.join(words)}" if len(words) > 1 else ""
