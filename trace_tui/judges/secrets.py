"""Keys: read with care, never shown, and taken out of whatever is kept or printed."""

import base64
import json
import re
from typing import Final
from urllib.parse import quote

from trace_tui.errors import JudgeUnavailableError

REDACTED: Final = "[redacted]"

# What looks like somebody's secret, ours or not: keys of known services, also with their middle left out as services
# echo them, authorization headers, and the organisation that a rate-limit message names.
_SUSPICIOUS: Final = re.compile(
    r"""\b(?:gsk|sk|hf)[_-][A-Za-z0-9_\-]{4,}(?:[.*\u2026]+[A-Za-z0-9_\-]+)?
    | \b(?:gsk|sk)_[*.\u2026]+[A-Za-z0-9_\-]*
    | \bBearer\s+[A-Za-z0-9._~+/=\-]{4,}
    | \borg_[A-Za-z0-9]{8,}""",
    re.VERBOSE,
)


class Secret:
    """A key that no representation shows; `reveal` hands it to the client that sends it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def __repr__(self) -> str:
        return "Secret(…)"

    def reveal(self) -> str:
        """Return the key itself."""
        return self._value


def read_key(text: str, name: str) -> Secret:
    """Return the key that stands in an environment variable or a file.

    Args:
        text: its content.
        name: what it is called; the message names it, never the content.

    Raises:
        JudgeUnavailableError: it is empty, or holds what no key has.
    """
    key = text.strip()
    if not key:
        raise JudgeUnavailableError(f"{name} is empty; put the key there")
    if not key.isascii():
        raise JudgeUnavailableError(f"{name} holds characters that are not ASCII, which no key has; copy it again")
    if not key.isprintable() or " " in key:
        raise JudgeUnavailableError(f"{name} holds spaces or line breaks inside the key; copy it again")
    return Secret(key)


def redact(text: str, secret: Secret | None) -> str:
    """Return a text without the key, in any form in which a service may echo it, nor anything that looks like one."""
    for form in _forms(secret.reveal()) if secret else ():
        text = text.replace(form, REDACTED)
    return _SUSPICIOUS.sub(REDACTED, text)


def _forms(key: str) -> tuple[str, ...]:
    """Return the key as it is, escaped in JSON, quoted in a URL, and in base64."""
    encoded = base64.b64encode(key.encode()).decode()
    forms = {key, json.dumps(key)[1:-1], quote(key, safe=""), encoded, encoded.rstrip("=")}
    return tuple(sorted(forms, key=len, reverse=True))
