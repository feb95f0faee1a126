"""Taking secrets out of texts that people will read: errors, traces, logs.

A server may repeat the key that it was sent, whole or in part, encoded or in capitals; an error of the network may
repeat an address with a password. So every text that a server had a say in passes through `Secrets.hide`, before
anything is cut off it: half a key is no longer recognised. The known secrets go first, then what looks like one.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable
from urllib.parse import quote

MARK = "[key]"

_SHORT = 4  # a shorter secret is replaced only where it stands as a word: "a" is in every message
_PART = 8  # characters at the begin or the end of a secret that give it away
_USERINFO = re.compile(r"(?<=://)[^\s/?#'\"<>@]{0,500}@")
_IN_QUERY = re.compile(
    r"([?&;](?:[\w.-]{0,40}(?:key|token|secret|passw(?:or)?d|pwd|signature|auth|credential)[\w.-]{0,20}|sig|code)=)"
    r"[^\s&#'\"<>;]{1,4000}",
    re.IGNORECASE,
)
_HEADER = re.compile(r"\b(bearer|basic)(\s+)[\w.~+/=-]{6,}", re.IGNORECASE)
_TOKEN = re.compile(r"\b(?:sk|pk|rk|gsk|xai|hf|ghp|glpat|AIza)[-_A-Za-z0-9]{16,}")


class Secrets:
    """What must not be shown of one server. Immutable.

    values:  keys and passwords; empty ones are passed over
    pairs:   user and password, which may come back in the encoding of a Basic header
    """

    def __init__(self, values: Iterable[str] = (), pairs: Iterable[tuple[str, str]] = ()) -> None:
        raw = [value for value in values if value]
        both = [f"{user}:{password}" for user, password in pairs if password]
        forms = {form for value in raw for form in _forms(value)}
        forms |= {base64.b64encode(pair.encode()).decode() for pair in both}
        # The longest first: a password that holds a key is replaced whole.
        self._forms = sorted(forms, key=lambda form: (-len(form), form))
        self._patterns = [_pattern(form) for form in self._forms]

    def hide(self, text: str) -> str:
        """The text with `[key]` in place of every secret. Linear in the text."""
        for pattern in self._patterns:
            text = pattern.sub(MARK, text)
        # Parts come after all whole forms: forms begin alike, and half of one must not go alone.
        for form in self._forms:
            if len(form) >= 2 * _PART:
                text = _without_parts(text, form)
        return hide_urls(text)

    def __repr__(self) -> str:
        return f"Secrets({len(self._forms)} hidden)"


def hide_urls(text: str) -> str:
    """The text without what looks like a secret: user and password of an address, keys in its query, values of
    Authorization, keys of well-known makers."""
    text = _USERINFO.sub("", text)
    text = _IN_QUERY.sub(rf"\1{MARK}", text)
    text = _HEADER.sub(rf"\1\2{MARK}", text)
    return _TOKEN.sub(MARK, text)


def _forms(value: str) -> set[str]:
    """A secret as it is, and as an address, a page, a JSON text or a header would hold it."""
    encoded = base64.b64encode(value.encode("utf-8", "replace")).decode()
    return {
        value,
        quote(value.encode("utf-8", "replace"), safe=""),
        html.escape(value),
        json.dumps(value)[1:-1],
        encoded if len(value) >= _PART else value,
    }


def _pattern(form: str) -> re.Pattern[str]:
    body = re.escape(form)
    return re.compile(body if len(form) >= _SHORT else rf"(?<!\w){body}(?!\w)", re.IGNORECASE)


def _without_parts(text: str, secret: str) -> str:
    """Replaces what begins or ends as the secret does."""
    backwards = _cut(text[::-1], secret[::-1], MARK[::-1])
    return _cut(backwards[::-1], secret, MARK)


def _cut(text: str, secret: str, mark: str) -> str:
    low, wanted = text.lower(), secret.lower()
    if len(low) != len(text):  # a letter whose small form is longer: places would not agree
        low = text
    parts: list[str] = []
    at = 0
    while (begin := low.find(wanted[:_PART], at)) >= 0:
        end = begin + _PART
        while end < len(low) and end - begin < len(wanted) and low[end] == wanted[end - begin]:
            end += 1
        parts += [text[at:begin], mark]
        at = end
    return "".join([*parts, text[at:]])
