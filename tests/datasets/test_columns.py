from trace_tui.datasets.columns import RAGBENCH_EVALUATORS, Column, ColumnReader, Tally
from trace_tui.scoring import METRICS

GROUNDED = Column("grounded", "adherence", "it")


def read(*values: object) -> tuple[list[float | None], Tally]:
    reader = ColumnReader([GROUNDED])
    found = [reader.read({"grounded": value}).get("it", {}).get("adherence") for value in values]
    return found, reader.tallies[GROUNDED]


def test_numbers_in_range_are_scores_and_truth_values_are_numbers() -> None:
    assert read(0, 0.25, 1, True, False) == ([0.0, 0.25, 1.0, 1.0, 0.0], Tally(used=5))


def test_everything_else_is_left_out_and_counted() -> None:
    values = (None, "0.5", [0.5], 1.01, -0.1, float("nan"), float("inf"), 10**400)
    found, tally = read(*values)
    assert set(found) == {None}
    assert tally == Tally(missing=1, not_a_number=2, outside=5)
    assert tally.left_out == "1 null, 2 not a number, 5 outside 0 to 1"


def test_a_field_that_is_absent_is_null() -> None:
    reader = ColumnReader([GROUNDED])
    assert reader.read({}) == {}
    assert reader.tallies[GROUNDED] == Tally(missing=1)


def test_columns_of_one_judge_come_together() -> None:
    reader = ColumnReader([GROUNDED, Column("fit", "context_relevance", "it"), Column("x", "adherence", "other")])
    assert reader.read({"grounded": 1, "fit": 0.5, "x": None}) == {"it": {"adherence": 1.0, "context_relevance": 0.5}}


def test_an_evaluator_has_one_column_for_a_metric() -> None:
    assert len({(column.judge, column.metric) for column in RAGBENCH_EVALUATORS}) == len(RAGBENCH_EVALUATORS)
    assert {column.metric for column in RAGBENCH_EVALUATORS} <= set(METRICS)
