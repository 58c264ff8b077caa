"""RAGBench rows of any size for benchmarks: words of natural length, the same for the same seed."""

import json
import random
import string
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from trace_tui.normalise import number_to_letters

Row = dict[str, Any]
Pairs = list[list[str]]

_BARE_ROW, _BYTES_OF_A_SENTENCE = 2_000, 330  # about
_ABOUT = "hand-made labels of a benchmark"


def row(number: int, sentences: int, response: int = 4, documents: int | None = None) -> Row:
    """Return a row of `sentences` document sentences in about five to fifty documents, labelled throughout.

    A tenth of its sentences are relevant, each response sentence is supported by up to three, one in five is not.
    """
    source = random.Random(number * 1_000_003 + sentences)
    count = documents or max(1, min(50, sentences // 12))
    texts = _texts(source, sentences)
    share = -(-sentences // count)
    parts = [texts[start : start + share] for start in range(0, sentences, share)]
    cut = [_pairs(part, prefix=str(at)) for at, part in enumerate(parts)]
    answer = _pairs(_texts(source, response), prefix="")
    keys = [key for part in cut for key, _ in part]
    support = [_support(source, key, keys) for key, _ in answer]
    utilized = sorted({key for entry in support for key in entry["supporting_sentence_keys"]})
    unsupported = [entry["response_sentence_key"] for entry in support if not entry["fully_supported"]]
    return {
        "id": f"bench-{number}",
        "question": " ".join(_texts(source, 1))[:-1] + "?",
        "documents": [" ".join(part) for part in parts],
        "response": " ".join(text for _, text in answer),
        "generation_model_name": "none",
        "annotating_model_name": _ABOUT,
        "documents_sentences": cut,
        "response_sentences": answer,
        "sentence_support_information": support,
        "unsupported_response_sentence_keys": unsupported,
        "relevance_explanation": " ".join(_texts(source, 3)),
        "overall_supported_explanation": " ".join(_texts(source, 3)),
        "overall_supported": not unsupported,
        "all_relevant_sentence_keys": sorted({*source.sample(keys, max(1, len(keys) // 10)), *utilized}),
        "all_utilized_sentence_keys": utilized,
    }


def write(path: Path, rows: Iterator[Row]) -> Path:
    """Write rows as JSON lines."""
    with path.open("w") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return path


def write_many(path: Path, records: int, megabytes: int) -> Path:
    """Write a large file of small rows quickly: a few rows over and over, told apart by their ids and questions."""
    size = megabytes * 1_000_000 // records
    variants = [row(number, max(3, (size - _BARE_ROW) // _BYTES_OF_A_SENTENCE), response=1) for number in range(20)]
    with path.open("w") as file:
        for number in range(records):
            chosen = variants[number % len(variants)]
            named = chosen | {"id": number, "question": f"{number}: {chosen['question']}"}
            file.write(json.dumps(named) + "\n")
    return path


_WORDS = [
    "".join(random.Random(number).choices(string.ascii_lowercase, weights=_weights, k=1 + number % 11))
    for _weights in [[8, 1, 3, 4, 12, 2, 2, 6, 7, 1, 1, 4, 2, 7, 8, 2, 1, 6, 6, 9, 3, 1, 2, 1, 2, 1]]
    for number in range(3_000)
]


def _texts(source: random.Random, count: int) -> list[str]:
    """Return sentences of 8 to 32 words, 120 characters on average."""
    sentences = (" ".join(source.choices(_WORDS, k=source.randint(8, 32))) for _ in range(count))
    return [f"{sentence[0].upper()}{sentence[1:]}." for sentence in sentences]


def _pairs(texts: Sequence[str], prefix: str) -> Pairs:
    return [[f"{prefix}{number_to_letters(number)}", text] for number, text in enumerate(texts)]


def _support(source: random.Random, key: str, keys: Sequence[str]) -> Row:
    return {
        "response_sentence_key": key,
        "explanation": " ".join(_texts(source, 2)),
        "supporting_sentence_keys": source.sample(keys, min(len(keys), source.randint(1, 3))),
        "fully_supported": source.random() < 0.8,
    }
