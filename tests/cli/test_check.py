import json
import os
import pty
import subprocess
import sys
import unicodedata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from trace_tui.cli.main import main

REAL = Path(__file__).parents[2] / ".." / "shared" / "data"
SPLIT: dict[str, Any] = {
    "question": "q",
    "documents": ["One."],
    "response": "Two.",
    "documents_sentences": [[["0a", "One."]]],
    "response_sentences": [["a", "Two."]],
    "all_relevant_sentence_keys": ["0a"],
    "all_utilized_sentence_keys": [],
    "unsupported_response_sentence_keys": [],
    "sentence_support_information": [{"response_sentence_key": "a", "supporting_sentence_keys": ["0a"]}],
    "relevance_score": 1.0,
    "utilization_score": 0.0,
    "completeness_score": 0.0,
    "adherence_score": True,
}
HOSTILE = "\x1b[2J\x1b]52;c;aGk=\x07\x9b31m\x85\u202egnp.exe\u202c\u2028\x00\x08\x7f\u200b[/]{0}%s"


def write(tmp_path: Path, *rows: object, name: str = "d.jsonl") -> str:
    path = tmp_path / name
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return str(path)


def check_json(capsys: pytest.CaptureFixture[str], path: str) -> tuple[int, dict[str, Any]]:
    code = main(["check", path, "--format", "json"])
    return code, json.loads(capsys.readouterr().out)


def test_a_clean_dataset(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = check_json(capsys, write(tmp_path, {"id": "a"} | SPLIT))
    assert code == 0
    assert (found["records"], found["documents"], found["labelled"]) == (1, 1, 1)
    assert found["document_sentences"] == {"min": 1, "median": 1, "max": 1}
    assert [found[name] for name in ("line_errors", "warnings", "dirt", "score_differences", "relabelled")] == [[]] * 5


def test_text_names_everything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = SPLIT | {"all_relevant_sentence_keys": ["0a", "0a"], "relevance_score": 2.0}
    plain = {"question": "q", "question ": "", "contexts": "c", "adherence_score": True}
    row = {"id": "a"} | SPLIT
    path = write(tmp_path, row, "{", {"id": "a"} | other, row, plain, dict(reversed(row.items())))
    assert main(["check", path]) == 3
    out, err = capsys.readouterr()
    assert err == ""
    lines = out.splitlines()
    assert lines[:2] == [path, "  records    2 (1 with labels, 2 with published scores)"]
    assert "  line 2, column 2: not JSON: expecting property name enclosed in double quotes" in lines
    assert "  line 3 (a): first in line 1" in lines
    assert "  1 in 1 of the records: duplicate keys, counted once: line 3 (a)" in lines
    assert (
        "  1 in 1 of the records: no field for the response: response/answer/actual_output/output: line 5 (no id)"
        in lines
    )
    difference = "line 3 (a): context_relevance published 2, recomputed 1: duplicate keys, counted once"
    assert f"  {difference}" in lines
    assert "  identical  2 rows more, each a record that is there before; counted once" in lines
    assert "  relabelled 1 row more, named below; the first of a record holds" in lines
    assert "  line 5 (no id): no labels to recompute them from" in lines
    assert any(line.startswith("  not split  1 ") for line in lines)


def test_json_says_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = SPLIT | {"completeness_score": 0.5}
    code, found = check_json(capsys, write(tmp_path, "7", {"id": 7} | other, {"id": "7", "foo": HOSTILE} | SPLIT))
    assert code == 3
    assert found["line_errors"] == [{"line": 1, "column": None, "reason": "a number, but a row is an object: {…}"}]
    assert (found["records"], found["identical_rows"], found["scores_without_labels"]) == (2, 0, [])
    assert found["score_differences"] == [
        {
            "line": 2,
            "id": 7,
            "metric": "completeness",
            "published": 0.5,
            "recomputed": 0.0,
            "keys_clean": True,
            "keys_dirt": [],
        }
    ]


@pytest.mark.parametrize(
    ("content", "reason"), [(b"", "no record in it"), ("{}".encode("utf-16"), "is in UTF-16"), (None, "No such file")]
)
def test_bad_input_is_one_line_and_three(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes | None, reason: str
) -> None:
    if content is not None:
        (tmp_path / "d.jsonl").write_bytes(content)
    assert main(["check", str(tmp_path / "d.jsonl")]) == 3
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"error: {tmp_path / 'd.jsonl'}: ")
    assert reason in err


