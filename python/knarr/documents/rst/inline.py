"""Markup inside of a paragraph, as a reader sees it: roles by their text, references by what they refer to.

`References` is what a document defines for its references, found in one pass before anything is written, since a name may
be used before it is defined. Every mark is looked for within a bounded distance, so the cost is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from knarr.documents.rst.lines import title_at
from knarr.language.plain import one_line

_MOST = 600
_MARKUP = re.compile(
    rf"\\(?P<escaped>[\s\S])"
    rf"|(?<![\w`])``(?P<literal>\S|\S[\s\S]{{0,{_MOST}}}?\S)``(?!\w)"
    rf"|(?<![\w:]):(?P<role>[A-Za-z][\w.+:-]{{0,60}}):`(?P<text>[^`]{{1,{_MOST}}})`"
    rf"|(?<![\w`])_?`(?P<quoted>[^`]{{1,{_MOST}}})`(?::(?P<after>[A-Za-z][\w.+:-]{{0,60}}):|(?P<link>__?))?(?![\w`])"
    r"|(?<![\w|])\|(?P<name>[^|\s](?:[^|\n]{0,100}[^|\s])?)\|_{0,2}(?!\w)"
    r"|(?<!\w)\[(?P<note>\d{1,4}|\#[\w.-]{0,60}|\*)\]_(?!\w)"
    r"|(?<!\w)\[(?P<cited>[A-Za-z][\w.:+-]{0,60})\]_(?!\w)"
    r"|(?<![\w`/.:@-])(?P<word>[^\W_](?:[\w.+:-]{0,60}[^\W_])?)(?P<ref>__?)(?![\w`])"
)
_TARGETED = re.compile(r"(?P<shown>[\s\S]*?)\s*<(?P<target>[^<>]*)>\s*")
_TARGET = re.compile(
    r"\.\. _(?:`(?P<quoted>[^`]{1,200})`|(?P<name>(?:[^:\\]|\\.|:(?=\S)){1,200})):(?:\s+(?P<to>\S.*))?$"
)
_DEFINED = re.compile(r"\.\. \|(?P<name>[^|]{1,100})\|\s+(?P<kind>[\w-]{1,40})::\s*(?P<value>.*)$")
_ALT = re.compile(r"\s+:alt:\s*(.+)$")
_POINT = re.compile(r"(?:0x|U\+|\\u|&#x)([0-9A-Fa-f]{1,6});?$")
_NUMBERED = {"pep": "PEP ", "rfc": "RFC ", "issue": "#", "pr": "#", "gh": "#"}
_CODE = frozenset({
    "attr", "c", "cfg", "class", "cmd", "code", "command", "confval", "const", "cpp", "data", "dir", "envvar", "event", "exc", "file",
    "func", "js", "keyword", "literal", "macro", "makevar", "member", "meth", "mod", "obj", "option", "program", "py",
    "regexp", "rst", "samp", "token", "type", "var",
})  # fmt: skip
_MARKED = {"emphasis": "*", "strong": "**", "math": "$"}


@dataclass(slots=True)
class References:
    """What a document's names stand for: addresses of links, titles of labels, texts of substitutions."""

    addresses: dict[str, str] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, lines: Sequence[str]) -> References:
        names, waiting = cls(), list[str]()
        for at, line in enumerate(lines):
            bare = line.lstrip(" ")
            if not bare:
                continue
            if bare.startswith(".. "):
                if target := _TARGET.match(bare):
                    key = _key((target["quoted"] or target["name"]).replace("\\", ""))
                    if target["to"]:
                        names.addresses.setdefault(key, target["to"])
                    else:
                        waiting.append(key)
                    continue
                if defined := _DEFINED.match(bare):
                    names.texts.setdefault(defined["name"].strip(), _value(defined, lines, at))
            if found := title_at(lines, at):
                title = one_line(found.source)
                names.titles.update((key, title) for key in (*waiting, _key(title)))
            waiting.clear()
        return names


