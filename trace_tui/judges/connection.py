"""What the chat clients have in common: the HTTP connection, the body of a request, and what to say when it breaks."""

import logging
import ssl
from collections.abc import Iterator
from socket import gaierror
from typing import Any, Final
from urllib.request import getproxies_environment, proxy_bypass

import httpx

from trace_tui.errors import UsageError
from trace_tui.judges.address import Address
from trace_tui.judges.answers import message_line
from trace_tui.judges.secrets import Secret
from trace_tui.judges.service import ChatRequest, ServiceError, Trouble

MOST_IN_FLIGHT: Final = 20
"""Requests that one client has under way; more wait for a connection."""

_CONNECT: Final = 10.0  # s
_READ: Final = 600.0  # s without a byte; the deadline of a record is the caller's
_KEEP: Final = 30.0  # s that an idle connection is kept: a pace of a few requests a minute needs no new handshakes

_WORDS: Final[tuple[tuple[type[BaseException], str], ...]] = (
    (ConnectionRefusedError, "connection refused: nothing listens there"),
    (gaierror, "name not found: no such host, or no network"),
    (ssl.SSLCertVerificationError, "certificate not accepted: {0.verify_message}"),
    (ssl.SSLError, "no encrypted connection: {0.reason}"),
    (ConnectionResetError, "connection broken by the other side"),
    (BrokenPipeError, "connection broken by the other side"),
    (httpx.ConnectTimeout, f"no connection within {_CONNECT:.0f} s"),
    (httpx.ReadTimeout, f"nothing heard for {_READ:.0f} s"),
    (httpx.WriteTimeout, f"nothing taken for {_READ:.0f} s"),
    (httpx.ProxyError, "the proxy refused: {0}"),
    (httpx.RemoteProtocolError, "connection closed without an answer"),
)


def open_http(address: Address) -> httpx.AsyncClient:
    """Return an HTTP client for one service.

    It follows no redirect, which could carry documents and key to another host. Of the environment it takes a proxy
    for https, which sees neither, and the certificates (`SSL_CERT_FILE`); a `.netrc` cannot replace the key.

    Raises:
        UsageError: the environment's proxy cannot be used.
    """
    try:
        return httpx.AsyncClient(
            verify=httpx.create_ssl_context(),
            proxy=_proxy(address),
            trust_env=False,
            follow_redirects=False,
            timeout=httpx.Timeout(_READ, connect=_CONNECT, pool=None),
            limits=httpx.Limits(
                max_connections=MOST_IN_FLIGHT, max_keepalive_connections=MOST_IN_FLIGHT, keepalive_expiry=_KEEP
            ),
        )
    except (ValueError, ImportError, httpx.InvalidURL):
        raise UsageError("HTTPS_PROXY (or ALL_PROXY) holds no proxy that can be used; give http://host:port") from None


def keep_quiet(*names: str) -> None:
    """Keep libraries from logging what they send and get, whatever `GROQ_LOG` says.

    They would write documents and replies to the terminal as they are, with a screen on it.
    """
    for name in names:
        logging.getLogger(name).setLevel(logging.WARNING)


def body_of(request: ChatRequest, budget: str) -> dict[str, Any]:
    """Return a request as JSON data.

    Args:
        request: what is asked.
        budget: the service's name for the most tokens a completion may have.
    """
    messages = [
        {"role": "system", "content": _sendable(request.system)},
        {"role": "user", "content": _sendable(request.user)},
    ]
    body = {"model": request.model, "messages": messages, budget: request.budget, **request.options}
    return body if request.response_format is None else body | {"response_format": request.response_format}


def broken(error: BaseException, secret: Secret | None) -> ServiceError:
    """Return what to say of a request without an answer, or with half of one: the cause, not what it was wrapped in."""
    if isinstance(error, httpx.DecodingError) or (
        isinstance(error, httpx.RemoteProtocolError) and "without sending a response" not in str(error)
    ):
        return ServiceError(Trouble.GARBLED, message_line(f"half an answer: {error}", secret))
    return ServiceError(Trouble.UNREACHABLE, message_line(_in_words(error), secret))


def _proxy(address: Address) -> str | None:
    if not address.is_encrypted or proxy_bypass(address.host):
        return None
    proxies = getproxies_environment()
    return proxies.get("https") or proxies.get("all")


def _sendable(text: str) -> str:
    """Return the text with lone surrogates, which UTF-8 has no bytes for, as question marks."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def _in_words(error: BaseException) -> str:
    for cause in _causes(error):
        for kind, words in _WORDS:
            if isinstance(cause, kind):
                return words.format(cause)
        if isinstance(cause, OSError) and cause.strerror:
            return f"no connection: {cause.strerror}"
    return f"connection broken: {str(error) or type(error).__name__}"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield what is behind an error, the innermost first: it says most."""
    inner = error.__cause__ or error.__context__
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from _causes(one)
    elif inner is not None:
        yield from _causes(inner)
    yield error
