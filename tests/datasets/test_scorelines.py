import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_tui.datasets import jsonarray, scorelines
from trace_tui.datasets.scorelines import Group, ScoreFile, ScoreLine, Scores, open_scores, pairs
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
        self.file = ScoreFile("f", io.BufferedReader(raw))
        blocks = list(self.file.blocks())
        self.numbers = [number for block in blocks for number in block.numbers]
        self.lines = [line for block in blocks for line in block.lines]
        self.errors = [tuple(error) for error in self.file.errors]


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


def test_lines_are_grouped_as_they_follow_each_other() -> None:
    lines = [
        ScoreLine(Scores(), Scores(), judge="a b"),
        ScoreLine(Scores(), Scores(), judge="a", judge_model="b"),
        ScoreLine(Scores(), Scores(), judge="a", annotator="x"),
        ScoreLine(Scores(), Scores(), judge="a", annotator="x"),
    ]
    assert [(pair.group, len(pair.truth)) for pair in pairs(lines)] == [
        (Group("a b"), 1),
        (Group("a b"), 1),
        (Group("a", annotator="x"), 2),
    ]


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e400", '"0.8"', '"nan"', "1.01", "-0.1", "[1]"])
def test_what_is_no_score_is_undefined_and_counted(value: str) -> None:
    read = Read(HEAD + f'{{"adherence": {value}, "completeness": 0.5}}}}\n{GOOD}')
    assert read.lines[0].metrics == Scores(completeness=0.5)
    assert (read.file.unusable, read.file.error_count, len(read.lines)) == (1, 0, 2)


@pytest.mark.parametrize("value", ["{}", "null", '{"adherence": null}'])
def test_undefined_is_not_dirt(value: str) -> None:
    read = Read(HEAD + value + "}")
    assert (read.lines[0].metrics, read.file.unusable, read.file.error_count) == (Scores(), 0, 0)


@pytest.mark.parametrize(
    ("line", "column", "reason"),
    [
        (b'{"metrics": {', 14, "not JSON: Expecting property name enclosed in double quotes"),
        (b'{"metrics": "\xff"}', 14, "byte 0xff is not UTF-8"),
        (GOOD[:-1].encode() + b', "note": "\xc3("}', len(GOOD) + 11, "byte 0xc3 is not UTF-8"),
        (GOOD.encode() + GOOD.encode(), len(GOOD) + 1, "not JSON: Extra data"),
        (b"[1, 2]", None, "not a JSON object"),
        (b"null", None, "not a JSON object"),
        (b'"text"', None, "not a JSON object"),
        (b'{"a": 1, "b": 2}', None, "needs the objects metrics and ground_truth_scores; it has a, b"),
        (b'{"metrics": {}}', None, "needs the objects metrics and ground_truth_scores; it has metrics"),
        (b'{"metrics": [], "ground_truth_scores": {}}', None, "needs the objects"),
        (b"{}", None, "needs the objects metrics and ground_truth_scores; it has no field"),
        pytest.param(b"[" * 100_000, None, "nested too deeply", id="deep"),
        pytest.param(b'{"x": ' + b"9" * 5000 + b"}", None, "a number has too many digits", id="digits"),
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
    assert (read.file.error_count, len(read.errors), read.numbers) == (50, 20, [51])


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
    careful = [ScoreFile._convert(together.file, item, 1) for item in items]
    assert together.lines == array.lines == careful
    assert together.numbers == list(range(1, len(items) + 1))
    assert together.file.error_count == array.file.error_count == 0


@given(st.lists(objects, max_size=8), st.integers(1, 40))
def test_an_array_may_be_cut_anywhere(items: list[dict[str, Any]], size: int) -> None:
    items.append({"judge": "é中😀"})
    data = json.dumps(items, indent=2, ensure_ascii=False).encode("utf-8", "surrogatepass")
    head = data.index(b"[") + 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonarray, "_BLOCK", size)
        elements = list(jsonarray.ArrayElements(data[:head], io.BytesIO(data[head:])))
    assert json.dumps([element.value for element in elements]) == json.dumps(items)
    lines = data.split(b"\n")
    assert all(lines[element.line - 1].lstrip().startswith(b"{") for element in elements)


@given(st.lists(st.sampled_from([GOOD, "", "{}", "nonsense"]), min_size=1), st.integers(1, 200))
def test_a_file_may_be_cut_anywhere(texts: list[str], size: int) -> None:
    texts.append(GOOD)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scorelines, "_BLOCK", size + 3)
        read = Read("\n".join(texts))
    assert read.numbers == [number for number, text in enumerate(texts, 1) if text == GOOD]
    assert read.file.error_count == sum(text in {"{}", "nonsense"} for text in texts)


@pytest.mark.parametrize(
    ("tail", "line", "reason"),
    [
        (",\n{bad}]", 2, "not JSON"),
        (",\n" + GOOD, 2, "the array does not end"),
        (",\n{", 2, "not JSON"),
        ("]\n\n" + GOOD, 3, "text after the end of the array"),
        pytest.param(",\n" + "[" * 100_000, 2, "nested too deeply", id="deep"),
        pytest.param(",\n" + "9" * 5000 + "]", 2, "a number has too many digits", id="digits"),
    ],
)
def test_a_broken_array_says_from_where_on(tail: str, line: int, reason: str) -> None:
    read = Read("[" + GOOD + tail)
    assert read.lines[0] == Read(GOOD).lines[0]
    [(number, _, why)] = read.errors
    assert number == line
    assert why.startswith(reason)
    assert why.endswith("the rest of the array was not read")


def test_an_element_that_cannot_be_used_is_named_and_the_others_go_on() -> None:
    bad = GOOD[:-1].encode() + b', "judge": "\xff"}'
    read = Read(b"[" + b",\n".join([GOOD.encode(), b"3", bad, b"{}", GOOD.encode()]) + b"]\n")
    assert read.numbers == [1, 5]
    assert [number for number, _, _ in read.errors] == [2, 3, 4]


def test_compressed_files_and_arrays(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(gzip.compress(f"[{GOOD}]".encode()))
    with open_scores(str(path)) as file:
        assert [len(block.lines) for block in file.blocks()] == [1]
        assert file.done() == 1.0


def test_a_compressed_file_cut_short_is_bad_input() -> None:
    data = gzip.compress(("\n".join([GOOD] * 10_000)).encode())
    with pytest.raises(BadInputError, match="f cannot be read"):
        Read(data[: len(data) // 2])


@pytest.mark.parametrize("name", ["absent", ".", "nul\0byte"])
def test_what_cannot_be_opened_is_bad_input(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="cannot be opened"), open_scores(f"{tmp_path}/{name}"):
        pass
