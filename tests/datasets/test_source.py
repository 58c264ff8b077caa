import gzip
import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trace_tui.datasets.lines import LineError
from trace_tui.datasets.rows import Row
from trace_tui.datasets.source import Dataset, open_dataset
from trace_tui.errors import BadInputError

PLAIN = {"question": "q?", "documents": ["A fact."], "response": "Yes."}


def line(row_id: object, **fields: object) -> bytes:
    return json.dumps({"id": row_id} | PLAIN | fields).encode() + b"\n"


def opened(tmp_path: Path, content: bytes, name: str = "d.jsonl") -> Dataset:
    (tmp_path / name).write_bytes(content)
    return open_dataset(tmp_path / name)


def rows(dataset: Dataset) -> list[Row | LineError]:
    found: list[Row | LineError] = []
    for position in range(len(dataset)):
        try:
            found.append(dataset.row(position, thorough=True))
        except LineError as error:
            found.append(error)
    return found


def only(tmp_path: Path, content: bytes) -> Row:
    with opened(tmp_path, content) as dataset:
        assert len(dataset) == 1
        return dataset.row(0, thorough=True)


def only_error(tmp_path: Path, content: bytes) -> LineError:
    with opened(tmp_path, content + line("ok")) as dataset:
        error, good = rows(dataset)
        assert isinstance(good, Row)
        assert good.id == "ok"
        assert isinstance(error, LineError)
        assert (error.number, error.exit_code) == (1, 3)
        return error


def test_lines_end_at_newline_only(tmp_path: Path) -> None:
    content = '{"question": "a\u2028b\u0085c\u000bd", "response": "r"}\n'.replace("\u000b", "\\u000b").encode()
    assert only(tmp_path, content).question == "a\u2028b\u0085c\u000bd"


