"""HTTP/1.1 over sockets that keep a deadline: httpcore's pool as an httpx transport.

Proxies are those of the environment (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`), as other programs read
them, with one exception: a server on this machine is never asked through a proxy, which would be shown its key.
Nothing else is taken from the environment but where certificates are (`SSL_CERT_FILE`); no password of a `.netrc`.
"""

from __future__ import annotations

import ipaddress
import logging
import ssl
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

from knarr.models.server.network import HEADER_LOG, LOGGERS, DeadlineBackend

_CONNECTIONS = 100


class WireTransport(httpx.BaseTransport):
    """Sends requests to one server. Raises the errors of httpcore. Thread-safe.

    secrets:  the password of a proxy, "" where there is none
    backend:  makes the connections, the one to a proxy among them
    Raises ValueError for a proxy of the environment that cannot be used.
    """

    def __init__(self, url: str, backend: DeadlineBackend | None = None) -> None:
        proxy = proxy_of(url)
        self.secrets = unquote(urlsplit(proxy).password or "") if proxy else ""
        for name in LOGGERS:
            logging.getLogger(name).addFilter(HEADER_LOG)  # the same object counts once
        secure = url.startswith("https:") or proxy.startswith("https:")
        self._pool = httpcore.ConnectionPool(
            ssl_context=httpx.create_ssl_context() if secure else None,
            proxy=_proxy(proxy) if proxy else None,
            max_connections=_CONNECTIONS,
            max_keepalive_connections=20,
            keepalive_expiry=5.0,
            network_backend=backend or DeadlineBackend(),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        reply = self._pool.handle_request(
            httpcore.Request(
                request.method,
                httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
                headers=request.headers.raw,
                content=request.stream,
                extensions=request.extensions,
            )
        )
        return httpx.Response(reply.status, headers=reply.headers, stream=_Body(reply))

    def close(self) -> None:
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, reply: httpcore.Response) -> None:
        self._reply = reply

    def __iter__(self) -> Iterator[bytes]:
        yield from self._reply.iter_stream()

    def close(self) -> None:
        self._reply.close()


def proxy_of(url: str) -> str:
    """The proxy that the environment names for an address, "" for none."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if _is_here(host) or proxy_bypass(parts.netloc) or proxy_bypass(host):
        return ""
    proxies: dict[str, Any] = getproxies()
    found = str(proxies.get(parts.scheme) or proxies.get("all") or "").strip()
    return found if not found or "://" in found else f"http://{found}"


def _is_here(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _proxy(url: str) -> httpcore.Proxy:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(
            f"the environment names a proxy of the kind {parts.scheme!r}, expected http or https; "
            "NO_PROXY can except this server"
        )
    host = parts.netloc.rpartition("@")[2]
    auth = (unquote(parts.username or ""), unquote(parts.password or "")) if parts.username else None
    context: ssl.SSLContext | None = httpx.create_ssl_context() if parts.scheme == "https" else None
    return httpcore.Proxy(f"{parts.scheme}://{host}", auth=auth, ssl_context=context)
