import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_tui.judges.terms import numbers, terms, words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("spreads", "spreading"),
        ("vaccines", "vaccine"),
        ("stopped", "stop"),
        ("closed", "closing"),
        ("studies", "study"),
        ("buildings", "building"),
        ("strings", "string"),
        ("falling", "fall"),
        ("classes", "class"),
        ("Café", "CAFE\u0301"),
        ("Straße", "STRASSE"),
        ("ｆｕｌｌ　ｗｉｄｔｈ", "full width"),
        ("5%", "5 percent"),
        ("three ships", "3 ship"),
    ],
)
def test_forms_of_a_word_meet(one: str, other: str) -> None:
    assert terms(one) == terms(other) != []


@pytest.mark.parametrize(("one", "other"), [("string", "strange"), ("ring", "red"), ("class", "clay"), ("17", "71")])
def test_different_words_stay_apart(one: str, other: str) -> None:
    assert set(terms(one)).isdisjoint(terms(other))


def test_grammar_and_single_letters_are_no_content() -> None:
    assert terms("It is what it was, and I am to be.") == []
    assert terms("… — !?") == []


def test_scripts_without_spaces_give_bigrams() -> None:
    assert terms("東京都") == ["東京", "京都"]
    assert terms("水") == ["水"]
    assert terms("富士山は3776メートルです") == ["富士", "士山", "山は", "3776", "メー", "ート", "トル", "ルで"]
    assert terms("ภาษา") == ["ภา", "าษ", "ษา"]


def test_marks_do_not_break_a_word() -> None:
    assert terms("नमस्ते दुनिया") == ["नमस्ते", "दुनिया"]
    assert terms("مُحَمَّد") == ["مُحَمَّد"]
    assert terms("שָׁלוֹם") == ["שָׁלוֹם"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,000 and 1000.0 and 01000", ("1000", "1000", "1000")),
        ("3,5 or 3.50", ("3.5", "3.5")),
        ("12,345,678.90", ("12345678.9",)),
        ("2010–11, 80mm, the 19th", ("2010", "11", "80", "19")),
        ("H1N1 is no number, COVID-19 ends in one", ("19",)),
        ("1.2.3", ("1.2.3",)),
        ("٣٫ ４２ ४२", ("3", "42", "42")),
        ("0 and 00", ("0", "0")),
        ("seven people", ()),
        ("第3回、2011年", ("3", "2011")),
    ],
)
def test_numbers_come_in_one_form(text: str, expected: tuple[str, ...]) -> None:
    assert numbers(text) == expected


def test_words_keep_what_was_written() -> None:
    assert words("Drafted by the Duke, 1,000 drafts") == {
        "draft": "drafted",
        "duk": "duke",
        "1000": "1,000",
    }


def test_a_bigram_stands_for_itself() -> None:
    assert words("水とは") == {"水と": "水と"}


@given(st.text())
def test_any_text_is_cut_the_same_way_by_all_three(text: str) -> None:
    assert list(words(text)) == list(dict.fromkeys(terms(text)))
    assert set(numbers(text)) <= set(terms(text))
    assert all(term and not term.isspace() for term in terms(text))


@given(st.text(alphabet=st.characters(codec="ascii")))
def test_the_fast_path_for_ascii_agrees_with_the_general_one(text: str) -> None:
    assert terms(text) == terms(text + "\N{IDEOGRAPHIC FULL STOP}")
