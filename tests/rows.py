"""Records and RAGBench rows of our own for every test: small, clean, or dirty in one named way each."""

from collections.abc import Mapping, Sequence
from typing import Any

from trace_tui.normalise import RawLabels, number_to_letters
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


CLOCK_DOCUMENTS = [
    [
        "The town clock of Vellmar was cast in 1788.",
        "It strikes the hours on a bronze bell.",
        "Its dial faces the market square.",
    ],
    ["The clockmaker Ines Harrow repaired it in 1902.", "She replaced the worn escapement."],
]
CLOCK_RESPONSE = ["The clock was cast in 1788.", "Ines Harrow repaired it in 1902."]


def support_entry(
    response: str, documents: Sequence[str], *, fully: object = True, explanation: str = "The sentence says so."
) -> Row:
    """Return one support entry as RAGBench rows have them."""
    return {
        "explanation": explanation,
        "fully_supported": fully,
        "response_sentence_key": response,
        "supporting_sentence_keys": list(documents),
    }


def make_row(
    documents: Sequence[Sequence[str]] = CLOCK_DOCUMENTS,
    response: Sequence[str] = CLOCK_RESPONSE,
    **changes: Any,
) -> Row:
    """Build a clean RAGBench row about a town clock, with `changes` to its fields and published scores to match."""
    row: Row = {
        "id": "clock",
        "question": "Who repaired the town clock of Vellmar?",
        "documents": [" ".join(sentences) for sentences in documents],
        "response": " ".join(response),
        "generation_model_name": "some-generator",
        "annotating_model_name": "some-annotator",
        "dataset_name": "own_test",
        "documents_sentences": [
            [[f"{d}{number_to_letters(s)}", text] for s, text in enumerate(sentences)]
            for d, sentences in enumerate(documents)
        ],
        "response_sentences": [[number_to_letters(s), text] for s, text in enumerate(response)],
        "sentence_support_information": [support_entry("a", ["0a"]), support_entry("b", ["1a"])],
        "unsupported_response_sentence_keys": [],
        "overall_supported_explanation": "Both sentences are in the documents.",
        "relevance_explanation": "The clock and its repair.",
        "all_relevant_sentence_keys": ["0a", "0b", "1a"],
        "all_utilized_sentence_keys": ["0a", "1a"],
        "trulens_groundedness": 0.9,
        "gpt3_context_relevance": 0.5,
    } | changes
    return row | published_scores(row) | changes


