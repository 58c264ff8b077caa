import csv
import io
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.sessions import accept, flag, review, session, supported, unsupported, write_rows
from tests.rows import make_row, named_rows
from trace_tui.datasets.audit import audit
from trace_tui.datasets.ragbench import PUBLISHED
from trace_tui.datasets.sentences import make_splitter
from trace_tui.datasets.source import open_dataset
from trace_tui.labels import Labels
from trace_tui.reviews import Mode
from trace_tui.scoring import METRICS, SCORE_NAMES, AdvancedTRACEScores, Definition


def test_a_trace_line_has_both_sides(run: Run, reviewed: Path) -> None:
    line = run("export", reviewed, "--judge", "recorded").lines[3]
    assert {name: line[name] for name in ("id", "judge", "judge_model", "annotator", "mode", "definition")} == {
        "id": "r3",
        "judge": "recorded",
        "judge_model": "some-annotator",
        "annotator": "mia",
        "mode": "assisted",
        "definition": "gpt-labeling",
    }
    assert line["metrics"] == AdvancedTRACEScores(0.15, 2 / 3, 2 / 3, 1.0).to_dict()
    assert line["ground_truth_scores"] == AdvancedTRACEScores(0.2, 0.5, 0.5, 0.0).to_dict()
    assert list(line["metrics"]) == list(SCORE_NAMES)
    assert line["labels"]["relevant"] == ["doc_0_s0", "doc_0_s1", "doc_1_s0"]
    assert line["ground_truth_labels"]["relevant"] == ["doc_0_s0", "doc_0_s1", "doc_0_s2", "doc_1_s0"]
    assert line["ground_truth_labels"]["supports"]["resp_s1"] == {
        "keys": ["doc_1_s0"],
        "verdict": "unsupported",
        "reason": None,
        "explanation": "",
    }
    assert line["overrides"] == 2
    assert (line["note"], line["flagged"], line["blind_judgement"]) == ('see "page 2", 3', True, None)
    assert line["sentences"]["doc_1_s1"] == "She replaced the worn escapement."
    assert line["accepted_at"].startswith("2026-01-01T12:")
    assert line["seconds"] > 0


def test_the_reference_answer_goes_along(run: Run, tmp_path: Path) -> None:
    rows = [make_row(id="with", ground_truth="Ines Harrow, in 1902"), make_row(id="without")]
    dataset = write_rows(tmp_path / "rows.jsonl", rows)
    review(dataset, {0: [accept], 1: [accept]})
    assert [line["reference"] for line in run("export", dataset).lines] == ["Ines Harrow, in 1902", None]
    table = csv.DictReader(io.StringIO(run("export", dataset, "--format", "csv").out))
    assert [row["reference"] for row in table] == ["Ines Harrow, in 1902", ""]


def test_rows_of_one_record_are_exported_once(run: Run, tmp_path: Path) -> None:
    row = make_row(id="r")
    rows = [row, dict(reversed(row.items())), row | {"all_utilized_sentence_keys": []}, row]
    dataset = write_rows(tmp_path / "rows.jsonl", rows)
    review(dataset, {0: [accept]})
    [line] = run("export", dataset).lines
    assert line["ground_truth_labels"]["utilized"] == ["doc_0_s0", "doc_1_s0"]
    [scored] = run("score", dataset, "--source", "human", "--format", "jsonl").lines
    assert scored["context_utilization"] == line["ground_truth_scores"]["context_utilization"]
    assert len(run("score", dataset, "--format", "jsonl").lines) == 1


def test_modes_and_what_was_accepted_blind(run: Run, reviewed: Path) -> None:
    lines = {line["id"]: line for line in run("export", reviewed, "--judge", "recorded").lines}
    assert {name: line["mode"] for name, line in lines.items()} == {
        "r0": "blind",
        "r1": "assisted",
        "r2": "assisted",
        "r3": "assisted",
    }
    then = lines["r1"]["blind_judgement"]
    assert then["ground_truth_scores"]["adherence"] == 1
    assert lines["r1"]["ground_truth_scores"]["adherence"] == 0
    assert Labels.from_json(then["labels"]).utilized == frozenset()
    assert [name for name, line in lines.items() if line["blind_judgement"]] == ["r1"]


