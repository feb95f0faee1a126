"""A server of raw sockets that misbehaves as it is told, for tests of clients against the wire itself."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

Script = Callable[[socket.socket, bytes], None]


class HostileServer:
    """Plays `script(connection, request)` for each request, then closes the connection. Use it in a `with`.

    requests:  head and body of each, as they came        sent, poured:  bytes and blocks that `pour` could send
    """

    def __init__(self, script: Script) -> None:
        self._script = script
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self.over = threading.Event()
        self.requests: list[bytes] = []
        self.sent = self.poured = 0
        self.origin = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.url = f"{self.origin}/v1"

    def __enter__(self) -> HostileServer:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.over.set()
        self._socket.close()
        for connection in self._open:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while not self.over.is_set():
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self._open.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            request = read_request(connection)
            self.requests.append(request)
            self._script(connection, request)

    def pour(self, connection: socket.socket, blocks: Iterator[bytes], pause_s: float = 0.0) -> None:
        """Send blocks until the client goes, or the test is over."""
        for block in blocks:
            if self.over.wait(pause_s) if pause_s else self.over.is_set():
                return
            connection.sendall(block)
            self.sent += len(block)
            self.poured += 1


def read_request(connection: socket.socket) -> bytes:
    """One request: its head, and the body that its length tells."""
    found = b""
    while b"\r\n\r\n" not in found:
        block = connection.recv(65536)
        if not block:
            return found
        found += block
    head, _, body = found.partition(b"\r\n\r\n")
    length = next(
        (int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0
    )
    while len(body) < length:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


def reply(body: bytes | Any, status: str = "200 OK", **headers: str) -> bytes:
    """A whole reply; a body that is not bytes is sent as JSON."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"HTTP/1.1 {status}", "Connection: close"]
    if "content_length" not in headers:
        lines.append(f"Content-Length: {len(content)}")
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content


def plays(answer: bytes) -> Script:
    """A script that gives the same answer to every request."""
    return lambda connection, _request: connection.sendall(answer)


def closed_port() -> int:
    """A port of this machine on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])
