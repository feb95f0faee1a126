"""Does a text address the reader's machine instead of telling it something? A planted sentence ("ignore all previous
instructions …") is written to be obeyed or, since it repeats a likely question, to be found. It is a document's text
like any other, and never an answer.

Decided by phrases that give orders to a model, in several languages: what to disregard, whom to play, how to answer every
question, and the marks by which chat formats begin a turn. A course that forbids a chatbot, or a manual that explains
such attacks in its own words, does not match. Disguises are taken off first: characters without width, wide letters, letters
of other scripts that look like Latin ones, marks of emphasis and quotation, and ends of lines inside a sentence.

Cost: a few searches over the text, linear.
"""

from __future__ import annotations

import re
import unicodedata

from knarr.uris import SCHEME

_BEFORE = r"(?:previous|prior|earlier|above|preceding|foregoing|former|other|existing|system|original)"
_ORDERS = r"(?:instruct\w*|prompts?|directions?|directives?|commands?|guidelines?|messages?|context|orders)"
_FORMS = (
    # what to disregard
    rf"\b(?:ignore|disregard|forget|override|overrule|discard|bypass|do not follow|stop following)\b[^.?!\n]{{0,40}}?\b(?:{_BEFORE}|your|all|any)\b"
    rf"[^.?!\n]{{0,24}}?\b{_ORDERS}\b",
    r"\b(?:ignore|disregard)\b[^.?!\n]{0,24}\b(?:the|user's|this) question\b",
    # whom to play
    r"\byou are (?:now|no longer) (?:a|an|the|in|bound|called|DAN)\b|\bact as (?:an? )?(?:unrestricted|jailbroken|different) \w+",
    r"\b(?:as|being|dear|attention,?|hey,?|note to(?: the)?|instructions? (?:to|for)(?: the)?|message to(?: the)?)"
    r" (?:AI|LLM|language model|chatbot|assistant|large language model)s?\b[^.?!\n]{0,40}\b(?:must|should|shall|will|please|answer|reply|respond|say|call|output|ignore|you)\b",
    r"\b(?:AI|LLM|language model|chatbot|assistant)s? (?:must|should|shall|has to|have to|reading this|processing this)\b"
    r"[^.?!\n]{0,40}\b(?:answer|reply|respond|say|call|output|ignore|repeat|print|state|tell|cite|use)\b",
    # how to answer
    r"\b(?:answer|reply|respond)(?: to)? (?:every|each|any|all|the user'?s?|this|the)(?: \w+)? questions?\b[^.?!\n]{0,24}\b(?:with the words?|with [\"“'‘]|by saying|only with)",
    r"\b(?:always|only|simply|just|instead,?) (?:answer|reply|respond|say|output|print)\b[^.?!\n]{0,24}(?::|\bwith\b|[\"“'‘])",
    r"\b(?:reply|respond|answer|output|print) (?:only |exactly |just )?(?:with )?(?:exactly|only with|nothing but|the words?)\b",
    r"\b(?:the )?(?:(?:only|correct|right|true) ){1,2}answer (?:to (?:this|any|every|the) question )?is ?(?:always ?)?[\"“'‘:]",
    r"\bdo not (?:mention|reveal|disclose|cite|tell the user|show the user)\b[^.?!\n]{0,60}\b(?:instructions?|prompt|user|source|this (?:message|text|note))\b",
    r"\b(?:reveal|print|repeat|show|leak)\b[^.?!\n]{0,24}\b(?:system|hidden|your) (?:prompt|instructions?)\b",
    r"\b(?:new|updated|urgent|important|special|hidden) (?:system )?instructions?\s*:",
    # the marks of chat formats
    r"(?:^|\n)\W{0,4}(?:SYSTEM|ASSISTANT|DEVELOPER)\s*(?:PROMPT|MESSAGE|NOTE|OVERRIDE)?\s*:",
    r"<\|?(?:im_start|im_end|system|assistant|endoftext|user)\|?>|\[/?INST\]|<</?SYS>>|</?(?:system|assistant|tool)[ _-]?(?:prompt|message|result|response)?>",
    r"(?:^|\n)#{2,4} ?(?:instruction|system|response|assistant)s?\s*:",
    r"\b(?:tool_call|function_call|tool_calls)\b\s*[:=({\[]|\bcall (?:the )?(?:tool |function )?(?:Search|Read|Grep|List) (?:on|with) \S*://",
    rf"\[\d{{1,4}}\]\s{{1,3}}{re.escape(SCHEME)}",
    # other languages: ignore … instructions
    r"\bignorier\w*\b[^.?!\n]{0,40}\b(?:anweisung|anleitung|vorgabe|befehl)\w*|\bvergiss\b[^.?!\n]{0,40}\banweisung\w*",
    r"\b(?:ignore[zr]?|oublie[zr]?)\b[^.?!\n]{0,40}\b(?:instructions?|consignes?)\b",
    r"\b(?:ignor[ae]|ignoren|olvid[ae])\b[^.?!\n]{0,40}\b(?:instrucciones|instruções|indicaciones)\b",
    r"\b(?:ignora|dimentica)\b[^.?!\n]{0,40}\bistruzioni\b|\bnegeer\b[^.?!\n]{0,40}\binstructies\b",
    r"\bигнорируй\w*\b[^.?!\n]{0,40}\bинструкци\w*|\b(?:ignorera|bortse från)\b[^.?!\n]{0,40}\binstruktion\w*",
    r"(?:忽略|无视|忽視|無視)[^。！？\n]{0,20}(?:指令|指示|提示|命令)|(?:以前|前|上記|これまで)の[^。！？\n]{0,10}(?:指示|命令)[^。！？\n]{0,10}(?:無視|忘れ)",
)
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_ADDRESSES = re.compile("|".join(f"(?:{form})" for form in _FORMS), re.IGNORECASE)


