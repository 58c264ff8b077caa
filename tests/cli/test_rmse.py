import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from trace_tui.cli.rmse import rmse
from trace_tui.errors import BadInputError
from trace_tui.scoring import METRICS

PREDICTED = dict(zip(METRICS, (0.85, 0.80, 0.88, 0.82), strict=True))
TRUTH = dict(zip(METRICS, (0.84, 0.82, 0.87, 0.80), strict=True))


def line(**extra: Any) -> str:
    return json.dumps({"metrics": PREDICTED, "ground_truth_scores": TRUTH} | extra)


def run(*args: str, stdin: str | bytes = "") -> Result:
    return CliRunner().invoke(rmse, args, input=stdin, catch_exceptions=True)


def report(*args: str, stdin: str | bytes) -> dict[str, Any]:
    result = run("-", "--format", "json", *args, stdin=stdin)
    assert result.exit_code == 0, result.output
    data: dict[str, Any] = json.loads(result.stdout)
    return data


def error(*args: str, stdin: str | bytes = "") -> str:
    result = run(*args, stdin=stdin)
    assert isinstance(result.exception, BadInputError)
    return str(result.exception)


def test_mode_3_of_errors_that_are_known() -> None:
    squares = (0.045, 0.062, 0.038, 0.091)
    data = report(
        stdin=line(metrics=dict(zip(METRICS, squares, strict=True)), ground_truth_scores=dict.fromkeys(METRICS, 0))
    )
    assert data["per_metric_rmse"] == pytest.approx(dict(zip(METRICS, squares, strict=True)))
    assert round(data["aggregated_rmse"], 4) == 0.0624
    assert round(data["consistency_score"], 4) == 0.9376
    assert data["n_per_metric"] == dict.fromkeys(METRICS, 1)
    assert (data["evaluated_metrics"], data["num_evaluations"]) == (list(METRICS), 1)
    assert (data["tier"], data["action"]) == ("Excellent", "no action")


def test_mode_2_to_the_digit() -> None:
    data = report("--per-record", stdin=line(id="x"))
    assert [round(value, 4) for value in data["per_metric"].values()] == [0.01, 0.02, 0.01, 0.02]
    assert round(data["aggregated_rmse"], 4) == 0.0158
    assert (data["id"], data["line"], data["file"]) == ("x", 1, "standard input")


def test_one_group_stands_at_the_top_as_well() -> None:
    data = report(stdin=line(judge="groq", judge_model="llama", mode="blind", annotator="ann", definition="ragbench"))
    [group] = data.pop("groups")
    assert data == group
    assert (group["judge"], group["definition"], group["mode"], group["annotator"]) == (
        "groq llama",
        "ragbench",
        "blind",
        "ann",
    )


@pytest.mark.parametrize("name", ["judge", "judge_model", "judge_prompt", "definition", "mode", "annotator"])
def test_groups_are_never_pooled(name: str) -> None:
    data = report(stdin="\n".join([line(**{name: "one"}), line(**{name: "two"}), line(**{name: "one"})]))
    assert "aggregated_rmse" not in data
    assert [group["num_evaluations"] for group in data["groups"]] == [2, 1]


def test_a_revised_blind_judgement_counts_as_blind_too() -> None:
    blind = {"ground_truth_scores": PREDICTED}
    data = report(
        stdin="\n".join([line(mode="assisted", blind_judgement=blind), line(mode="assisted", blind_judgement=None)])
    )
    figures = {group["mode"]: (group["num_evaluations"], group["aggregated_rmse"]) for group in data["groups"]}
    assert figures["blind"] == (1, 0)
    assert figures["assisted"] == (2, pytest.approx(0.0158, abs=5e-5))


def test_a_definition_leaves_the_others_out_and_says_so() -> None:
    lines = "\n".join([line(definition="ragbench"), line(definition="gpt-labeling"), line()])
    result = run("-", "--definition", "ragbench", "--format", "json", stdin=lines)
    assert [group["definition"] for group in json.loads(result.stdout)["groups"]] == ["", "ragbench"]
    left_out = "1 comparison left out: not of the definition ragbench, and without labels to score anew\n"
    assert result.stderr == left_out
    assert "definition ragbench" in error("-", "--definition", "ragbench", stdin=line(definition="gpt-labeling"))


def test_lines_with_labels_are_scored_anew_under_the_definition() -> None:
    labels = {"relevant": ["doc_0_s0"], "utilized": [], "supports": {}, "relevance_explanation": ""}
    labelled = {
        "labels": labels | {"overall_explanation": ""},
        "ground_truth_labels": labels | {"relevant": ["doc_0_s0", "doc_0_s1"], "overall_explanation": ""},
        "sentences": {"doc_0_s0": "a", "doc_0_s1": "b", "resp_s0": "c"},
    }
    lines = "\n".join([line(definition="ragbench"), line(definition="gpt-labeling", **labelled)])
    [group] = report("--definition", "ragbench", stdin=lines)["groups"]
    assert (group["definition"], group["num_evaluations"]) == ("ragbench", 2)
    assert group["n_per_metric"]["adherence"] == 1, "unjudged under either definition"
    assert group["per_metric_rmse"]["context_relevance"] == pytest.approx(((0.01**2 + 0.5**2) / 2) ** 0.5)
    first, second = report(stdin=lines)["groups"]
    assert {first["definition"], second["definition"]} == {"gpt-labeling", "ragbench"}


