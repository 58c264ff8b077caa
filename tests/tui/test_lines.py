from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from trace_tui.tui.lines import strip_of, wrap
from trace_tui.tui.theme import Role, palette

TEXT = st.text(st.characters(categories=["L", "N", "P", "S"], include_characters=" 水百👩é"), max_size=200)


@given(TEXT, st.integers(2, 40))
def test_lines_fit_and_lose_nothing_but_spaces(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


@given(st.text("ab ", max_size=80), st.integers(3, 20))
def test_a_line_is_broken_only_where_the_next_word_has_no_room(text: str, width: int) -> None:
    lines = wrap(text, width)
    for line, following in pairwise(lines):
        word = following.split(" ")[0]
        assert len(line) + 1 + len(word) > width or len(word) > width or len(line) == width


def test_a_word_of_twenty_thousand_characters_is_cut() -> None:
    lines = wrap("x" * 20_000, 60)
    assert {len(line) for line in lines[:-1]} == {60}


@given(st.lists(TEXT, max_size=4), st.integers(1, 50))
def test_a_strip_is_exactly_as_wide_as_asked(texts: list[str], width: int) -> None:
    line = tuple((text, Role.PLAIN) for text in texts)
    strip = strip_of(line, width, palette(dark=True))
    assert sum(cell_len(segment.text) for segment in strip) == width
