import gzip
import io
import json
import os
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_tui.datasets import items as items_module
from trace_tui.datasets import scorefile
from trace_tui.datasets.files import open_stream
from trace_tui.datasets.lines import no_progress
from trace_tui.datasets.scorefile import ScoreFile, open_scores
from trace_tui.datasets.scorelines import Group, Scores, line_of, pairs
from trace_tui.errors import BadInputError

GOOD = '{"metrics": {"adherence": 1}, "ground_truth_scores": {"adherence": 0}}'
HEAD = '{"ground_truth_scores": {}, "metrics": '

score = st.none() | st.floats(0, 1) | st.booleans() | st.sampled_from([0, 1, "0.5", 1.5, -1, float("nan"), [], {}])
sides = st.dictionaries(st.sampled_from([*Scores.__struct_fields__, "average"]), score)
names = st.sampled_from([None, "", "a", "a b", "é", "\u2028", "assisted"])
objects = st.fixed_dictionaries(
    {"metrics": sides, "ground_truth_scores": sides},
    optional={"id": names | st.integers(), "judge": names, "mode": names, "note": names, "x": st.floats()},
)


class Read:
    """Everything a file holds."""

    def __init__(self, data: bytes | str) -> None:
        raw = io.BytesIO(data if isinstance(data, bytes) else data.encode())
        opened = open_stream("f", raw, no_progress)
        with opened.file:
            self.file = ScoreFile("f", opened)
            blocks = list(self.file.blocks())
        self.numbers = [number for block in blocks for number in block.numbers]
        self.lines = [line for block in blocks for line in block.lines]
        self.errors = [(error.number, error.column, error.reason) for error in self.file.errors.first]


def test_a_line_is_read_with_all_that_tells_groups_apart() -> None:
    metrics = {"context_relevance": 0.1, "context_utilization": None, "completeness": 1, "adherence": True}
    line = {
        "id": 7,
        "judge": "groq",
        "judge_model": "llama",
        "annotator": "ann",
        "mode": "assisted",
        "definition": "ragbench",
        "metrics": metrics | {"average": None, "rmse_aggregation": None},
        "ground_truth_scores": {"adherence": 0},
        "labels": {"relevant": ["doc_0_s0"]},
        "blind_judgement": {"ground_truth_scores": {"adherence": 1}, "labels": {}},
    }
    read = Read(json.dumps(line))
    assert read.lines[0].id == 7
    assert read.lines[0].metrics == Scores(0.1, None, 1.0, True)
    group = Group("groq llama", "ragbench", "assisted", "ann")
    predicted = [read.lines[0].metrics]
    assert list(pairs(read.lines)) == [
        (group, predicted, [Scores(adherence=0)]),
        (group._replace(mode="blind"), predicted, [Scores(adherence=1)]),
    ]


def test_only_an_assisted_line_revises_a_blind_judgement() -> None:
    extra = '"blind_judgement": {"ground_truth_scores": {}}, "mode": "blind"'
    read = Read(GOOD[:-1] + f", {extra}" + "}")
    assert [pair.group for pair in pairs(read.lines)] == [Group(mode="blind")]


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e400", '"0.8"', '"nan"', "1.01", "-0.1", "[1]"])
def test_what_is_no_score_is_undefined_and_counted(value: str) -> None:
    read = Read(HEAD + f'{{"adherence": {value}, "completeness": 0.5}}}}\n{GOOD}')
    assert read.lines[0].metrics == Scores(completeness=0.5)
    assert (read.file.unusable, read.file.errors.count, len(read.lines)) == (1, 0, 2)


@pytest.mark.parametrize("value", ["{}", "null", '{"adherence": null}'])
def test_undefined_is_not_dirt(value: str) -> None:
    read = Read(HEAD + value + "}")
    assert (read.lines[0].metrics, read.file.unusable, read.file.errors.count) == (Scores(), 0, 0)