def _value(defined: re.Match[str], lines: Sequence[str], at: int) -> str:
    """What a substitution shows: its text, a character by its number, or an image's alternative text."""
    kind, value = defined["kind"], defined["value"]
    if kind == "replace":
        for line in lines[at + 1 : at + 4]:
            if not line.startswith(" ") or line.lstrip().startswith(".."):
                break
            value += " " + line.strip()
        return value
    if kind == "unicode":
        words = value.split(" .. ")[0].split()
        return "".join(_character(word) for word in words)
    if kind == "image":
        alts = (match[1] for line in lines[at + 1 : at + 9] if (match := _ALT.match(line)))
        return next(alts, defined["name"].strip())
    return defined["name"].strip()


def _character(word: str) -> str:
    point = _POINT.match(word)
    code = int(point[1], 16) if point else 0
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else word


def _key(name: str) -> str:
    return one_line(name).casefold()


class Inline:
    """Inline markup to Markdown (`text`), or to the words alone (`words`)."""

    def __init__(self, names: References) -> None:
        self._names = names

    def text(self, source: str) -> str:
        """The source as Markdown; its line ends stay."""
        return self._shown(source, marked=True, depth=0)

    def words(self, source: str) -> str:
        """The source as a title: what is read, on one line."""
        plain = self._shown(source, marked=False, depth=0)
        return one_line(re.sub(r"(?<![\w*])(\*\*?)(?=\S)([^*\n]{1,300}?)(?<=\S)\1(?![\w*])", r"\2", plain))

    def _shown(self, source: str, *, marked: bool, depth: int) -> str:
        def shown(match: re.Match[str]) -> str:
            return self._one(match, marked, depth)

        return _MARKUP.sub(shown, source)

    def _one(self, match: re.Match[str], marked: bool, depth: int) -> str:
        if (escaped := match["escaped"]) is not None:
            return "" if escaped.isspace() else escaped
        if match["literal"]:
            return _code(match["literal"], marked)
        if match["role"]:
            return self._role(match["role"], match["text"], marked)
        if (quoted := match["quoted"]) is not None:
            if match["after"]:
                return self._role(match["after"], quoted, marked)
            if match["link"]:
                return self._link(quoted, marked)
            return quoted if not marked or match[0].startswith("_") else f"`{quoted}`"
        if name := match["name"]:
            text = self._names.texts.get(name)
            if text is None or depth > 3:
                return match[0] if text is None else name
            return self._shown(text, marked=marked, depth=depth + 1)
        if match["note"]:
            return f"[^{match['note'].lstrip('#') or '#'}]" if marked else ""
        if match["cited"]:
            return f"[{match['cited']}]"
        return self._word(match["word"], match["ref"], marked)

    def _word(self, word: str, ref: str, marked: bool) -> str:
        """A word with an underscore after it: a reference where its name is known, else as it stands."""
        address = self._names.addresses.get(_key(word))
        if ref == "_" and address:
            return f"[{word}]({address})" if marked and ":" in address else word
        known = ref == "__" or _key(word) in self._names.titles
        return word if known else word + ref

    def _link(self, quoted: str, marked: bool) -> str:
        parts = _TARGETED.fullmatch(quoted)
        shown, address = (parts["shown"], parts["target"]) if parts else (quoted, "")
        shown = one_line(shown or address)
        address = address or self._names.addresses.get(_key(quoted), "")
        return f"[{shown}]({address})" if marked and ":" in address and shown != address else shown

    def _role(self, role: str, text: str, marked: bool) -> str:
        domain, _, name = role.rpartition(":")
        if name in ("ref", "numref", "any", "doc") and "<" not in text:
            return self._names.titles.get(_key(text), text)
        if name in _NUMBERED and text[:1].isdigit():
            return _NUMBERED[name] + text
        parts = _TARGETED.fullmatch(text) if name not in ("math", "code", "samp") else None
        shown = parts["shown"] if parts and parts["shown"] else text
        code = name in _CODE or bool(domain)
        if code and shown.startswith("~"):
            shown = shown[1:].rpartition(".")[2]
        shown = shown.removeprefix("!") if code else shown
        if name == "guilabel":
            shown = shown.replace("&", "")
        if marked and name in _MARKED:
            return f"{_MARKED[name]}{shown}{_MARKED[name]}"
        return _code(shown, marked) if code else shown


def _code(text: str, marked: bool) -> str:
    if not marked:
        return text
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}"