def test_nothing_in_common_is_null_and_shown_as_a_dash() -> None:
    nothing = line(metrics={"adherence": 1}, ground_truth_scores={"completeness": 1})
    data = report(stdin=nothing)
    assert data["per_metric_rmse"] == dict.fromkeys(METRICS)
    assert [data[name] for name in ("aggregated_rmse", "consistency_score", "tier", "action")] == [None] * 4
    table = run("-", stdin=nothing).stdout
    assert "undefined" in table
    assert "0.0000" not in table
    assert json.loads(run("-", "--per-record", "--format", "json", stdin=nothing).stdout)["aggregated_rmse"] is None
    assert "0.0000" not in run("-", "--per-record", stdin=nothing).stdout


def test_the_table_shows_figures_n_and_tier() -> None:
    table = run("-", stdin=line(judge="groq", definition="ragbench")).stdout
    rows = [row.split() for row in table.splitlines()]
    assert "judge groq · definition ragbench" in table
    assert ["context_relevance", "0.0100", "1"] in rows
    assert ["aggregated", "0.0158", "1"] in rows
    assert ["consistency", "0.9842", "1"] in rows
    assert "Excellent: no action" in table


def test_the_table_of_records_has_a_row_each(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(line(id=1) + "\n\n" + line(id=2))
    (tmp_path / "b").write_text(line(id="x", mode="blind"))
    rows = run(f"{tmp_path}/a", f"{tmp_path}/b", "--per-record").stdout.splitlines()[1:]
    assert [row.split()[:6] for row in rows] == [["0.0158", "0.0100", "0.0200", "0.0100", "0.0200", "Excellent"]] * 3
    assert [row.split()[6:] for row in rows] == [
        [f"{tmp_path}/a:1", "1"],
        [f"{tmp_path}/a:3", "2"],
        [f"{tmp_path}/b:1", "x", "blind"],
    ]


def test_files_are_read_together_array_and_compressed_too(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(f"[{line()}, {line()}]")
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(line().encode()))
    assert report(f"{tmp_path}/a.json", f"{tmp_path}/b.jsonl.gz", stdin=line())["num_evaluations"] == 4


def test_bad_lines_and_values_are_told_on_stderr_and_the_others_go_on() -> None:
    bad = line(metrics=PREDICTED | {"adherence": 7})
    result = run("-", "--format", "json", stdin=f"{line()}\n{{oops\n{bad}\n[]")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["n_per_metric"]["adherence"] == 1
    assert result.stderr.splitlines() == [
        "standard input: line 2, column 2: not JSON: expecting property name enclosed in double quotes",
        "standard input: line 4: not a JSON object",
        "standard input: 2 line errors",
        "standard input: 1 value left out: not a number in [0, 1]",
    ]


def test_errors_beyond_the_first_are_counted() -> None:
    assert "50 line errors, 30 of them not shown" in run("-", stdin="{}\n" * 50 + line()).stderr


@pytest.mark.parametrize("form", ["table", "json"])
@pytest.mark.parametrize("mode", [[], ["--per-record"]])
def test_nothing_usable_is_bad_input(form: str, mode: list[str]) -> None:
    assert error("-", "--format", form, *mode, stdin='{"a": 1}').startswith("nothing to compare in -")
    assert "empty" in error("-", "--format", form, *mode, stdin="")
    assert error("/absent/file", "--format", form, *mode) == "/absent/file: No such file or directory"
    assert "UTF-16" in error("-", stdin=line().encode("utf-16"))


def test_no_file_is_wrong_usage() -> None:
    assert run().exit_code == 2
    assert run("-", "--definition", "other").exit_code == 2


HOSTILE = "[/INST][@click=app.quit]\x1b]52;c;aGk=\x07\x9b31m\u202e\r\n:smile:"


@pytest.mark.parametrize("mode", [[], ["--per-record"]])
def test_outside_text_commands_no_terminal(mode: list[str]) -> None:
    text = "\n".join([line(judge=HOSTILE, id=HOSTILE), json.dumps({HOSTILE: 1})])
    result = run("-", *mode, stdin=text)
    for stream in (result.stdout, result.stderr):
        assert not set(stream) & set("\x1b\x07\x9b\u202e\r")
    assert "[/INST][@click=app.quit]␛]52;c;aGk=␇" in "".join(result.stdout.split("\n"))
    assert ":smile:" in result.stdout


@pytest.mark.parametrize("mode", [[], ["--per-record"]])
def test_json_keeps_outside_text_exactly(mode: list[str]) -> None:
    result = run("-", "--format", "json", *mode, stdin=line(judge=HOSTILE))
    assert json.loads(result.stdout)["judge"] == HOSTILE
    assert result.stdout.isascii()
    assert "\x1b" not in result.stdout


def test_records_stream_one_json_line_each() -> None:
    out = run("-", "--per-record", "--format", "json", stdin="\n".join(line(id=n) for n in range(5))).stdout
    assert [json.loads(text)["id"] for text in out.splitlines()] == [0, 1, 2, 3, 4]


def test_help_has_an_example() -> None:
    assert "trace-tui rmse truth.jsonl" in run("--help").stdout