@pytest.mark.parametrize(
    ("line", "column", "reason"),
    [
        (b'{"metrics": {', 14, "not JSON: expecting property name enclosed in double quotes"),
        (b'{"metrics": "\xff"}', 14, "byte 0xFF is not UTF-8"),
        (GOOD[:-1].encode() + b', "note": "\xc3("}', len(GOOD) + 11, "byte 0xC3 is not UTF-8"),
        (GOOD.encode() + GOOD.encode(), len(GOOD) + 1, "not JSON: extra data"),
        (b"[1, 2]", None, "not a JSON object"),
        (b"null", None, "not a JSON object"),
        (b'"text"', None, "not a JSON object"),
        (b'{"a": 1, "b": 2}', None, "needs the objects metrics and ground_truth_scores; it has a, b"),
        (b'{"metrics": {}}', None, "needs the objects metrics and ground_truth_scores; it has metrics"),
        (b'{"metrics": [], "ground_truth_scores": {}}', None, "needs the objects"),
        (b"{}", None, "needs the objects metrics and ground_truth_scores; it has no field"),
        pytest.param(b"[" * 100_000, None, "nested too deeply", id="deep"),
        pytest.param(b'{"x": ' + b"9" * 5000 + b"}", None, "an integer of too many digits", id="digits"),
    ],
)
def test_a_bad_line_is_named_and_the_others_go_on(line: bytes, column: int | None, reason: str) -> None:
    read = Read(b"\n".join([GOOD.encode(), b"", line, GOOD.encode()]))
    assert read.numbers == [1, 4]
    [(number, at, why)] = read.errors
    assert (number, at) == (3, column)
    assert why.startswith(reason)


def test_errors_are_all_counted_and_the_first_kept() -> None:
    read = Read("{}\n" * 50 + GOOD)
    assert (read.file.errors.count, len(read.errors), read.numbers) == (50, 20, [51])


def test_lines_end_at_newline_only() -> None:
    text = GOOD[:-1] + ', "judge": "a\u2028b\u0085c"}'
    read = Read(f"{text}\r\n\r\n{text}\r\n")
    assert read.numbers == [1, 3]
    assert read.lines[0].judge == "a\u2028b\u0085c"


def test_a_byte_order_mark_is_skipped() -> None:
    assert len(Read(b"\xef\xbb\xbf" + GOOD.encode()).lines) == 1
    assert len(Read(b"\xef\xbb\xbf[" + GOOD.encode() + b"]").lines) == 1


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_another_encoding_is_named(encoding: str) -> None:
    with pytest.raises(BadInputError, match=encoding[:6].upper()):
        Read(GOOD.encode(encoding))


@pytest.mark.parametrize("data", [b"", b" \n\n", b"\xef\xbb\xbf"])
def test_nothing_at_all_is_bad_input(data: bytes) -> None:
    with pytest.raises(BadInputError, match="empty"):
        Read(data)


def test_half_a_surrogate_pair_becomes_the_replacement_character() -> None:
    read = Read(GOOD[:-1] + r', "judge": "a\ud800", "id": "\udfff", "annotator": "\ud83d\ude00"}')
    line = read.lines[0]
    assert (line.judge, line.id, line.annotator) == ("a\N{REPLACEMENT CHARACTER}", "\N{REPLACEMENT CHARACTER}", "😀")


@pytest.mark.parametrize(("written", "read_as"), [("NaN", None), ("[1]", None), ("true", True), ("0.5", 0.5)])
def test_an_id_is_plain_or_none(written: str, read_as: object) -> None:
    assert Read(GOOD[:-1] + f', "id": {written}}}').lines[0].id == read_as


def test_a_name_of_another_type_still_tells_groups_apart() -> None:
    read = Read("\n".join(GOOD[:-1] + f', "judge": {judge}}}' for judge in ("7", '{"a": 1}', "null")))
    assert [line.judge for line in read.lines] == ["7", '{"a": 1}', None]


@given(st.lists(objects, min_size=1, max_size=8))
def test_fast_and_careful_reading_agree(items: list[dict[str, Any]]) -> None:
    together = Read("".join(json.dumps(item) + "\n" for item in items))
    array = Read(json.dumps(items, indent=1))
    careful, unusable = zip(*map(line_of, items), strict=True)
    assert together.lines == array.lines == list(careful)
    assert together.file.unusable == array.file.unusable == sum(unusable)
    assert together.numbers == list(range(1, len(items) + 1))
    assert together.file.errors.count == array.file.errors.count == 0


