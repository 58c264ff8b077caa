"""The test server itself, as a plain HTTP client and a shell see it."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from tests.service.chat import Chat, labelling
from tests.service.faults import FAULTS, PASSING, drawn
from tests.service.script import read_script, scripted
from tests.service.server import Service
from tests.service.windows import Bucket, Fixed, Sliding, Window

ROOT = Path(__file__).parents[2]
SENT = {
    "documents": {"doc_0_s0": 'It says "doc_7_s7".', "doc_0_s1": "B."},
    "response": {"resp_s0": "C.", "resp_s1": "D."},
}
RECORD = json.dumps(SENT)


def body(record: str = RECORD) -> dict[str, Any]:
    return {"model": "m", "max_completion_tokens": 100, "messages": [{"role": "user", "content": record}]}


async def ask(service: Service, record: str = RECORD, path: str = "/openai/v1/chat/completions") -> httpx.Response:
    async with httpx.AsyncClient(trust_env=False) as client:
        return await client.post(service.base_url + path, json=body(record), headers={"authorization": "Bearer x"})


def test_a_labelling_names_the_records_own_keys_and_is_always_the_same() -> None:
    reply = json.loads(labelling(RECORD))
    assert labelling(RECORD) == labelling(RECORD)
    assert set(reply["all_utilized_sentence_keys"]) <= set(reply["all_relevant_sentence_keys"])
    assert set(reply["all_relevant_sentence_keys"]) <= {"doc_0_s0", "doc_0_s1"}
    assert [s["response_sentence_key"] for s in reply["sentence_support_information"]] == ["resp_s0", "resp_s1"]
    assert len({labelling(RECORD.replace("B.", f"B{n}.")) for n in range(20)}) > 3


async def test_both_paths_answer_and_all_is_counted() -> None:
    async with Service() as service:
        for path in ("/openai/v1/chat/completions", "/v1/chat/completions"):
            response = await ask(service, path=path)
            assert response.json()["choices"][0]["message"]["content"] == labelling(RECORD)
        assert (await ask(service, path="/openai/v1/openai/v1/chat/completions")).status_code == 404
        assert (await ask(service, "x")).status_code == 200
    assert service.asked == {RECORD: 2, "x": 1}
    assert service.authorizations == {"Bearer x": 4}
    assert service.counts == {"ok": 3, "unknown_url": 1}


async def test_a_request_that_makes_no_sense_is_refused() -> None:
    async with Service() as service, httpx.AsyncClient(trust_env=False) as client:
        for content in (b"", b"{}", b"[]", b'{"messages": []}', b'{"messages": [{"content": null}]}'):
            response = await client.post(f"{service.base_url}/v1/chat/completions", content=content)
            assert response.status_code == 400


async def test_only_the_right_key_is_let_in() -> None:
    async with Service(key="y") as service:
        assert (await ask(service)).status_code == 401


@pytest.mark.parametrize("window", [Fixed(3), Sliding(3), Bucket(3)], ids=["fixed", "sliding", "bucket"])
async def test_no_more_than_the_limit_pass(window: Window) -> None:
    async with Service(requests=window) as service:
        responses = [await ask(service) for _ in range(5)]
    assert [response.status_code for response in responses] == [200, 200, 200, 429, 429]
    assert 0 < int(responses[-1].headers["retry-after"]) <= 60
    assert service.counts == {"ok": 3, "over_limit": 2}


async def test_tokens_are_counted_and_told() -> None:
    async with Service(tokens=Bucket(250)) as service:
        responses = [await ask(service) for _ in range(2)]
    assert [response.status_code for response in responses] == [200, 429]
    assert responses[0].headers["x-ratelimit-limit-tokens"] == "250"
    assert 100 < int(responses[0].headers["x-ratelimit-remaining-tokens"]) < 130
    assert responses[0].headers["x-ratelimit-reset-tokens"].endswith("s")


def test_faults_are_drawn_by_seed_request_and_attempt() -> None:
    chats = [Chat(body(f"record {number}"), attempt) for number in range(200) for attempt in range(2)]
    answer = drawn(0.25, 7)
    names = [answer(chat).name for chat in chats]
    assert names == [answer(chat).name for chat in chats]
    assert [drawn(0.25, 8)(chat).name for chat in chats] != names
    assert 0.18 < 1 - Counter(names)["ok"] / len(names) < 0.32
    assert {drawn(1.0, 7)(chat).name for chat in chats} == PASSING.keys()


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_goes_by_its_name(name: str) -> None:
    assert FAULTS[name](Chat(body())).name == name


ENTRIES = """
{"where": "needle", "fault": "hang"}
{"content": "hello", "finish_reason": "length", "times": 2}
{"status": 418, "body": {"a": 1}, "headers": {"x-a": "b"}, "delay": 0.5}
"""


@pytest.mark.parametrize("form", ["lines", "array"])
def test_a_script_answers_in_its_order(tmp_path: Path, form: str) -> None:
    lines = ENTRIES.split("\n")[1:-1]
    path = tmp_path / "script.json"
    path.write_text(ENTRIES if form == "lines" else f"[{','.join(lines)}]")
    answer = scripted(read_script(path))
    names = [answer(Chat(body(text))).name for text in ("a", "a needle", "a needle")]
    assert names == ["length", "hang", "length"]
    last = answer(Chat(body()))
    assert (last.status, last.body, last.headers["x-a"], last.delay) == (418, b'{"a":1}', "b", 0.5)
    assert json.loads(answer(Chat(body())).body)["choices"][0]["message"]["content"] == labelling(RECORD)


@pytest.mark.parametrize("line", ['{"fault": "hung"}', '{"contents": "x"}', "{"])
def test_a_script_that_is_wrong_is_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "script.jsonl"
    path.write_text(line)
    with pytest.raises(msgspec.DecodeError):
        read_script(path)


def test_the_command_prints_what_to_export_and_ends_when_told() -> None:
    command = [sys.executable, "-m", "tests.service", "--port", "0", "--seed", "7"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        export = process.stdout.readline()
        assert export.startswith("export GROQ_BASE_URL=http://127.0.0.1:")
        assert export.endswith(" GROQ_API_KEY=test\n")
        url = export.split()[1].partition("=")[2]
        assert httpx.get(f"{url}/openai/v1/models", trust_env=False).json()["data"]
        process.send_signal(signal.SIGINT)
        _, narration = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "Ctrl-C ends" in narration
    assert "0 requests for 0 records" in narration


def test_the_command_needs_no_test_dependency() -> None:
    script = (
        "import sys, tests.service.__main__; print([n for n in ('pytest', 'hypothesis', 'httpx') if n in sys.modules])"
    )
    environment = {"PATH": os.environ["PATH"]}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
