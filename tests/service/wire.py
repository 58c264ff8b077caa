"""HTTP/1.1 as far as the test server speaks it: requests with a Content-Length, responses of known length."""

from asyncio import IncompleteReadError, StreamReader
from collections.abc import Mapping
from http import HTTPStatus
from typing import NamedTuple

_REASONS = {status.value: status.phrase for status in HTTPStatus}


class Request(NamedTuple):
    """One request; header names are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


async def read_request(reader: StreamReader) -> Request | None:
    """Read the next request of a connection, None if the client has closed it."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        line, *fields = head.rstrip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (field.partition(":") for field in fields)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
    except (IncompleteReadError, ConnectionError):
        return None
    method, path, _ = line.split(" ", 2)
    return Request(method, path, headers, body)


def head_of(status: int, headers: Mapping[str, str], length: int) -> bytes:
    """Return status line and header fields of a response whose body has so many bytes."""
    reason = _REASONS.get(status, "Unknown")
    fields = {"content-length": str(length), **headers}
    lines = [f"HTTP/1.1 {status} {reason}", *(f"{name}: {value}" for name, value in fields.items())]
    return "\r\n".join([*lines, "\r\n"]).encode("latin-1")
