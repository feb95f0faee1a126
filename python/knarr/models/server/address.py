"""The address of a server, with its secrets taken apart from what may be shown."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

from knarr.models.server.secrets import Secrets, hide_urls

_LONG = 16  # a value of a query from this length on is taken for a secret, whatever it is called
_NAMED = re.compile(r"key|token|secret|pass|pwd|sig|auth|cred|code", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Address:
    """Where requests go.

    base:           scheme, host and path without a slash at the end: paths are appended to it
    query:          what follows the path of every request, "" for nothing
    authorization:  the value of that header, "" for none
    secrets:        what must not be shown
    """

    base: str
    query: str = field(default="", repr=False)
    authorization: str = field(default="", repr=False)
    secrets: Secrets = field(default_factory=Secrets)

    def at(self, path: str) -> str:
        """The address of a request."""
        return self.base + path + (f"?{self.query}" if self.query else "")

    def beside(self, ending: str) -> Address:
        """The same server, its path without an ending."""
        return Address(self.base.removesuffix(ending), self.query, self.authorization, self.secrets)


def parse_address(url: str, key: str, prefix: str) -> Address:
    """The parts of `url`, which may hold a name and a password (`http://me:pw@host/v1`) or a key in its query.

    A key goes before the name and password. Raises ValueError, its message without secrets and with the name of the
    variable to mend: `prefix` is KNARR_CHAT or KNARR_EMBED.
    """
    url, key = url.strip(), key.strip()
    if not (key.isascii() and key.isprintable()):
        raise ValueError(f"{prefix}_KEY holds characters that no key has; copy it again")
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or not url.isprintable() or " " in url:
        shown = Secrets([key]).hide(url)[:200]
        raise ValueError(
            f"{prefix}_URL: expected a server's address such as http://localhost:8000/v1, got {shown!r}"
        )
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    queried = [v for name, v in parse_qsl(parts.query) if _NAMED.search(name) or len(v) >= _LONG]
    secrets = Secrets([key, password, *queried], [(user, password)])
    host = parts.netloc.rpartition("@")[2]
    base = urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))
    return Address(base, parts.query, _authorization(key, user, password), secrets)


def shown_address(url: str) -> str:
    """An address that somebody else gave, as a message may show it: no secrets, no query, bounded."""
    return hide_urls(url).partition("?")[0][:200]


def _authorization(key: str, user: str, password: str) -> str:
    if key:
        return f"Bearer {key}"
    if user or password:
        return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
    return ""
