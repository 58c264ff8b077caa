import csv
import gzip
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.cli.sessions import accept, flag, review, unsupported, write_rows
from tests.rows import make_row, named_rows
from trace_tui.cli import output
from trace_tui.datasets.ragbench import PUBLISHED
from trace_tui.scoring import METRICS, SCORE_NAMES

SHARED = Path(__file__).parents[3] / "shared" / "data"
FORMS = ("table", "json", "jsonl", "csv")
needs_shared = pytest.mark.skipif(not SHARED.exists(), reason="the shared data is not beside the repository")
PLAIN = {"id": "plain", "question": "Who mends it?", "contexts": ["Ines mends it."], "answer": "Ines mends it."}


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "own.jsonl", list(named_rows().values()))


def means_of(records: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    columns = {name: [r[name] for r in records if r[name] is not None] for name in SCORE_NAMES}
    return {
        name: {"mean": pytest.approx(sum(values) / len(values)) if values else None, "n": len(values)}
        for name, values in columns.items()
    }


# ------------------------------------------------------------------ a judge's scores


def test_the_worked_examples_to_the_digit(run: Run) -> None:
    samples = Path(__file__).parents[2] / "samples" / "ragbench.jsonl"
    first, second, *_ = run("score", samples, "--format", "jsonl").lines
    assert [first[metric] for metric in METRICS] == [0.1, 1, 1, 1]
    assert first["average"] == 0.775
    assert [round(second[metric], 2) for metric in METRICS[:3]] == [0.15, 0.67, 0.67]


def check_published(run: Run, path: Path) -> int:
    """Compare the scores with the published ones: equal wherever keys are clean, and `check` names every other row.

    Returns the number of rows with clean keys.
    """
    named = {found["line"] for found in json.loads(run("check", path, "--format", "json").out)["score_differences"]}
    ran = run("score", path, "--definition", "ragbench", "--format", "jsonl")
    rows = {line: number for number, line in reversed([*enumerate(path.read_bytes().split(b"\n"), 1)]) if line.strip()}
    clean = 0
    for line, (text, number) in zip(ran.lines, reversed(rows.items()), strict=True):
        row = json.loads(text)
        published = {metric: float(row[name]) for metric, name in PUBLISHED.items()}
        is_equal = {metric: line[metric] for metric in METRICS} == pytest.approx(published, abs=1e-12)
        assert line["id"] == row["id"]
        assert is_equal == (number not in named)
        if not keys_are_dirty(row):
            assert is_equal
            clean += 1
    return clean


def keys_are_dirty(row: dict[str, Any]) -> bool:
    keys = {key for document in row["documents_sentences"] for key, _ in document}
    lists = row["all_relevant_sentence_keys"], row["all_utilized_sentence_keys"]
    return any(len(set(given)) < len(given) or not set(given) <= keys for given in lists)


def test_scores_by_ragbench_are_the_published_ones(run: Run, own: Path) -> None:
    assert check_published(run, own) >= 15


@needs_shared
@pytest.mark.parametrize("path", sorted((SHARED / "ragbench").glob("*.jsonl")), ids=lambda path: path.name)
def test_scores_of_real_rows_are_the_published_ones(run: Run, path: Path) -> None:
    assert check_published(run, path) >= 10


def test_every_form_says_the_same(run: Run, own: Path) -> None:
    whole = json.loads(run("score", own, "--format", "json").out)
    lines = run("score", own, "--format", "jsonl").lines
    rows = list(csv.DictReader(io.StringIO(run("score", own, "--format", "csv").out)))
    table = run("score", own).out.splitlines()
    assert whole["records"] == lines
    assert list(lines[0]) == list(rows[0]) == ["id", *SCORE_NAMES, "judge"]
    for line, row in zip(lines, rows, strict=True):
        assert line["id"] == row["id"].removeprefix("'")
        assert [line[name] for name in SCORE_NAMES] == [float(row[name]) if row[name] else None for name in SCORE_NAMES]
    assert table[0].split() == ["id", *SCORE_NAMES, "judge"]
    assert len(table) == 1 + len(lines) + 4
    figures = [line[name] for name in SCORE_NAMES for line in lines[:1]]
    assert [float(cell) for cell in table[1].split()[1:7]] == pytest.approx(figures, abs=5e-5)


def test_means_with_their_n(run: Run, own: Path) -> None:
    whole = json.loads(run("score", own, "--format", "json").out)
    assert (whole["definition"], whole["source"], whole["judge"], whole["annotator"]) == (
        *("gpt-labeling", "judge", "recorded"),
        None,
    )
    assert whole["means"] == means_of(whole["records"])
    assert 0 < whole["means"]["completeness"]["n"] < len(whole["records"])
    [group] = whole["groups"]
    assert group == {"judge": "recorded some-annotator", "records": len(whole["records"]), "means": whole["means"]}
    *_, mean, n = (line.split() for line in run("score", own).out.splitlines())
    assert n[1:] == [str(whole["means"][name]["n"]) for name in SCORE_NAMES]
    assert float(mean[1]) == pytest.approx(whole["means"]["context_relevance"]["mean"], abs=5e-5)


def test_models_are_never_pooled(run: Run, tmp_path: Path) -> None:
    rows = [make_row(id=n, annotating_model_name=model) for n, model in enumerate(["a", "b", "a"])]
    path = write_rows(tmp_path / "rows.jsonl", rows)
    whole = json.loads(run("score", path, "--format", "json").out)
    assert whole["means"] is None
    assert [(group["judge"], group["records"]) for group in whole["groups"]] == [("recorded a", 2), ("recorded b", 1)]
    table = run("score", path).out
    assert "judge recorded a, definition gpt-labeling: 2 records" in table
    assert "judge recorded b, definition gpt-labeling: 1 record\n" in table


def test_rows_without_labels_are_undefined_and_counted(run: Run, tmp_path: Path) -> None:
    path = write_rows(tmp_path / "rows.jsonl", [make_row(), PLAIN])
    ran = run("score", path, "--format", "json")
    whole = json.loads(ran.out)
    assert whole["records"][1] == {"id": "plain", **dict.fromkeys(SCORE_NAMES), "judge": None}
    assert whole["groups"][0]["records"] == 1
    assert "1 record without labels" in ran.err


def test_the_judge_is_that_of_the_first_row_unless_named(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    write_rows(path, [PLAIN, make_row()])
    path.write_text("no row\n" + path.read_text())
    ran = run("score", path, "--format", "jsonl")
    assert [line["judge"] for line in ran.lines] == ["lexical-overlap"] * 2
    assert "word coverage, not entailment" in ran.err
    assert "1 row with labels: --judge recorded scores by those" in ran.err
    lines = run("score", path, "--format", "jsonl", "--judge", "recorded").lines
    assert [line["judge"] for line in lines] == [None, "recorded some-annotator"]
    lines = run("score", path, "--format", "jsonl", "--judge", "lexical-overlap").lines
    assert [line["judge"] for line in lines] == ["lexical-overlap"] * 2


def test_a_judge_that_is_not_there(run: Run, tmp_path: Path) -> None:
    path = write_rows(tmp_path / "rows.jsonl", [PLAIN])
    ran = run("score", path, "--judge", "oracle")
    assert (ran.code, ran.out) == (2, "")
    assert "recorded, lexical-overlap" in ran.err
    ran = run("score", path, "--judge", "recorded")
    assert (ran.code, ran.out) == (4, "")
    assert "no row has labels" in ran.err


def test_line_errors_are_told_and_the_others_go_on(run: Run, tmp_path: Path) -> None:
    path = write_rows(tmp_path / "rows.jsonl", [make_row(id=1), make_row(id=2)])
    path.write_text("{oops\n" + path.read_text() + "[]\n" * 1 + "7\n" * 1)
    ran = run("score", path, "--format", "jsonl")
    assert ran.code == 0
    assert [line["id"] for line in ran.lines] == [1, 2]
    assert f"{path}: line 4: a list" in ran.err
    assert "3 line errors; `trace-tui check` names every one" in ran.err


def test_nothing_readable_is_bad_input(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("7\n8\n9\n")
    for arguments in ([], ["--judge", "recorded"]):
        ran = run("score", path, *arguments)
        assert (ran.code, ran.out) == (3, "")
        assert "line 1: a number" in ran.err
        assert "nor is any of the 2 others" in ran.err
    assert run("score", tmp_path / "none.jsonl").code == 3


def test_the_same_record_counts_once(run: Run, tmp_path: Path) -> None:
    row = make_row()
    path = write_rows(tmp_path / "rows.jsonl", [row, row, dict(reversed(row.items())), make_row(id="other")])
    ran = run("score", path, "--format", "json")
    assert [line["id"] for line in json.loads(ran.out)["records"]] == ["clock", "other"]
    assert "2 rows left out: the same record was there before" in ran.err


def test_a_row_without_id_is_called_by_its_identity(run: Run, tmp_path: Path) -> None:
    path = write_rows(tmp_path / "rows.jsonl", [make_row(id=None), make_row(id=None, question="Else?"), make_row(id=7)])
    ids = [line["id"] for line in run("score", path, "--format", "jsonl").lines]
    assert ids[0].startswith("#")
    assert ids[1].startswith("#")
    assert len(set(ids)) == 3
    assert ids[2] == 7


def test_an_array_in_gzip(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "rows.json.gz"
    path.write_bytes(gzip.compress(json.dumps([make_row(id=1), make_row(id=2)]).encode()))
    assert len(run("score", path, "--format", "jsonl").lines) == 2


def test_plain_rows_are_cut_as_they_were_when_they_were_reviewed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_rows(tmp_path / "rows.jsonl", [PLAIN])
    expected = run("score", path, "--format", "jsonl").out
    review(path, {0: [accept]})
    monkeypatch.setattr("trace_tui.datasets.sentences.make_splitter", None)  # must not be needed any more
    assert run("score", path, "--format", "jsonl").out == expected


def test_the_database_is_opened_only_where_it_is_needed(run: Run, tmp_path: Path) -> None:
    path = write_rows(tmp_path / "rows.jsonl", [make_row()])
    (tmp_path / "rows.trace.db").write_bytes(b"no database" * 100)
    assert run("score", path).code == 0
    write_rows(path, [PLAIN])
    assert run("score", path).code == 3
    assert run("score", path, "--db", tmp_path / "none.db").code == 3
    assert not (tmp_path / "none.db").exists()


def test_spacy_model(run: Run, tmp_path: Path) -> None:
    ran = run("score", write_rows(tmp_path / "rows.jsonl", [PLAIN]), "--spacy-model", "none_such")
    assert ran.code == 2
    assert "none_such" in ran.err


# ------------------------------------------------------------------ a person's scores


def test_human_scores_are_of_accepted_records(run: Run, reviewed: Path) -> None:
    ran = run("score", reviewed, "--source", "human", "--format", "json")
    whole = json.loads(ran.out)
    truth = [
        line for judge in ("recorded", "lexical-overlap") for line in run("export", reviewed, "--judge", judge).lines
    ]
    assert [record["id"] for record in whole["records"]] == ["r0", "r1", "r2", "r3", "plain"]
    for record, line in zip(whole["records"], truth, strict=True):
        assert {name: record[name] for name in SCORE_NAMES} == line["ground_truth_scores"]
        assert record["mode"] == line["mode"]
    assert (whole["source"], whole["annotator"], whole["judge"]) == ("human", "mia", None)
    assert "5 records: 1 blind, 4 assisted" in ran.err


def test_blind_and_assisted_are_never_pooled(run: Run, reviewed: Path) -> None:
    whole = json.loads(run("score", reviewed, "--source", "human", "--format", "json").out)
    records = {record["id"]: record for record in whole["records"]}
    then = records["r1"]["blind_judgement"]
    assert then["adherence"] == 1
    assert "blind_judgement" not in records["r0"]
    assisted, blind = whole["groups"]
    assert (assisted["mode"], assisted["records"], blind["mode"], blind["records"]) == ("assisted", 4, "blind", 2)
    assert assisted["means"] == means_of([r for r in whole["records"] if r["mode"] == "assisted"])
    assert blind["means"] == means_of([records["r0"], then])
    assert whole["means"] is None


def test_only_records_compared_with_a_judge(run: Run, reviewed: Path) -> None:
    lines = run("score", reviewed, "--source", "human", "--judge", "lexical-overlap", "--format", "jsonl").lines
    assert [line["id"] for line in lines] == ["plain"]
    assert run("score", reviewed, "--source", "human", "--judge", "oracle").code == 2


def test_several_annotators_must_be_told_apart(run: Run, reviewed: Path) -> None:
    review(reviewed, {0: [*unsupported(0), accept]}, annotator="tom")
    ran = run("score", reviewed, "--source", "human")
    assert (ran.code, ran.out) == (2, "")
    assert "mia, tom" in ran.err
    [line] = run("score", reviewed, "--source", "human", "--annotator", "tom", "--format", "jsonl").lines
    assert (line["id"], line["adherence"]) == ("r0", 0)
    assert run("score", reviewed, "--annotator", "tom").code == 2


def test_human_scores_of_nothing(run: Run, dataset: Path) -> None:
    ran = run("score", dataset, "--source", "human")
    assert (ran.code, ran.out) == (3, "")
    assert "no such database" in ran.err
    assert not dataset.with_suffix(".trace.db").exists()
    review(dataset, {0: [flag]})
    ran = run("score", dataset, "--source", "human")
    assert (ran.code, ran.out) == (3, "")


def test_a_row_that_changed_is_left_out(run: Run, reviewed: Path) -> None:
    write_rows(reviewed, [make_row(id="r3"), make_row(id="r0", question="Else?")])
    ran = run("score", reviewed, "--source", "human", "--format", "jsonl")
    assert [line["id"] for line in ran.lines] == ["r3"]
    assert "4 accepted records" in ran.err


def test_a_progress_bar_keeps_out_of_the_data(
    own: Path, run: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = run("score", own, "--format", "jsonl").out
    monkeypatch.setattr(output, "_PATIENCE", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    ran = run("score", own, "--format", "jsonl")
    assert ran.out == expected
    assert "scoring" in ran.err


def test_help_has_an_example(run: Run) -> None:
    assert "trace-tui score samples/ragbench.jsonl --definition ragbench" in run("score", "--help").out
