"""Where a question says which document it means, and what it asks once that is taken away.

Three plain forms are understood: a lead ("Based on X: …", "According to X, …", "Consider X. …"), a
phrase that names a document with its parties ("the lease between A and B"), and a document word with
a quoted title ('the paper "X"'). The words found are matched against the namespace elsewhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_KINDS = (
    r"(?:agreement|amendment|annual report|article|book|catalogue|chapter|contract|course|deed|document|file|filing|"
    r"guide|handbook|lease|letter|licen[cs]e|manual|memo|minutes|page|paper|plan|policy|presentation|proposal|report|"
    r"section|specification|standard|statute|study|syllabus|thesis|transcript)"
)
_LEAD = r"(?:based (?:up)?on|according to|as per|per|consider(?:ing)?|given|regarding|with regard to|referring to|in|from|using|for|under)"
_ASK = (
    r"(?:What|Which|Who|Whom|Whose|When|Where|Why|How|Is|Are|Was|Were|Does|Do|Did|Can|Could|Has|Have|Had|Will|Would|Should|"
    r"Shall|May|Must|On|In|At|By|For|To|From|Under|Quote|List|Give|Explain|Describe|Tell|Find|Name|State|Summari[sz]e|Compare|"
    r"Please|If|I|Suppose|Identify|Show)"
)
_QUOTED_LEAD = re.compile(
    rf"^\s*{_LEAD}\s+([^\"“”:]{{0,60}}[\"“](.+)[\"”])\s*[:,]\s+(.+)$", re.IGNORECASE | re.DOTALL
)
_COLON_LEAD = re.compile(rf"^\s*{_LEAD}\s+(.{{3,300}}?):\s+(.+)$", re.IGNORECASE | re.DOTALL)
_SENTENCE_LEAD = re.compile(
    rf"^\s*(?i:consider|take|look at|regarding|see)\s+(.{{3,400}}?)\.\s+({_ASK}\b.+)$", re.DOTALL
)
_COMMA_LEAD = re.compile(rf"^\s*(?i:{_LEAD})\s+(.{{3,200}}?),\s+((?i:{_ASK})\b.+)$", re.DOTALL)
_TITLED = re.compile(
    rf"\b{_KINDS}\s+(?:called |titled |named |entitled )?[\"“]([^\"”]{{2,200}})[\"”]", re.IGNORECASE
)
_PARTIES = re.compile(
    rf"\b((?:[\w&'-]+\s+){{0,6}}{_KINDS}\s+(?:dated [\w ,]+? )?(?:between|among|with|of)\s+.{{2,120}}?)"
    r"(?=\?|:|;|$|(?<!\bInc)(?<!\bLtd)(?<!\bCorp)(?<!\bCo)\.\s|,\s(?:what|who|when|how|is|does)\b|\s(?:say|says|state|states|provide|provides|require|requires)\b)",
    re.IGNORECASE,
)
# "Which law governs the supply agreement between": what stands before the last article is no name.
_ARTICLE = re.compile(
    rf"^(?:[\w&'-]+\s+)*?(?:the|an?|this|our)\s+(?=(?:(?!(?:the|an?|this|our)\s)[\w&'-]+\s+)*?{_KINDS}\s)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    rf"\b({_KINDS})\s+(?:dated [\w ,]+? )?(?:between|among)\s+.*$", re.IGNORECASE | re.DOTALL
)
_ENTITLED = re.compile(
    rf"\b(?:in|from|of|by|to|under|per)\s+(?:the\s+)?([\w.&'-]+(?:\s+[\w.&'-]+){{0,5}}?\s+{_KINDS})\b",
    re.IGNORECASE,
)


# Sentences that say how to answer and not what is asked.
_FORM = re.compile(
    r"(?:(?<=[.?!])\s+)(?:(?:please\s+)?quote the \w+(?: \w+)?[.!]?$|if [^.?!]*?\b(?:state that|say so|explain why)\b[^.?!]*[.!]?$)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Mention:
    """Words that name a document. `explicit`: the question is asked of that document alone."""

    words: str
    explicit: bool


@dataclass(frozen=True, slots=True)
class AskedOf:
    """The mentions of a question; `core`, what is asked of them; and `whole`, the question without instructions
    on the answer's form."""

    mentions: tuple[Mention, ...]
    core: str
    whole: str = ""


def read_mentions(question: str) -> AskedOf:
    """The mentions in a question. `core` is the whole question when it has no lead."""
    whole = _FORM.sub("", question).strip() or question
    asking = _read(whole)
    return AskedOf(asking.mentions, asking.core, whole)


def _read(question: str) -> AskedOf:
    quoted = _QUOTED_LEAD.match(question)
    if quoted:
        return AskedOf((Mention(quoted[2].strip(), True),), quoted[3].strip())
    for pattern in (_SENTENCE_LEAD, _COLON_LEAD):
        lead = pattern.match(question)
        if lead:
            return AskedOf((Mention(lead[1].strip(' "“”'), True),), lead[2].strip())
    comma = _COMMA_LEAD.match(question)
    if comma:
        return AskedOf((Mention(comma[1].strip(' "“”'), True), *_inside(comma[2])), comma[2].strip())
    mentions = _inside(question)
    return AskedOf(tuple(mentions), _without(question, mentions).strip())


def _without(question: str, mentions: list[Mention]) -> str:
    """The question with a mention that stands in its middle cut down to the kind of document: names of
    parties and titles would draw the search to whatever says them."""
    for mention in mentions:
        parties = _BETWEEN.search(mention.words)
        if parties:
            question = question.replace(parties[0], parties[1])
        elif mention.explicit:
            question = re.sub(rf"\s*[\"“]{re.escape(mention.words)}[\"”]", "", question)
    return question


def _inside(text: str) -> list[Mention]:
    """Mentions in the middle of a question."""
    found = [Mention(match, True) for match in _TITLED.findall(text)]
    if not found:
        found = [
            Mention(_ARTICLE.sub("", match.strip()), True)
            for match in _PARTIES.findall(text)
            if re.search(r"\b(?:between|among)\b", match)
        ]
    if not found:
        found = [Mention(match.strip(), False) for match in _ENTITLED.findall(text)]
    return found[:3]