def test_every_response_sentence_is_there_unjudged_too(run: Run, reviewed: Path) -> None:
    plain = run("export", reviewed, "--judge", "lexical-overlap").lines[0]
    supports = plain["ground_truth_labels"]["supports"]
    assert list(supports) == ["resp_s0", "resp_s1"]
    assert plain["ground_truth_scores"]["adherence"] is None


@pytest.mark.parametrize("definition", list(Definition))
def test_rmse_of_the_export_is_what_the_panel_shows(
    run: Run, reviewed: Path, tmp_path: Path, definition: Definition
) -> None:
    truth = tmp_path / "truth.jsonl"
    assert run("export", reviewed, "--judge", "recorded", "--definition", definition, "-o", truth).code == 0
    groups = {group["mode"]: group for group in json.loads(run("rmse", truth, "--format", "json").out)["groups"]}
    with session(reviewed) as reviewing:
        reviewing.definition = definition
        reviewing.take_over(reviewing.take_stock())
        shown = {mode: agreement.rmse for mode, agreement in reviewing.progress().agreement.items()}
    assert shown[Mode.BLIND].num_evaluations == 2
    assert shown[Mode.ASSISTED].num_evaluations == 3
    for mode in Mode:
        assert groups[mode].items() >= shown[mode].to_dict().items()
        assert groups[mode]["definition"] == definition
    for other in Definition:  # whatever the lines were exported with
        again = json.loads(run("rmse", truth, "--format", "json", "--definition", other).out)["groups"]
        direct = run("export", reviewed, "--judge", "recorded", "--definition", other)
        (tmp_path / "direct.jsonl").write_text(direct.out)
        assert again == json.loads(run("rmse", tmp_path / "direct.jsonl", "--format", "json").out)["groups"]


def test_ragbench_rows_read_back_as_they_were_reviewed(run: Run, reviewed: Path, tmp_path: Path) -> None:
    out = tmp_path / "truth.jsonl"
    ran = run("export", reviewed, "--judge", "recorded", "--format", "ragbench", "-o", out)
    assert ran.code == 0
    truth = {line["id"]: line for line in run("export", reviewed, "--judge", "recorded").lines}
    with open_dataset(out) as opened:
        found = audit(opened, lambda: make_splitter().checked_split)
        rows = [opened.row(position) for position in range(len(opened))]
    assert found.records == 4
    assert not found.errors
    assert not found.warnings
    assert not found.differences
    assert {kind.name for kind in found.dirt} <= {"OUTSIDE_RELEVANT"}
    assert {row.annotator_model for row in rows} == {"human: mia"}
    assert json.loads(run("check", out, "--format", "json").out)["line_errors"] == []
    by_ragbench = {
        line["id"]: line for line in run("export", reviewed, "--judge", "recorded", "--definition", "ragbench").lines
    }
    for row in rows:
        assert row.published == {metric: by_ragbench[row.id]["ground_truth_scores"][metric] for metric in METRICS}
    with session(out, "tom") as reviewing:
        for position, row in enumerate(rows):
            reviewing.open(position)
            assert reviewing.desk
            labels = reviewing.desk.judge_labels
            assert labels
            human = Labels.from_json(truth[str(row.id)]["ground_truth_labels"])
            assert (labels.relevant, labels.utilized) == (human.relevant, human.utilized)
            assert all(labels.support(key) == human.support(key) for key in reviewing.desk.record.response_keys)
        accept(reviewing)
    assert run("export", out).lines[0]["judge_model"] == "human: mia"


