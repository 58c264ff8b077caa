"""Records and RAGBench rows of our own for every test: small, clean, or dirty in one named way each."""

from collections.abc import Mapping, Sequence
from typing import Any

from trace_tui.normalise import RawLabels
from trace_tui.records import Passage, Record, Sentence, document_key, response_key

Row = dict[str, Any]


def make_record(
    question: str = "What is it?",
    documents: Sequence[Sequence[str]] = (),
    response: Sequence[str] = (),
    **fields: Any,
) -> Record:
    """Build a record from sentences; its keys are its only names."""
    passages = tuple(
        _passage([(document_key(d, s), text, document_key(d, s)) for s, text in enumerate(sentences)])
        for d, sentences in enumerate(documents)
    )
    answer = _passage([(response_key(s), text, response_key(s)) for s, text in enumerate(response)])
    return Record(**{"uid": "r", "id": "r"} | fields, question=question, documents=passages, response=answer)


def record_of_row(row: Mapping[str, Any]) -> Record:
    """Build the record of a RAGBench row, with the row's keys as aliases."""
    documents = tuple(
        _passage([(document_key(d, s), text, alias) for s, (alias, text) in enumerate(pairs)])
        for d, pairs in enumerate(row["documents_sentences"])
    )
    response = _passage([(response_key(s), text, alias) for s, (alias, text) in enumerate(row["response_sentences"])])
    return Record(
        uid=str(row["id"]),
        id=row["id"],
        question=row["question"],
        documents=documents,
        response=response,
        generator=row["generation_model_name"],
        annotator_model=row["annotating_model_name"],
    )


def raw_of_row(row: Mapping[str, Any]) -> RawLabels:
    """Take the label fields out of a RAGBench row or a GPT-labeling reply."""
    return RawLabels(
        relevant=row.get("all_relevant_sentence_keys"),
        utilized=row.get("all_utilized_sentence_keys"),
        support=row.get("sentence_support_information"),
        unsupported=row.get("unsupported_response_sentence_keys"),
        overall_supported=row.get("overall_supported"),
        relevance_explanation=row.get("relevance_explanation"),
        overall_explanation=row.get("overall_supported_explanation"),
    )


def _passage(sentences: Sequence[tuple[str, str, str]]) -> Passage:
    return Passage(" ".join(text for _, text, _ in sentences), tuple(Sentence(*sentence) for sentence in sentences))
