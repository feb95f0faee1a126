"""How people call a document when they ask about it: by its title, its file's name, or the parties of a contract."""

from __future__ import annotations

import re
import unicodedata

from knarr.catalog.records import DocumentRecord

_MOST_CHARS = 110
_KINDS = re.compile(
    r"\b(syllabus|handbook|manual|policy|guide|guidelines?|report|minutes|memo|plan|proposal|specification)\b",
    re.IGNORECASE,
)
_CONTRACT = re.compile(r"\b(?:agreement|contract|lease|amendment|licen[cs]e)\b", re.IGNORECASE)
_PARTY = r"([A-Z][\w&’'-]*(?:[ ,.]+(?:&|of|the|and|[A-Z][\w&’'-]*|d/b/a)\.?){0,7}?)"
_BETWEEN = re.compile(
    rf"\bbetween:?\s+{_PARTY}[\s,.]*(?:\(|,?\s+(?:an?|having|with|whose|located|organized)\b)"
    rf".{{0,600}}?(?:\)|;|,|\band\b)\s*(?:,?\s*and|&)?\s+{_PARTY}[\s,.]*(?:\(|,?\s+(?:an?|having|with|whose|located|organized)\b)",
    re.DOTALL,
)
_PAPER = re.compile(r"^#{1,3}\s+Abstract\s*$", re.MULTILINE | re.IGNORECASE)
_CONTROL = ("Cc", "Cf", "Cs", "Co")


def called(record: DocumentRecord, head: str, unique: bool) -> str:
    """A name on one line. `head`: the document's first characters; `unique`: no other has its title."""
    title, file_name = visible_line(record.title), visible_line(_stem(record.file_name).replace("_", " "))
    name = title if unique and _is_title(title) else file_name or title
    if _CONTRACT.search(title):
        parties = _BETWEEN.search(head)
        if parties and _named(parties[1]) and _named(parties[2]):
            return bounded(f"the {title} between {_named(parties[1])} and {_named(parties[2])}")
    if _PAPER.search(head):
        return f'the paper "{bounded(name)}"'
    kind = _KINDS.search(name.replace("-", " "))
    return f'the {kind[1].lower()} "{bounded(name)}"' if kind else bounded(name)


def visible_line(text: str) -> str:
    """Without line ends, control and format characters, whatever a reader may take for one."""
    return " ".join(
        "".join(" " if unicodedata.category(c) in (*_CONTROL, "Zl", "Zp") else c for c in text).split()
    )


def bounded(text: str, most: int = _MOST_CHARS) -> str:
    """The first whole words of a text, at most `most` characters, without quotation marks that would close the
    ones around it."""
    text = text.replace('"', "'")
    return text if len(text) <= most else text[:most].rsplit(" ", 1)[0]


def _stem(file_name: str) -> str:
    name = file_name.replace("\\", "/").rsplit("/", 1)[-1]
    return name.rsplit(".", 1)[0] if "." in name[1:] else name


def _is_title(title: str) -> bool:
    """Whether a title is one that a person wrote: several words, and not a file's name."""
    return " " in title and "_" not in title and not title.isdigit()


def _named(party: str) -> str:
    """A party's name, "" where it is only what ends one."""
    name = " ".join(party.split()).strip(" ,").removesuffix(" and")
    return "" if name.upper().rstrip(".") in ("INC", "LLC", "LTD", "CORP", "LP", "THE", "A", "AN") else name
