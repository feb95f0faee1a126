"""A model's reply as data: one bounded paragraph, or the reason why it is none.

What comes back is text from outside. It is flattened, freed of markup and control characters, cut at a
sentence, and refused when it is empty, says that it will not, or gives a number that what the model was
shown does not have. Reasoning never gets here: only the reply's text is looked at.
"""

from __future__ import annotations

import re
import unicodedata

from knarr.language.markup import running_text
from knarr.language.sentences import sentence_spans
from knarr.models.embed.tokens import RegexTokenizer, count_tokens

EMPTY = "an empty reply"
REFUSED = "a refusal"

_TOKENS = RegexTokenizer()
_MOST_CHARS = 20_000
_REFUSAL = re.compile(
    r"(?:i['’]?m sorry|i am sorry|sorry[,.]|i can(?:no|['’])t |i cannot|i am (?:not able|unable)|i['’]m (?:not able|unable)"
    r"|i won['’]t|as an ai\b|unfortunately, i )",
    re.I,
)
_LEAD = re.compile(
    r"^(?:(?:sure|certainly|of course|okay|ok)[,.!:]?\s*)?"
    r"(?:here(?:['’]s| is| are)[^\n:]{0,80}:|(?:the )?(?:abstract|summary)(?: is)?\s*:)\s*",
    re.I,
)
_NUMBER = re.compile(r"\d[\d,.]*\d")
_JOINERS = "\u200c\u200d"  # part of words in some scripts


def abstract_of(reply: str, shown: str, max_tokens: int, *, cut: bool = False) -> tuple[str, str]:
    """`(abstract, "")`, or `("", reason)` when the reply is none. `shown` is what the model saw."""
    text = _paragraph(reply[:_MOST_CHARS])
    if not any(char.isalpha() for char in text):
        return "", EMPTY
    if _REFUSAL.match(text):
        return "", REFUSED
    text = _bounded(text, max_tokens, cut)
    strange = strange_number(text, shown)
    return ("", f"a number that its text does not have ({strange})") if strange else (text, "")


def strange_number(text: str, shown: str) -> str:
    """The first number of three digits or more that `shown` does not have: a wrong year or amount in an
    abstract sends readers to the wrong place."""
    known = {_digits(number) for number in _NUMBER.findall(shown)}
    for number in _NUMBER.findall(text):
        if len(_digits(number)) > 2 and _digits(number) not in known:
            return str(number)
    return ""


def _digits(number: str) -> str:
    return re.sub(r"\D", "", number)


def _paragraph(reply: str) -> str:
    lines = (re.sub(r"^\s*(?:>\s*)+", "", line) for line in reply.splitlines() if "```" not in line)
    text = running_text("".join(char for char in "\n".join(lines) if _printable(char)))
    text = _LEAD.sub("", text).strip()
    return text[1:-1].strip() if len(text) > 1 and (text[0], text[-1]) in (('"', '"'), ("“", "”")) else text


def _printable(char: str) -> bool:
    return char in "\n\t" or char in _JOINERS or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co")


def _bounded(text: str, max_tokens: int, cut: bool) -> str:
    """Whole sentences within the bound; the beginning of the first when there is no whole one."""
    spans = sentence_spans(text)
    if cut and text[-1:] not in ".!?。！？":
        spans.pop()
    end = 0
    for _, stop in spans:
        if count_tokens(_TOKENS, text[:stop]) > max_tokens:
            break
        end = stop
    if end:
        return text[:end]
    begins = _TOKENS.token_begins(text)
    bound = int(begins[max_tokens - 1]) if len(begins) >= max_tokens else len(text)
    return text[:bound].rsplit(" ", 1)[0].rstrip() + "…"
