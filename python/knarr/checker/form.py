"""Has the evidence the form that the question asks for? Who wants a name, when a time, how many a number, and a question
for the holder of a role wants that role, as a noun or in the verb that goes with it: the head leads, the owner owns.

A check of form refuses what cannot be an answer, and says nothing for what can. Cost: linear in the texts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from knarr.checker.constraints import Need
from knarr.checker.evidence import Ground, has
from knarr.checker.opposites import is_calendar, key_of, same_meaning
from knarr.language.question_type import question_type
from knarr.language.words import STOP, proper_runs, words

_IDENTITY = re.compile(
    r"\bwho\s+(?:is|was|are|were)\s+(?:the|our|its|their|your|my)\s+((?:[\w'’-]+\s*){1,6}?)(?=\b(?:of|for|in|at|on|from|to|that|who|when)\b|[?,.;]|$)",
    re.IGNORECASE,
)
_CAPITAL = re.compile(r"[^\W\d_a-zà-öø-ÿ][\w.'’-]+")
_PERSONS = re.compile(
    r"\b(?:\w{3,}(?:er|or|ee|ist|ant|ent|ian|man|men|woman|women|ic|ian)s?|people|persons?|staff|team|board|committee|council|court|office"
    r"|department|members?|anyone|everyone|everybody|nobody|no one|someone|party|parties|company|bank|agency|authority|team|you|we|they|he"
    r"|she|us|our|group|faculty|children|child|adults?|participants?|individuals?|family|families|public|crew|guests?)\b",
    re.IGNORECASE,
)
# Times that are no dates, days or durations: "until the end of term", "Mon from ten to six", "in week 9", "never".
_HOUR = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_TIMES = re.compile(
    r"\b(?:since|until|till|after|before|during|when|while|upon|once|within|now|today|tonight|tomorrow|always|never|anytime|end|start"
    r"|beginning|spring|summer|autumn|winter|fall|semester|term|season|morning|afternoon|evening|night|weekends?|weekdays?|birth|lunch"
    r"|hours|holidays?|TBA|TBD|(?:week|class|session|lecture|lab|day)\s+(?:of|\d+)|every|each)\b"
    rf"|\b(?:at|from|by|until|till|past|to)\s+{_HOUR}\b|\b{_HOUR}\s+(?:to|till|until|o['’]clock)\b|\b\d{{1,2}}\s?(?:-|–|to)\s?\d{{1,2}}\b",
    re.IGNORECASE,
)
_GRADED = re.compile(
    r"\b(?:grades?|marks?|requirements?|qualifications?|levels?|standards?)\b", re.IGNORECASE
)
_NO_NUMBER = re.compile(r"\[\d{1,4}\]|[^\s|]{30,}")  # a mark, a code
_OFTEN = re.compile(r"\bhow (?:long|often|soon|late|early|old|frequently)\b", re.IGNORECASE)
_SHORT_TIMES = re.compile(
    r"\b(?:Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|M/?W/?F?|T/?Th|TuTh|MWF)\b"
)
# By role the words that name its holder or say what the holder does, as `key_of` has them.
_DOES = """
head chief leader boss / leads led lead leading runs run manages manager director directs chairs chief leader heads headed responsible charge supervises
instructor teacher lecturer professor tutor / instructor teacher lecturer professor taught teaches teach tutor faculty
author writer / author writer wrote written writes by
owner proprietor / owner owns owned belongs proprietor property
founder / founded founds established created founder
creator inventor / created invented made designed creator inventor
builder / built builds constructed builder
winner / won wins winner
chair chairman chairwoman chairperson president / chair chairs chaired chairman chairwoman chairperson president presides
director / director directs directed
editor / editor edited edits
sponsor / sponsored sponsors sponsor
wife husband spouse partner / wife husband spouse married marries partner
buyer purchaser / buyer purchaser bought buys purchased
seller vendor / seller vendor sold sells
successor / succeeded replaced successor
predecessor / preceded predecessor
maker manufacturer / made makes manufactured manufacturer maker
teacher trainer coach / trains trained coaches coached trainer coach
contact / contact reach ask email call
"""


def lacking(question: str, stands: Sequence[Ground]) -> str:
    """What the evidence lacks of the form that is asked for, in words; "" when nothing is lacking. A number must stand in
    the cited words, since names and headings are numbered for other reasons; a time or person may stand above them."""
    kind = question_type(question)
    if kind == "how_many" and not _GRADED.search(question):
        times = _OFTEN.search(question) is not None
        return "" if any(_tells_number(one.quote, times) for one in stands) else "a number"
    texts = [" / ".join((one.quote, *one.titles)) for one in stands]
    if kind == "when":
        return "" if any(map(_tells_time, texts)) else "a time"
    return _lacks_person(question, texts) if kind == "who" else ""


def _tells_number(text: str, times: bool) -> bool:
    """Whether a text gives a number; how long and how often may be told by words of time, too."""
    return has(Need("quantity", "", "a number"), _NO_NUMBER.sub(" ", text)) or (times and _tells_time(text))


_RELEASE = re.compile(r"\bv\d+(?:\.\d+)*\b|\b(?:versions?|releases?)\s+v?\d", re.IGNORECASE)


def _tells_time(text: str) -> bool:
    """Whether a text says when; of software a version does ("added in v14.18.0")."""
    return (
        _RELEASE.search(text) is not None
        or has(Need("time", "", "a time"), text)
        or _TIMES.search(text) is not None
        or _SHORT_TIMES.search(text) is not None
    )


def _lacks_person(question: str, texts: Sequence[str]) -> str:
    identity = _IDENTITY.search(question)
    if identity is None:
        named = any(_PERSONS.search(text) or _names(text) for text in texts)
        return "" if named else "a person or body"
    role = [word.text.lower() for word in words(identity[1]) if word.whole not in STOP]
    if role and not any(_has_role(role[-1], text) for text in texts):
        return role[-1]
    return "" if any(_names(text) for text in texts) else "a name"


def _has_role(role: str, text: str) -> bool:
    have = {key_of(part) for word in words(text) for part in (word.whole, *word.parts)}
    wanted = {key_of(role), *_doing().get(key_of(role), ())}
    return bool(wanted & have) or any(same_meaning(role, word.text.lower()) for word in words(text))


@lru_cache(maxsize=1)
def _doing() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in _DOES.strip().splitlines():
        roles, does = line.split("/")
        keys = frozenset(map(key_of, does.split()))
        for role in roles.split():
            found[key_of(role)] = found.get(key_of(role), frozenset()) | keys
    return found


def _names(text: str) -> bool:
    """Whether a name stands in the text, of something else than a day or month."""
    runs = [[word.text for word in words(run)] for run in proper_runs(text)]
    if any(not all(map(is_calendar, run)) for run in runs if run):
        return True
    capitals = [word for word in _CAPITAL.findall(text) if word.lower() not in STOP and not is_calendar(word)]
    return len(capitals) > 1


_AFFIRMS = re.compile(
    r"\W*(?:yes|yep|indeed|correct|true|ja|jawohl|oui|s[ií]|sim|tak|да|はい|是的?|对)(?!\w)", re.IGNORECASE
)


def affirms(answer: str) -> bool:
    """Whether an answer begins with a yes, in one of several languages."""
    return _AFFIRMS.match(answer) is not None
