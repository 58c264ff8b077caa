"""The small inputs that broke tools of this kind, through `Dataset`; other tests have rows of the same kinds."""

from pathlib import Path

import pytest

from trace_tui.datasets.decode import SURROGATES_REPLACED
from trace_tui.datasets.lines import LineError
from trace_tui.datasets.rows import Row
from trace_tui.datasets.source import open_dataset
from trace_tui.errors import BadInputError

TRICKY = Path(__file__).parents[2] / ".." / "shared" / "data" / "tricky"

pytestmark = pytest.mark.skipif(not TRICKY.is_dir(), reason="the tricky inputs are not beside this checkout")


def load(name: str) -> tuple[list[Row], list[int]]:
    """Return the rows and the numbers of the lines that are none."""
    found, errors = [], []
    with open_dataset(TRICKY / name) as dataset:
        for position in range(len(dataset)):
            try:
                found.append(dataset.row(position, thorough=True))
            except LineError as error:
                errors.append(error.number)
    return found, errors


@pytest.mark.parametrize(
    ("name", "records", "errors"),
    [
        ("line_separators.jsonl", 2, []),
        ("bom.jsonl", 2, []),
        ("one_bad_byte.jsonl", 2, [2]),
        ("crlf_blank_no_final_newline.jsonl", 2, []),
        ("truncated_last_line.jsonl", 1, [2]),
        ("nan_infinity.jsonl", 1, []),
        ("ids.jsonl", 6, []),
        ("same_id_two_generators.jsonl", 2, []),
        ("contexts_shapes.jsonl", 6, []),
        ("markup.jsonl", 1, []),
        ("escape_sequences.jsonl", 1, []),
        ("lone_surrogate.jsonl", 1, []),
        ("unicode.jsonl", 1, []),
        ("no_spaces.jsonl", 1, []),
        ("splitting.jsonl", 1, []),
        ("deep.jsonl", 1, [1]),
        ("duplicate_object_keys.jsonl", 1, []),
        ("not_an_object.jsonl", 1, [1, 2, 3, 4]),
        ("unknown_fields.jsonl", 0, [1]),
        ("judge_replies_row.jsonl", 1, []),
    ],
)
def test_records_and_line_errors(name: str, records: int, errors: list[int]) -> None:
    found, wrong = load(name)
    assert (len(found), wrong) == (records, errors)
    assert len({row.uid for row in found}) == records


@pytest.mark.parametrize(("name", "reason"), [("utf16.jsonl", "UTF-16"), ("empty.jsonl", "no record")])
def test_files_that_are_no_dataset(name: str, reason: str) -> None:
    with pytest.raises(BadInputError, match=reason):
        load(name)


def test_details() -> None:
    crlf, _ = load("crlf_blank_no_final_newline.jsonl")
    assert not any("\r" in text for row in crlf for text in (row.question, row.response.text))
    assert set(load("nan_infinity.jsonl")[0][0].published.values()) == {None}
    assert [row.id for row in load("ids.jsonl")[0]] == [7, "7", "007", None, None, 2**63]
    assert load("lone_surrogate.jsonl")[0][0].warnings == (SURROGATES_REPLACED,)
    assert "\N{GRINNING FACE}" in load("lone_surrogate.jsonl")[0][0].documents[0].text
    twice = load("duplicate_object_keys.jsonl")[0][0]
    assert (twice.id, twice.question, len(twice.warnings)) == ("y", "second", 1)


def test_shapes_of_documents() -> None:
    shapes = {row.id: row for row in load("contexts_shapes.jsonl")[0]}
    texts = {name: [document.text for document in row.documents] for name, row in shapes.items()}
    assert texts["str"] == ["Only one passage."]
    assert texts["dicts"] == ["From a loader.", "Plain text key.", "A bare string."]
    assert (texts["empty"], texts["blank"]) == ([], ["", ""])
    assert (shapes["noresp"].response.text, shapes["number"].response.text) == ("", "42")
    assert not any(row.warnings for row in shapes.values())
