"""Where a service is: a URL that may carry a key, and the host as it is shown."""

import ipaddress
from typing import Final, NamedTuple
from urllib.parse import SplitResult, urlsplit

from trace_tui.errors import UsageError

GROQ: Final = "https://api.groq.com"
_GROQ_PATH: Final = "/openai/v1"  # the SDK puts it after the base URL itself


class Address(NamedTuple):
    """A service's base URL, and host and port as they are shown."""

    url: str
    host: str

    @property
    def is_plain(self) -> bool:
        """Whether what is sent there can be read on the way."""
        return self.url.startswith("http://")


def address_of(url: str, *, has_key: bool = False) -> Address:
    """Read a base URL.

    Args:
        url: as the user gave it.
        has_key: whether a key would be sent there.

    Raises:
        UsageError: it is no URL of a service, has a password or a query in it, or the key would go over plain http to
            another machine.
    """
    parts = _split(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
    shown = f"{host}:{parts.port}" if parts.port else host
    if has_key and parts.scheme == "http" and not _is_loopback(parts.hostname or ""):
        raise UsageError(f"http://{shown}: a key goes over plain http on this machine alone; use https")
    return Address(f"{parts.scheme}://{shown}{parts.path.rstrip('/')}", shown)


def groq_address(url: str | None) -> Address:
    """Read the base URL of Groq's own client, to which it adds the path: one that ends in it already is mended.

    Raises:
        UsageError: see `address_of`; a key always goes there.
    """
    found = address_of(url or GROQ, has_key=True)
    return Address(found.url.removesuffix(_GROQ_PATH), found.host)


def _split(url: str) -> SplitResult:
    wanted = "a base URL is http:// or https:// with a host, as in http://localhost:8000/v1"
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        raise UsageError(f"not a base URL: {wanted}") from None  # the text may hold a password
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise UsageError(f"{wanted}, without user, password, query or fragment; a key belongs in its variable")
    if parts.scheme not in {"http", "https"} or not parts.hostname or port == 0 or not url.isprintable():
        raise UsageError(f"not a base URL: {wanted}")
    return parts


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
