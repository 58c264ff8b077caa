import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rows import make_record
from trace_tui.judges.lexical import LexicalOverlap, Thresholds
from trace_tui.labels import Judgement, Labels, Support, Verdict
from trace_tui.records import Record

LIGHTHOUSE = [
    ["The lighthouse of Kestrel Point was built in 1,874.", "Its lamp burned whale oil."],
    ["A storm destroyed the jetty in 1911.", "The keeper, Ada Morrow, saved nine sailors."],
]


def label(record: Record) -> Labels:
    return LexicalOverlap().label(record).labels


def support(sentence: str, documents: list[list[str]] = LIGHTHOUSE) -> Support:
    return label(make_record(documents=documents, response=[sentence])).support("resp_s0")


def test_covered_names_its_sentences() -> None:
    said = support("Kestrel Point's lighthouse was built in 1874.")
    assert said == Support(frozenset({"doc_0_s0"}), Verdict.SUPPORTED, None, "covered 1.00 by doc_0_s0")


def test_two_sentences_cover_together_in_the_order_of_their_weight() -> None:
    said = support("The keeper Ada Morrow saved nine sailors, and the lamp burned whale oil.")
    assert said.verdict is Verdict.SUPPORTED
    assert said.explanation == "covered 1.00 by doc_1_s1, doc_0_s1"


def test_at_most_three_sentences_support() -> None:
    documents = [["alpha bravo"], ["charlie delta"], ["foxtrot golf"], ["hotel india"]]
    said = support("Alpha bravo charlie delta foxtrot golf hotel india.", documents)
    assert said.keys == {"doc_0_s0", "doc_1_s0", "doc_2_s0"}
    assert said.verdict is Verdict.UNJUDGED
    assert said.explanation == 'needs review 0.75: missing "hotel", "india"'


def test_the_first_in_reading_order_wins_a_tie() -> None:
    assert support("Alpha bravo.", [["Alpha bravo."], ["Alpha bravo."]]).keys == {"doc_0_s0"}


def test_coverage_is_rounded_down_so_that_it_never_seems_to_reach_a_threshold() -> None:
    assert support("Alpha bravo charlie.", [["Alpha bravo."]]).explanation == 'needs review 0.66: missing "charlie"'


def test_words_scattered_thinner_than_a_gain_support_by_no_sentence() -> None:
    judge = LexicalOverlap(Thresholds(gain=0.5))
    record = make_record(documents=[["alpha"], ["bravo"], ["charlie"]], response=["Alpha bravo charlie."])
    said = judge.label(record).labels.support("resp_s0")
    assert said == Support(verdict=Verdict.SUPPORTED, explanation="covered 1.00 by scattered words")


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    documents = [["the pump runs"], ["the pump stops"], ["the pump leaks"], ["the manual names the impeller"]]
    said = support("The pump impeller.", documents)
    assert said.explanation == "covered 1.00 by doc_3_s0, doc_0_s0"
    lone = support("The pump gasket.", documents)
    assert lone.explanation == 'not covered 0.34: missing "gasket"'


def test_words_of_no_document_are_not_covered_and_support_nothing() -> None:
    said = support("Penguins migrate across glaciers every winter.")
    assert said == Support(
        verdict=Verdict.UNSUPPORTED,
        explanation='not covered 0.00: missing "penguins", "migrate", "across", "glaciers", "every" and 1 more',
    )


def test_a_foreign_number_is_never_covered() -> None:
    said = support("The lighthouse of Kestrel Point was built in 1847.")
    assert said.verdict is Verdict.UNJUDGED
    assert said.keys == {"doc_0_s0"}
    assert said.explanation.startswith("needs review 0.8")
    assert said.explanation.endswith("the number 1847 is in no document")


def test_foreign_numbers_are_listed_when_not_covered() -> None:
    said = support("Twenty donkeys cost 71 or 72 pesos.", LIGHTHOUSE)
    assert said.verdict is Verdict.UNSUPPORTED
    assert "the numbers 71, 72 are in no document" in said.explanation


@pytest.mark.parametrize(
    "sentence",
    [
        "3. A storm destroyed the jetty in 1911.",
        "(7) A storm destroyed the jetty in 1911 [2, 3].",
        "According to Document 12, a storm destroyed the jetty in 1911.",
        "A storm destroyed the jetty in 1911. 4.",
        "Step 8: A storm destroyed the jetty in 1911.",
        "Based on the provided context, a storm destroyed the jetty in 1911.",
    ],
)
def test_numbers_of_the_layout_are_not_checked(sentence: str) -> None:
    assert support(sentence).explanation == "covered 1.00 by doc_1_s0"


def test_a_number_word_covers_its_number() -> None:
    assert support("The keeper saved 9 sailors.").verdict is Verdict.SUPPORTED


@pytest.mark.parametrize(
    "sentence",
    [
        "I'm sorry, but I cannot answer that.",
        "The documents do not mention the height of the lighthouse.",
        "The provided passages don’t explicitly state when the jetty was rebuilt.",
        "There is no information about the keeper's salary.",
        "The jetty's length is not given in the context.",
        "無法回答。",
        "文書には記載されていません。",
    ],
)
def test_a_refusal_is_left_to_a_person(sentence: str) -> None:
    said = support(sentence)
    assert said.verdict is Verdict.UNJUDGED
    assert not said.keys
    assert said.explanation == "needs review: seems to say that the documents do not answer"


