"""What form of answer a question asks for, read off its words: a person, a time, a number, one of several, a yes.

The asking word decides, wherever it stands: "Under the 2021 lease, who pays?" asks who, and "By what date" asks when.
Where "what" or "which" asks, the noun after it decides: "what percentage" is how many, "which day" is when, "what are
the steps" is a list. A question that begins with an auxiliary verb, and a statement that ends in "or not", is answered
by yes or no. Questions of one type err alike, which is why thresholds are calibrated by type.

The cost is a few searches over the first characters of the question.
"""

from __future__ import annotations

import re
from typing import Literal

QuestionType = Literal[
    "who", "when", "where", "how_many", "which", "yes_no", "list", "compare", "why_how", "other"
]
TYPES: tuple[QuestionType, ...] = (
    "who", "when", "where", "how_many", "which", "yes_no", "list", "compare", "why_how", "other",
)  # fmt: skip

_MOST_CHARS = 2000
_MODIFIED = r"(?:(?!(?:is|are|was|were|do|does|did|of|in|for|to|has|have)\b)[\w'’-]+\s+){0,3}?"
_WH = r"(?:what|which)"
_AUXILIARY = (
    r"(?:is|are|am|was|were|do|does|did|has|have|had|can|could|will|would|should|shall|may|might|must"
    r"|isn['’]t|aren['’]t|wasn['’]t|weren['’]t|don['’]t|doesn['’]t|didn['’]t|hasn['’]t|haven['’]t|can['’]t|won['’]t"
    r"|couldn['’]t|wouldn['’]t|shouldn['’]t)"
)
_TIMES = (
    r"(?:dates?|days?|times?|years?|months?|weeks?|deadlines?|hours?|semesters?|quarters?|century|decades?)"
)
_AMOUNTS = (
    r"(?:percent(?:age)?s?|shares?|proportions?|numbers?|amounts?|rates?|ratios?|totals?|sums?|quantity|price|prices|cost|costs"
    r"|fees?|fares?|salary|salaries|revenues?|sizes?|lengths?|durations?|heights?|widths?|weights?|distances?|ages?"
    r"|population|average|averages|mean|median|limits?|maximum|minimum|capacity|budget|sales|income|profit|margin|score)"
)
_PLACES = r"(?:places?|city|cities|countr(?:y|ies)|towns?|states?(?!-)|locations?|rooms?|buildings?|address(?:es)?|regions?|venues?)"
_PERSONS = (
    r"(?:persons?|people|employees?|authors?|instructors?|professors?|directors?|managers?|actors?|actress(?:es)?|singers?"
    r"|presidents?|officers?|members?|part(?:y|ies)|name of the (?:person|author|instructor|professor|director|manager|head))"
)


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


