"""Words that exclude each other, and the places where a text has one of them instead of the other.

classes    words of which a text means one at a time: days, ordinals, buyer and seller, early and late
negations  a word and its opposite by prefix: members and non-members, paid and unpaid

Each of the functions returns the word that was asked for and the word that stands in its place, None when there is no
contrast. A title above the text settles a class where it has the asked word alone. Cost: linear in the texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from knarr.language.lexical import root
from knarr.language.words import STOP, stem

Pair = tuple[str, str]
_Key = tuple[int, int]

_WEAK = "~"
# One class a line; members in groups: the forms of one meaning are joined by "/", weak members begin with "~".
_CLASSES = """
monday/mondays/mon tuesday/tuesdays/tue/tues wednesday/wednesdays/wed thursday/thursdays/thu/thur/thurs friday/fridays/fri saturday/saturdays/sat sunday/sundays/sun
weekday/weekdays weekend/weekends
january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sep/sept october/oct november/nov december/dec
spring summer autumn/fall winter
morning/mornings afternoon/afternoons evening/evenings night/nights
first/1st/q1 second/2nd/q2 third/3rd/q3 fourth/4th/q4 fifth/5th sixth/6th seventh/7th eighth/8th ninth/9th tenth/10th last/final
early/earlier late/later
earliest latest
front back/rear
left right
upper/top/uppermost lower/bottom/lowermost
inner/inside/internal outer/outside/external
indoor/indoors outdoor/outdoors
north/northern south/southern east/eastern west/western
adult/adults child/children/kid/kids senior/seniors/pensioner/pensioners student/students infant/infants
minimum/min/least maximum/max/most average/mean median
highest lowest
largest/biggest/greatest smallest
longest shortest
oldest newest/youngest/latest
fastest/quickest slowest
hottest/warmest coldest/coolest
best worst
cheapest dearest/costliest
arrival/arrivals/arrive/arrives departure/departures/depart/departs
entry entrance exit
open/opens/opened/opening close/closes/closed/closing/shut/shuts/~until/~till/~deadline
begin/begins/began/begun/beginning/start/starts/started/starting/commence/commences/commenced/commencement end/ends/ended/ending/expire/expires/expired/expiry/expiration/until/till/through/finish/finishes/finished/terminate/terminates/terminated/termination/~deadline/~last
buyer/purchaser seller/vendor
landlord/lessor tenant/lessee/renter
licensor licensee
assignor assignee
insurer insured/policyholder
employer employee/employees
lender borrower
franchisor franchisee
supplier customer/customers/client/clients
contractor subcontractor/subcontractors client/customer
sender/shipper recipient/receiver/addressee/consignee
host/hosts guest/guests
distributor manufacturer
domestic international/foreign
full-time part-time
temporary permanent
undergraduate/undergraduates graduate/graduates
gross net
small/smaller medium large/larger
junior senior
winner/winners loser/losers
port starboard
check-in/checkin check-out/checkout
height/~high/~tall width/~wide/~broad length/~long depth/~deep weight/weighs/~heavy
revenue/revenues/sales/turnover profit/profits/earnings cost/costs expense/expenses loss/losses asset/assets liability/liabilities
actual planned/budgeted/forecast/projected/estimated
oral/spoken written
public private
single double/twin triple
one-way round-trip/return
standard deluxe premium basic economy business
primary secondary tertiary
direct indirect
hot/warm cold
wet dry sweet
male/men/man female/women/woman
gold silver bronze platinum
breakfast lunch dinner/supper
training/train validation/dev test
red blue green yellow black white grey/gray brown orange purple
plaintiff/claimant defendant
doctor/physician nurse patient
mother father son daughter brother sister
train/trains bus/buses tram/trams ferry/ferries plane/planes
cat/cats dog/dogs horse/horses
increase/increased/rise decrease/decreased/fall/drop
import/imports export/exports
debit credit
input/inputs output/outputs
manual/manually automatic/automatically
mandatory/compulsory/required optional/voluntary
"""
# Words that are of a class in one spelling only, or after a word that makes them so: "May", "the fall".
_CAPITAL = frozenset("mon tue sat sun wed mar jan jun jul aug sep dec march may".split())  # noqa: SIM905 - a line
_BARE_MONTH = frozenset({"may", "march"})
_MONTH_BEFORE = frozenset(
    "in of until till by since from to and early late mid before after during each every on".split()  # noqa: SIM905 - a line
)
_SEASON_BEFORE = frozenset("in the this last next every each of during".split())  # noqa: SIM905 - a line
_NO_CLASS_BEFORE = {
    "least": "at", "most": "at", "train": "to", "open": "to", "fall": "to", "start": "to", "end": "to", "right": "is",
    "close": "to",
}  # fmt: skip
_AFTER_MOST = re.compile(r"^(?:of|\w+(?:ly|ful|ous|ive|al|ant|ent|ing|ed|ic|able))$")
_RANGE = re.compile(r"\s*(?:-|–|—|to|through|thru|until|till)\s*", re.IGNORECASE)
_TOKEN = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*|[.;:!?|,()\n–—-]")
_EVERY_DAY = re.compile(r"\b(?:daily|every ?day|each day|all week|7 days|seven days|24/7)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Member:
    """A word of a class where it stands: its class and group, and the telling word after it ("" for none). A weak one only
    answers: "until five" says when an office closes, and excludes nothing."""

    word: str
    key: _Key
    begin: int
    end: int
    after: str
    weak: bool


@lru_cache(maxsize=1)
def _members() -> dict[str, tuple[tuple[int, int, bool], ...]]:
    """By word, its classes, its group in each, and whether it is a weak member. Days and weekends are one class in two
    lines."""
    found: dict[str, tuple[tuple[int, int, bool], ...]] = {}
    for line, text in enumerate(_CLASSES.strip().splitlines()):
        for group, forms in enumerate(text.split()):
            for form in forms.split("/"):
                word = form.removeprefix(_WEAK)
                found[word] = (*found.get(word, ()), (line, group, form != word))
    return found


_DAYS, _WEEKS, _MONTHS = 0, 1, 2


def same_meaning(left: str, right: str) -> bool:
    """Whether two words are forms of one meaning: tenant and lessee."""
    members = _members()
    return bool({key[:2] for key in members.get(left, ())} & {key[:2] for key in members.get(right, ())})


def class_contrast(question: str, quote: str, place: str) -> Pair | None:
    """A word of a class in the question, and another of that class in the quote instead."""
    asked = _classed(question)
    if not asked:
        return None
    said = _classed(quote)
    if not said:
        return None
    wanted, have, spoken = _keys(question, asked), _keys(quote, said), _keys_of_words(quote)
    above = _keys(place, _classed(place)) if place else set()
    for one in asked:
        if one.weak or one.key in have or _covers(one.key, have):
            continue
        for other in said:
            if (
                other.weak
                or not _excludes(one.key, other.key)
                or other.key in wanted
                or _elsewhere(one, other, spoken)
            ):
                continue
            if one.key in above and other.key not in above:
                continue
            return one.word, other.word
    return None


def is_calendar(word: str) -> bool:
    """Whether a word is the name of a day or month."""
    return any(line in (_DAYS, _MONTHS) for line, _, _ in _members().get(word.lower(), ()))


def names_time(name: str, text: str) -> bool:
    """Whether a text speaks of a day or month that has this name, in any form: "Wed", "Monday to Friday", "weekdays"."""
    asked = [one for one in _classed(name) if one.key[0] in (_DAYS, _MONTHS)]
    if len(asked) != 1 or asked[0].word != name.strip():
        return False
    have = _keys(text, _classed(text))
    return asked[0].key in have or _covers(asked[0].key, have)


def _excludes(one: _Key, other: _Key) -> bool:
    if {one[0], other[0]} == {_DAYS, _WEEKS}:
        return True  # what is covered has been let pass before
    return one[0] == other[0] and one[1] != other[1]


def _covers(asked: _Key, have: set[_Key]) -> bool:
    """Whether a wider or a narrower word answers: the weekend Saturday, and Saturday the weekend."""
    if asked[0] == _WEEKS:
        return any(line == _DAYS and (day > 4) == (asked[1] == 1) for line, day in have)
    return asked[0] == _DAYS and (_WEEKS, int(asked[1] > 4)) in have


def _elsewhere(asked: _Member, other: _Member, spoken: set[str]) -> bool:
    """Whether the two describe different things, and the quote has the asked one: "the second essay" and "the essay is
    due in the first week"."""
    return bool(asked.after and other.after and asked.after != other.after and asked.after in spoken)