def test_a_negated_fact_is_no_refusal() -> None:
    assert support("Penguins do not have gills.").verdict is Verdict.UNSUPPORTED


def test_a_sentence_without_content_words_is_left_to_a_person() -> None:
    assert support("It is so.") == Support(explanation="needs review: no content words to compare")
    assert support("") == Support(explanation="needs review: no content words to compare")


def test_an_introduction_is_left_to_a_person() -> None:
    said = support("Several remarkable events happened: 1.")
    assert said.verdict is Verdict.UNJUDGED
    assert said.explanation.startswith("needs review 0.00: introduces what follows; missing")


def test_without_documents_nothing_is_covered_and_nothing_relevant() -> None:
    labels = label(make_record("Who kept the light?", [], ["Ada Morrow kept it."]))
    assert labels.support("resp_s0").verdict is Verdict.UNSUPPORTED
    assert labels.relevant == labels.utilized == frozenset()


def test_relevance_is_coverage_of_the_question() -> None:
    labels = label(make_record("Who was the keeper that saved sailors?", LIGHTHOUSE, []))
    assert labels.relevant == {"doc_1_s1"}
    assert labels.relevance_explanation == "sentences that cover at least 0.20 of the question's words"


def test_a_question_without_content_words_makes_nothing_relevant() -> None:
    assert label(make_record("What is it?", LIGHTHOUSE, [])).relevant == frozenset()


def test_utilized_are_the_sentences_that_support() -> None:
    response = ["The lamp burned whale oil.", "A storm took the jetty.", "Penguins waddle across glaciers."]
    labels = label(make_record("?", LIGHTHOUSE, response))
    assert labels.utilized == {"doc_0_s1", "doc_1_s0"}


def test_japanese() -> None:
    documents = [["富士山は日本で最も高い山です。", "標高は3,776メートルです。"], ["最後の噴火は1707年に起きました。"]]
    record = make_record("富士山の高さは?", documents, ["富士山の標高は3776メートルです。", "最後の噴火は1807年です。"])
    labels = label(record)
    assert labels.support("resp_s0").verdict is Verdict.SUPPORTED
    assert labels.support("resp_s0").keys == {"doc_0_s0", "doc_0_s1"}
    assert "the number 1807 is in no document" in labels.support("resp_s1").explanation
    assert labels.relevant == {"doc_0_s0"}


def test_the_judgement_says_what_made_it() -> None:
    judge = LexicalOverlap(Thresholds(covered=0.9))
    judgement = judge.label(make_record("?", LIGHTHOUSE, ["The lamp burned oil."]))
    assert judgement.judge.name == "lexical-overlap"
    assert judgement.judge.about == "word coverage, not entailment; cannot see negation, role swaps or paraphrase"
    assert "covered=0.9" in judgement.judge.version
    assert judgement.judge.version != LexicalOverlap().judge.version
    assert judgement.parameters == {
        "covered": 0.9,
        "not_covered": 0.4,
        "relevant": 0.2,
        "gain": 0.15,
        "supports": 3,
    }


WORDS = st.sampled_from(["whale", "oil", "lamp", "1911", "71", "the", "東京都", "not", "café", "💡", "keeper:"])
SENTENCE = st.lists(WORDS, max_size=6).map(" ".join)


@given(SENTENCE, st.lists(st.lists(SENTENCE, max_size=4), max_size=3), st.lists(SENTENCE, max_size=4))
def test_labels_name_sentences_of_the_record_and_hold_together(
    question: str, documents: list[list[str]], response: list[str]
) -> None:
    record = make_record(question, documents, response)
    judgement = LexicalOverlap().label(record)
    labels = judgement.labels
    assert labels.relevant | labels.utilized <= set(record.document_keys)
    assert list(labels.supports) == list(record.response_keys)
    for said in labels.supports.values():
        assert said.keys <= labels.utilized
        assert len(said.keys) <= 3
        assert (said.verdict is Verdict.SUPPORTED) == said.explanation.startswith("covered ")
        assert (said.verdict is Verdict.UNSUPPORTED) == said.explanation.startswith("not covered ")
        assert (said.verdict is Verdict.UNJUDGED) == said.explanation.startswith("needs review")
    assert judgement == LexicalOverlap().label(record)
    assert Labels.from_json(labels.to_json()) == labels


@given(SENTENCE.filter(lambda text: any(word in text for word in ("whale", "oil", "東京都"))), st.lists(SENTENCE))
def test_a_sentence_is_covered_by_itself(sentence: str, others: list[str]) -> None:
    said = support(sentence, [[*others, sentence]])
    assert said.verdict is Verdict.SUPPORTED


def test_the_judge_imports_nothing_heavy() -> None:
    code = "import sys, trace_tui.judges.lexical, trace_tui.judges.recorded; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "spacy", "textual", "groq", "sqlite_utils"} & set(loaded)


def test_a_judgement_is_pure() -> None:
    record = make_record("Who kept it?", LIGHTHOUSE, ["The lamp burned whale oil."])
    first: Judgement = LexicalOverlap().label(record)
    LexicalOverlap().label(make_record("?", [["whale"] * 50], ["oil"]))
    assert LexicalOverlap().label(record) == first
