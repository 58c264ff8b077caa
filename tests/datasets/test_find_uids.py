import json
from pathlib import Path

from tests.rows import make_row
from trace_tui.datasets.source import open_dataset


def test_rows_are_found_wherever_they_are_now(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    lines = [json.dumps(make_row(id=number)) for number in range(5)] + [json.dumps(make_row(id=None))]
    path.write_text("\n".join(lines))
    with open_dataset(path) as opened:
        before = {opened.row(position).uid: position for position in range(6)}
        assert opened.find_uids(before) == before
    order = [5, 3, 1, 0]
    path.write_text(
        "\n".join(["{oops", *(lines[number] for number in order), json.dumps(make_row(id=2, question="?"))])
    )
    with open_dataset(path) as opened:
        found = opened.find_uids(before)
    numbers = {number: uid for uid, number in before.items()}
    assert found == {numbers[number]: position for position, number in enumerate(order, 1)}


def test_a_hint_may_lie_outside(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(make_row()))
    told = []
    with open_dataset(path) as opened:
        uid = opened.row(0).uid
        assert opened.find_uids({uid: 99, "other#": -1}, lambda *done: told.append(done)) == {uid: 0}
    assert told == [(1, 2), (2, 2)]
