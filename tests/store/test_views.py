"""The views that Datasette and sqlite-utils show, against the formulas of DESIGN.md section 3 written out here."""

from dataclasses import replace
from math import isclose
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.store import samples
from tests.store.samples import JUDGE, LABELS, accepted, accepted_blind, edit, introduction, query, record
from trace_tui.labels import Judgement, Labels, Support, Verdict
from trace_tui.records import Record
from trace_tui.reviews import Review
from trace_tui.store import Store

METRICS = ("context_relevance", "context_utilization", "completeness", "adherence", "average", "rmse_aggregation")
Scores = tuple[float | None, ...]


def expected(labels: Labels, met: Record, definition: str) -> Scores:
    """Return the four scores, their mean and their standard deviation, straight from the table of formulas."""
    n, r, u = len(met.document_keys), len(labels.relevant), len(labels.utilized)
    both = len(labels.relevant & labels.utilized)
    verdicts = {labels.support(key).verdict for key in met.response_keys}
    adherence = 1.0 if verdicts == {Verdict.SUPPORTED} else None
    if Verdict.UNSUPPORTED in verdicts:
        adherence = 0.0
    if definition == "gpt-labeling":
        scores = (min(1, r / 20) if n else None, min(1, u / r) if r else None, both / r if r else None, adherence)
    else:
        scores = (r / n if n else None, u / n if n else None, both / r if r else 1.0, adherence)
    defined = [score for score in scores if score is not None]
    return (*scores, *((fmean(defined), pstdev(defined)) if len(defined) == 4 else (None, None)))


def same(found: Scores, wanted: Scores) -> bool:
    return all(
        a == b or (a is not None and b is not None and isclose(a, b, abs_tol=1e-12))
        for a, b in zip(found, wanted, strict=True)
    )


def side(row: dict[str, Any], name: str) -> Scores:
    return tuple(row[f"{name}_{metric}"] for metric in METRICS)


UNDEFINED = (None,) * 6
SHAPES = [(3, 0, 2), (30, 30, 3), (0, 2), (1, 0), (0,)]


@st.composite
def reviewed(draw: st.DrawFn) -> tuple[Record, Labels, Review]:
    met = record(sizes=draw(st.sampled_from(SHAPES)))
    return met, draw(samples.labels_of(met)), draw(samples.reviews_of(met))


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(reviewed())
def test_scores_follow_the_formulas(
    store: Store, path: Path, numbers: Any, case: tuple[Record, Labels, Review]
) -> None:
    met, judged, review = case
    uid = f"r{next(numbers)}"
    start = replace(review, blind=None)
    store.commit([introduction(replace(met, uid=uid), judgement=Judgement(JUDGE, judged), start=start)])
    rows = query(path, "SELECT * FROM scores WHERE record = ?", uid)
    assert [row["definition"] for row in rows] == ["gpt-labeling", "ragbench"]
    for row in rows:
        assert same(side(row, "judge"), expected(judged, met, row["definition"]))
        human = expected(review.labels, met, row["definition"]) if review.is_accepted else UNDEFINED
        assert same(side(row, "human"), human)
        assert (row["judge"], row["annotator"], row["mode"]) == ("recorded gpt-4o", "ann", "assisted")


def test_the_worked_example(store: Store, path: Path) -> None:
    met = record(sizes=(1, 1, 1, 2))
    supports = {key: Support(verdict=Verdict.SUPPORTED) for key in met.response_keys}
    keys = frozenset({"doc_0_s0", "doc_1_s0"})
    labels = Labels(keys, keys, supports)
    store.commit([introduction(met, judgement=Judgement(JUDGE, labels))])
    row = query(path, "SELECT * FROM scores WHERE definition = 'gpt-labeling'")[0]
    assert side(row, "judge") == (0.1, 1.0, 1.0, 1.0, 0.775, pytest.approx(0.3897, abs=5e-5))
    assert side(row, "human") == UNDEFINED


def test_what_was_accepted_blind_keeps_a_row_of_its_own(store: Store, path: Path) -> None:
    blind = accepted_blind(Review(Labels(relevant=frozenset({"doc_0_s0"}))))
    revised = replace(blind, labels=LABELS)
    store.commit([introduction(start=Review()), edit(Review(), blind), edit(blind, revised)])
    rows = query(path, "SELECT * FROM scores WHERE definition = 'ragbench' ORDER BY mode")
    assert [(row["mode"], row["human_context_relevance"]) for row in rows] == [("assisted", 1.0), ("blind", 0.5)]
    assert [row["judge_context_relevance"] for row in rows] == [1.0, 1.0]


def test_reviews_without_a_judge_and_judgements_without_a_review(store: Store, path: Path) -> None:
    other = Judgement(replace(JUDGE, name="other"), LABELS)
    start = accepted(Review(LABELS))
    store.commit([introduction(judgement=None, start=start), introduction(record("r2"))])
    store.commit([introduction(record("r2"), judgement=other)])
    rows = query(path, "SELECT record, judge, annotator, mode FROM scores WHERE definition = 'ragbench'")
    assert sorted(map(str, (tuple(row.values()) for row in rows))) == [
        "('r1', None, 'ann', 'assisted')",
        "('r2', 'other gpt-4o', None, None)",
        "('r2', 'recorded gpt-4o', 'ann', 'assisted')",
    ]


def test_a_row_per_sentence_and_label(store: Store, path: Path) -> None:
    blind = accepted_blind(Review(Labels(relevant=frozenset({"doc_0_s1"}))))
    store.commit([introduction(start=Review()), edit(Review(), blind)])
    rows = query(
        path, "SELECT source, who, status, key, label, value, text FROM labels ORDER BY source, label, key, value"
    )
    found = {source: [row for row in rows if row["source"] == source] for source in ("judge", "human", "blind")}
    said = [(row["key"], row["label"], row["value"]) for row in found["judge"]]
    assert said == [
        ("resp_s1", "reason", "general"),
        ("doc_0_s0", "relevant", "yes"),
        ("doc_0_s1", "relevant", "yes"),
        ("resp_s0", "supports", "doc_0_s0"),
        ("doc_0_s0", "utilized", "yes"),
        ("resp_s0", "verdict", "supported"),
        ("resp_s1", "verdict", "unsupported"),
    ]
    assert {row["who"] for row in found["judge"]} == {"recorded gpt-4o"}
    assert [(row["key"], row["label"], row["value"]) for row in found["human"]] == [
        ("doc_0_s1", "relevant", "yes"),
        ("resp_s0", "verdict", "unjudged"),
        ("resp_s1", "verdict", "unjudged"),
    ]
    assert {(row["who"], row["status"]) for row in found["human"]} == {("ann", "accepted")}
    assert [row | {"source": "human"} for row in found["blind"]] == found["human"]
    assert found["human"][0]["text"] == "Fact 0 number 1."


@pytest.mark.parametrize("name", ["records", "sentences", "judgements", "reviews", "edits", "labels", "scores"])
def test_sqlite_utils_reads_every_table_and_view(store: Store, path: Path, name: str) -> None:
    import sqlite_utils

    store.commit([introduction(), edit(Review(), accepted(Review()))])
    db = sqlite_utils.Database(path)
    assert list(db[name].rows)
    db.close()