# Letters of other scripts that are written like Latin ones.
_LOOKS = str.maketrans(
    "аеорсухіјѕԁһАВЕКМНОРСТХІЈѕΑΒΕΖΗΙΚΜΝΟΡΤΥΧονι", "aeopcyxijsdhABEKMHOPCTXIJsABEZHIKMNOPTYXovi"
)
_MARKS = re.compile(r"[*_~`]+|^[ \t]*>[ \t]?", re.MULTILINE)
_PLAIN = re.compile(r"[ -)+-=?-^a-z{-}\n]*")  # nothing to take off
_HEADING = re.compile(r"#{1,6} ")


def addresses_model(text: str) -> bool:
    """Whether somewhere in the text a machine is told what to do."""
    if _ADDRESSES.search(text) is not None:
        return True
    bare = text if _PLAIN.fullmatch(text) else _undisguised(text)
    joined = " ".join(bare.split())
    return joined != text and (_ADDRESSES.search(joined) is not None or _ADDRESSES.search(bare) is not None)


def _undisguised(text: str) -> str:
    """The text as it is read: see the module."""
    wide = unicodedata.normalize("NFKC", text)
    seen = "".join(char for char in wide if char in "\n\t" or unicodedata.category(char) not in ("Cf", "Mn"))
    return _MARKS.sub("", seen).translate(_LOOKS)


def paragraphs_with_orders(text: str) -> list[tuple[int, int]]:
    """`(begin, end)` of the paragraphs, in characters, in which a machine is told what to do, and of those below a heading
    that tells it."""
    found: list[tuple[int, int]] = []
    begin, below = 0, False
    for border in [match.span() for match in _BLANK_LINE.finditer(text)] + [(len(text), len(text))]:
        paragraph = text[begin : border[0]]
        orders = addresses_model(paragraph)
        heading = _HEADING.match(paragraph.lstrip()) is not None
        below = orders if heading else below
        if orders or below:
            found.append((begin, border[0]))
        begin = border[1]
    return found
