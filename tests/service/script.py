"""A script for the test server: JSON Lines, or one JSON array, of what to answer.

Each entry is an object. `where` is text that must stand in the record for the entry to serve; without it, it serves any
record. Each entry serves once, in order, or `times` times. What it answers is one of

    {"fault": "hang"}                                    a fault by name
    {"content": "...", "finish_reason": "length"}        the model's reply
    {"status": 418, "body": {...}}                       anything else; a string is sent as it is

each with `headers` and a `delay` in seconds where wanted. Where no entry serves, the answer is a plausible labelling.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from tests.service.chat import Answer, Answerer, Chat, completion, plausible
from tests.service.faults import FAULTS


class Entry(msgspec.Struct, forbid_unknown_fields=True):
    where: str = ""
    times: int = 1
    fault: str = ""
    content: str | None = None
    finish_reason: str = "stop"
    status: int = 200
    body: Any = None
    headers: dict[str, str] = {}
    delay: float = 0.0

    def answer(self, chat: Chat) -> Answer:
        return replace(answer := self._plain(chat), headers={**answer.headers, **self.headers}, delay=self.delay)

    def _plain(self, chat: Chat) -> Answer:
        if self.fault:
            return FAULTS[self.fault](chat)
        if self.body is None:
            return completion(self.content, chat, self.finish_reason)
        body = self.body.encode() if isinstance(self.body, str) else msgspec.json.encode(self.body)
        return Answer("ok" if self.status == 200 else str(self.status), self.status, body)


def read_script(path: Path) -> list[Entry]:
    """Read a script.

    Raises:
        msgspec.DecodeError: it is none, or names a field or a fault that there is not.
    """
    content = path.read_bytes()
    if content.lstrip().startswith(b"["):
        entries = msgspec.json.decode(content, type=list[Entry])
    else:
        lines = filter(None, map(bytes.strip, content.split(b"\n")))
        entries = [msgspec.json.decode(line, type=Entry) for line in lines]
    if unknown := {entry.fault for entry in entries} - FAULTS.keys() - {""}:
        raise msgspec.DecodeError(f"no fault is called {', '.join(sorted(unknown))}; there are {', '.join(FAULTS)}")
    return entries


def scripted(entries: list[Entry], otherwise: Answerer = plausible) -> Answerer:
    """Return what answers by these entries, each as often as it says."""
    left = [entry.times for entry in entries]

    def answer(chat: Chat) -> Answer:
        for number, entry in enumerate(entries):
            if left[number] and entry.where in chat.user:
                left[number] -= 1
                return entry.answer(chat)
        return otherwise(chat)

    return answer
