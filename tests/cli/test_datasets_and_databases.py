"""Files that change, are renamed or share a database: a review stays with its record, and counts where that is."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.cli.sessions import accept, relevant, session, write_rows
from tests.rows import make_row
from trace_tui.review.session import Session
from trace_tui.reviews import Mode


def rows(*ids: str, text: str = "Facts", **fields: Any) -> list[Mapping[str, Any]]:
    return [make_row(response=[f"{text} of {one}.", "It is so."], id=one, **fields) for one in ids]


def accept_all(dataset: Path, db: Path) -> None:
    with session(dataset, db=db) as reviewing:
        for position in range(len(reviewing)):
            reviewing.open(position)
            relevant("doc_0_s0")[0](reviewing)
            accept(reviewing)


def counted(reviewing: Session) -> tuple[int, int]:
    """Return how many records are accepted, and how many of them enter the RMSE."""
    reviewing.take_over(reviewing.take_stock())
    progress = reviewing.progress()
    return progress.accepted, progress.agreement[Mode.ASSISTED].rmse.num_evaluations


def walk(reviewing: Session, times: int) -> Sequence[object]:
    seen = []
    for _ in range(times):
        reviewing.open_next_unreviewed()
        seen.append(reviewing.desk.record.id)
    return seen


def test_rows_that_come_go_and_change(tmp_path: Path) -> None:
    db = tmp_path / "x.trace.db"
    dataset = write_rows(tmp_path / "x.jsonl", rows("A", "B", "C", "D"))
    accept_all(dataset, db)
    write_rows(dataset, [*rows("new"), *rows("D", "C"), *rows("B", text="Changed facts"), *rows("newer")])
    with session(dataset, db=db) as reviewing:
        assert counted(reviewing) == (2, 2)
        assert walk(reviewing, 3) == ["B", "newer", "new"]
        reviewing.open(3)
        assert reviewing.offers_stale
        reviewing.open(1)
        reviewing.undo()
        reviewing.undo()
        assert reviewing.desk.record.id == "D", "the newest edit, where its record now stands"


def test_where_a_record_stands_is_brought_up_to_date_when_it_is_opened(tmp_path: Path) -> None:
    db = tmp_path / "x.trace.db"
    dataset = write_rows(tmp_path / "x.jsonl", rows("A", "B"))
    accept_all(dataset, db)
    write_rows(dataset, rows("new", "A", "B"))
    with session(dataset, db=db) as reviewing:
        reviewing.open(2)
        assert [summary.position for summary in reviewing.ledger.archive.summaries("mia")] == [0, 2]


def test_two_datasets_in_one_database(tmp_path: Path) -> None:
    db = tmp_path / "shared.db"
    accept_all(write_rows(tmp_path / "one.jsonl", rows("A", "B", "C")), db)
    other = write_rows(tmp_path / "two.jsonl", [*rows("A", "B", text="Other facts"), *rows("C")])
    with session(other, db=db) as reviewing:
        assert counted(reviewing) == (1, 1), "the record that is in both was reviewed"
        assert walk(reviewing, 2) == ["B", "A"]
        assert reviewing.desk.review.status == "open"


def test_a_dataset_renamed_with_its_database(tmp_path: Path) -> None:
    db = tmp_path / "x.trace.db"
    dataset = write_rows(tmp_path / "x.jsonl", rows("A", "B"))
    accept_all(dataset, db)
    renamed = dataset.rename(tmp_path / "y.jsonl")
    write_rows(renamed, [*rows("A"), *rows("B", text="Changed facts")])
    with session(renamed, db=db) as reviewing:
        assert counted(reviewing) == (1, 1)
        reviewing.open(1)
        assert reviewing.offers_stale


def test_labels_that_changed_in_the_file_are_another_judgement(tmp_path: Path) -> None:
    db = tmp_path / "x.trace.db"
    dataset = write_rows(tmp_path / "x.jsonl", rows("A"))
    accept_all(dataset, db)
    write_rows(dataset, rows("A", all_utilized_sentence_keys=[]))
    with session(dataset, "bob", db=db) as reviewing:
        accept(reviewing)
        assert reviewing.progress().agreement[Mode.ASSISTED].overrides == 0
    for annotator, utilized in (("mia", True), ("bob", False)):
        with session(dataset, annotator, db=db) as reviewing:
            reviewing.resume()
            assert ("doc_0_s0" in reviewing.desk.judge_labels.utilized) == utilized, "what it was compared with stays"
            assert ("are others now" in reviewing.message) == utilized
