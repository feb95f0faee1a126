"""Refusals that only chat servers give: too long a request, and an error in the place of a reply."""

from __future__ import annotations

import json
import re
from typing import Any

from knarr.models.server.refusals import JUDGED_CHARS, json_in

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
_MOST_WINDOW = 1 << 30  # a larger number is no window


def is_overflow(status: int, body: str) -> bool:
    """Whether the request was too long for the model."""
    if status == 413:
        return True
    return (status in (400, 422) or status >= 500) and _OVERFLOW.search(
        body[:JUDGED_CHARS].lower()
    ) is not None


def window_named(body: str) -> int:
    """Tokens of the window that an overflow error names, 0 when it names none."""
    parsed = json_in(body)
    error = parsed.get("error") if isinstance(parsed, dict) else None
    named = error.get("n_ctx") if isinstance(error, dict) else None
    if isinstance(named, int) and not isinstance(named, bool) and 0 < named <= _MOST_WINDOW:
        return named
    found = _NAMED_WINDOW.search(body[:JUDGED_CHARS].lower())
    return int(found[1]) if found else 0


def error_within(body: Any) -> tuple[int, str] | None:
    """(status, text) of an error that came as if it were a reply: some servers send them with 200."""
    error = body.get("error") if isinstance(body, dict) else None
    if not error or body.get("choices"):
        return None
    code = error.get("code") if isinstance(error, dict) else None
    text = json.dumps(body, ensure_ascii=False)
    if isinstance(code, int) and 400 <= code < 600:
        return code, text
    return (429 if _PASSING.search(text[:JUDGED_CHARS].lower()) else 400), text
