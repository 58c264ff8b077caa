"""`trace-tui label` against the test server: every record ends labelled or failed, and is asked about once."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.cli.serving import serving
from tests.cli.sessions import write_rows
from tests.rows import make_row
from tests.service.chat import Answer, Chat, completion, labelling, plausible
from tests.service.faults import FAULTS, LASTING, drawn
from tests.service.server import Service, nobody
from tests.store.samples import query
from trace_tui.calls import Cause
from trace_tui.normalise import Dirt

KEY = "gsk_test_0123456789abcdefghij"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROQ_API_KEY", KEY)
    monkeypatch.delenv("GROQ_BASE_URL", raising=False)
    monkeypatch.delenv("TRACE_TUI_API_KEY", raising=False)


def at(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROQ_BASE_URL", service.base_url)


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    with serving() as served:
        at(served, monkeypatch)
        yield served


def rows(count: int) -> list[dict[str, Any]]:
    return [make_row(id=f"r{number}", question=f"Question {number}?") for number in range(count)]


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "rows.jsonl", rows(12))


def database(dataset: Path) -> Path:
    return dataset.with_suffix(".trace.db")


def report(run: Run, *arguments: str | Path) -> dict[str, Any]:
    ran = run("label", *arguments, "--yes", "--format", "json")
    assert ran.code == 0, ran.err
    told: dict[str, Any] = json.loads(ran.out)
    return told


def labels_in(path: Path) -> dict[str, str]:
    sql = "SELECT record_id, labels FROM judgements JOIN records ON records.uid = judgements.record"
    return {row["record_id"]: row["labels"] for row in query(path, sql)}


# ------------------------------------------------------------------ what is labelled


def test_every_record_is_labelled_by_one_call(run: Run, dataset: Path, service: Service) -> None:
    told = report(run, dataset)
    assert (told["records"], told["labelled"], told["failed"], told["not_asked"]) == (12, 12, {}, 0)
    assert set(service.asked.values()) == {1}
    assert service.counts["ok"] == 12
    assert told["requests"] == 12
    assert told["prompt_tokens"] > 0
    assert told["means"]["context_relevance"]["n"] == 12
    assert told["judge"].startswith("groq openai/gpt-oss-120b @")
    assert len(query(database(dataset), "SELECT * FROM calls WHERE status = 'labelled'")) == 12


def test_a_second_run_asks_nothing_and_tells_the_same(run: Run, dataset: Path, service: Service) -> None:
    first = report(run, dataset)
    assert report(run, dataset) == first
    assert service.counts["ok"] == 12


def test_what_is_missing_is_gone_on_with(run: Run, dataset: Path, service: Service) -> None:
    told = report(run, dataset, "--limit", "5")
    assert (told["labelled"], told["not_asked"]) == (5, 7)
    assert report(run, dataset)["labelled"] == 12
    assert set(service.asked.values()) == {1}


def test_only_the_named_records(run: Run, dataset: Path, service: Service) -> None:
    report(run, dataset, "--only", "r3,r5", "--only", "r7")
    assert set(labels_in(database(dataset))) == {'"r3"', '"r5"', '"r7"'}
    ran = run("label", dataset, "--only", "r99", "--yes")
    assert ran.code == 3
    assert "no record has the id r99" in ran.err


def test_equal_content_under_another_id_is_asked_about_once(run: Run, tmp_path: Path, service: Service) -> None:
    path = write_rows(tmp_path / "rows.jsonl", [make_row(id="a"), make_row(id="b"), make_row(id="a")])
    told = report(run, path, "--concurrency", "1")
    assert (told["records"], told["labelled"], told["requests"]) == (2, 2, 1)
    assert len(set(labels_in(database(path)).values())) == 1


def test_another_prompt_model_or_effort_is_another_judge(
    run: Run, dataset: Path, tmp_path: Path, service: Service
) -> None:
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("Judge the JSON, and reply in JSON.")
    titles = {
        report(run, dataset, "--limit", "1", *options)["judge"]
        for options in (
            [],
            ["--prompt", prompt],
            ["--model", "openai/gpt-oss-20b"],
            ["--effort", "low"],
            ["--votes", "3"],
        )
    }
    assert len(titles) == 5
    assert service.counts["ok"] == 7


def test_plain_rows_are_cut_once_and_for_all(run: Run, tmp_path: Path, service: Service) -> None:
    plain = {"id": 1, "question": "Who mends it?", "contexts": ["Ines mends it. It rains."], "answer": "Ines does."}
    path = write_rows(tmp_path / "plain.jsonl", [plain])
    report(run, path)
    keys = [row["key"] for row in query(database(path), "SELECT key FROM sentences ORDER BY position")]
    assert keys == ["doc_0_s0", "doc_0_s1", "resp_s0"]


def test_votes_are_asked_in_turned_order(run: Run, dataset: Path, service: Service) -> None:
    told = report(run, dataset, "--votes", "3", "--limit", "2")
    assert told["requests"] == 6
    assert all(
        json.loads(row["parameters"])["votes"] == 3 for row in query(database(dataset), "SELECT * FROM judgements")
    )


# ------------------------------------------------------------------ what fails


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        ("prose", Cause.NO_OBJECT),
        ("empty", Cause.EMPTY),
        ("refusal", Cause.REFUSED),
        ("wrong_type", Cause.NO_OBJECT),  # a label field is missing, too
        ("cut_reply", Cause.TRUNCATED),
        ("out_of_budget", Cause.TRUNCATED),
    ],
)
def test_a_bad_reply_is_a_failure_without_labels_or_score(
    run: Run, dataset: Path, monkeypatch: pytest.MonkeyPatch, fault: str, cause: Cause
) -> None:
    with serving(FAULTS[fault]) as service:
        at(service, monkeypatch)
        told = report(run, dataset, "--limit", "2")
    assert {name: len(ids) for name, ids in told["failed"].items()} == {cause.value: 2}
    assert labels_in(database(dataset)) == {}
    assert all(mean == {"mean": None, "n": 0} for mean in told["means"].values())


def test_what_was_mended_is_counted_and_shown(run: Run, dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def untidy(chat: Chat) -> Answer:
        said = json.loads(labelling(chat.user))
        said["all_utilized_sentence_keys"] = ["doc_0_s0", "doc_9_s9", "9z", "doc_0_s0"]
        return completion(json.dumps(said), chat)

    with serving(untidy) as service:
        at(service, monkeypatch)
        repairs = report(run, dataset, "--limit", "2")["repairs"]
        text = run("label", dataset, "--yes", "--limit", "1").out
    assert repairs[Dirt.UNKNOWN_KEY.value] == 4
    assert repairs[Dirt.DUPLICATE_KEY.value] == 2
    assert f"6 {Dirt.UNKNOWN_KEY.value}" in text


def test_failures_are_tried_again_and_labels_are_not(run: Run, dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses_odd(chat: Chat) -> Answer:
        number = int(json.loads(chat.user)["question"].split()[1].rstrip("?"))
        return FAULTS["prose"](chat) if number % 2 and not chat.attempt else plausible(chat)

    with serving(refuses_odd) as service:
        at(service, monkeypatch)
        told = report(run, dataset, "--limit", "10")
        assert (told["labelled"], len(told["failed"][Cause.NO_OBJECT]), told["not_asked"]) == (5, 5, 2)
        text = run("label", dataset, "--retry-failed", "--yes").out
        assert "10 scored, 0 failed, 2 not asked" in text
        assert service.counts["prose"] == 5


def test_every_record_ends_labelled_or_failed_under_faults_at_random(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_rows(tmp_path / "rows.jsonl", rows(60))
    with serving(drawn(0.5, seed=3), drip=0.01) as service:
        at(service, monkeypatch)
        told = report(run, path, "--concurrency", "16", "--deadline", "1.5")
    failed = {id_ for ids in told["failed"].values() for id_ in ids}
    labelled = {json.loads(id_) for id_ in labels_in(database(path))}
    assert labelled.isdisjoint(failed)
    assert labelled | failed == {f"r{number}" for number in range(60)}
    assert len(failed) > 3
    expected = {json.loads(text)["question"]: text for text in (chat.user for chat in service.chats)}
    assert len(expected) == 60
    causes = query(database(path), "SELECT * FROM calls WHERE status = 'failed' AND cause = ''")
    assert causes == []


def test_a_hanging_service_costs_a_deadline_and_no_more(
    run: Run, dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(FAULTS["hang"]) as service:
        at(service, monkeypatch)
        told = report(run, dataset, "--deadline", "0.2", "--concurrency", "12")
    assert len(told["failed"][Cause.DEADLINE]) == 12
    assert service.counts["gone"] == 12


@pytest.mark.parametrize("fault", sorted(LASTING))
def test_what_no_request_gets_past_ends_the_run_in_one_line(
    run: Run, dataset: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    with serving(LASTING[fault]) as service:
        at(service, monkeypatch)
        ran = run("label", dataset, "--yes", "--concurrency", "1")
    assert ran.code == 4
    assert service.counts[fault] == 1
    assert sum(line.startswith("error: ") for line in ran.err.splitlines()) == 1
    assert "Traceback" not in ran.err


def test_nobody_there(run: Run, dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with nobody() as url:
        monkeypatch.setenv("GROQ_BASE_URL", url)
        ran = run("label", dataset, "--yes")
    assert ran.code == 4
    assert "refused" in ran.err


def test_a_model_that_is_not_there_is_named_with_those_that_are(run: Run, dataset: Path, service: Service) -> None:
    ran = run("label", dataset, "--yes", "--model", "nobody/none")
    assert ran.code == 4
    assert "nobody/none" in ran.err
    assert "openai/gpt-oss-120b" in ran.err
    assert "shut down" in run("label", dataset, "--yes", "--model", "llama-3.1-8b-instant").err


def test_options_that_cannot_be_meant_are_refused_before_anything_is_sent(
    run: Run, dataset: Path, tmp_path: Path, service: Service
) -> None:
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("Judge.")
    for options, said in [
        (["--prompt", prompt, "--model", "qwen/qwen3-32b"], "say JSON in it"),
        (["--prompt", tmp_path / "none.txt"], "none.txt: cannot be read"),
        (["--effort", "huge"], "it has low, medium, high"),
        (["--base-url", "ftp://here"], "no base URL"),
        (["--price", "cheap"], "no price"),
        (["--key-file", tmp_path / "none.key"], "none.key: cannot be read"),
    ]:
        ran = run("label", dataset, "--yes", *options)
        assert ran.code in {2, 3}, options
        assert said in ran.err
        assert len(ran.err.splitlines()) == 1
    prompt.write_text(" ")
    assert "holds no instructions" in run("label", dataset, "--yes", "--prompt", prompt).err
    assert service.chats == []


# ------------------------------------------------------------------ what may be sent, and what it may cost


def test_nothing_is_sent_unless_somebody_agrees(run: Run, dataset: Path, service: Service) -> None:
    ran = run("label", dataset)
    assert ran.code == 2
    assert "12 records of rows.jsonl will be sent to 127.0.0.1" in ran.err
    assert service.chats == []
    report(run, dataset, "--limit", "1")
    assert run("label", dataset, "--limit", "1").code == 0  # agreed once for this dataset and host


def test_a_dry_run_and_the_prompt_send_and_write_nothing(run: Run, dataset: Path, service: Service) -> None:
    told = json.loads(run("label", dataset, "--dry-run", "--format", "json").out)
    assert told["is_estimate"]
    assert told["requests"] == 12
    assert told["prompt_tokens"] > 12 * 500
    shown = run("label", dataset, "--show-prompt", "r3").out
    assert '"question":"Question 3?"' in shown
    assert "fact-checking" in shown
    assert not database(dataset).exists()
    assert not service.counts


def test_ceilings_stop_the_run_before_they_are_passed(run: Run, dataset: Path, service: Service) -> None:
    each = report(run, dataset, "--limit", "2")["prompt_tokens"] // 2
    told = report(run, dataset, "--max-tokens", str(each * 6), "--concurrency", "1")
    assert 2 < told["labelled"] < 12
    assert told["prompt_tokens"] + told["completion_tokens"] < each * 9
    ran = run("label", dataset, "--yes", "--max-cost", "0.000001", "--price", "1,1")
    assert "ceiling" in ran.err
    ran = run("label", dataset, "--yes", "--max-cost", "1")
    assert ran.code == 2
    assert "--price" in ran.err


@pytest.mark.parametrize(("value", "said"), [("", "empty"), ("gsk_\u00fc\u00f6", "ASCII"), (None, "not set")])
def test_a_key_that_is_none_is_named_as_such(
    run: Run, dataset: Path, service: Service, monkeypatch: pytest.MonkeyPatch, value: str | None, said: str
) -> None:
    if value is None:
        monkeypatch.delenv("GROQ_API_KEY")
    else:
        monkeypatch.setenv("GROQ_API_KEY", value)
    ran = run("label", dataset, "--yes")
    assert ran.code == 4
    assert "GROQ_API_KEY" in ran.err
    assert said in ran.err
    assert service.chats == []


def test_the_key_is_nowhere(run: Run, dataset: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def tells_it(chat: Chat) -> Answer:
        said = labelling(chat.user).replace("No sentence", f"Bearer {KEY} no sentence")
        return completion(f"{KEY} {said}" if chat.attempt % 2 else f"Bearer {KEY}: no", chat)

    with serving(tells_it) as service:
        at(service, monkeypatch)
        ran = [run("label", dataset, "--yes", "--limit", "3") for _ in range(2)]
    assert service.authorizations.keys() == {f"Bearer {KEY}"}
    assert all(KEY not in one.out + one.err for one in ran)
    for path in tmp_path.iterdir():
        assert KEY.encode() not in path.read_bytes(), path


def test_any_compatible_server_serves(run: Run, dataset: Path, service: Service) -> None:
    told = report(run, dataset, "--base-url", service.compatible_url, "--limit", "2")
    assert told["judge"].startswith("openai-compatible openai/gpt-oss-120b @")
    assert told["cost"] is None
    assert service.authorizations.keys() == {""}  # no key of Groq's goes there


# ------------------------------------------------------------------ being stopped


def start(dataset: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "import sys; from trace_tui.cli.main import main; sys.exit(main())", "label"]
    return subprocess.Popen(
        [*command, str(dataset), "--yes", *options], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def wait_for_labels(path: Path, count: int) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if path.exists():
            try:
                with closing(sqlite3.connect(path)) as connection:
                    (found,) = connection.execute("SELECT count(*) FROM judgements").fetchone()
            except sqlite3.OperationalError:  # not made yet
                found = 0
            if found >= count:
                return
        time.sleep(0.01)
    raise AssertionError("it labels nothing")


def test_killed_and_started_again_it_does_what_is_missing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [write_rows(tmp_path / name, rows(60)) for name in ("killed.jsonl", "whole.jsonl")]
    with serving(delay=0.05) as service:
        at(service, monkeypatch)
        for kills in range(3):
            with start(paths[0], "--concurrency", "4") as process:
                wait_for_labels(database(paths[0]), 10 * (kills + 1))
                process.send_signal(signal.SIGKILL)
        told = report(run, paths[0], "--concurrency", "16")
        assert told["labelled"] == 60
        assert sum(service.asked.values()) <= 60 + 3 * 4
        assert max(service.asked.values()) <= 2
        report(run, paths[1], "--concurrency", "16")
    assert labels_in(database(paths[0])) == labels_in(database(paths[1]))


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_it_says_what_is_saved(
    dataset: Path, monkeypatch: pytest.MonkeyPatch, number: int, code: int
) -> None:
    with serving(delay=0.2) as service:
        at(service, monkeypatch)
        with start(dataset, "--concurrency", "1") as process:
            wait_for_labels(database(dataset), 2)
            os.kill(process.pid, number)
            out, err = process.communicate(timeout=20)
    assert process.returncode == code
    assert "Traceback" not in err
    assert "saved" in err
    assert "labelled" in out