@given(st.lists(objects, max_size=8), st.integers(1, 40))
def test_an_array_may_be_cut_anywhere(items: list[dict[str, Any]], size: int) -> None:
    items.append({"metrics": {}, "ground_truth_scores": {}, "judge": "é中😀"})
    data = json.dumps(items, indent=2, ensure_ascii=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(items_module, "CHUNK", size)
        read = Read(data)
    assert read.lines == Read(data).lines == [line_of(item)[0] for item in items]
    assert read.numbers == list(range(1, len(items) + 1))


@given(st.lists(st.sampled_from([GOOD, "", "{}", "nonsense"]), min_size=1), st.integers(1, 200))
def test_a_file_may_be_cut_anywhere(texts: list[str], size: int) -> None:
    texts.append(GOOD)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scorefile, "_BLOCK", size + 3)
        read = Read("\n".join(texts))
    assert read.numbers == [number for number, text in enumerate(texts, 1) if text == GOOD]
    assert read.file.errors.count == sum(text in {"{}", "nonsense"} for text in texts)


@pytest.mark.parametrize(
    ("tail", "numbers", "item", "reason"),
    [
        (",\n{bad}]", [1], 2, "not JSON"),
        (",\n{bad},\n" + GOOD + "]", [1, 3], 2, "not JSON"),
        (',\n{"metrics": {"open},\n' + GOOD + "]", [1], 2, "not JSON"),
        (",\n" + GOOD, [1, 2], 3, "the array is cut off"),
        ("]\n\n" + GOOD, [1], 2, "something stands behind the closing ]"),
        pytest.param(",\n" + "[" * 100_000 + "," + GOOD + "]", [1], 2, "nested too deeply", id="deep"),
        pytest.param(",\n" + "9" * 5000 + "," + GOOD + "]", [1, 3], 2, "an integer of too many digits", id="digits"),
    ],
)
def test_what_is_broken_in_an_array_is_named_and_the_others_go_on(
    tail: str, numbers: list[int], item: int, reason: str
) -> None:
    read = Read("[" + GOOD + tail)
    assert read.numbers == numbers
    assert read.lines == Read(GOOD).lines * len(numbers)
    number, _, why = read.errors[0]
    assert number == item
    assert why.startswith(reason)


def test_an_item_that_cannot_be_used_is_named_and_the_others_go_on() -> None:
    bad = GOOD[:-1].encode() + b', "judge": "\xff"}'
    read = Read(b"[" + b",\n".join([GOOD.encode(), b"3", bad, b"{}", GOOD.encode()]) + b"]\n")
    assert read.numbers == [1, 5]
    assert [number for number, _, _ in read.errors] == [2, 3, 4]
    assert str(read.file.errors.first[0]) == "f: item 2: not a JSON object"


def test_identical_lines_and_items_all_count() -> None:
    assert Read(f"{GOOD}\n{GOOD}\n").numbers == [1, 2]
    assert Read(f"[{GOOD},{GOOD}]").numbers == [1, 2]


def test_compressed_files_and_arrays(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(gzip.compress(f"[{GOOD}]".encode()))
    seen: list[tuple[int, int | None]] = []
    with open_scores(str(path)) as file:
        assert [len(block.lines) for block in file.blocks(lambda *done: seen.append(done)) if block.lines] == [1]
    assert seen[-1] == (len(GOOD) + 2, len(GOOD) + 2)
    assert Read(gzip.compress(f"{GOOD}\n{GOOD}".encode())).numbers == [1, 2]


def test_a_compressed_file_cut_short_is_read_as_far_as_it_goes() -> None:
    data = gzip.compress(("\n".join([GOOD] * 10_000)).encode())
    read = Read(data[: len(data) // 2])
    assert 0 < len(read.lines) < 10_000
    assert read.errors[-1][0] == read.numbers[-1] + 2, "behind the line that was cut"
    assert read.errors[-1][2].startswith("the gzip file is damaged from here on")


def test_a_compressed_file_of_nothing_but_damage_is_bad_input() -> None:
    with pytest.raises(BadInputError, match="f: the gzip file is damaged"):
        Read(gzip.compress(GOOD.encode())[:5])


def test_a_pipe_is_read_like_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = Thread(target=pipe.write_text, args=(f"{GOOD}\n{GOOD}\n",))
    writer.start()
    seen: list[tuple[int, int | None]] = []
    with open_scores(str(pipe), progress=lambda *done: seen.append(done)) as file:
        assert [len(block.lines) for block in file.blocks()] == [2]
    writer.join()
    assert seen == [(2 * len(GOOD) + 2, None)]


@pytest.mark.parametrize("name", ["absent", ".", "nul\0byte"])
def test_what_cannot_be_opened_is_bad_input(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"No such file|is a directory|NUL byte"), open_scores(f"{tmp_path}/{name}"):
        pass


def test_a_standard_input_that_is_closed_is_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(BadInputError, match="standard input: is closed"), open_scores("-"):
        pass
