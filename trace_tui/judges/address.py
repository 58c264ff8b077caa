"""Where a service is: checks the base URL that a user gave, before anything is sent there. Pure functions."""

import re
from ipaddress import ip_address
from typing import Final, NamedTuple
from urllib.parse import SplitResult, urlsplit

from trace_tui.errors import UsageError

GROQ: Final = "https://api.groq.com"
"""Where Groq is. The SDK adds `/openai/v1` to the path itself."""

_GROQ_PATH: Final = "/openai/v1"
_HOST: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\.?|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*")


class Address(NamedTuple):
    """The base URL of a service, without a slash at its end, and its host as it is shown: `localhost:8000`."""

    url: str
    host: str

    @property
    def is_encrypted(self) -> bool:
        """Whether what is sent there can be read on the way."""
        return self.url.startswith("https://")


def groq_address(value: str | None, name: str = "GROQ_BASE_URL") -> Address:
    """Return where Groq is, or what stands in for it.

    Args:
        value: the environment's value; None or empty for Groq itself. `/openai/v1` at its end may be there or not.
        name: where the value is from, as it is named to the user.

    Raises:
        UsageError: it is no base URL, or a key would be sent there for others to read.
    """
    address = _address((value or "").strip() or GROQ, name, with_key=True)
    return address._replace(url=address.url.removesuffix(_GROQ_PATH))


def compatible_address(value: str, *, with_key: bool, name: str = "--base-url") -> Address:
    """Return where an OpenAI-compatible server is: `http://localhost:8000/v1`.

    Args:
        value: the URL to which `/chat/completions` is added.
        with_key: whether a key is sent there.
        name: where the value is from, as it is named to the user.

    Raises:
        UsageError: as for `groq_address`.
    """
    return _address(value.strip(), name, with_key=with_key)


def _address(value: str, name: str, *, with_key: bool) -> Address:
    parts = _split(value, name)
    if parts.username is not None or parts.password is not None:
        raise UsageError(f"{name} holds a user name or a password; a key goes into its own variable")
    if parts.query or parts.fragment or value.endswith(("?", "#")):
        raise UsageError(f"{name} goes on after its path, with ? or #; give it without")
    host = (parts.hostname or "").lower()
    if with_key and parts.scheme == "http" and not _is_loopback(host):
        raise UsageError(f"{name} is plain http, and a key sent to {host} could be read on the way; give https")
    shown = f"[{host}]" if ":" in host else host
    shown += f":{parts.port}" if parts.port is not None else ""
    return Address(f"{parts.scheme}://{shown}{parts.path.rstrip('/')}", shown)


def _split(value: str, name: str) -> SplitResult:
    """Take a URL apart. One that fails is not quoted: it may hold a password where none is looked for."""
    wrong = UsageError(f"{name} is no base URL; give one like https://host or http://localhost:8000/v1")
    if not value.isascii() or not value.isprintable() or " " in value or "\\" in value:
        raise wrong
    try:
        parts = urlsplit(value)
        valid = parts.scheme in {"http", "https"} and parts.port != 0 and _HOST.fullmatch(parts.hostname or "")
    except ValueError:
        raise wrong from None
    if not valid:
        raise wrong
    return parts


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