# In this order, the first that is found decides.
_COMPARING = _pattern(
    r"\b(?:compared?|compares|comparison|differ(?:s|ed|ence|ences)?|different (?:from|than)|versus|vs\.?|in contrast|change[ds]? (?:from|between|since))\b"
    r"|\b(?:increase|decrease|grow|fall|drop|rise|improve|decline)[ds]?\b[^?]{0,60}\b(?:from|between|since)\b[^?]{0,60}\b(?:to|and)\b"
    r"|\b(?:more|less|larger|smaller|higher|lower|greater|fewer|older|younger|longer|shorter|earlier|later|better|worse"
    r"|bigger|taller|faster|slower|cheaper)\b[^?]{0,80}\bthan\b"
    r"|\b(?:who|which|what)\b[^?]{0,80}\b(?:older|younger|larger|smaller|higher|lower|longer|shorter|earlier|later|first"
    r"|bigger|taller|more|better|cheaper|faster)\b[^?]{0,80},?[^?]{1,80}\bor\b"
)
_LISTING = _pattern(
    r"^\W*(?:please\s+)?(?:list|enumerate|name)\b(?! of\b)"
    rf"|\b{_WH}\s+(?:are|were)\s+(?:all\s+)?(?:the|some|its|their|your|our)\s+(?:[\w'’-]+\s+){{0,4}}?(?!this\b|\w*ss\b|\w*us\b|\w*is\b)\w+s\b"
    r"|\b(?:what|which)\s+(?:(?:two|three|four|five|six|seven|eight|several|various|different|kinds? of|types? of)\s+)+\w+"
    r"|\b(?:which|what)\s+(?:other\s+)?\w+(?:[^s\W]s|ies)\s+(?:are|were|do|have|can|must|should|will)\b"
)
_AMOUNT = _pattern(
    rf"\bhow\s+(?:many|much|long|often|old|large|big|far|tall|high|wide|deep|heavy|fast|soon|late|early)\b"
    rf"|\b{_WH}\s+(?:(?:is|are|was|were|will be|would be)\s+(?:(?:the|a|an|its|their|your|our|my)\s+)?)?{_MODIFIED}{_AMOUNTS}\b"
)
_TIME = _pattern(
    rf"\bwhen\b(?=\s+(?:{_AUXILIARY})\b|\s*\?)|^\W*when\b|\b(?:since|until|till|by)\s+when\b|\bhow\s+(?:long ago|recently)\b"
    rf"|\b{_WH}\s+(?:(?:is|are|was|were|will be)\s+(?:the|its|their)\s+)?{_MODIFIED}{_TIMES}\b|\bwhat time\b"
)
_PLACE = _pattern(
    rf"\bwhere\b(?=\s+(?:{_AUXILIARY})\b|\s*\?)|^\W*where\b"
    rf"|\b{_WH}\s+(?:(?:is|are|was|were)\s+(?:the|its|their)\s+)?{_MODIFIED}{_PLACES}\b"
)
# Elsewhere than at the beginning "who" may begin a relative clause ("the singer who …, on which date"); then another word
# asks.
_PERSON = _pattern(
    r"^\W*(?:(?:by|to|for|from|with|of)\s+)?(?:who|whom|whose)\b"
    r"|(?:[,:.;]\s+|\b(?:is|by|to|for|from|with|of)\s+)(?:who|whom|whose)\b(?![^?]*\b(?:what|which|when|where|how)\b)"
    rf"|\b{_WH}\s+(?:(?:is|are|was|were)\s+(?:the|its|their)\s+)?{_MODIFIED}{_PERSONS}\b"
)
_REASON = _pattern(
    r"\bwhy\b|\bhow come\b|\bfor what reason\b|\b(?:what|which)\s+(?:is|are|was|were)\s+the\s+(?:reasons?|causes?|purpose)\b"
    r"|\bhow\b(?!\s+(?:many|much|long|often|old|large|big|far|tall|high|wide|deep|heavy|fast|soon|late|early|recently)\b)"
    r"|^\W*(?:explain|describe)\b|\bwhat happens\b"
)
_ASKED = _pattern(r"\b(?:what|which)\b")
_WHETHER = _pattern(rf"^\W*(?:(?:and|so|but|then)\s+)?{_AUXILIARY}\b|\bwhether\b|\bor not\s*\?")
_LATER_WHETHER = _pattern(  # "If I fail can I still pass?"
    rf"\s{_AUXILIARY}\s+(?:I|you|we|they|he|she|it|there|the|this|my|a|any|one)\b[^?]*\?"
)
# "Based on …: " and "Consider the … Inc.. " say where to look; the question follows.
_CONTEXT = _pattern(
    r"^\W*(?:based on|according to|consider(?:ing)?|in the context of|given|regarding)\b.{0,300}?[:.]\s+"
    rf"(?=(?:(?:by|on|in|at|to|under|within)\s+)?(?:who|whom|whose|what|which|when|where|why|how|if|{_AUXILIARY})\b)"
)


def question_type(question: str) -> QuestionType:
    """The type of a question, by the rules of the module; "other" where none is met. Any text is taken; of a long
    one the last characters decide, where questions stand."""
    text = " ".join(question[-_MOST_CHARS:].split())
    context = _CONTEXT.match(text)
    if context and context.end() < len(text):
        text = text[context.end() :]
    if not any(char.isalpha() for char in text):
        return "other"
    if _WHETHER.search(text):
        return "yes_no" if not _or_choice(text) else "compare"
    if _COMPARING.search(text):
        return "compare"
    return _by_asking_word(text)


def _or_choice(text: str) -> bool:
    """ "Is A larger than B" is answered by yes or no, and "Are A or B older" by one of them."""
    return bool(re.match(rf"^\W*{_AUXILIARY}\b[^?]*\b(?:older|younger|larger|smaller|bigger|longer|taller)\b(?![^?]*\bthan\b)[^?]*\bor\b", text, re.IGNORECASE))  # fmt: skip


def _by_asking_word(text: str) -> QuestionType:
    """The rule whose asking word stands first; of two at one place the one that is tried first."""
    rules: tuple[tuple[re.Pattern[str], QuestionType], ...] = (
        (_REASON, "why_how"),
        (_TIME, "when"),
        (_AMOUNT, "how_many"),
        (_PLACE, "where"),
        (_LISTING, "list"),
        (_PERSON, "who"),
        (_ASKED, "which"),
    )
    found = [(match.start(), at) for at, (rule, _) in enumerate(rules) if (match := rule.search(text))]
    if found:
        return rules[min(found)[1]][1]
    return "yes_no" if _LATER_WHETHER.search(text) else "other"