@pytest.mark.parametrize("name", ["d.jsonl", "d.json", "D.JSON.GZ"])
def test_byte_order_marks_are_no_text(tmp_path: Path, name: str) -> None:
    content = b"\xef\xbb\xbf" + line("a") + b"\xef\xbb\xbf" + line("b")  # two files joined
    with opened(tmp_path, gzip.compress(content) if name.endswith("GZ") else content, name) as dataset:
        assert [row.id for row in rows(dataset)] == ["a", "b"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_other_encodings_are_named(tmp_path: Path, encoding: str) -> None:
    with pytest.raises(BadInputError, match=encoding[:6].upper()):
        opened(tmp_path, line("a").decode().encode(encoding))


def test_carriage_returns_and_blank_lines_are_no_text_but_count_as_lines(tmp_path: Path) -> None:
    content = line("a").replace(b"\n", b"\r\n") + b"\r\n   \r\n\n" + line("b").rstrip(b"\n")
    with opened(tmp_path, content) as dataset:
        found = rows(dataset)
        assert [dataset.line_number(position) for position in range(len(dataset))] == [1, 5]
    assert "\r" not in json.dumps([row.fields for row in found if isinstance(row, Row)])


def test_carriage_returns_inside_strings_stay(tmp_path: Path) -> None:
    assert only(tmp_path, line("a", response="one\r\ntwo\r")).response.text == "one\r\ntwo\r"


@pytest.mark.parametrize(
    ("content", "column", "reason"),
    [
        ('{"question": "é'.encode() + b'\xff"}\n', 16, "byte 0xFF is not UTF-8"),
        (b'{"question": "\xed\xa0\x80"}\n', 15, "not UTF-8"),  # a surrogate in UTF-8's clothes
        (b'{"question": "cut of\n', 14, "not JSON: unterminated string"),
        (b'{"question": "a\tb"}\n', 16, "not JSON: invalid control character"),
        (b'{"question": "a"} x\n', 19, "not JSON: extra data"),
        (b"{" + b'"question": "a", "n": ' + b"1" * 5000 + b"}\n", None, "digits"),
        (b'{"documents": ' + b"[" * 100_000 + b"\n", None, "nested too deeply"),
        (b'{"documents": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n", None, "nested too deeply"),
        (b'["a", "list"]\n', None, "a list"),
        (b"42\n", None, "a number"),
        (b"true\n", None, "true or false"),
        (b"null\n", None, "null"),
        (b'"text"\n', None, "a string"),
        (b'{"foo": "q", "bar": []}\n', None, "found: foo, bar; accepted: question/query/user_input/input; documents/"),
        (b"{}\n", None, "found: none"),
    ],
)
def test_what_is_no_record_is_an_error_of_its_line(
    tmp_path: Path, content: bytes, column: int | None, reason: str
) -> None:
    error = only_error(tmp_path, content)
    assert error.column == column
    assert reason in error.reason
    assert "\n" not in str(error)
    assert len(str(error)) < 500


def test_identical_lines_are_one_record_counted(tmp_path: Path) -> None:
    long = {"documents": ["x" * 500]}
    middle = [line("m", documents=["x" * 400 + str(number) + "x" * 400]) for number in range(5)]
    content = b"".join([line("a"), line("a", **long), *middle, line("a"), *middle, line("a", **long).rstrip(b"\n")])
    with opened(tmp_path, content) as dataset:
        assert dataset.repeats == 7
        assert [row.id for row in rows(dataset)] == ["a", "a", "m", "m", "m", "m", "m"]


def test_lines_that_differ_only_where_no_sample_looks_stay_apart(tmp_path: Path) -> None:
    texts = [f"{'x' * 200}{number:03}{'x' * 900}" for number in range(100)]
    with opened(tmp_path, b"".join(line("a", response=text) for text in texts * 2)) as dataset:
        assert [row.response.text for row in rows(dataset)] == texts
        assert dataset.repeats == 100


@pytest.mark.parametrize("content", [b"", b"\n \r\n\t\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"])
def test_nothing_is_an_error(tmp_path: Path, content: bytes) -> None:
    for name, packed in (("d.jsonl", content), ("d.json", content), ("d.jsonl.gz", gzip.compress(content))):
        with pytest.raises(BadInputError, match="no record in it"):
            opened(tmp_path, packed, name)


def test_what_is_no_regular_file_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "closed.jsonl").write_bytes(line("a"))
    (tmp_path / "closed.jsonl").chmod(0)
    expected = {"missing.jsonl": "No such file", ".": "is a directory", "pipe.jsonl": "is a pipe"}
    if os.geteuid():
        expected["closed.jsonl"] = "Permission denied"
    for name, reason in expected.items():
        with pytest.raises(BadInputError, match=reason):
            open_dataset(tmp_path / name)


def test_a_file_cut_while_open_is_an_error_of_its_rows(tmp_path: Path) -> None:
    with opened(tmp_path, line("a") + line("b")) as dataset:
        os.truncate(tmp_path / "d.jsonl", len(line("a")) + 5)
        assert dataset.row(0).id == "a"
        with pytest.raises(LineError, match="line 2: the file has become shorter"):
            dataset.row(1)


def test_a_file_replaced_while_open_stays_what_it_was(tmp_path: Path) -> None:
    with opened(tmp_path, line("a")) as dataset:
        (tmp_path / "new").write_bytes(b"x")
        (tmp_path / "new").replace(tmp_path / "d.jsonl")
        assert dataset.row(0).id == "a"


def test_there_is_no_row_outside(tmp_path: Path) -> None:
    with opened(tmp_path, line("a")) as dataset:
        for position in (-1, 1):
            with pytest.raises(IndexError):
                dataset.row(position)


def test_gzip_is_unpacked_whatever_its_name(tmp_path: Path) -> None:
    content = line("a") + line("b")
    seen: list[tuple[int, int]] = []
    (tmp_path / "d.jsonl").write_bytes(gzip.compress(content[:20]) + gzip.compress(content[20:]))
    with open_dataset(tmp_path / "d.jsonl", lambda done, total: seen.append((done, total))) as dataset:
        assert [row.id for row in rows(dataset)] == ["a", "b"]
    assert seen[-1] == (len(content), len(content))
    assert list(tmp_path.iterdir()) == [tmp_path / "d.jsonl"]


def test_damaged_gzip_keeps_what_came_before(tmp_path: Path) -> None:
    lines = [line(number, response=os.urandom(2000).hex()) for number in range(50)]
    packed = gzip.compress(b"".join(lines))
    with opened(tmp_path, packed[: len(packed) // 2], "d.jsonl.gz") as dataset:
        *good, _, end = rows(dataset)
    assert [row.id for row in good] == list(range(len(good)))
    assert len(good) > 10
    assert isinstance(end, LineError)
    assert "gzip" in end.reason
    with pytest.raises(BadInputError, match="gzip file is damaged"):
        opened(tmp_path, packed[:12], "d.jsonl.gz")


def test_an_array_is_numbered_by_items(tmp_path: Path) -> None:
    text = json.dumps([{"id": "a"} | PLAIN, {"id": "b"} | PLAIN, {"id": "a"} | PLAIN, 7], indent=1)
    for name, content in (("d.json", text.encode()), ("d.json.gz", gzip.compress(b"\n" + text.encode() + b"\n"))):
        with opened(tmp_path, content, name) as dataset:
            first, second, error = rows(dataset)
            assert dataset.repeats == 1
        assert isinstance(first, Row)
        assert isinstance(second, Row)
        assert (first.id, second.id) == ("a", "b")
        assert str(error) == f"{tmp_path / name}: item 4: a number, but a row is an object: {{…}}"


@pytest.mark.parametrize("indent", [None, 2])
def test_a_json_file_may_hold_one_object_or_lines(tmp_path: Path, indent: int | None) -> None:
    one = json.dumps({"id": "a"} | PLAIN, indent=indent).encode()
    with opened(tmp_path, one, "d.json") as dataset:
        assert [row.id for row in rows(dataset)] == ["a"]
    with opened(tmp_path, b'{"broken": }\n' + line("b"), "d.json") as dataset:
        assert [getattr(row, "id", None) for row in rows(dataset)] == [None, "b"]


def test_rows_are_found_by_id_and_identity(tmp_path: Path) -> None:
    ids: list[object] = ["x", 7, "7", None, 2**63, "x\n", 1.5, True, "x"]
    lines = [line(row_id, response=str(number)) for number, row_id in enumerate(ids)]
    nan = line("nan", score=float("nan"))
    with opened(tmp_path, b"".join([*lines, b"[]\n", b"{\n", nan])) as dataset:
        uids = [row.uid for row in rows(dataset) if isinstance(row, Row)]
        assert len(set(uids)) == len(ids) + 1
        for text, positions in {"x": [0, 8], "7": [1, 2], str(2**63): [4], "True": [7], "nan": [11], "y": []}.items():
            assert list(dataset.find_id(text)) == positions
        assert list(dataset.find_id(uids[3])) == [3]
        for position, uid in zip([*range(9), 11], uids, strict=True):
            for hint in (position, 0, 9, 10_000, -1):
                assert dataset.find_uid(uid, hint) == position
        assert dataset.find_uid('"x"#0000000000000000') is None


NAMES = st.sampled_from(
    [
        "id",
        "question",
        "documents",
        "contexts",
        "response",
        "page_content",
        "text",
        "metadata",
        "title",
        "documents_sentences",
        "response_sentences",
        "all_relevant_sentence_keys",
        "sentence_support_information",
        "relevance_score",
        "reference",
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES | st.text(), inner, max_size=6),
    max_leaves=15,
)
ROWISH = st.dictionaries(NAMES, JSON, max_size=8)


@settings(max_examples=300)
@given(value=ROWISH | JSON)
def test_any_json_value_is_a_row_or_a_row_error(tmp_path_factory: pytest.TempPathFactory, value: object) -> None:
    path = tmp_path_factory.mktemp("any") / "d.jsonl"
    path.write_text(json.dumps(value) + "\n")
    with open_dataset(path) as dataset:
        for row in rows(dataset):
            if isinstance(row, Row):
                assert row.uid == dataset.row(0).uid
                row.question.encode()
                "".join(passage.text for passage in row.documents).encode()


@given(content=st.binary(min_size=1, max_size=60))
def test_any_bytes_are_rows_errors_or_one_clear_line(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    directory = tmp_path_factory.mktemp("any")
    for name in ("d.jsonl", "d.json"):
        try:
            with opened(directory, content, name) as dataset:
                assert rows(dataset)
        except BadInputError as error:
            assert str(error).startswith(f"{directory / name}: ")  # noqa: PT017 - not every example raises
