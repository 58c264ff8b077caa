"""Labels of a content that has left the dataset, brought to what stands there now: offered, never applied unasked."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from trace_tui.labels import Labels
from trace_tui.records import Record, Sentence
from trace_tui.review.ledger import Ledger

_RESPONSE = "resp_"


class Stale(NamedTuple):
    """The annotator's labels of the content that a record had before."""

    uid: str
    labels: Labels


def find_stale(record: Record, ledger: Ledger) -> Stale | None:
    """Return the annotator's labels of the latest earlier content under the record's id; None if there is none.

    One that is still in the dataset is another record, not an earlier one: RAGBench repeats ids.
    """
    gone = ledger.gone
    if not gone:
        return None
    for uid, kept in reversed(ledger.archive.namesakes(record.id, record.uid, ledger.annotator)):
        if uid in gone:
            return Stale(uid, kept.review.labels)
    return None


def carry_over(labels: Labels, sentences: Iterable[Sentence], record: Record) -> Labels:
    """Return the labels as far as they speak of sentences that the record still has, word for word.

    A text that stands several times is matched in order. What was said of a sentence that changed is left out.

    Args:
        labels: made for another content.
        sentences: the sentences of that content, under the keys that `labels` uses.
        record: the content now.
    """
    new_keys = _match(sentences, [*record.document_sentences(), *record.response.sentences])

    def carried(keys: Iterable[str]) -> frozenset[str]:
        return frozenset(new_keys[key] for key in keys if key in new_keys)

    return replace(
        labels,
        relevant=carried(labels.relevant),
        utilized=carried(labels.utilized),
        supports={
            new_keys[key]: replace(support, keys=carried(support.keys))
            for key, support in labels.supports.items()
            if key in new_keys
        },
    )


def _match(old: Iterable[Sentence], new: Iterable[Sentence]) -> Mapping[str, str]:
    places: defaultdict[tuple[bool, str], list[str]] = defaultdict(list)
    for sentence in reversed(list(new)):
        places[_meaning(sentence)].append(sentence.key)
    return {sentence.key: free.pop() for sentence in old if (free := places[_meaning(sentence)])}


def _meaning(sentence: Sentence) -> tuple[bool, str]:
    """A sentence of the response is never matched with one of a document."""
    return sentence.key.startswith(_RESPONSE), " ".join(sentence.text.split())