def published_scores(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row's four scores as RAGBench publishes them: of the key lists as stored, dirt included."""
    relevant, utilized = row["all_relevant_sentence_keys"], row["all_utilized_sentence_keys"]
    sentences = sum(map(len, row["documents_sentences"]))
    return {
        "relevance_score": len(relevant) / sentences,
        "utilization_score": len(utilized) / sentences,
        "completeness_score": len(set(relevant) & set(utilized)) / len(relevant) if relevant else 1.0,
        "adherence_score": row["unsupported_response_sentence_keys"] == [],
    }


def _many_response_sentences() -> Row:
    response = [f"Bell number {number} hangs in the tower." for number in range(28)]
    entries = [support_entry(number_to_letters(number), ["0b"]) for number in range(28)]
    return make_row(response=response, sentence_support_information=entries)


def _many_document_sentences() -> Row:
    sentences = [f"Ledger line {number} names a bell founder." for number in range(420)]
    return make_row(
        documents=[sentences],
        all_relevant_sentence_keys=["0z", "0aa", "0ab", "0pd"],
        all_utilized_sentence_keys=["0aa", "0pd"],
        sentence_support_information=[support_entry("a", ["0aa"]), support_entry("b", ["0pd"])],
    )


def _range_of_keys() -> Row:
    response = [f"Claim {number} of the guide." for number in range(23)]
    entries = [support_entry(number_to_letters(number), ["0a"]) for number in range(8)]
    return make_row(
        response=response,
        sentence_support_information=[*entries, support_entry("i through v", [], fully=False)],
        unsupported_response_sentence_keys=["h", "i through v"],
    )


def named_rows() -> dict[str, Row]:
    """Return our own RAGBench rows by what they show: a clean one, and one for every kind of dirt of the real ones.

    The ids are the names, so that the rows can stand in one file.
    """
    rows = {
        "clean": make_row(),
        "dotted document keys": make_row(
            all_relevant_sentence_keys=["0a.", "1a."],
            all_utilized_sentence_keys=["0a.", "1a."],
            sentence_support_information=[support_entry("a", ["0a."]), support_entry("b", ["1a."])],
        ),
        "dotted response keys": make_row(
            sentence_support_information=[support_entry("a.", ["0a"]), support_entry("b.", [], fully=False)],
            unsupported_response_sentence_keys=["b."],
        ),
        "unknown keys": make_row(
            all_relevant_sentence_keys=["0a", "0q", "7a"],
            all_utilized_sentence_keys=["0a", "1zz"],
            sentence_support_information=[support_entry("a", ["0a", "4f"]), support_entry("b", ["1a"])],
        ),
        "duplicate relevant keys": make_row(all_relevant_sentence_keys=["0a", "0b", "0a", "1a"]),
        "duplicate utilized keys": make_row(all_utilized_sentence_keys=["0a", "1a", "1a", "1a"]),
        "joined keys": make_row(all_utilized_sentence_keys=["0a, 1a"]),
        "fully_supported null": make_row(
            sentence_support_information=[
                support_entry("a", ["0a"], fully=None),
                support_entry("b", [], fully=None),
            ],
            unsupported_response_sentence_keys=["b"],
        ),
        "contradiction": make_row(
            sentence_support_information=[
                support_entry("a", ["0a"], fully=False),
                support_entry("b", ["1a"], fully=True),
            ],
            unsupported_response_sentence_keys=["b"],
        ),
        "missing support entry": make_row(sentence_support_information=[support_entry("a", ["0a"])]),
        "surplus support entry": make_row(
            sentence_support_information=[
                support_entry("a", ["0a"]),
                support_entry("b", ["1a"]),
                support_entry("c", ["1b"]),
            ]
        ),
        "two entries for one sentence": make_row(
            sentence_support_information=[
                support_entry("a", ["0a"]),
                support_entry("b", ["1a"], explanation="The name."),
                support_entry("b", ["1a", "1b"], explanation="The year."),
            ]
        ),
        "range of keys": _range_of_keys(),
        "utilized outside relevant": make_row(all_utilized_sentence_keys=["0a", "0c", "1b"]),
        "empty relevant": make_row(all_relevant_sentence_keys=[]),
        "empty utilized": make_row(all_utilized_sentence_keys=[]),
        "empty relevant and utilized": make_row(
            all_relevant_sentence_keys=[],
            all_utilized_sentence_keys=[],
            sentence_support_information=[
                support_entry("a", ["supported_without_sentence"]),
                support_entry("b", ["general"]),
            ],
        ),
        "empty support, adherent": make_row(
            sentence_support_information=[support_entry("a", []), support_entry("b", [])]
        ),
        "special support words": make_row(
            response=["In general, clocks.", "Bells are loud.", "It is 114 years.", "The documents agree."],
            sentence_support_information=[
                support_entry("a", ["general"]),
                support_entry("b", ["well_known_fact"]),
                support_entry("c", ["numerical_reasoning", "0a", "1a"]),
                support_entry("d", ["supported_without_sentence"]),
            ],
        ),
        "special words as keys": make_row(
            all_relevant_sentence_keys=["0a", "general"],
            all_utilized_sentence_keys=["supported_without_sentence", "0a"],
        ),
        "many response sentences": _many_response_sentences(),
        "many document sentences": _many_document_sentences(),
        "CJK": make_row(
            documents=[["時計台は1788年に造られた。", "鐘は青銅製である。"], ["修理は1902年に行われた。"]],
            response=["時計台は1788年に造られた。", "1902年に修理された。"],
        ),
        "emoji": make_row(response=["The clock 🕰️ was cast in 1788.", "Repaired by 👩🏽‍🔧 Ines Harrow in 1902."]),
        "control characters": make_row(
            question="Who \x1b[31mrepaired\x07 it?",
            response=["The clock\x00 was cast in 1788.", "Ines\x9b Harrow\u202e repaired it."],
        ),
        "evaluator columns null": make_row(trulens_groundedness=None, gpt3_context_relevance=None),
        "evaluator columns above 1": make_row(trulens_groundedness=1.2, gpt3_context_relevance=3.0),
        "no list of unsupported": make_row(
            sentence_support_information=[support_entry("a", ["0a"]), support_entry("b", [], fully=False)],
            adherence_score=False,
        ),
        "label fields of wrong types": make_row(sentence_support_information="none", relevance_explanation=7),
    }
    del rows["no list of unsupported"]["unsupported_response_sentence_keys"]
    return {name: row | {"id": name} for name, row in rows.items()}
