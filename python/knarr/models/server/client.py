"""One exchange with a server: a request, and the bytes of its reply, or why there are none.

Whatever the server does, an exchange ends within its seconds and holds at most its bytes: dripped headers and bodies,
endless replies, bodies of errors and compressed bombs are all read by one loop. A connection that cannot be made is
tried again a few times within `connect_s`, since nothing was sent yet; a server that was found dead is reported so,
without waiting, for the next moments: one question asks a server many things. Redirects are followed on the same
origin only, so that neither key nor documents go to a place that nobody named.
"""

from __future__ import annotations

import json
import re
import threading
import time
import weakref
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urljoin, urlsplit

from knarr.errors import FailureKind
from knarr.models.server.address import Address, shown_address
from knarr.models.server.secrets import Secrets

if TYPE_CHECKING:
    import httpx

CONNECT_S = 4.0  # a dead server is told within five seconds
MOST_ERROR_BYTES = 64 << 10
_CONNECT_TRIES = 3
_DEAD_S = 2.0
_REDIRECTS = 5
_REDIRECTED = (301, 302, 303, 307, 308)
_SLOW = "gave no reply in time"
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class Lost(Exception):
    """No usable reply. `kind` as in `ServerError`; the text says what happened, without secrets. `worth_again` tells
    whether the same request may succeed at once: a connection that broke, not one that could not be made."""

    def __init__(self, kind: FailureKind, text: str, *, worth_again: bool = False) -> None:
        super().__init__(text)
        self.kind: FailureKind = kind
        self.worth_again = worth_again


