"""A document from an address on the web: fetched because the user named it, and for no other reason.

One deadline and one bound of bytes hold for the whole exchange, redirects included. An address that the user names may be
anywhere; a redirect may lead to public addresses only, unless the user named a private one, and never from https to
http: a page must not make this machine ask its neighbours. What is connected to is the address that was checked.
The format follows the file name, or the type that the server names.
"""

from __future__ import annotations

import ipaddress
import re
import time
from base64 import b64encode
from dataclasses import dataclass
from email.message import Message
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from knarr.documents.registry import SUFFIXES
from knarr.models.server import BoundedBody, Lost
from knarr.models.server.address import shown_address
from knarr.uris import is_web_address

FETCH_S = 60.0
_CONNECT_S = 10.0
_REDIRECTS = 5
_REDIRECTED = (301, 302, 303, 307, 308)
_NAME_CHARS = 120
_UNFIT = re.compile(r"[\x00-\x1f\x7f/\\:*?\"<>|]+")
_TYPES = {
    "text/html": ".html", "application/xhtml+xml": ".xhtml", "application/pdf": ".pdf", "text/plain": ".txt",
    "text/markdown": ".md", "text/csv": ".csv", "text/tab-separated-values": ".tsv", "application/json": ".json",
    "application/xml": ".xml", "text/xml": ".xml", "application/rss+xml": ".rss", "application/atom+xml": ".atom",
    "application/rtf": ".rtf", "text/rtf": ".rtf", "application/epub+zip": ".epub", "message/rfc822": ".eml",
    "application/x-ipynb+json": ".ipynb", "text/vtt": ".vtt", "application/x-subrip": ".srt", "text/x-rst": ".rst",
    "application/msword": ".doc", "application/vnd.ms-excel": ".xls", "application/vnd.ms-powerpoint": ".ppt",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "application/vnd.oasis.opendocument.text": ".odt", "application/vnd.oasis.opendocument.spreadsheet": ".ods",
    "application/vnd.oasis.opendocument.presentation": ".odp", "application/zip": ".zip", "text/calendar": ".ics",
}  # fmt: skip


