"""Labels of a content that has left the dataset, brought to what stands there now: offered, never applied unasked."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from trace_tui.labels import Labels
from trace_tui.records import Record, Sentence
from trace_tui.review.ledger import Ledger
from trace_tui.review.ports import Source
from trace_tui.reviews import Kept

_RESPONSE = "resp_"


def find_stale(record: Record, ledger: Ledger, source: Source) -> tuple[str, Kept] | None:
    """Return the annotator's review of an earlier content under the record's id, with that content's identity.

    One that is still in the dataset is another record, not an earlier one: RAGBench repeats ids.
    """
    for uid, kept in reversed(ledger.archive.namesakes(record.id, record.uid, ledger.annotator)):
        if source.find_uid(uid, ledger.position_of(uid)) is None:
            return uid, kept
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
