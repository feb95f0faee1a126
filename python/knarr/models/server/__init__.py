"""Asking a server over HTTP: one deadline, one bound of bytes, and no secret in what is said of it.

client.py is the exchange, the only way in which knarr asks a chat or an embedding server for anything. address.py
takes the secrets out of an address, secrets.py out of every text; network.py holds sockets to the deadline,
wire.py goes through proxies, refusals.py reads what a server refuses. httpx is imported with the first request.
May import: errors, config.
"""

from __future__ import annotations

from knarr.models.server.address import Address, parse_address
from knarr.models.server.client import BoundedBody, Lost, Reply, Server
from knarr.models.server.secrets import Secrets

__all__ = ["Address", "BoundedBody", "Lost", "Reply", "Secrets", "Server", "parse_address"]
