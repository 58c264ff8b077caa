"""A parsed line as a row, whatever names and shapes its fields have, and a row as a record cut into sentences."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from trace_tui.datasets.decode import Decoded, UnreadableError
from trace_tui.datasets.fields import (
    DOCUMENTS,
    QUESTION,
    REFERENCE,
    RESPONSE,
    check_known,
    documents_of,
    pick,
    text_of,
)
from trace_tui.datasets.identity import uid_of, usable_id
from trace_tui.datasets.ragbench import given_sentences, published_scores, raw_labels
from trace_tui.normalise import RawLabels
from trace_tui.records import Passage, Record, RecordId, Sentence, Span, Spans, document_key, response_key

Cut = Callable[[str], Sequence[Span]]
"""Splits a text into sentences: rising, disjoint spans of code points."""

_JSON_TYPES = {list: "a list", str: "a string", bool: "true or false", int: "a number", float: "a number"}


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a dataset, its fields found and named, its texts not yet cut.

    Passages hold sentences only if `is_split`: the row brings its own, as RAGBench does. `labels` is None where the
    row carries none. `published` has RAGBench's four scores under our JSON names, None where missing or not finite.
    `warnings` says what was mended or is doubtful; it may quote the row. `fields` is the row as parsed.
    """

    uid: str
    id: RecordId
    question: str
    documents: tuple[Passage, ...]
    response: Passage
    is_split: bool
    labels: RawLabels | None
    published: Mapping[str, float | None]
    reference: str | None
    generator: str
    annotator_model: str
    warnings: tuple[str, ...]
    fields: Mapping[str, Any]


def row_of(decoded: Decoded) -> Row:
    """Read a row from a parsed line.

    Raises:
        UnreadableError: the value is no object, or has no field that is known.
    """
    fields = decoded.value
    if not isinstance(fields, dict):
        raise UnreadableError(f"{_JSON_TYPES.get(type(fields), 'null')}, but a row is an object: {{…}}")
    warnings = [*decoded.warnings, *check_known(fields)]
    documents = documents_of(pick(fields, DOCUMENTS), warnings)
    response = Passage(text_of(pick(fields, RESPONSE), "response", warnings), ())
    given = given_sentences(fields, documents, response, warnings)
    documents, response = given or (documents, response)
    question = text_of(pick(fields, QUESTION), "question", warnings)
    reference = pick(fields, REFERENCE)
    generator = text_of(fields.get("generation_model_name"), "generation_model_name", warnings)
    annotator_model = text_of(fields.get("annotating_model_name"), "annotating_model_name", warnings)
    row_id = usable_id(fields.get("id"), warnings)
    return Row(
        uid=uid_of(row_id, question, generator, annotator_model, passages=(*documents, response)),
        id=row_id,
        question=question,
        documents=documents,
        response=response,
        is_split=given is not None,
        labels=raw_labels(fields),
        published=published_scores(fields, warnings),
        reference=None if reference is None else text_of(reference, "reference", warnings),
        generator=generator,
        annotator_model=annotator_model,
        warnings=tuple(dict.fromkeys(warnings)),
        fields=fields,
    )


def record_of(row: Row, cut: Cut | None, spans: Spans | None = None, split: str = "given") -> Record:
    """Return the row as a record of sentences: its own if it brings them, else by `spans`, else as `cut` says.

    Args:
        row: the row.
        cut: splits a text; None if the row is known to need no splitting.
        spans: where the sentences stood when labels were first stored: a tuple per document, then the response.
        split: names what made the spans or will cut; a row with its own sentences is always `given`.

    Raises:
        ValueError: the row must be cut and nothing is there to cut it, or `spans` is of another number of passages.
    """
    documents, response = row.documents, row.response
    if not row.is_split:
        passages = (*documents, response)
        if spans is None:
            if cut is None:
                raise ValueError("the row brings no sentences and there is nothing to cut it with")
            spans = tuple(tuple(cut(passage.text)) for passage in passages)
        *cut_documents, response = (
            _cut_passage(passage, where, number if number < len(documents) else None)
            for number, (passage, where) in enumerate(zip(passages, spans, strict=True))
        )
        documents = tuple(cut_documents)
    return Record(
        uid=row.uid,
        id=row.id,
        question=row.question,
        documents=documents,
        response=response,
        reference=row.reference,
        generator=row.generator,
        annotator_model=row.annotator_model,
        split="given" if row.is_split else split,
    )


def _cut_passage(passage: Passage, spans: Sequence[Span | None], document: int | None) -> Passage:
    """Cut at the spans. A sentence without a span is not in the text; its number stays free, so that no key moves."""
    sentences = []
    for number, span in enumerate(spans):
        if span is not None:
            key = response_key(number) if document is None else document_key(document, number)
            sentences.append(Sentence(key, passage.text[span.start : span.end], key))
    return replace(passage, sentences=tuple(sentences))
