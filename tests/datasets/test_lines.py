from hypothesis import given
from hypothesis import strategies as st

from trace_tui.datasets.lines import CHUNK, Index, Read, index_lines, no_progress


def reader(data: bytes, chunk: int) -> Read:
    """Read like a file, in chunks so small that lines cross them."""
    return lambda offset, size: data[offset : offset + (chunk if size == CHUNK else size)]


def ranges(index: Index, data: bytes) -> list[tuple[int, bytes]]:
    return [
        (number, data[start:end]) for number, start, end in zip(index.numbers, index.starts, index.ends, strict=True)
    ]


@given(
    lines=st.lists(
        st.sampled_from([b"", b" \t", b"\r", b"a", b"b\r", b" c ", b"d" * 9, b"x" * 300, b"x" * 299 + b"y"])
    ),
    is_ended=st.booleans(),
    chunk=st.integers(1, 400),
)
def test_lines_are_found_whatever_the_chunks(lines: list[bytes], is_ended: bool, chunk: int) -> None:
    data = b"\n".join(lines) + b"\n" * is_ended
    index = index_lines(reader(data, chunk), 0, len(data), no_progress)
    numbered = [(number, text.rstrip(b" \r")) for number, text in enumerate(data.split(b"\n"), 1) if text.strip()]
    first = {text: number for number, text in reversed(numbered)}
    assert ranges(index, data) == sorted((number, text) for text, number in first.items())
    assert index.repeats == len(numbered) - len(first)


@given(st.lists(st.integers(0, 3), max_size=40))
def test_equal_samples_are_told_apart_by_digest(marks: list[int]) -> None:
    texts = [b"x" * 100 + b"%d" % mark + b"x" * 400 for mark in marks]
    data = b"\n".join(texts)
    index = index_lines(reader(data, 64), 0, len(data), no_progress)
    assert [text for _, text in ranges(index, data)] == list(dict.fromkeys(texts))


def test_progress_ends_at_the_size() -> None:
    seen: list[tuple[int, int]] = []
    data = b"a\nb\n"
    index_lines(reader(data, 3), 0, len(data), lambda done, total: seen.append((done, total)))
    assert seen == [(3, 4), (4, 4)]
