"""What is asked of the test server, and what it can answer, well or badly."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from random import Random
from typing import Any
from zlib import crc32

import msgspec

_KEY = re.compile(r'(?<!\\)"((?:doc_\d+|resp)_s\d+)"')  # within a text of the record, quotes are escaped
_JSON = {"content-type": "application/json"}


@dataclass(frozen=True, slots=True)
class Chat:
    """One request for a completion. `attempt` counts from 0 how often the same was asked before."""

    body: Mapping[str, Any]
    attempt: int = 0

    @property
    def user(self) -> str:
        """The last message: the record as JSON."""
        return str(self.body["messages"][-1]["content"])


class Manner(Enum):
    """How the bytes of an answer leave."""

    WHOLE = auto()
    CUT = auto()  # half of what Content-Length promises
    DRIP = auto()  # a byte now and then, for ever
    DROP = auto()  # the connection closes without a word
    HANG = auto()  # nothing, and the connection stays


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back, after `delay` seconds on top of the server's own. `name` is what the server counts it under."""

    name: str = "ok"
    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=lambda: _JSON)
    delay: float = 0.0
    manner: Manner = Manner.WHOLE


Answerer = Callable[[Chat], Answer]


def completion(text: str | None, chat: Chat, finish_reason: str = "stop", **message: Any) -> Answer:
    """Return an answer with this text as the model's reply."""
    prompt, budget = tokens_of(chat)
    said = len(text or "") // 4
    body = {
        "id": f"chatcmpl-{crc32(chat.user.encode()):08x}",
        "object": "chat.completion",
        "created": 1_790_000_000,
        "model": chat.body.get("model"),
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, **message},
                "logprobs": None,
                "finish_reason": finish_reason,
            }
        ],
        "usage": {
            "queue_time": 0.01,
            "prompt_tokens": prompt,
            "completion_tokens": min(said, budget),
            "total_tokens": prompt + min(said, budget),
            "prompt_tokens_details": {"cached_tokens": 0},
        },
        "system_fingerprint": "fp_test",
        "x_groq": {"id": "req_test"},
    }
    return Answer("ok" if finish_reason == "stop" else finish_reason, body=msgspec.json.encode(body))


def error(status: int, message: str, name: str, headers: Mapping[str, str] | None = None, **more: Any) -> Answer:
    """Return an error in the form that Groq gives it."""
    body = msgspec.json.encode({"error": {"message": message, **more}})
    return Answer(name, status, body, {**_JSON, **(headers or {})})


def tokens_of(chat: Chat) -> tuple[int, int]:
    """Return about how many tokens the prompt has, and how many the completion may have."""
    prompt = sum(len(message["content"]) for message in chat.body["messages"]) // 4
    return prompt, int(chat.body.get("max_completion_tokens") or chat.body.get("max_tokens") or 1024)


def plausible(chat: Chat) -> Answer:
    """Answer as a judge might: labels for the record's own keys, the same for the same record, drawn at random."""
    return completion(labelling(chat.user), chat)


def labelling(record: str) -> str:
    """Return a valid GPT-labeling reply for a record, given as the JSON that was sent."""
    keys = dict.fromkeys(_KEY.findall(record))
    documents = [key for key in keys if key.startswith("doc")]
    random = Random(crc32(record.encode()))
    relevant = [key for key in documents if random.random() < 0.5]
    utilized = [key for key in relevant if random.random() < 0.7]
    supports = [_support(key, utilized, random) for key in keys if key.startswith("resp")]
    reply = {
        "relevance_explanation": f"{len(relevant)} of {len(documents)} sentences bear on the question.",
        "all_relevant_sentence_keys": relevant,
        "overall_supported_explanation": "Sentence by sentence, as below.",
        "sentence_support_information": supports,
        "all_utilized_sentence_keys": utilized,
        "overall_supported": all(support["fully_supported"] for support in supports),
    }
    return msgspec.json.encode(reply).decode()


def _support(key: str, utilized: list[str], random: Random) -> dict[str, Any]:
    keys = sorted(random.sample(utilized, min(len(utilized), random.randint(0, 2))))
    return {
        "response_sentence_key": key,
        "explanation": f"See {', '.join(keys)}." if keys else "No sentence says so.",
        "supporting_sentence_keys": keys,
        "fully_supported": bool(keys) and random.random() < 0.8,
    }
