"""The HTTP client under both chat clients: it goes where it was told, and nowhere else."""

from typing import Final
from urllib.request import getproxies

import httpx

from trace_tui.judges.address import Address

_CONNECTIONS: Final = 20  # in flight; one client is sound up to that
_CONNECT: Final = 10.0  # seconds
_READ: Final = 600.0  # seconds between two bytes; how long a record may take is the labeller's affair


def http_client(address: Address, headers: dict[str, str] | None = None) -> httpx.AsyncClient:
    """Return a client that follows no redirect, which would carry documents and key to another host.

    The environment is not trusted as httpx would: `.netrc` would replace the key, and a proxy for plain http would see
    it. A proxy for https sees neither, and is used.
    """
    proxy = None if address.is_plain else getproxies().get("https")
    return httpx.AsyncClient(
        headers=headers,
        trust_env=False,
        proxy=proxy,
        follow_redirects=False,
        timeout=httpx.Timeout(_READ, connect=_CONNECT),
        limits=httpx.Limits(max_connections=_CONNECTIONS, max_keepalive_connections=_CONNECTIONS),
    )