@dataclass(frozen=True, slots=True)
class Reply:
    """status, headers (names in lower case), and the body, decoded; of an error its first 64 KiB."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")


class Server:
    """The server at an address. Any thread may use it.

    prefix:     KNARR_CHAT or KNARR_EMBED, for the hints in errors
    connect_s:  seconds for making a connection, all tries together
    transport, sleep, clock:  for tests
    """

    def __init__(
        self,
        address: Address,
        prefix: str,
        *,
        connect_s: float = CONNECT_S,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._address = address
        self._prefix = prefix
        self._connect_s = connect_s
        self._transport = transport
        self._sleep = sleep
        self._clock = clock
        self._lock = threading.Lock()
        self._proxy_secrets = Secrets()
        self._dead: tuple[float, Lost] | None = None

    @property
    def place(self) -> str:
        """The address as it may be shown."""
        return self._address.base

    def hide(self, text: str) -> str:
        """A text that the server had a say in, without secrets. Cut it after this, not before."""
        return self._proxy_secrets.hide(self._address.secrets.hide(text))

    def ask(
        self,
        method: Literal["GET", "POST"],
        path: str,
        *,
        left_s: float,
        most_bytes: int,
        content: bytes | None = None,
        end: bytes = b"",
        beside: str = "",
    ) -> Reply:
        """The reply to a request, within `left_s` seconds. Raises Lost.

        most_bytes:  of the decoded body of a good reply
        end:         bytes after which nothing more is read
        beside:      an ending of the server's path to leave out
        """
        address = self._address.beside(beside) if beside else self._address
        return self._follow(method, address.at(path), content, self._clock() + left_s, most_bytes, end)

    def _follow(
        self, method: str, url: str, content: bytes | None, until: float, most_bytes: int, end: bytes
    ) -> Reply:
        for _ in range(_REDIRECTS):
            reply = self._reach(method, url, content, until, most_bytes, end)
            if reply.status not in _REDIRECTED:
                return reply
            url = self._next(method, url, reply)
        raise Lost("redirect", f"sent the request in circles; is {self._prefix}_URL right?")

    def _next(self, method: str, url: str, reply: Reply) -> str:
        """Where a redirect may lead: to the same origin, and with the same request."""
        target = reply.headers.get("location", "")
        try:
            target = urljoin(url, target)
            same = _origin(target) == _origin(url)
        except ValueError:
            same = False
        if target and same and (method == "GET" or reply.status in (307, 308)):
            return target
        shown = self.hide(shown_address(target))
        raise Lost(
            "redirect",
            f"sent the request on to {shown!r} ({reply.status}), and it was not sent there; "
            f"if you trust that address, set {self._prefix}_URL to it",
        )

    def _reach(
        self, method: str, url: str, content: bytes | None, until: float, most_bytes: int, end: bytes
    ) -> Reply:
        """An exchange; a connection that cannot be made is tried again."""
        self._fail_while_dead()
        connected = min(until, self._clock() + self._connect_s)
        for tried in range(1, _CONNECT_TRIES + 1):
            try:
                reply = self._exchange(method, url, content, connected, until, most_bytes, end)
            except _NoConnection as failed:
                wait = 0.25 * 2**tried
                if tried < _CONNECT_TRIES and self._clock() + wait < connected:
                    self._sleep(wait)
                    continue
                raise self._died(failed, tried) from None
            self._dead = None
            return reply
        raise AssertionError("unreachable")

    def _fail_while_dead(self) -> None:
        dead = self._dead
        if dead is not None and self._clock() < dead[0]:
            raise Lost(dead[1].kind, str(dead[1]))

    def _died(self, failed: _NoConnection, tried: int) -> Lost:
        times = f", tried {tried} times" if tried > 1 else ""
        text = f"cannot be reached ({self._said(failed)}{times}); is the server running, and {self._prefix}_URL right?"
        lost = Lost("unreachable", text)
        self._dead = (self._clock() + _DEAD_S, lost)
        return lost

    def _exchange(
        self,
        method: str,
        url: str,
        content: bytes | None,
        connected: float,
        until: float,
        most_bytes: int,
        end: bytes,
    ) -> Reply:
        import httpcore
        import httpx

        from knarr.models.server.network import deadline

        left = until - self._clock()
        connect = min(connected, until) - self._clock()
        if left <= 0 or connect <= 0:
            raise Lost("timeout", _SLOW)
        request = self._request(method, url, content, left, connect)
        transport = self._wire()
        try:
            with deadline(connect, left):
                response = transport.handle_request(request)
                try:
                    return self._read(response, until, most_bytes, end)
                finally:
                    response.close()
        except (httpcore.ConnectError, httpcore.ConnectTimeout, httpcore.ProxyError) as error:
            raise _NoConnection(str(error) or "no answer") from None
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as error:
            raise _NoConnection(str(error) or "no answer") from None
        except (httpcore.TimeoutException, httpx.TimeoutException):
            raise Lost("timeout", _SLOW, worth_again=True) from None
        except (httpcore.NetworkError, httpx.NetworkError, OSError) as error:
            raise Lost(
                "unreachable", f"broke the connection ({self._said(error)})", worth_again=True
            ) from None
        except (httpcore.ProtocolError, httpx.HTTPError, httpx.StreamError, UnicodeError) as error:
            raise Lost(
                "protocol", f"does not speak HTTP as expected ({self._said(error)})", worth_again=True
            ) from None

    def _request(
        self, method: str, url: str, content: bytes | None, left: float, connect: float
    ) -> httpx.Request:
        import httpx

        headers = {"Accept": "application/json", "Accept-Encoding": "gzip, deflate", "User-Agent": "knarr"}
        if self._address.authorization:
            headers["Authorization"] = self._address.authorization
        if content is not None:
            headers["Content-Type"] = "application/json"
        timeouts = {"connect": connect, "read": left, "write": left, "pool": left}
        try:
            return httpx.Request(
                method, url, headers=headers, content=content, extensions={"timeout": timeouts}
            )
        except (httpx.InvalidURL, ValueError) as error:
            raise Lost("unconfigured", f"is no address to ask ({self._said(error)})") from None

    def _wire(self) -> httpx.BaseTransport:
        with self._lock:
            if self._transport is None:
                from knarr.models.server.wire import WireTransport

                try:
                    made = WireTransport(self._address.base)
                except (ValueError, OSError) as error:
                    raise Lost("unconfigured", f"cannot be asked: {self._said(error)}") from None
                self._proxy_secrets = Secrets([made.secrets])
                weakref.finalize(self, made.close)
                self._transport = made
            return self._transport

    def _read(self, response: httpx.Response, until: float, most_bytes: int, end: bytes) -> Reply:
        """The body, as far as it may be read."""
        headers = {name.lower(): value for name, value in response.headers.items()}
        good = response.status_code < 400
        body = BoundedBody(headers.get("content-encoding", ""), most_bytes if good else MOST_ERROR_BYTES)
        stream: Any = response.stream  # its raw blocks: httpx would inflate a block without a bound
        for block in stream:
            full = body.add(block)
            if self._clock() > until and good:
                raise Lost("timeout", _SLOW)
            if full and good:
                raise Lost("too_large", f"sent more than {most_bytes:,} bytes, which no such reply has")
            if full or (end and body.ends_with(end)) or self._clock() > until:
                break
        return Reply(response.status_code, headers, bytes(body.bytes))

    def _said(self, error: Exception) -> str:
        return " ".join(self.hide(str(error) or type(error).__name__).split())[:200]


class _NoConnection(Exception):
    """Nothing was sent."""


class BoundedBody:
    """A body as it grows, held to a bound after decompression."""

    def __init__(self, encoding: str, most_bytes: int) -> None:
        self.bytes = bytearray()
        self._most = most_bytes
        names = [
            name for part in encoding.lower().split(",") if (name := part.strip()) not in ("", "identity")
        ]
        if len(names) > 1 or any(name not in ("gzip", "x-gzip", "deflate") for name in names):
            raise Lost("protocol", f"replied in the encoding {encoding[:40]!r}, which was not asked for")
        # 32 on top of the window's bits tells gzip from zlib by the header.
        self._inflate = zlib.decompressobj(zlib.MAX_WBITS | 32) if names else None
        self._new = 0

    def add(self, block: bytes) -> bool:
        """True when the bound is reached, and the rest of this block was dropped."""
        before = len(self.bytes)
        room = self._most - before
        if self._inflate is None:
            full = len(block) > room
            self.bytes += block[:room]
        else:
            try:
                self.bytes += self._inflate.decompress(block, room + 1)
            except zlib.error:
                raise Lost("protocol", "sent compressed bytes that are damaged", worth_again=True) from None
            full = len(self.bytes) > self._most
            del self.bytes[self._most :]
        self._new = len(self.bytes) - before
        return full

    def ends_with(self, end: bytes) -> bool:
        """Whether `end` stands in what the last block brought."""
        return end in self.bytes[-(self._new + len(end)) :]


def read_json(body: bytes) -> Any:
    """The JSON of a body, its texts as valid Unicode. Raises ValueError for anything else, however deep it is
    nested."""
    try:
        value = json.loads(body.decode("utf-8-sig", "replace"))
        if _SURROGATE.search(body):
            # Half a character can be written as an escape, but neither stored nor sent.
            value = json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return value


def _origin(url: str) -> tuple[str, str, int]:
    parts = urlsplit(url)
    default = {"http": 80, "https": 443}.get(parts.scheme, 0)
    return parts.scheme, (parts.hostname or "").lower(), parts.port or default
