"""Sockets that keep one deadline.

The timeouts of HTTP libraries hold for one read: a server that sends a byte now and then resets them for ever, in
the middle of a header too. Here every operation on a socket gets what is left of the whole exchange. The exchange
runs in one thread from its first byte to its last, so its deadline is a context variable, and pooled connections
serve whichever exchange is running. Looking up a name has no timeout in the operating system; it runs in a thread
that is left alone when it takes too long.
"""

from __future__ import annotations

import logging
import queue
import socket
import ssl
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import httpcore

_SLICE = 16 << 10  # bytes given to a socket at once: each slice gets what time is left


@dataclass(frozen=True, slots=True)
class Deadline:
    """On `time.monotonic`: until when a connection must stand, and until when all must be over."""

    connected_s: float
    until_s: float


_DEADLINE: ContextVar[Deadline | None] = ContextVar("knarr_deadline", default=None)


@contextmanager
def deadline(connect_s: float, left_s: float) -> Iterator[None]:
    """Everything that this thread asks of a socket ends within `left_s` seconds, connecting within `connect_s`."""
    now = time.monotonic()
    token = _DEADLINE.set(Deadline(now + min(connect_s, left_s), now + left_s))
    try:
        yield
    finally:
        _DEADLINE.reset(token)


class HeaderLog(logging.Filter):
    """Keeps the headers of our replies out of the debugging log of httpcore: a server may repeat a key in them."""

    def filter(self, record: logging.LogRecord) -> bool:
        return _DEADLINE.get() is None or "headers.complete" not in record.getMessage()


HEADER_LOG = HeaderLog()
LOGGERS = ("httpcore.http11", "httpcore.proxy")


def _left(timeout: float | None, error: type[Exception], *, connecting: bool = False) -> float | None:
    """Seconds for the next operation; raises `error` when there are none."""
    bound = _DEADLINE.get()
    if bound is None:
        return timeout
    left = (bound.connected_s if connecting else bound.until_s) - time.monotonic()
    if left <= 0:
        raise error("out of time")
    return left if timeout is None else min(timeout, left)


class DeadlineBackend(httpcore.NetworkBackend):
    """Connects, within the deadline over all addresses of a name."""

    def __init__(self) -> None:
        self._plain = httpcore.SyncBackend()

    def allows(self, address: str) -> bool:
        """Whether a numeric address may be connected to; it is asked about the very address that is."""
        return True

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        known = resolved(host, port, _left(timeout, httpcore.ConnectTimeout, connecting=True))
        found = [address for address in known if self.allows(address)]
        options = list(socket_options or ())
        last: Exception = httpcore.ConnectError("the name has no address that may be asked")
        for place, address in enumerate(found):
            left = _left(timeout, httpcore.ConnectTimeout, connecting=True)
            # An address that swallows packets must not take the time of those after it.
            share = None if left is None else left / (len(found) - place)
            try:
                plain = self._plain.connect_tcp(address, port, share, local_address, options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                last = error
            else:
                return DeadlineStream(plain)
        raise last


class DeadlineStream(httpcore.NetworkStream):
    """A connection whose reads and writes end at the deadline of the exchange that uses it now."""

    def __init__(self, plain: httpcore.NetworkStream) -> None:
        self._plain = plain

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._plain.read(max_bytes, _left(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        view = memoryview(buffer)
        for begin in range(0, len(view), _SLICE):
            left = _left(timeout, httpcore.WriteTimeout)
            self._plain.write(bytes(view[begin : begin + _SLICE]), left)

    def close(self) -> None:
        self._plain.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        left = _left(timeout, httpcore.ConnectTimeout, connecting=True)
        return DeadlineStream(self._plain.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> Any:
        return self._plain.get_extra_info(info)


def resolved(host: str, port: int, timeout: float | None) -> list[str]:
    """The numeric addresses of a name, in the system's order, each once."""
    results: queue.SimpleQueue[list[str] | Exception] = queue.SimpleQueue()

    def look_up() -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            results.put(list(dict.fromkeys(str(entry[4][0]) for entry in found)))
        except (OSError, UnicodeError, ValueError) as error:
            results.put(error)

    threading.Thread(target=look_up, name="knarr-resolve", daemon=True).start()
    try:
        result = results.get(timeout=timeout)
    except queue.Empty:
        raise httpcore.ConnectTimeout("looking up its name took too long") from None
    if isinstance(result, Exception):
        raise httpcore.ConnectError(str(result)) from None
    return result