@pytest.mark.skipif(find_spec("trace_tui.datasets.sentences") is None, reason="there is no splitter yet")
def test_plain_rows_with_labels_are_split(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = {"question": "q", "documents": ["It is one. It is two."], "response": "Yes."}
    code, found = check_json(capsys, write(tmp_path, plain | {"all_relevant_sentence_keys": ["doc_0_s1"]}))
    assert (code, found["document_sentences"]["max"], found["not_split"]) == (0, 2, 0)


def on_terminal(*arguments: str) -> str:
    """Run the command with stdout and stderr on a terminal, and return the bytes that reach it."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "trace_tui", *arguments]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        seen = bytearray()
        while True:
            try:
                seen += os.read(ours, 1 << 16)
            except OSError:  # Linux says so when the last writer is gone
                break
        process.wait()
    os.close(ours)
    return seen.decode()


def commands(text: str) -> set[str]:
    """Return the characters that command a terminal or hide themselves, line ends and tabs aside."""
    return {sign for sign in text if unicodedata.category(sign) in {"Cc", "Cf", "Zl", "Zp"} and sign not in "\r\n\t"}


@pytest.mark.parametrize("form", ["text", "json"])
def test_nothing_of_the_data_commands_the_terminal(tmp_path: Path, form: str) -> None:
    dirty = {HOSTILE: HOSTILE, "id": HOSTILE, "all_relevant_sentence_keys": [HOSTILE]}
    twice = '{"question": "", "\\u001b[2J\\u009b": 1, "\\u001b[2J\\u009b": 2}'
    path = write(
        tmp_path, {HOSTILE: 1}, SPLIT | dirty, twice, name=f"d{HOSTILE.translate({0: None})}.jsonl".replace("/", "")
    )
    seen = on_terminal("check", path, "--format", form)
    assert commands(seen) == set()
    assert "no field that is known" in seen
    assert "[2J" in seen


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "/\x1b[2J\x9b\u202e"),
        ("\x1b[2J\u202e\x9b",),
        ("check", "--\x1b[2J\u202e"),
        ("check", "a", "\x1b[2J\x9b"),
    ],
)
def test_nothing_of_the_command_line_commands_the_terminal(arguments: tuple[str, ...]) -> None:
    seen = on_terminal(*arguments)
    assert commands(seen) == set()
    assert "rror" in seen


@pytest.mark.skipif(not REAL.is_dir(), reason="the tricky inputs and real rows are not beside this checkout")
def test_shared_files_end_in_a_report_or_one_clear_line(capsys: pytest.CaptureFixture[str]) -> None:
    files = sorted(REAL.glob("*/*.jsonl"))
    for path in files:
        code = main(["check", str(path)])
        out, err = capsys.readouterr()
        assert code in {0, 3}
        assert bool(out) != bool(err)
        assert commands(out + err) == set()
        assert err.count("\n") == bool(err)
    assert len(files) > 25


@pytest.mark.skipif(not REAL.is_dir(), reason="the real rows of RAGBench are not beside this checkout")
def test_real_rows_with_clean_keys_all_score_as_published(capsys: pytest.CaptureFixture[str]) -> None:
    for path in sorted(REAL.glob("ragbench/*.jsonl")):
        code, found = check_json(capsys, str(path))
        assert (code, found["line_errors"]) == (0, [])
        assert found["with_published_scores"] == found["records"] > 0
        assert not any(difference["keys_clean"] for difference in found["score_differences"])