def test_ragbench_keeps_what_else_the_row_has(run: Run, dataset: Path) -> None:
    review(dataset, {0: [accept]})
    row = run("export", dataset, "--format", "ragbench").lines[0]
    original = make_row(id="r0")
    for name in ("dataset_name", "trulens_groundedness", "documents", "documents_sentences", "response_sentences"):
        assert row[name] == original[name]
    for name in PUBLISHED.values():
        assert row[name] == original[name]


def test_rows_with_every_kind_of_dirt_read_back_clean(run: Run, tmp_path: Path) -> None:
    odd = [
        make_row(id="an object", reference={"a": 1}, ground_truth="b"),
        make_row(id="a list", ground_truth=[1, 2]),
        make_row(id=["no id"], question={"a": 1}) | {"documents": [{"text": "The town clock", "title": "T"}, None]},
    ]
    dataset = write_rows(tmp_path / "rows.jsonl", [*named_rows().values(), *odd])
    review(dataset, {position: [*supported(0), accept] for position in range(len(named_rows()) + len(odd))})
    out = tmp_path / "truth.jsonl"
    assert run("export", dataset, "--format", "ragbench", "-o", out).code == 0
    found = json.loads(run("check", out, "--format", "json").out)
    assert found["records"] >= len(named_rows())
    assert (found["warnings"], found["line_errors"], found["score_differences"]) == ([], [], [])
    assert {dirt["kind"] for dirt in found["dirt"]} == {"outside_relevant"}
    rows = {row["id"]: row for row in map(json.loads, out.read_text().splitlines())}
    assert rows["an object"]["reference"] == '{"a": 1}'
    assert rows["an object"]["ground_truth"] == "b"


def test_ragbench_leaves_unjudged_records_out_and_counts_them(run: Run, dataset: Path) -> None:
    review(dataset, {0: [accept], 6: [accept]})
    ran = run("export", dataset, "--format", "ragbench", "--judge", "recorded")
    assert [line["id"] for line in ran.lines] == ["r0"]
    ran = run("export", dataset, "--format", "ragbench", "--judge", "lexical-overlap")
    assert (ran.code, ran.out) == (3, "")
    assert "1 record left out: a response sentence is unjudged" in ran.err


def test_a_plain_row_becomes_a_ragbench_row(run: Run, dataset: Path) -> None:
    review(dataset, {6: [*supported(0), *unsupported(1), accept]})
    [row] = run("export", dataset, "--format", "ragbench").lines
    assert row["response_sentences"] == [["a", "Ines mends the bell."], ["b", "I do not know."]]
    assert row["documents_sentences"][1] == [["1a", "It rains."]]
    assert row["unsupported_response_sentence_keys"] == ["b"]


# ------------------------------------------------------------------ csv

HOSTILE = (
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    " =1",
    "\ufeff=1",
    "\uff1d1",
    "\uff0b1",
    "\uff0d1",
    "\uff201",
)


