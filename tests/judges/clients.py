"""What the tests of both chat clients share: how a client is opened on a service, and what each fault must come to."""

import json
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from trace_tui.judges.secrets import Secret
from trace_tui.judges.service import ChatClient, ChatRequest, ServiceError, Trouble

KEY = "gsk_Zx81kQw9LmT2vB7cYd0pRs"
SECRET = Secret(KEY)

RECORD = json.dumps({"documents": {"doc_0_s0": "A.", "doc_0_s1": "B."}, "response": {"resp_s0": "C."}})
REQUEST = ChatRequest(
    "openai/gpt-oss-120b",
    "Label this.",
    RECORD,
    2_000,
    response_format={"type": "json_object"},
    options={"reasoning_effort": "low", "temperature": 0.0},
)

TROUBLES = {
    "limited": Trouble.LIMITED,
    "daily": Trouble.DAILY_LIMIT,
    "server_error": Trouble.SERVER_ERROR,
    "unavailable": Trouble.SERVER_ERROR,
    "bad_gateway": Trouble.SERVER_ERROR,
    "too_large": Trouble.TOO_LARGE,
    "unusable": Trouble.UNUSABLE_REPLY,
    "salvageable": Trouble.UNUSABLE_REPLY,
    "out_of_budget": Trouble.TRUNCATED_REPLY,
    "html": Trouble.GARBLED,
    "bad_json": Trouble.GARBLED,
    "no_choices": Trouble.GARBLED,
    "cut_body": Trouble.GARBLED,
    "drop": Trouble.UNREACHABLE,
    "unauthorized": Trouble.FATAL,
    "forbidden": Trouble.FATAL,
    "no_model": Trouble.FATAL,
    "redirect": Trouble.FATAL,
}
"""What each fault of the test server that ends a request must come to."""


@asynccontextmanager
async def closing(client: ChatClient) -> AsyncIterator[ChatClient]:
    try:
        yield client
    finally:
        await client.aclose()


def all_text_of(error: ServiceError) -> str:
    """Return all that a traceback of it would print, and what it holds."""
    printed = "".join(traceback.format_exception(error))
    return f"{printed} {error!r} {vars(error)!r}"