class FetchError(Exception):
    """Why an address gave no document; the text may be shown. `status` is the receipt's word."""

    def __init__(self, text: str, status: str = "unreadable") -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came: a file name with a suffix that tells its format, and the bytes."""

    name: str
    data: bytes


def fetch(address: str, max_bytes: int, seconds: float = FETCH_S) -> Fetched:
    """The document at an address. Raises FetchError."""
    until = time.monotonic() + seconds
    url, may_be_private = address, None
    for _ in range(_REDIRECTS + 1):
        _usable(url)
        if may_be_private is None:
            may_be_private = _names_private(url)
        status, headers, data = _exchange(url, max_bytes, until, first=url == address, private=may_be_private)
        if status not in _REDIRECTED:
            if status >= 400:
                raise FetchError(f"the server answered {status}")
            if not data:
                raise FetchError("the server sent nothing", "empty")
            return Fetched(_name(url, headers), data)
        target = urljoin(url, headers.get("location", ""))
        if not is_web_address(target):
            raise FetchError(f"it leads on to {shown_address(target)!r}, which is no address on the web")
        if url.lower().startswith("https:") and not target.lower().startswith("https:"):
            raise FetchError(
                f"it leads from https on to {shown_address(target)!r}, and was not followed there"
            )
        url = target
    raise FetchError(f"it was redirected more than {_REDIRECTS} times")


def _usable(url: str) -> None:
    try:
        parts = urlsplit(url)
        fit = bool(parts.hostname) and parts.port != 0 and url.isprintable() and " " not in url
    except ValueError:
        fit = False
    if not fit:
        raise FetchError("not a usable address")


def _names_private(url: str) -> bool:
    """Whether the host of an address is this machine or one of its network."""
    import httpcore

    from knarr.models.server.network import resolved

    host = urlsplit(url).hostname or ""
    try:
        return any(not is_public(one) for one in resolved(host, 80, _CONNECT_S))
    except (httpcore.ConnectError, httpcore.ConnectTimeout):
        return False  # connecting says what is wrong


def is_public(address: str) -> bool:
    """Whether a numeric address is one of the internet at large."""
    try:
        known = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    inside = getattr(known, "ipv4_mapped", None) or getattr(known, "sixtofour", None)
    return known.is_global and not known.is_multicast and (inside is None or is_public(str(inside)))


def _exchange(
    url: str, max_bytes: int, until: float, *, first: bool, private: bool
) -> tuple[int, dict[str, str], bytes]:
    import httpcore
    import httpx

    from knarr.models.server.network import DeadlineBackend, deadline
    from knarr.models.server.wire import WireTransport, proxy_of

    class PublicBackend(DeadlineBackend):
        def allows(self, address: str) -> bool:
            return is_public(address)

    left = until - time.monotonic()
    if left <= 0:
        raise FetchError("it took too long")
    guarded = not first and not private
    try:
        if guarded and proxy_of(url) and _names_private(url):
            raise FetchError("it leads on to a private address, and was not followed there")
        backend = PublicBackend() if guarded and not proxy_of(url) else DeadlineBackend()
        transport = WireTransport(url, backend)
    except (ValueError, OSError) as error:
        raise FetchError(str(error)) from None
    try:
        request = httpx.Request(
            "GET",
            url,
            headers={
                **_credentials(url),
                "Accept": "*/*",
                "Accept-Encoding": "gzip, deflate",
                "User-Agent": "knarr",
            },
            extensions={"timeout": dict.fromkeys(("connect", "read", "write", "pool"), left)},
        )
        with deadline(min(_CONNECT_S, left), left):
            response = transport.handle_request(request)
            try:
                headers = {name.lower(): value for name, value in response.headers.items()}
                good = response.status_code < 300
                return (
                    response.status_code,
                    headers,
                    _body(response, headers, max_bytes, until) if good else b"",
                )
            finally:
                response.close()
    except (httpcore.TimeoutException, httpx.TimeoutException):
        raise FetchError("it took too long") from None
    except Lost as error:
        raise FetchError(str(error)) from None
    except (
        httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError, httpx.HTTPError, httpx.InvalidURL,
        httpx.StreamError, OSError, ValueError,
    ) as error:  # fmt: skip
        raise FetchError(f"it cannot be read ({' '.join(str(error).split())[:150]})") from None
    finally:
        transport.close()


def _credentials(url: str) -> dict[str, str]:
    """The name and password that an address holds, as the server wants them."""
    parts = urlsplit(url)
    if parts.username is None and parts.password is None:
        return {}
    pair = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}".encode()
    return {"Authorization": f"Basic {b64encode(pair).decode()}"}


def _body(response: Any, headers: dict[str, str], max_bytes: int, until: float) -> bytes:
    body = BoundedBody(headers.get("content-encoding", ""), max_bytes)
    for block in response.stream:
        if body.add(block):
            raise FetchError(f"more than {max_bytes:,} bytes (KNARR_MAX_FILE_BYTES)", "limit")
        if time.monotonic() > until:
            raise FetchError("it took too long")
    return bytes(body.bytes)


def _name(url: str, headers: dict[str, str]) -> str:
    """The name of the file: what the server calls it, else what the address does; with the suffix of its type."""
    message = Message()
    message["Content-Disposition"] = headers.get("content-disposition", "")[:1_000]
    parts = urlsplit(url)
    name = (
        message.get_filename() or unquote(parts.path.rstrip("/").rpartition("/")[2]) or parts.hostname or ""
    )
    name = _UNFIT.sub("_", name.replace("\\", "/").rpartition("/")[2]).strip(" .")[-_NAME_CHARS:] or "page"
    name = name.encode("utf-8", "replace").decode()
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    suffix = "." + name.rpartition(".")[2].lower()
    wanted = _TYPES.get(kind, "")
    known = suffix in SUFFIXES or suffix == ".zip"
    if wanted and (not known or (wanted == ".html" and suffix not in (".htm", ".html", ".xhtml"))):
        return name + wanted
    return name
