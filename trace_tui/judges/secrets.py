"""Keeps the key of a service out of everything that is stored, logged or shown."""

import json
import re
from base64 import b64encode
from typing import Final, NoReturn
from urllib.parse import quote

from trace_tui.errors import JudgeUnavailableError

HIDDEN: Final = "[hidden]"
"""What stands where a key, or something like one, stood."""

_SHORT: Final = 8
"""A key of fewer characters is a mere word, as local servers have it (`test`, `none`): texts hold it by chance."""

_PATTERNS: Final = re.compile(
    r"(?i:\b(?P<label>(?:proxy-)?authorization[\"']?\s*[:=]\s*[\"']?)(?:(?:bearer|basic|token)\s+)?[^\s\"',;]+)"
    r"|(?i:\bbearer\s+)(?=\S*\d)[A-Za-z0-9._~+/=*…-]{12,}"
    r"|\b(?:gsk_|sk-)[A-Za-z0-9_-]*(?:[*.…]{2,}[A-Za-z0-9_-]*|(?<=[A-Za-z0-9_-]{12}))"
    r"|\borg[_-][A-Za-z0-9]{8,}"
)
_MASKED: Final = re.compile(r"([\w-]{0,64})(?:[*•…]+|\.{2,})([\w-]{0,64})")
_FRAGMENT: Final = 4  # characters of the key's start or end that are recognised beside a mask


class Secret:
    """A key. Only `reveal` gives it away: text, representation and pickle do not."""

    __slots__ = ("_forms", "_value")

    def __init__(self, value: str) -> None:
        self._value = value
        self._forms = _matcher(value)

    def __repr__(self) -> str:
        return f"Secret({HIDDEN})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not written anywhere")

    def reveal(self) -> str:
        """Return the key, for the one header that it is meant for."""
        return self._value

    def hide_in(self, text: str) -> str:
        """Return the text without the key, as it is or encoded.

        This is for model replies: nothing else in them is touched, and nothing at all if the key is a mere word.
        """
        return text if len(self._value) < _SHORT else self._forms.sub(HIDDEN, text)

    def hide_traces_in(self, text: str) -> str:
        """Return a message without the key, and without what is left of it where a service shows its ends only."""
        return _MASKED.sub(self._hide_fragment, self._forms.sub(HIDDEN, text))

    def _hide_fragment(self, found: re.Match[str]) -> str:
        """Return what stands for a masked key: `gsk_abc…wxyz`, or itself if it is not ours."""
        start, end = found.groups()
        ours = (len(start) >= _FRAGMENT and self._value.startswith(start)) or (
            len(end) >= _FRAGMENT and self._value.endswith(end)
        )
        return HIDDEN if ours else found[0]


def _matcher(key: str) -> re.Pattern[str]:
    """Return what finds the key as it is, in a URL, within JSON, and in base64."""
    written = json.dumps(key)[1:-1]
    slashed = {text.replace("/", r"\/") for text in (key, written)}
    plain = {key, quote(key, safe=""), quote(key), written} | slashed
    if len(key) < _SHORT:
        return re.compile("|".join(rf"(?<!\w){re.escape(form)}(?!\w)" for form in plain))
    forms = plain | _base64_forms(key)
    return re.compile("|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True)))


def _base64_forms(key: str) -> set[str]:
    """Return the characters that the key becomes in base64, whatever stands before it and after it.

    Base64 writes three bytes as four characters: there are three ways to fall. The characters that depend on the
    neighbours are left out.
    """
    forms = set()
    for offset in range(3):
        encoded = b64encode(bytes(offset) + key.encode()).decode().rstrip("=")
        whole = (offset + len(key)) // 3 * 4
        forms.add(encoded[(0, 2, 3)[offset] : whole])
    return forms | {form.translate({ord("+"): "-", ord("/"): "_"}) for form in forms}


def read_key(value: str | None, name: str) -> Secret:
    """Return a key from the environment or from a file, without the white space around it.

    Args:
        value: what the variable or the file holds; None if there is none.
        name: the variable or the file, as it is named to the user.

    Raises:
        JudgeUnavailableError: there is none, or it cannot be sent in a header. The message never quotes it.
    """
    key = (value or "").strip()
    if not key:
        wrong = "is not set" if value is None else "is empty"
        raise JudgeUnavailableError(f"{name} {wrong}; put the key of the service there")
    if not key.isascii():
        raise JudgeUnavailableError(f"{name} holds a character that is not ASCII; copy the key again")
    if any(not character.isprintable() or character == " " for character in key):
        raise JudgeUnavailableError(f"{name} holds a space, a line break or a control character; copy the key again")
    return Secret(key)


def redact(text: str, secret: Secret | None) -> str:
    """Return a message of a service, or of a library, without anything that should not be kept.

    Removed are the key, as it is, encoded, or cut short; Authorization headers; anything that looks like a key of
    Groq or OpenAI; ids of organisations.
    """
    if secret is not None:
        text = secret.hide_traces_in(text)
    return _PATTERNS.sub(lambda found: (found["label"] or "") + HIDDEN, text)
