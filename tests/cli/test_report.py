import json
import math
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, f1_score, precision_score, recall_score, roc_auc_score

from tests.cli.conftest import Run
from tests.cli.sessions import accept, database_of, review, write_rows
from tests.rows import make_row
from trace_tui.calls import Call, Usage
from trace_tui.cli.workbench import Cutter
from trace_tui.datasets.source import open_dataset
from trace_tui.labels import Judge, Judgement, Labels
from trace_tui.reviews import Labelling
from trace_tui.scoring import METRICS
from trace_tui.store import Store

SHARED = Path(__file__).parents[2].parent / "shared" / "data" / "ragbench"
SEVEN = ("covidqa", "delucionqa", "emanual", "expertqa", "hagrid", "hotpotqa", "msmarco")

Json = dict[str, Any]


def report(run: Run, dataset: Path, *options: str) -> Json:
    ran = run("report", dataset, "--format", "json", *options)
    assert ran.code == 0, ran.err
    found: Json = json.loads(ran.out, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
    return found


def only_group(found: Json) -> Json:
    [group] = found["groups"]
    return group


def judge_of(group: Json, title: str) -> Json:
    [judge] = [judge for judge in group["judges"] if judge["judge"] == title]
    return judge


EVALUATORS = {
    "GPT-3.5": {
        "adherence": "gpt3_adherence",
        "relevance": "gpt3_context_relevance",
        "utilization": "gpt35_utilization",
    },
    "RAGAS": {"adherence": "ragas_faithfulness", "relevance": "ragas_context_relevance"},
    "TruLens": {"adherence": "trulens_groundedness", "relevance": "trulens_context_relevance"},
}


def usable(rows: Sequence[Json], column: str) -> list[Json]:
    return [row for row in rows if row[column] is not None and 0 <= row[column] <= 1]


def check_evaluators(rows: Sequence[Json], group: Json) -> int:
    """Compare a report with figures computed from the rows' published scores; return how many were compared."""
    compared = 0
    for title, columns in EVALUATORS.items():
        judge = judge_of(group, title)
        for name in {"relevance", "utilization"} & columns.keys():
            chosen = usable(rows, columns[name])
            rmse = judge["metrics"][f"context_{name}"]["rmse"]
            assert rmse["n"] == len(chosen)
            if chosen:
                errors = np.array([row[columns[name]] - row[f"{name}_score"] for row in chosen])
                assert round(rmse["value"], 3) == round(float(np.sqrt(np.mean(errors**2))), 3)
                compared += 1
        chosen = usable(rows, columns["adherence"])
        positive = [not row["adherence_score"] for row in chosen]
        auroc = judge["hallucination"]["auroc"]
        assert auroc["n"] == len(chosen)
        if len(set(positive)) == 2:
            expected = roc_auc_score(positive, [1 - row[columns["adherence"]] for row in chosen])
            assert round(auroc["value"], 3) == round(float(expected), 3)
            compared += 1
        else:
            assert auroc["value"] is None
            assert auroc["why"]
    return compared


@pytest.mark.skipif(not SHARED.exists(), reason="the RAGBench rows are not beside the project")
def test_ragbench_evaluators_are_what_scikit_learn_and_numpy_say(run: Run) -> None:
    compared = 0
    for name in SEVEN:
        rows = [json.loads(line) for line in (SHARED / f"{name}.jsonl").read_text().splitlines()]
        found = report(run, SHARED / f"{name}.jsonl", "--truth", "recorded", "--ragbench-evaluators")
        assert found["definition"] == "ragbench"
        compared += check_evaluators(rows, only_group(found))
    assert compared >= 9


def graded_rows() -> list[Json]:
    random = np.random.default_rng(8)
    rows = []
    for number in range(60):
        unsupported = ["b"] if random.random() < 0.4 else []
        columns = {name: round(float(random.random()), 1) for names in EVALUATORS.values() for name in names.values()}
        row = make_row(id=f"g{number}", unsupported_response_sentence_keys=unsupported, **columns)
        for name in columns:
            if random.random() < 0.3:
                row[name] = None if random.random() < 0.7 else 1.5
        rows.append(row)
    return rows


def test_evaluators_of_own_rows(run: Run, tmp_path: Path) -> None:
    rows = graded_rows()
    found = report(run, write_rows(tmp_path / "graded.jsonl", rows), "--truth", "recorded", "--ragbench-evaluators")
    assert check_evaluators(rows, only_group(found)) == 7
    for column in found["columns"]:
        values = [row[column["column"]] for row in rows]
        assert column["null"] == values.count(None)
        assert column["outside"] == sum(value is not None and value > 1 for value in values)
        assert column["used"] + column["null"] + column["outside"] == 60


def test_judges_are_paired_on_the_records_that_both_score(run: Run, tmp_path: Path) -> None:
    rows = graded_rows()
    group = only_group(
        report(run, write_rows(tmp_path / "g.jsonl", rows), "--truth", "recorded", "--ragbench-evaluators")
    )
    both = [
        row
        for row in usable(rows, "gpt3_context_relevance")
        if row["ragas_context_relevance"] is not None and row["ragas_context_relevance"] <= 1
    ]
    [pair] = [one for one in group["differences"] if (one["first"], one["second"]) == ("GPT-3.5", "RAGAS")]
    found = pair["metrics"]["context_relevance"]

    def rmse(column: str) -> float:
        return math.sqrt(np.mean([(row[column] - row["relevance_score"]) ** 2 for row in both]))

    expected = rmse("gpt3_context_relevance") - rmse("ragas_context_relevance")
    assert found["difference"] == {"value": pytest.approx(expected), "n": len(both)}
    assert found["interval"]["low"] < expected < found["interval"]["high"]


def test_a_person_is_the_truth_blind_and_assisted_apart(run: Run, reviewed: Path) -> None:
    found = report(run, reviewed)
    assert (found["truth"], found["annotator"], found["definition"]) == ("human", "mia", "gpt-labeling")
    groups = {group["mode"]: group for group in found["groups"]}
    assert {mode: group["records"] for mode, group in groups.items()} == {"blind": 2, "assisted": 4}
    blind = judge_of(groups["blind"], "recorded some-annotator")
    assert blind["records"] == 2
    # By hand: the judge calls 0a, 0b and 1a relevant; the human 0a and 1b, and 0a.
    assert blind["sentences"]["relevant"]["confusion"] == {
        "true_positives": 2,
        "false_positives": 4,
        "false_negatives": 1,
        "true_negatives": 3,
    }
    judge, human = [1, 1, 0, 1, 0] * 2, [1, 0, 0, 0, 1, 1, 0, 0, 0, 0]
    agreed = blind["sentences"]["relevant"]
    for name, oracle in {
        "precision": precision_score,
        "recall": recall_score,
        "f1": f1_score,
        "kappa": cohen_kappa_score,
    }.items():
        assert agreed[name] == {"value": pytest.approx(oracle(human, judge)), "n": 10}


def test_the_report_agrees_with_rmse_over_the_export(run: Run, reviewed: Path) -> None:
    out = reviewed.with_name("truth.jsonl")
    assert run("export", reviewed, "--judge", "recorded", "-o", out).code == 0
    by_rmse = {group["mode"]: group for group in json.loads(run("rmse", out, "--format", "json").out)["groups"]}
    for group in report(run, reviewed, "--judge", "recorded")["groups"]:
        [judge] = group["judges"]
        for name in ("per_metric_rmse", "n_per_metric", "aggregated_rmse", "consistency_score", "tier"):
            assert judge[name] == by_rmse[group["mode"]][name]


def label(dataset: Path, judge: Judge, labels: Labels, positions: Sequence[int]) -> None:
    """Put a model's labels of some records into the store, as labelling them would."""
    with open_dataset(dataset) as opened, closing(Store.open(database_of(dataset))) as store:
        for position in positions:
            record = Cutter(store.spans).record(opened.row(position))
            outcome = Judgement(judge, labels)
            call = Call(
                record.uid, judge, f"{judge.title} {position}", "2026-01-01T12:00:00.000+00:00", Usage(), outcome
            )
            store.commit([Labelling(record, call)])


def test_models_stand_side_by_side_each_with_its_n(run: Run, dataset: Path) -> None:
    review(dataset, {position: [accept] for position in range(4)}, blind=True)
    model = Judge("groq", "some-model", "1", prompt="one")
    label(dataset, model, Labels(relevant=frozenset({"doc_0_s0"})), range(4))
    label(dataset, replace(model, version="2", prompt="two"), Labels(), [0, 5])
    group = only_group(report(run, dataset, "--judge", "groq"))
    assert [(judge["judge"], judge["records"]) for judge in group["judges"]] == [
        ("groq some-model @one", 4),
        ("groq some-model @two", 1),
    ]
    [pair] = group["differences"]
    found = pair["metrics"]["context_relevance"]
    assert found["difference"] == {"value": 0.05, "n": 1}
    assert found["interval"] == {"low": None, "high": None, "n": 1, "why": "an interval needs 2 records, here is one"}
    assert [judge["judge"] for judge in only_group(report(run, dataset))["judges"]][-1] == "recorded some-annotator"
    by_title = only_group(report(run, dataset, "--judge", "groq some-model @two"))
    assert [judge["judge"] for judge in by_title["judges"]] == ["groq some-model @two"]
    recorded = only_group(report(run, dataset, "--truth", "recorded"))
    assert [(judge["judge"], judge["records"]) for judge in recorded["judges"]] == [
        ("groq some-model @one", 4),
        ("groq some-model @two", 2),
    ]


def test_what_being_led_costs_is_side_by_side(run: Run, reviewed: Path) -> None:
    text = run("report", reviewed).out
    assert "=== blind: 2 records ===" in text
    assert "what being led costs: RMSE (n) by mode" in text


def test_slices_have_figures_of_their_own(run: Run, tmp_path: Path) -> None:
    rows = [make_row(id=f"s{number}", topic=number % 3, half=0.5) for number in range(7)]
    data = write_rows(tmp_path / "s.jsonl", rows)
    options = ("--truth", "recorded", "--column", "half=adherence", "--by", "topic", "--by", "response-length")
    group = only_group(report(run, data, *options, "--by", "document-position", "--judge", "lexical-overlap"))
    assert [(part["value"], part["records"]) for part in group["slices"]["topic"]] == [("0", 3), ("1", 2), ("2", 2)]
    [only] = group["slices"]["response-length"]
    assert only["value"] == "2"
    assert judge_of(only, "column half")["metrics"]["adherence"]["rmse"] == {"value": 0.5, "n": 7}
    positions = judge_of(group, "lexical-overlap")["document_positions"]
    assert [place["relevant"]["n"] for place in positions] == [21, 14]
    text = run("report", data, *options, "--by", "document-position", "--judge", "lexical-overlap").out
    assert "RMSE by topic (n): column half" in text
    assert "relevant, by position of the document: lexical-overlap" in text


def test_the_diagnosis_takes_relevance_as_a_share_under_either_definition(run: Run, tmp_path: Path) -> None:
    every = ["0a", "0b", "0c", "1a", "1b"]
    data = write_rows(
        tmp_path / "d.jsonl", [make_row(all_relevant_sentence_keys=every, all_utilized_sentence_keys=["0a"])]
    )
    for definition in ("ragbench", "gpt-labeling"):
        group = only_group(report(run, data, "--truth", "recorded", "--definition", definition))
        [finding] = group["diagnosis"]["findings"]
        assert finding["name"] == "high relevance, low utilization"
        assert len(finding["actions"]) == 3
        assert group["by_record"][0]["relevant_share"] == 1
        assert group["diagnosis"]["records"] == {"high relevance, low utilization": 1}
    text = run("report", data, "--truth", "recorded").out
    assert "    - tell the model to use the retrieved context" in text
    assert "no judge to compare with" in text


def test_a_hallucination_names_its_sentences(run: Run, tmp_path: Path) -> None:
    data = write_rows(tmp_path / "h.jsonl", [make_row(unsupported_response_sentence_keys=["b"])])
    [case] = only_group(report(run, data, "--truth", "recorded"))["by_record"]
    assert case["findings"][0]["name"] == "low adherence"
    assert case["unsupported_sentences"] == ["resp_s1"]
    assert "low adherence (resp_s1)" in run("report", data, "--truth", "recorded").out


DEGENERATE = {
    "one record": [make_row(guess=0.5)],
    "one class": [make_row(id=i, guess=i / 4) for i in range(3)],
    "all equal": [make_row(id=i, guess=1.0) for i in range(3)],
    "nulls": [make_row(id=i, guess=None) for i in range(3)],
    "no such column": [make_row(id=i) for i in range(3)],
    "out of range": [make_row(id=i, guess=7) for i in range(3)],
    "nothing relevant": [make_row(id=i, all_relevant_sentence_keys=[], guess=0.1) for i in range(2)],
    "no sentences": [{**make_row(id=i, guess=0.1), "documents": [], "response": "", "documents_sentences": [],
                      "response_sentences": []} for i in range(2)],
}  # fmt: skip


@pytest.mark.parametrize("rows", DEGENERATE.values(), ids=DEGENERATE)
def test_what_is_undefined_says_why_and_nothing_is_nan(run: Run, tmp_path: Path, rows: list[Json]) -> None:
    data = tmp_path / "x.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = ("--truth", "recorded", "--column", "guess=adherence", "--judge", "lexical-overlap")
    undefined = []

    def look(value: object) -> None:
        if isinstance(value, dict):
            if "n" in value and "value" in value and value["value"] is None:
                undefined.append(value)
            for inner in value.values():
                look(inner)
        elif isinstance(value, list):
            for inner in value:
                look(inner)

    look(report(run, data, *options))
    assert undefined
    assert all(figure["why"] for figure in undefined)
    ran = run("report", data, *options)
    assert (ran.code, ran.err) == (0, "")
    assert "nan" not in ran.out.lower().split()
    for why in {figure["why"] for figure in undefined}:
        assert why in ran.out or "both judges" in why  # a pair of which one judge has no figure, which is said


def test_one_record_says_that_an_interval_needs_two(run: Run, tmp_path: Path) -> None:
    data = write_rows(tmp_path / "x.jsonl", DEGENERATE["one record"])
    text = run("report", data, "--truth", "recorded", "--column", "guess=adherence").out
    assert "an interval needs 2 records, here is one" in text
    assert "one class only: every response is adherent" in text


def test_a_judge_with_nothing_in_common_is_listed_with_the_reason(run: Run, tmp_path: Path) -> None:
    data = write_rows(tmp_path / "x.jsonl", DEGENERATE["nulls"])
    ran = run("report", data, "--truth", "recorded", "--column", "guess=adherence")
    assert "column guess (column guess): 0 used; left out: 3 null" in ran.out
    assert "– column guess: nothing in common" in ran.out


def test_the_seed_decides_the_intervals_and_nothing_else(run: Run, tmp_path: Path) -> None:
    data = write_rows(tmp_path / "g.jsonl", graded_rows())
    options = ("--truth", "recorded", "--ragbench-evaluators", "--seed")
    first, again, other = (report(run, data, *options, seed) for seed in "112")
    assert first == again
    metric = [only_group(one)["judges"][0]["metrics"]["context_relevance"] for one in (first, other)]
    assert metric[0]["rmse"] == metric[1]["rmse"]
    assert metric[0]["rmse_interval"] != metric[1]["rmse_interval"]


def test_rows_that_cannot_be_the_truth_are_told(run: Run, tmp_path: Path) -> None:
    plain = {"id": "p", "question": "q", "contexts": ["One."], "answer": "Two."}
    data = write_rows(tmp_path / "m.jsonl", [make_row(), plain, make_row(extra=1)])
    with data.open("a") as file:
        file.write("{broken\n")
    ran = run("report", data, "--truth", "recorded")
    assert ran.code == 0
    assert "1 row left out: no labels" in ran.err
    assert "1 row left out: the same record was there before" in ran.err
    assert "m.jsonl:4" in ran.err or "line 4" in ran.err


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--column", "x"], 2, "it takes NAME=METRIC"),
        (["--column", "x=fluency"], 2, "METRIC is one of context_relevance"),
        (["--truth", "recorded", "--annotator", "mia"], 2, "--annotator is for --truth human"),
        (["--truth", "recorded", "--judge", "nobody"], 2, "no judge nobody to compare here; there is none"),
        ([], 3, "there is no such database"),
        (["--truth", "recorded", "--db", "missing.db"], 3, "there is no such database"),
    ],
)
def test_wrong_usage(run: Run, dataset: Path, options: list[str], code: int, said: str) -> None:
    ran = run("report", dataset, *options)
    assert (ran.code, ran.out) == (code, "")
    assert said in ran.err


def test_no_row_with_labels(run: Run, tmp_path: Path) -> None:
    data = write_rows(tmp_path / "p.jsonl", [{"question": "q", "contexts": ["One."], "answer": "Two."}])
    ran = run("report", data, "--truth", "recorded")
    assert ran.code == 3
    assert "no row has labels to take for the truth" in ran.err


def test_names_from_outside_are_made_safe(run: Run, tmp_path: Path) -> None:
    rows = [make_row(id="\x1b[31mid", annotating_model_name="\x1b]52;c;x\x07", topic="\x1b[2Jt") for _ in range(1)]
    data = write_rows(tmp_path / "h.jsonl", rows)
    review(data, {0: [accept]})
    text = run("report", data, "--by", "topic", "--column", "\x1b[1mz=adherence").out
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "␛[2Jt" in text


def test_every_metric_has_a_block(run: Run, reviewed: Path) -> None:
    lines = run("report", reviewed).out.splitlines()
    assert set(METRICS) <= set(lines)
    assert "records to look at first" in lines