def _keys_of_words(text: str) -> set[str]:
    return {key_of(word) for word in _TOKEN.findall(text)}


def _keys(text: str, members: list[_Member]) -> set[_Key]:
    """The keys of the members of a text, what lies between the ends of a range ("Monday to Friday") included."""
    found = {one.key for one in members}
    for left, right in pairwise(members):
        line = left.key[0]
        if (
            line == right.key[0]
            and line in (_DAYS, _MONTHS)
            and _RANGE.fullmatch(text[left.end : right.begin])
        ):
            size = 7 if line == _DAYS else 12
            steps = (right.key[1] - left.key[1]) % size
            found |= {(line, (left.key[1] + step) % size) for step in range(steps)}
    if _EVERY_DAY.search(text):
        found |= {(_DAYS, day) for day in range(7)}
    return found


def _classed(text: str) -> list[_Member]:
    """The words of a text that are in a class, in order."""
    members = _members()
    tokens = list(_TOKEN.finditer(text))
    found = []
    for at, match in enumerate(tokens):
        word = match[0].lower()
        if word not in members:
            continue
        before = tokens[at - 1][0].lower() if at else ""
        after = tokens[at + 1][0].lower() if at + 1 < len(tokens) else ""
        if _meant(match[0], before, after):
            telling = key_of(after) if after.isalpha() and after not in STOP else ""
            found += [
                _Member(match[0], (line, group), match.start(), match.end(), telling, weak)
                for line, group, weak in members[word]
            ]
    return found


