import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rows import make_record
from trace_tui.records import Passage, Sentence, Span, locate, spans_of


def passage(text: str, *sentences: str) -> Passage:
    return Passage(text, tuple(Sentence(f"doc_0_s{n}", sentence, "") for n, sentence in enumerate(sentences)))


@pytest.mark.parametrize(
    ("text", "sentences", "spans"),
    [
        ("One. Two.", ["One.", "Two."], [(0, 4), (5, 9)]),
        ("One.  Two.", [" One.", "Two. "], [(0, 4), (6, 10)]),
        ("a  b\nc. d", ["a b c.", "d"], [(0, 7), (8, 9)]),
        ("same same", ["same", "same"], [(0, 4), (5, 9)]),
        ("One. Two.", ["Two.", "One."], [(5, 9), None]),
        ("One. Two.", ["Zero.", "Two."], [None, (5, 9)]),
        ("One.", ["", "One."], [None, (0, 4)]),
        ("👩‍🚒 arrived. Yes.", ["👩‍🚒 arrived.", "Yes."], [(0, 12), (13, 17)]),
    ],
)
def test_sentences_are_found_in_order_whatever_the_white_space(
    text: str, sentences: list[str], spans: list[tuple[int, int] | None]
) -> None:
    assert list(locate(passage(text, *sentences))) == spans


@given(st.lists(st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=6), max_size=6), st.data())
def test_cut_sentences_are_found_exactly_where_they_were_cut(words: list[str], data: st.DataObject) -> None:
    gaps = [data.draw(st.text(" \n\t", min_size=1, max_size=3)) for _ in words]
    text = "".join(word + gap for word, gap in zip(words, gaps, strict=True))
    found = locate(passage(text, *words))
    assert all(isinstance(span, Span) for span in found)
    assert [text[span.start : span.end] for span in found if span] == words
    assert list(found) == sorted(span for span in found if span)


def test_a_record_knows_its_keys_in_reading_order() -> None:
    record = make_record("q?", documents=[["a", "b"], [], ["c"]], response=["d", "e"])
    assert record.document_keys == ("doc_0_s0", "doc_0_s1", "doc_2_s0")
    assert record.response_keys == ("resp_s0", "resp_s1")
    assert len(spans_of(record)) == 4