def test_csv_has_a_row_each_with_numbers_as_numbers(run: Run, reviewed: Path) -> None:
    ran = run("export", reviewed, "--judge", "recorded", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    assert [row["id"] for row in rows] == ["r0", "r1", "r2", "r3"]
    assert [row["mode"] for row in rows] == ["blind", "assisted", "assisted", "assisted"]
    assert float(rows[3]["human_context_relevance"]) == 0.2
    assert rows[3]["human_adherence"] == "0.0"
    assert rows[3]["blind_adherence"] == ""
    assert rows[1]["blind_adherence"] == "1.0"
    assert rows[1]["human_adherence"] == "0.0"
    assert (rows[3]["note"], rows[3]["flagged"], rows[3]["overrides"]) == ('see "page 2", 3', "true", "2")


@pytest.mark.parametrize("text", HOSTILE)
def test_csv_starts_no_formula(run: Run, tmp_path: Path, text: str) -> None:
    cells = {"id": text, "question": text, "generation_model_name": text, "annotating_model_name": text}
    dataset = write_rows(tmp_path / "rows.jsonl", [make_row(**cells)])
    review(dataset, {0: [accept]}, annotator=text)
    ran = run("export", dataset, "--format", "csv")
    [row] = csv.DictReader(io.StringIO(ran.out, newline=""))
    assert row["id"] == row["question"] == row["judge_model"] == row["annotator"] == f"'{text}"
    cells = next(csv.reader(io.StringIO(ran.out.partition("\n")[2], newline="")))
    assert all(not cell.lstrip(" \t\r\n\ufeff").startswith(tuple("=+-@\uff1d\uff0b\uff0d\uff20")) for cell in cells)


# ------------------------------------------------------------------ whose and of which judge


def test_several_annotators_must_be_told_apart(run: Run, dataset: Path) -> None:
    review(dataset, {0: [accept]}, annotator="mia")
    review(dataset, {0: [accept], 1: [accept]}, annotator="tom")
    ran = run("export", dataset)
    assert (ran.code, ran.out) == (2, "")
    assert "several annotators: mia, tom; name one with --annotator" in ran.err
    assert [line["id"] for line in run("export", dataset, "--annotator", "tom").lines] == ["r0", "r1"]
    assert run("export", dataset, "--annotator", "eve").code == 2
    assert "there is mia, tom" in run("export", dataset, "--annotator", "eve").err


def test_an_annotator_who_accepted_nothing_does_not_count(run: Run, dataset: Path) -> None:
    review(dataset, {0: [accept]}, annotator="mia")
    review(dataset, {0: [flag]}, annotator="tom")
    assert run("export", dataset).lines[0]["annotator"] == "mia"
    assert run("export", dataset, "--annotator", "tom").code == 3


def test_several_judges_must_be_told_apart(run: Run, reviewed: Path) -> None:
    ran = run("export", reviewed)
    assert ran.code == 2
    assert "several judges: lexical-overlap, recorded some-annotator; name one with --judge" in ran.err
    for name in ("recorded", "recorded some-annotator"):
        assert len(run("export", reviewed, "--judge", name).lines) == 4
    ran = run("export", reviewed, "--judge", "groq")
    assert ran.code == 2
    assert "there is lexical-overlap, recorded some-annotator" in ran.err


def test_nothing_accepted_is_an_error_and_writes_nothing(run: Run, dataset: Path, tmp_path: Path) -> None:
    review(dataset, {0: [flag]})
    ran = run("export", dataset, "-o", tmp_path / "out")
    assert ran.code == 3
    assert "no record" in ran.err
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob(".trace-tui*"))


def test_a_missing_database_is_named_and_not_made(run: Run, dataset: Path, tmp_path: Path) -> None:
    for arguments in ([], ["--db", tmp_path / "other.db"]):
        ran = run("export", dataset, *arguments)
        assert ran.code == 3
        assert "no such database" in ran.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rows.jsonl"]


def test_records_whose_row_changed_are_left_out_and_counted(run: Run, dataset: Path) -> None:
    review(dataset, {0: [accept], 1: [accept], 2: [accept]})
    write_rows(dataset, [make_row(id="r2"), make_row(id="r0", question="Who else?")])
    ran = run("export", dataset)
    assert [line["id"] for line in ran.lines] == ["r2"]
    assert "2 accepted records" in ran.err
    write_rows(dataset, [make_row(id="new")])
    ran = run("export", dataset)
    assert (ran.code, ran.out) == (3, "")


def test_a_record_opened_again_is_not_exported(run: Run, dataset: Path) -> None:
    with session(dataset) as reviewing:
        accept(reviewing)
        reviewing.open(1)
        accept(reviewing)
        reviewing.undo()
    assert [line["id"] for line in run("export", dataset).lines] == ["r0"]


def test_help_has_an_example(run: Run) -> None:
    assert "trace-tui export samples/ragbench.jsonl -o truth.jsonl" in run("export", "--help").out
