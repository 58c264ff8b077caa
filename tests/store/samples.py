"""Records, reviews and edits for the tests of the store."""

import itertools
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from trace_tui.calls import Call, Cause, Failure, Usage
from trace_tui.labels import NO_SUPPORT, Judge, Judgement, Labels, Reason, Support, Verdict
from trace_tui.records import Passage, Record, RecordId, Sentence, document_key, response_key
from trace_tui.reviews import Edit, Introduction, Labelling, Review, Status, diff

DATASET = "rows.jsonl"
NOON = "2026-01-01T12:00:00Z"
JUDGE = Judge("recorded", "gpt-4o", "1", "labels that came with the row")


def record(
    uid: str = "r1", *, record_id: RecordId = 1, sizes: tuple[int, ...] = (2, 0, 2), split: str = "ours"
) -> Record:
    """Return a record with documents of so many sentences; the last size is the response's."""
    *documents, response = sizes
    return Record(
        uid=uid,
        id=record_id,
        question="Why?",
        documents=tuple(
            _passage([document_key(n, s) for s in range(size)], f"Fact {n}") for n, size in enumerate(documents)
        ),
        response=_passage([response_key(s) for s in range(response)], "Claim"),
        generator="writer",
        annotator_model="gpt-4o",
        split=split,
    )


def _passage(keys: list[str], word: str) -> Passage:
    texts = [f"{word} number {n}." for n in range(len(keys))]
    return Passage("  ".join(texts), tuple(map(Sentence, keys, texts, [f"alias {key}" for key in keys])))


LABELS = Labels(
    relevant=frozenset({"doc_0_s0", "doc_0_s1"}),
    utilized=frozenset({"doc_0_s0"}),
    supports={
        "resp_s0": Support(frozenset({"doc_0_s0"}), Verdict.SUPPORTED, None, "it says so"),
        "resp_s1": Support(frozenset(), Verdict.UNSUPPORTED, Reason.GENERAL, ""),
    },
    relevance_explanation="both speak of it",
)
JUDGEMENT = Judgement(JUDGE, LABELS, {"temperature": 0})


def introduction(
    met: Record | None = None,
    *,
    annotator: str = "ann",
    judgement: Judgement | None = JUDGEMENT,
    start: Review | None = None,
    position: int = 0,
    at: str = NOON,
) -> Introduction:
    if start is None:
        start = Review(judgement.labels.without_explanations()) if judgement else Review()
    return Introduction(met or record(), judgement, annotator, start, DATASET, position, at)


LLM = Judge("groq", "openai/gpt-oss-120b", "3f2a1c9e", "asked at api.groq.com", "3f2a1c9e")


FAILED = Failure(Cause.TRUNCATED, "after 4,096 tokens", '{"relevance_expl')
SPENT = Usage(1, 900, 800, 200, 1.5)


def labelling(
    asked: Record | None = None,
    outcome: Judgement | Failure | None = None,
    *,
    judge: Judge = LLM,
    request: str = "hash",
    at: str = NOON,
    usage: Usage = SPENT,
) -> Labelling:
    """Return a record put to a model, labelled unless another outcome is given."""
    asked = asked or record()
    outcome = outcome or Judgement(judge, LABELS, {"effort": "low"}, {"verdict/resp_s0": 0.67}, {"keys": 1})
    return Labelling(asked, Call(asked.uid, judge, request, at, usage, outcome))


_numbers = itertools.count(1)


def edit(
    old: Review, new: Review, *, uid: str = "r1", annotator: str = "ann", at: str = NOON, seconds: float = 1.5
) -> Edit:
    """Return the edit that leads from one review to another, with an id of its own."""
    return Edit(f"edit-{next(_numbers)}", at, annotator, uid, "test", *diff(old, new), seconds)


def accepted(review: Review) -> Review:
    return replace(review, status=Status.ACCEPTED)


def accepted_blind(review: Review) -> Review:
    return replace(review, status=Status.ACCEPTED, blind=review.labels)


def steps(reviews: list[Review], *, uid: str, annotator: str) -> Iterator[Edit]:
    """Yield the edits that lead through the reviews, one after the other."""
    for old, new in itertools.pairwise(reviews):
        yield edit(old, new, uid=uid, annotator=annotator)


def labels_of(some: Record) -> st.SearchStrategy[Labels]:
    """Return every kind of labels that the record can have."""
    keys = st.frozensets(st.sampled_from(some.document_keys)) if some.document_keys else st.just(frozenset[str]())
    support = st.builds(Support, keys, st.sampled_from(Verdict), st.none() | st.sampled_from(Reason))
    supports = st.fixed_dictionaries({}, optional=dict.fromkeys(some.response_keys, support))
    said = supports.map(lambda all_: {key: value for key, value in all_.items() if value != NO_SUPPORT})
    return st.builds(Labels, keys, keys, said)


def reviews_of(some: Record) -> st.SearchStrategy[Review]:
    """Return every kind of review that the record can have."""
    labels = labels_of(some)
    settled = st.frozensets(st.sampled_from(some.response_keys)) if some.response_keys else st.just(frozenset[str]())
    status, note, adopted = st.sampled_from(Status), st.text(max_size=20), st.sampled_from(["", "r0"])
    return st.builds(Review, labels, settled, status, st.booleans(), note, st.none() | labels, adopted)


def query(path: Path, sql: str, *values: object) -> list[dict[str, Any]]:
    """Ask the file directly, as another program would."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(sql, values)]
