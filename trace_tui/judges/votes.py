"""Asks the same question several times: documents in turned order, and one set of labels out of several.

A model favours what it reads first and last; turning the order of the documents moves every sentence through the
places. A label is what more than half of the votes asked for say: a vote that failed says nothing.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final, TypeVar

from trace_tui.labels import NO_SUPPORT, Labels, Support, Verdict
from trace_tui.records import Passage, Record, Sentence, document_key

_Value = TypeVar("_Value")
_KEY: Final = re.compile(r"doc_\d+_s\d+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Rotated:
    """A record with its documents in turned order and keys to match.

    `original` maps the keys of its document sentences to those of the record that it was made from.
    """

    record: Record
    original: Mapping[str, str]


def rotate(record: Record, by: int) -> Rotated:
    """Move the first `by` documents to the end, and number all document sentences anew.

    With fewer than two documents, or as many as `by`, the order is the same as before.
    """
    start = by % len(record.documents) if record.documents else 0
    order = (*record.documents[start:], *record.documents[:start])
    documents = tuple(_renumbered(passage, number) for number, passage in enumerate(order))
    turned = replace(record, documents=documents)
    old = (sentence.key for passage in order for sentence in passage.sentences)
    return Rotated(turned, dict(zip(turned.document_keys, old, strict=True)))


def _renumbered(passage: Passage, document: int) -> Passage:
    """Give the sentences the keys of another place; the row's own names speak of the old one and go."""
    keys = (document_key(document, number) for number in range(len(passage.sentences)))
    sentences = (Sentence(key, old.text, key) for key, old in zip(keys, passage.sentences, strict=True))
    return replace(passage, sentences=tuple(sentences))


def restore(labels: Labels, rotated: Rotated) -> Labels:
    """Return labels of a rotated record as labels of the record that it was made from, explanations included."""
    original = rotated.original

    def keys(turned: frozenset[str]) -> frozenset[str]:
        return frozenset(map(original.__getitem__, turned))

    def text(turned: str) -> str:
        return _KEY.sub(lambda match: original.get(match[0], match[0]), turned)

    return Labels(
        relevant=keys(labels.relevant),
        utilized=keys(labels.utilized),
        supports={
            key: replace(support, keys=keys(support.keys), explanation=text(support.explanation))
            for key, support in labels.supports.items()
        },
        relevance_explanation=text(labels.relevance_explanation),
        overall_explanation=text(labels.overall_explanation),
    )


def majority(votes: Sequence[Labels], asked: int, record: Record) -> tuple[Labels, Mapping[str, float]]:
    """Return what more than half of the votes asked for say, and how far they agree.

    A key is there, and a reason is given, if more than half say so; a verdict without such a majority is unjudged.
    Explanations come from the first vote that agrees with what came out, or for the whole record comes nearest to it.

    Args:
        votes: the valid votes, on the keys of the record: more than half of those asked for, or nothing is said.
        asked: how many votes were asked for, the failed ones too.
        record: the record that was judged.

    Returns:
        The labels, and by cell, as `Judgement.confidence` names them, the share of the votes asked for, above 0 and
        below 1, that agrees with the label. A cell that no vote speaks of is left out, and so is one on which all
        asked agree. An undecided verdict has the share of its most frequent value.
    """
    ballot = _Ballot(votes, asked)
    relevant = ballot.keys(lambda vote: vote.relevant, "relevant")
    utilized = ballot.keys(lambda vote: vote.utilized, "utilized")
    supports = {key: ballot.support(key) for key in record.response_keys}
    labels = Labels(
        relevant=relevant,
        utilized=utilized,
        supports={key: support for key, support in supports.items() if support != NO_SUPPORT},
    )
    return _explained(labels, votes), ballot.confidence


class _Ballot:
    """Counts votes, and notes the confidence of each cell that it has counted."""

    def __init__(self, votes: Sequence[Labels], asked: int) -> None:
        self._votes = votes
        self._asked = asked
        self.confidence: dict[str, float] = {}

    def keys(self, of: Callable[[Labels], frozenset[str]], cell: str) -> frozenset[str]:
        """Return the keys that most votes have in the set that `of` takes from each."""
        counts = Counter(chain.from_iterable(map(of, self._votes)))
        chosen = frozenset(key for key, count in counts.items() if self._is_most(count))
        for key, count in sorted(counts.items()):
            self._note(f"{cell}/{key}", count if key in chosen else len(self._votes) - count)
        return chosen

    def support(self, response: str) -> Support:
        """Return what most votes say of a response sentence, with the explanation of the first that agrees."""
        given = [vote.support(response) for vote in self._votes]
        keys = self.keys(lambda vote: vote.support(response).keys, f"supports/{response}")
        verdicts = Counter(support.verdict for support in given)
        verdict = self._most(verdicts) or Verdict.UNJUDGED
        self._note(f"verdict/{response}", max(verdicts.values(), default=0))
        reason = self._most(Counter(support.reason for support in given))
        agreeing = (support.explanation for support in given if support.verdict is verdict)
        return Support(keys, verdict, reason, next(agreeing, ""))

    def _most(self, counts: Counter[_Value]) -> _Value | None:
        return next((value for value, count in counts.items() if self._is_most(count)), None)

    def _is_most(self, count: int) -> bool:
        return 2 * count > self._asked

    def _note(self, cell: str, agreeing: int) -> None:
        if 0 < agreeing < self._asked:
            self.confidence[cell] = agreeing / self._asked


def _explained(labels: Labels, votes: Sequence[Labels]) -> Labels:
    """Take the explanations of the whole from the first of the votes that come nearest in what they explain."""

    def verdicts(of: Labels) -> Iterator[Verdict]:
        return (of.support(key).verdict for key in labels.supports)

    def relevance(vote: Labels) -> int:
        return len(vote.relevant ^ labels.relevant)

    def overall(vote: Labels) -> int:
        return sum(theirs is not ours for theirs, ours in zip(verdicts(vote), verdicts(labels), strict=True))

    if not votes:
        return labels
    return replace(
        labels,
        relevance_explanation=min(votes, key=relevance).relevance_explanation,
        overall_explanation=min(votes, key=overall).overall_explanation,
    )
