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


def test_other_labels_are_another_version() -> None:
    record = make_record("Q?", [["One.", "Two."]], ["One.", "Two."])

    def version(**fields: object) -> str:
        given = {"relevant": ["0a"], "utilized": ["0a"], "support": [entry()], "unsupported": [], **fields}
        return judge_recorded(record, RawLabels(**given)).judge.version

    def entry(**fields: object) -> dict[str, object]:
        return {"response_sentence_key": "a", "supporting_sentence_keys": ["0a"], "explanation": "so", **fields}

    changed = [
        {"relevant": ["0b"]},
        {"relevant": []},
        {"utilized": ["0a", "0b"]},
        {"unsupported": ["a"]},
        {"unsupported": ["b"]},
        {"support": [entry(supporting_sentence_keys=["0b"])]},
        {"support": [entry(supporting_sentence_keys=["general"])]},
        {"support": [entry(explanation="because")]},
        {"overall_explanation": "so"},
        {"relevance_explanation": "so"},
    ]
    versions = [version(), *(version(**fields) for fields in changed)]
    assert len(set(versions)) == len(versions)
    assert all(len(one) == 12 for one in versions)
    assert version(relevant=["0a.", "0A"]) == version(), "what is mended by rule is the same label"
