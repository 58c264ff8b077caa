"""What models said of records, and what they were asked: kept, found again, and summed up."""

from dataclasses import replace

import pytest

from tests.store.samples import FAILED, LLM, introduction, labelling, record
from trace_tui.calls import Cause, Usage
from trace_tui.reviews import Consent
from trace_tui.store import Store


def test_a_judgement_is_kept_whole_with_its_record(store: Store) -> None:
    change = labelling()
    store.commit([change])
    assert store.judgement("r1", LLM.title) == change.call.outcome
    assert store.judges() == [("groq openai/gpt-oss-120b @3f2a1c9e", 1)]
    assert store.labelled(LLM.title) == {"r1"}
    assert [sentence.key for sentence in store.sentences("r1")] == ["doc_0_s0", "doc_0_s1", "resp_s0", "resp_s1"]


def test_an_equal_request_is_answered_for_whatever_record(store: Store) -> None:
    change = labelling(request="same")
    store.commit([change])
    assert store.answer("same") == change.call.outcome
    assert store.answer("other") is None
    store.commit([introduction(record("r2"))])
    assert store.answer("") is None  # judges that are asked nothing answer nothing


def test_a_failure_has_a_cause_and_no_labels(store: Store) -> None:
    store.commit([labelling(outcome=FAILED)])
    assert store.failures(LLM.title) == {"r1": Cause.TRUNCATED}
    assert store.judgement("r1", LLM.title) is None
    assert store.labelled(LLM.title) == frozenset()
    assert store.answer("hash") is None
    assert store.judges() == []


def test_the_last_failure_counts_until_there_are_labels(store: Store) -> None:
    store.commit([labelling(outcome=FAILED, at="1")])
    store.commit([labelling(outcome=replace(FAILED, cause=Cause.DEADLINE), at="2")])
    assert store.failures(LLM.title) == {"r1": Cause.DEADLINE}
    store.commit([labelling(at="3")])
    assert store.failures(LLM.title) == {}
    store.commit([labelling(outcome=FAILED, at="4")])
    assert store.failures(LLM.title) == {}


def test_judges_of_another_prompt_are_others(store: Store) -> None:
    other = replace(LLM, prompt="00000000", version="00000000")
    store.commit([labelling(), labelling(record("r2"), judge=other, at="2")])
    assert store.labelled(LLM.title) == {"r1"}
    assert store.labelled(other.title) == {"r2"}
    assert len(store.judges()) == 2


def test_usage_adds_up_over_all_calls_of_a_judge(store: Store) -> None:
    assert store.usage(LLM.title) == Usage()
    store.commit([labelling(at="1"), labelling(record("r2"), FAILED, at="2", usage=Usage(3, 100, 0, 50, 0.5))])
    assert store.usage(LLM.title) == Usage(4, 1000, 800, 250, 2.0)
    assert store.usage("groq other") == Usage()


def test_a_call_committed_twice_is_there_once(store: Store) -> None:
    change = labelling()
    store.commit([change])
    store.commit([change, change])
    assert store.usage(LLM.title) == change.call.usage


@pytest.mark.parametrize("host", ["api.groq.com", "127.0.0.1:8000"])
def test_consent_is_for_a_dataset_and_a_host(store: Store, host: str) -> None:
    assert not store.has_consent("/data/rows.jsonl", host)
    store.commit([Consent("/data/rows.jsonl", host, "1")])
    store.commit([Consent("/data/rows.jsonl", host, "2")])
    assert store.has_consent("/data/rows.jsonl", host)
    assert not store.has_consent("/data/rows.jsonl", "elsewhere")
    assert not store.has_consent("/data/other.jsonl", host)


def test_repairs_add_up_over_the_records_of_a_judge(store: Store) -> None:
    assert store.repairs(LLM.title) == {}
    store.commit([labelling(at="1"), labelling(record("r2"), at="2"), labelling(record("r3"), FAILED, at="3")])
    assert store.repairs(LLM.title) == {"keys": 2}
    assert store.repairs("groq other") == {}
