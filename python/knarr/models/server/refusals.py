"""What a refusal means: come back later, or something the user must mend."""

from __future__ import annotations

import html
import json
import math
import re
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from knarr.errors import FailureKind
from knarr.models.server.client import read_json

SHOWN_CHARS = 300
JUDGED_CHARS = 8_000  # of an error's body: what it is stands at its begin
_BUSY = (408, 409, 425, 429)

# Every server has its own words for an account without money, and for a model that it does not have.
_SPENT = re.compile(
    r"insufficient_quota|billing_hard_limit|billing_not_active|credit balance|payment required"
    r"|(?:insufficient|not enough|out of|no) (?:\w+ )?(?:credits?|balance|funds)|insufficient_(?:balance|funds|credits)"
)
_NO_MODEL = re.compile(
    r"model_not_found|(?:unknown|no such|invalid) model|not a valid model"
    r"|\bmodels?\b.{0,200}?(?:does not exist|do not exist|not exist|not (?:be )?found|is not (?:available|loaded|supported)"
    r"|has been (?:deprecated|retired|removed))",
    re.DOTALL,
)


def message_of(body: str, hide: Callable[[str], str]) -> str:
    """The message in the body of an error, on one bounded line, without secrets: from its JSON, the title of its
    page, or its text."""
    parsed = json_in(body)
    error = parsed.get("error", parsed) if isinstance(parsed, dict) else body
    if isinstance(error, dict):
        error = error.get("message") or error.get("detail") or json.dumps(error, ensure_ascii=False)
    text = str(error)
    if is_page(text):
        title = re.search(r"<title[^>]{0,200}>([^<]{0,200})", text, re.IGNORECASE)
        text = "a web page" + (f", {html.unescape(title[1].strip())!r}" if title else "")
    text = text.encode("utf-8", "replace").decode("utf-8")
    return " ".join(hide(text)[: 4 * SHOWN_CHARS].split())[:SHOWN_CHARS] or "an empty text"


def is_page(text: str) -> bool:
    """Whether a text is HTML."""
    return text.lstrip()[:15].lower().startswith(("<!doctype html", "<html", "<head", "<body"))


def is_busy(status: int, body: str) -> bool:
    """Whether to come back later. A spent quota will not refill by waiting."""
    return (status in _BUSY or status >= 500) and not _is_spent(body)


def _is_spent(body: str) -> bool:
    return _SPENT.search(body[:JUDGED_CHARS].lower()) is not None


def kind_of(status: int, body: str) -> FailureKind:
    """What kind of failure a refusal is."""
    low = body[:JUDGED_CHARS].lower()
    if status == 402 or _is_spent(low):
        return "quota"
    if status in (401, 403, 407):
        return "unauthorised"
    if status in (400, 404, 422) and _NO_MODEL.search(low):
        return "unknown_model"
    if is_busy(status, low):
        return "quota" if status == 429 and "quota" in low else "busy"
    return "refused"


def fix_for(status: int, kind: FailureKind, prefix: str) -> str:
    """What the user can do about a refusal, "" when only the server's words can say. `prefix` is that of the
    variables: KNARR_CHAT or KNARR_EMBED."""
    if kind == "quota":
        return f"the account behind {prefix}_KEY has nothing left; top it up, or set another key"
    if status == 401:
        return f"the key was refused; set the right one in {prefix}_KEY"
    if status == 403:
        return f"the key may not use this model; set another in {prefix}_KEY or {prefix}_MODEL"
    if status == 407:
        return (
            "the proxy that the environment names wants a name and password; NO_PROXY can except this server"
        )
    if status == 404:
        return (
            f"no such path or model; {prefix}_URL should end in /v1, and {prefix}_MODEL be one that "
            "GET /models lists"
        )
    if kind == "unknown_model":
        return f"set {prefix}_MODEL to one that GET /models lists"
    if status == 405:
        return f"this path takes no such requests; {prefix}_URL should end in /v1"
    return ""


def wait_s(headers: Mapping[str, str], attempt: int, now: float | None = None) -> float:
    """Seconds to wait before the next try: the server's own Retry-After (seconds, or an HTTP date), else
    1, 2, 4 …. `now` is the time of day for a date, in seconds since the epoch."""
    wait = _asked_wait(headers, time.time() if now is None else now)
    return 2.0**attempt if wait is None else max(0.0, wait)


def _asked_wait(headers: Mapping[str, str], now: float) -> float | None:
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            asked = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        if math.isfinite(asked):  # "nan" and "inf" are floats too
            return asked
    try:
        return parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - now
    except (ValueError, TypeError, OverflowError):
        return None


def json_in(body: str) -> Any:
    """The JSON that the body of an error is, None for anything else."""
    try:
        return read_json(body.encode("utf-8", "replace"))
    except ValueError:
        return None
