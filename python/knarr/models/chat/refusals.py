"""What a server's error means: come back later, too long a request, or something the user must mend."""

from __future__ import annotations

import html
import json
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

_LONGEST_WAIT_S = 60.0
_SHOWN_CHARS = 300
_BUSY = (408, 409, 425, 429)

# Every server has its own words for a request that is longer than the window.
_OVERFLOW = re.compile(
    r"context_length_exceeded|exceed_context_size|string_above_max_length|model_max_prompt_tokens_exceeded"
    r"|(?:maximum|max|model'?s|available|exceeds?|exceeded) (?:\w+ ){0,4}(?:context|prompt)[ _]?(?:length|size|window)"
    r"|(?:context|prompt)[ _]?(?:length|size|window) (?:\w+ ){0,3}exceed"
    r"|exceeds? (?:\w+ ){0,4}context|context (?:\w+ ){0,2}(?:is full|overflow|shift)"
    r"|maximum model length|max_model_len|maximum (?:prompt|input) length"
    r"|(?:prompt|input|request|messages?) (?:\w+ ){0,2}(?:is|are) too (?:long|large)"
    r"|(?:prompt|input) tokens? (?:count )?(?:\(\d+\) )?(?:\w+ ){0,4}exceeds?"
    r"|input token count|too many (?:input |prompt )?tokens|greater than the context"
    r"|longer than the (?:\S+ ){0,2}context|reduce the length of the (?:messages|prompt|input)"
    r"|inputs` tokens \+ `max_new_tokens|prompt contains \d+ tokens"
)
_NAMED_WINDOW = re.compile(
    r"(?:maximum (?:context|model|prompt|input) length(?: is| of)?|context (?:window|length|size)(?: of| is)?)"
    r"\D{0,12}?(\d{3,8})"
)
_PASSING = re.compile(r"rate.?limit|overloaded|server_error|unavailable|timed?.?out")
_FIXES = {
    401: "the key was refused; set the right one in KNARR_CHAT_KEY",
    403: "the key may not use this model; set another in KNARR_CHAT_KEY or KNARR_CHAT_MODEL",
    404: "no such path or model; KNARR_CHAT_URL should end in /v1, and KNARR_CHAT_MODEL be one that GET /models lists",
    405: "this path takes no chat requests; KNARR_CHAT_URL should end in /v1",
}


def message_of(body: str) -> str:
    """The message in the body of an error, on one bounded line: from its JSON, the title of its page, or its
    text."""
    parsed = _json(body)
    error = parsed.get("error", parsed) if isinstance(parsed, dict) else body
    if isinstance(error, dict):
        error = error.get("message") or error.get("detail") or json.dumps(error)
    text = str(error)
    if is_page(text):
        title = re.search(r"<title[^>]{0,200}>([^<]{0,200})", text, re.IGNORECASE)
        text = "a web page" + (f", {html.unescape(title[1].strip())!r}" if title else "")
    return " ".join(text[: 4 * _SHOWN_CHARS].split())[:_SHOWN_CHARS]


def is_page(text: str) -> bool:
    return text.lstrip()[:15].lower().startswith(("<!doctype html", "<html", "<head", "<body"))


def is_busy(status: int, body: str) -> bool:
    """Whether to come back later. A spent quota will not refill by waiting."""
    return (status in _BUSY or status >= 500) and "insufficient_quota" not in body


def is_overflow(status: int, body: str) -> bool:
    """Whether the request was too long for the model."""
    if status == 413:
        return True
    return (status in (400, 422) or status >= 500) and _OVERFLOW.search(body.lower()) is not None


def window_named(body: str) -> int:
    """Tokens of the window that an overflow error names, 0 when it names none."""
    parsed = _json(body)
    error = parsed.get("error") if isinstance(parsed, dict) else None
    named = error.get("n_ctx") if isinstance(error, dict) else None
    if isinstance(named, int) and not isinstance(named, bool) and named > 0:
        return named
    found = _NAMED_WINDOW.search(body.lower())
    return int(found[1]) if found else 0


def fix_for(status: int) -> str:
    """What the user can do about a status, "" when only the server's words can say."""
    return _FIXES.get(status, "")


def wait_s(headers: Mapping[str, str], attempt: int, now: float | None = None) -> float:
    """Seconds to wait before the next try: the server's own Retry-After (seconds, or an HTTP date), else
    1, 2, 4 …; at most a minute. `now` is the time of day for a date, in seconds since the epoch."""
    wait = _asked_wait(headers, time.time() if now is None else now)
    return min(_LONGEST_WAIT_S, 2.0**attempt if wait is None else max(0.0, wait))


def _asked_wait(headers: Mapping[str, str], now: float) -> float | None:
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            asked = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        if asked == asked:  # "nan" is a float too
            return asked
    try:
        return parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - now
    except (ValueError, TypeError, OverflowError):
        return None


def error_within(body: Any) -> tuple[int, str] | None:
    """(status, text) of an error that came as if it were a reply: some servers send them with 200."""
    error = body.get("error") if isinstance(body, dict) else None
    if not error or body.get("choices"):
        return None
    code = error.get("code") if isinstance(error, dict) else None
    text = json.dumps(body, ensure_ascii=False)
    if isinstance(code, int) and 400 <= code < 600:
        return code, text
    return (429 if _PASSING.search(text.lower()) else 400), text


def _json(body: str) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
