import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from trace_tui.display import figure, one_line, visible

ANY = st.text(st.characters(codec=None, exclude_categories=[]))


@given(ANY)
def test_every_character_is_replaced_one_for_one(text: str) -> None:
    assert len(visible(text)) == len(one_line(text)) == len(text)


@given(ANY)
def test_nothing_that_commands_a_terminal_is_left(text: str) -> None:
    for character in visible(text):
        assert character in "\n\t" or unicodedata.category(character) not in {"Cc", "Cs"}
        assert unicodedata.bidirectional(character) not in {
            "LRE",
            "RLE",
            "LRO",
            "RLO",
            "PDF",
            "LRI",
            "RLI",
            "FSI",
            "PDI",
        }
    assert not set(one_line(text)) & set("\n\t\r")
    visible(text).encode()


@given(st.text(st.characters(categories=["L", "N", "P", "S", "M"])))
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert visible(text) == text


def test_what_is_invisible_becomes_visible() -> None:
    assert visible("\x1b]52;c;aGk=\x07") == "␛]52;c;aGk=␇"
    assert visible("\x9b31m") != "\x9b31m"
    assert visible("a\u200bb") == "a·b"
    assert visible("\u202egnp\u202c").isprintable()
    assert visible("👩\u200d🚒") == "👩\u200d🚒", "joined emoji stay joined"


def test_undefined_is_a_dash_and_not_zero() -> None:
    assert (figure(None, 2), figure(0.0, 2), figure(2 / 3, 4)) == ("–", "0.00", "0.6667")
