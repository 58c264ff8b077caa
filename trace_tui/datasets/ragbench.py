"""RAGBench rows (Friel, Belyi, Sanyal 2024): their own sentences and keys, labels and published scores, in and out."""

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, repeat, zip_longest
from typing import Any, cast

from trace_tui.datasets.fields import REFERENCE, pick, text_of
from trace_tui.labels import Labels, Reason, Support, Verdict
from trace_tui.normalise import RawLabels, number_to_letters
from trace_tui.records import Passage, Record, Sentence, document_key, response_key
from trace_tui.scoring import Definition, scores
from trace_tui.scoring.counts import count

PUBLISHED = {
    "context_relevance": "relevance_score",
    "context_utilization": "utilization_score",
    "completeness": "completeness_score",
    "adherence": "adherence_score",
}
"""RAGBench's names of the four published scores, by our JSON names."""

_LARGEST = sys.float_info.max

_LABELS = {
    "relevant": "all_relevant_sentence_keys",
    "utilized": "all_utilized_sentence_keys",
    "support": "sentence_support_information",
    "unsupported": "unsupported_response_sentence_keys",
}
_PROSE = {
    "overall_supported": "overall_supported",
    "relevance_explanation": "relevance_explanation",
    "overall_explanation": "overall_supported_explanation",
}
_FIELDS = _LABELS | _PROSE


def raw_labels(fields: Mapping[str, Any]) -> RawLabels | None:
    """Return the label fields of a row as they are; None if it has none that says anything of a sentence."""
    if all(fields.get(name) is None for name in _LABELS.values()):
        return None
    return RawLabels(**{ours: fields.get(theirs) for ours, theirs in _FIELDS.items()})


def published_scores(fields: Mapping[str, Any], warnings: list[str]) -> dict[str, float | None]:
    """Return the four published scores under our JSON names; None where missing or not a finite number."""
    found: dict[str, float | None] = {}
    for ours, theirs in PUBLISHED.items():
        value = fields.get(theirs)
        # A comparison that NaN and infinity fail, and an integer too large for a float too.
        found[ours] = float(value) if isinstance(value, (int, float)) and abs(value) <= _LARGEST else None
        if value is not None and found[ours] is None:
            warnings.append(f"{theirs}: not a finite number, taken as missing")
    return found


def given_sentences(
    fields: Mapping[str, Any], documents: tuple[Passage, ...], response: Passage, warnings: list[str]
) -> tuple[tuple[Passage, ...], Passage] | None:
    """Return documents and response with the sentences that the row brings, or None if it brings none fit to use.

    Keys run by position; the row's own keys become aliases, unless they are no strings or name two sentences.
    A text that the row leaves out is its sentences joined by spaces.
    """
    theirs, ours = fields.get("documents_sentences"), fields.get("response_sentences")
    if theirs is None and ours is None:
        return None
    lists = theirs if isinstance(theirs, list) else []
    if not documents:
        documents = tuple(Passage("", ()) for _ in lists)
    pairs = [_pairs(given) for given in (*lists, [] if ours is None and not response.text.strip() else ours)]
    if theirs is None or len(lists) != len(documents) or None in pairs:
        warnings.append(
            "sentences of the row: not one list of [key, text] for each document and the response, split anew"
        )
        return None
    *of_documents, of_response = [pair for pair in pairs if pair is not None]
    keys = _document_keys([len(texts) for _, texts in of_documents])
    aliases = _distinct([given for given, _ in of_documents], keys, warnings)
    cut = tuple(
        _with_sentences(passage, *columns)
        for passage, *columns in zip(documents, keys, (texts for _, texts in of_documents), aliases, strict=True)
    )
    answer_keys = [response_key(number) for number in range(len(of_response[1]))]
    answer_aliases = _distinct([of_response[0]], [answer_keys], warnings)[0]
    return cut, _with_sentences(response, answer_keys, of_response[1], answer_aliases)


Column = Sequence[Any]


def _pairs(given: Any) -> tuple[Column, Sequence[str]] | None:
    """Return the columns of a list of [key, text]; None if it is anything else. All checks run in C."""
    if not isinstance(given, list):
        return None
    if not given:
        return (), ()
    if set(map(type, given)) != {list}:
        return None
    columns = tuple(zip_longest(*given))
    if len(columns) != 2 or set(map(type, columns[1])) != {str}:  # noqa: PLR2004 - a pair has two
        return None
    return columns[0], columns[1]


def _distinct(given: Sequence[Column], keys: Sequence[list[str]], warnings: list[str]) -> Sequence[Sequence[str]]:
    """Return the given keys, those that are no strings or were there before replaced by our own."""
    flat = list(chain.from_iterable(given))
    if set(map(type, flat)) <= {str} and len(set(flat)) == len(flat):
        return given
    warnings.append("sentence keys of the row: repeated or no text, numbered anew")
    seen: set[str] = set()
    columns: list[list[str]] = []
    for theirs, ours in zip(given, keys, strict=True):
        columns.append([])
        for key, own in zip(theirs, ours, strict=True):
            alias = key if isinstance(key, str) and key not in seen else own
            seen.add(alias)
            columns[-1].append(alias)
    return columns