def _meant(raw: str, before: str, after: str) -> bool:
    """Whether a word stands here in the meaning of its class."""
    word = raw.lower()
    if word in _CAPITAL and not raw[0].isupper():
        return False
    if word in _BARE_MONTH:
        return before.isdigit() or before in _MONTH_BEFORE or not after or not after.isalpha()
    if word == "fall":
        return raw[0].isupper() or before in _SEASON_BEFORE
    if word in ("most", "least"):
        return before == "the" and not _AFTER_MOST.match(after)
    return _NO_CLASS_BEFORE.get(word) != before


# ------------------------------------------------------------------- negations


def negation(question: str, quote: str) -> Pair | None:
    """A word of the question of which the quote has only the negation, or the other way round: "paid" and "unpaid"."""
    asked, said = _words(question), _words(quote)
    for word in asked:
        positive = _positive(word)
        if positive and positive in said and word not in said and positive not in asked:
            return word, positive
    for word in said:
        positive = _positive(word)
        if positive and positive in asked and positive not in said and word not in asked:
            return positive, word
    return None


def _words(text: str) -> dict[str, None]:
    return {stem(word.lower()): None for word in _TOKEN.findall(text) if len(word) > 3}


def _positive(word: str) -> str:
    """ "member" of "non-member", "paid" of "unpaid"; "" when nothing is denied."""
    for prefix in ("non-", "non", "un"):
        rest = word.removeprefix(prefix)
        if rest != word and len(rest) > 3:
            return rest
    return ""


def key_of(word: str) -> str:
    """The form in which words are compared."""
    return root(stem(word.lower()))


def tokens_of(text: str) -> Iterator[re.Match[str]]:
    """Words, with what is joined by a hyphen whole, and the marks between them."""
    return _TOKEN.finditer(text)
