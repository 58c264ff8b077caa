import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_tui.datasets.items import index_items
from trace_tui.datasets.lines import CHUNK, no_progress

JSON = st.recursive(
    st.none() | st.integers() | st.text(alphabet='a"\\{}[],\n\té'),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet='k"]},'), inner, max_size=3),
    max_leaves=8,
)


def items(text: str, chunk: int = 7) -> tuple[list[str], str]:
    """Return the items as written, and the fault, of an array read in chunks so small that everything crosses them."""
    data = text.encode()

    def read(offset: int, size: int) -> bytes:
        return data[offset : offset + (chunk if size == CHUNK else size)]

    index = index_items(read, data.index(b"["), len(data), no_progress)
    assert list(index.numbers) == sorted(set(index.numbers))
    found = [data[start:end].decode() for start, end in zip(index.starts, index.ends, strict=True)]
    return found, index.fault


@given(st.lists(JSON, max_size=6), st.sampled_from([None, 0, 2]), st.integers(1, 50))
def test_items_are_found_whatever_the_chunks(values: list[object], indent: int | None, chunk: int) -> None:
    found, fault = items(f" {json.dumps(values, indent=indent, ensure_ascii=False)} \n", chunk)
    distinct = list(dict.fromkeys(json.dumps(value) for value in values))
    assert [json.dumps(json.loads(item)) for item in found] == distinct
    assert fault == ""


@given(st.text(alphabet='[]{}",:\\\n a1', max_size=40), st.integers(1, 9))
def test_no_text_is_lost_or_looped_over(text: str, chunk: int) -> None:
    found, fault = items("[" + text, chunk)
    assert found or fault or not text.partition("]")[0].strip()
    assert items("[" + text, 1000) == (found, fault)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[{"a": 1}, {"a" 2}, {"a": 3}]', ['{"a": 1}', '{"a" 2}', '{"a": 3}']),
        ('[{"a": 1},\n{"a": "open},\n{"a": 3}]', ['{"a": 1}', '{"a": "open},\n{"a": 3}']),
        ('[{"a": 1},\n{"a": "open\n},\n{"a": 3}]', ['{"a": 1}', '{"a": "open\n}', '{"a": 3}']),
        ('[{"a": [1, }, {"a": 3}]', ['{"a": [1, }', '{"a": 3}']),
        ('[{"a": 1]}, {"a": 3}]', ['{"a": 1]}', '{"a": 3}']),
        ("[1}, 2]", ["1}", "2"]),
        ("[1,, 2]", ["1", ",", "2"]),
        ("[1, 2,]", ["1", "2", "]"]),
        ("[,1]", [",", "1"]),
        ("[]", []),
        ("[ \n ]", []),
    ],
)
def test_what_is_broken_costs_one_item(text: str, expected: list[str]) -> None:
    assert items(text) == (expected, "")


@pytest.mark.parametrize(
    ("text", "expected", "fault"),
    [
        ('[{"a": 1}, {"a": ', ['{"a": 1}', '{"a":'], "no closing ]"),
        ('[{"a": 1}, ', ['{"a": 1}'], "no closing ]"),
        ('[{"a": 1}', ['{"a": 1}'], "no closing ]"),
        ("[", [], "no closing ]"),
        ("[1] [2]", ["1"], "behind the closing ]"),
    ],
)
def test_damage_to_the_array_itself_is_named(text: str, expected: list[str], fault: str) -> None:
    found, said = items(text)
    assert found == expected
    assert fault in said