def _document_keys(sizes: Sequence[int]) -> list[list[str]]:
    """Return `document_key` of every sentence, each number formatted once: four times as fast on long documents."""
    suffixes = [document_key(0, number).removeprefix("doc_0") for number in range(max(sizes, default=0))]
    prefixes = [document_key(number, 0).removesuffix("_s0") for number in range(len(sizes))]
    return [[prefix + suffix for suffix in suffixes[:size]] for prefix, size in zip(prefixes, sizes, strict=True)]


def _with_sentences(passage: Passage, keys: Iterable[str], texts: Sequence[str], aliases: Iterable[str]) -> Passage:
    # What Sentence._make does, without a Python call for each of up to tens of thousands.
    made = map(tuple.__new__, repeat(Sentence), zip(keys, texts, aliases, strict=True))
    sentences = cast("tuple[Sentence, ...]", tuple(made))
    return Passage(passage.text or " ".join(texts), sentences, passage.title)


def ragbench_row(record: Record, labels: Labels, fields: Mapping[str, Any], annotator: str) -> dict[str, Any]:
    """Return a RAGBench row with these labels and the scores that follow from them, which reads back as it was.

    Sentences go under the row's own keys where it has some that any reader can tell apart, else under RAGBench's
    letters. The row's other fields are kept; what JSON has no number for becomes null.

    Args:
        record: what is labelled.
        labels: its labels; explanations are written as they are.
        fields: the row that the record was read from, as parsed.
        annotator: goes where the row named the model that labelled it.

    Raises:
        ValueError: a response sentence is unjudged, which this format would turn into supported, or the fields are
            nested too deeply to be written.
    """
    unsupported = [key for key in record.response_keys if labels.support(key).verdict is Verdict.UNSUPPORTED]
    if any(labels.support(key).verdict is Verdict.UNJUDGED for key in record.response_keys):
        raise ValueError("a response sentence is unjudged: RAGBench rows have no way to say so")
    names = _names(record)
    found = scores(count(labels, record), Definition.RAGBENCH)
    row = {
        **_finite(dict(fields)),
        **_mended_reference(fields),
        "id": record.id,
        "question": record.question,
        "documents": [document.text for document in record.documents],
        "response": record.response.text,
        "generation_model_name": record.generator,
        "annotating_model_name": annotator,
        "documents_sentences": [[[names[s.key], s.text] for s in document.sentences] for document in record.documents],
        "response_sentences": [[names[s.key], s.text] for s in record.response.sentences],
        "sentence_support_information": [
            _support_entry(names[key], labels.support(key), _in_order(labels.support(key).keys, record, names))
            for key in record.response_keys
        ],
        "unsupported_response_sentence_keys": [names[key] for key in unsupported],
        "overall_supported_explanation": labels.overall_explanation,
        "relevance_explanation": labels.relevance_explanation,
        "all_relevant_sentence_keys": _in_order(labels.relevant, record, names),
        "all_utilized_sentence_keys": _in_order(labels.utilized, record, names),
        **{theirs: getattr(found, ours) for ours, theirs in PUBLISHED.items()},
        "adherence_score": None if found.adherence is None else found.adherence == 1,
    }
    if "overall_supported" in row:
        row["overall_supported"] = not unsupported
    return row


def _mended_reference(fields: Mapping[str, Any]) -> dict[str, str]:
    """Return a reference answer that is no text as the text it was read as: what warned once does not warn again."""
    warnings: list[str] = []
    text = text_of(pick(fields, REFERENCE), "reference", warnings)
    return {next(name for name in REFERENCE if fields.get(name) is not None): text} if warnings else {}


def _support_entry(name: str, support: Support, keys: list[str]) -> dict[str, Any]:
    return {
        "response_sentence_key": name,
        "explanation": support.explanation,
        "supporting_sentence_keys": [*keys, *([support.reason.value] if support.reason else [])],
        "fully_supported": support.verdict is Verdict.SUPPORTED,
    }


def _in_order(keys: frozenset[str], record: Record, names: Mapping[str, str]) -> list[str]:
    return [names[key] for key in record.document_keys if key in keys]


_WORDS = frozenset(reason.value for reason in Reason)


def _names(record: Record) -> dict[str, str]:
    """Return the name of each sentence in a RAGBench row, by its key."""
    documents = list(record.document_sentences())
    given = [[s.alias for s in documents], [s.alias for s in record.response.sentences]]
    if record.split == "given" and all(len(set(part)) == len(part) and all(map(_is_plain, part)) for part in given):
        return {s.key: s.alias for s in (*documents, *record.response.sentences)}
    letters = {
        s.key: f"{number}{number_to_letters(at)}"
        for number, document in enumerate(record.documents)
        for at, s in enumerate(document.sentences)
    }
    return letters | {s.key: number_to_letters(at) for at, s in enumerate(record.response.sentences)}


def _is_plain(alias: str) -> bool:
    """Whether readers take the key for one key: no comma or line break splits it, no reserved word hides it."""
    return bool(alias.strip()) and alias not in _WORDS and not any(sign in alias for sign in ",;\n")


def _finite(value: Any) -> Any:
    """Return JSON data with null where a number is NaN or infinite.

    Raises:
        ValueError: it is nested too deeply.
    """
    try:
        return _without_nan(value)
    except RecursionError:
        raise ValueError("the row's fields are nested too deeply to be written") from None


def _without_nan(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        return [_without_nan(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    return value
