from tests.rows import make_record
from trace_tui.judges.recorded import judge_recorded
from trace_tui.labels import Labels, Support, Verdict
from trace_tui.normalise import RawLabels


def test_the_rows_labels_become_a_judgement_of_the_rows_model() -> None:
    record = make_record("Q?", [["One.", "Two."]], ["One."], annotator_model="some-model")
    raw = RawLabels(
        relevant=["0a."],
        utilized=["0a", "9z"],
        support=[{"response_sentence_key": "a", "supporting_sentence_keys": ["0a"], "explanation": "It says so."}],
        unsupported=[],
    )
    judgement = judge_recorded(record, raw)
    assert judgement.judge.title == "recorded some-model"
    assert judgement.judge.about == "labels that came with the dataset"
    assert judgement.labels == Labels(
        frozenset({"doc_0_s0"}),
        frozenset({"doc_0_s0"}),
        {"resp_s0": Support(frozenset({"doc_0_s0"}), Verdict.SUPPORTED, None, "It says so.")},
    )
