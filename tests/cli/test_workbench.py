from pathlib import Path
from threading import Thread

import pytest

from tests.tui.stage import write_rows
from trace_tui.cli.review import session_on
from trace_tui.cli.workbench import database_path
from trace_tui.errors import UsageError
from trace_tui.review import actions


def plain_rows(folder: Path) -> Path:
    rows = [{"id": n, "question": "q?", "documents": ["One. Two."], "response": "One. Two."} for n in range(3)]
    return write_rows(folder / "plain.jsonl", rows)


def test_neighbours_are_made_ready_in_another_thread_with_the_spans_they_were_labelled_with(tmp_path: Path) -> None:
    dataset, database = plain_rows(tmp_path), tmp_path / "plain.trace.db"
    with session_on(dataset, database, "mia") as (session, saving):
        saving.start()
        session.prepare()
        session.resume()
        for _ in range(3):
            session.act("flag", actions.toggle_flag)
            session.step(1)
    with session_on(dataset, database, "mia") as (session, saving):
        saving.start()
        session.prepare()
        session.open(0)
        thread = Thread(target=session.look_ahead)
        thread.start()
        thread.join()
        assert session._source._lately.keys() == {0, 1}
        session.step(1)
        assert session.desk.record.split == "stored"


@pytest.mark.parametrize(
    ("dataset", "expected"),
    [("a.jsonl", "a.trace.db"), ("a.b.json", "a.b.json.trace.db"), ("a.jsonl.gz", "a.trace.db"), ("a", "a.trace.db")],
)
def test_the_database_stands_beside_the_dataset(dataset: str, expected: str) -> None:
    assert database_path(Path("x") / dataset, None) == Path("x") / expected


def test_the_database_is_never_the_dataset(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is the dataset"):
        database_path(tmp_path / "x.jsonl", tmp_path / "x.jsonl")
