import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_tui.datasets.spreadsheet import csv_line

SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20"


def read(line: str) -> list[str]:
    [cells] = csv.reader(io.StringIO(line, newline=""))
    return cells


def test_numbers_words_and_nothing() -> None:
    assert csv_line([1, -0.5, True, False, None, "a b"]) == "1,-0.5,true,false,,a b\n"


def test_separators_and_quotes() -> None:
    assert csv_line(['a,"b"', "c\r", "d\ne"]) == '"a,""b""","c\r","d\ne"\n'


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("before", ["", " ", "\u00a0", "\ufeff", "\u200b", "\0", "\u202e"])
def test_no_text_starts_a_formula(before: str, sign: str) -> None:
    assert read(csv_line([f"{before}{sign}1"])) == [f"'{before}{sign}1"]


@pytest.mark.parametrize("text", ["\t1", "\r1", "\n1"])
def test_no_text_starts_with_a_control_sign(text: str) -> None:
    assert read(csv_line([text])) == [f"'{text}"]


@pytest.mark.parametrize("text", ["a=1", "1-2", "a@b", "'=1", "", " a"])
def test_other_text_is_left_alone(text: str) -> None:
    assert read(csv_line([text, "x"])) == [text, "x"]


@given(st.lists(st.text(), min_size=2))
def test_every_text_comes_back(texts: list[str]) -> None:
    cells = read(csv_line(texts))
    assert [cell.removeprefix("'") for cell in cells] == [text.removeprefix("'") for text in texts]
    assert not any(cell.startswith((*SIGNS, "\t", "\r", "\n")) for cell in cells)
