"""Agreement of a judge with a human on yes-or-no items, sentence by sentence. The human is the truth.

Formulas as in Manning, Raghavan, Schütze, Introduction to Information Retrieval (2008), chapter 8; kappa is Cohen's
(1960). What divides by zero is undefined, not zero.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from trace_tui.labels import Labels, Verdict
from trace_tui.records import Record
from trace_tui.scoring.figures import Figure, ratio

_NOTHING = "no item that both judged"


class Confusion(NamedTuple):
    """How often judge (true or false by the human) and human (positive or negative by the judge) say which."""

    true_positives: int = 0
    false_positives: int = 0
    false_negatives: int = 0
    true_negatives: int = 0

    @property
    def n(self) -> int:
        """The number of items."""
        return sum(self)

    @property
    def precision(self) -> Figure:
        """Which share of the judge's positives is right."""
        positives = self.true_positives + self.false_positives
        return self._ratio(self.true_positives, positives, "the judge calls no item positive")

    @property
    def recall(self) -> Figure:
        """Which share of the human's positives the judge finds."""
        positives = self.true_positives + self.false_negatives
        return self._ratio(self.true_positives, positives, "the human calls no item positive")

    @property
    def f1(self) -> Figure:
        """The harmonic mean of precision and recall, written so that it is 0 where only one of them is undefined."""
        either = 2 * self.true_positives + self.false_positives + self.false_negatives
        return self._ratio(2 * self.true_positives, either, "neither calls any item positive")

    @property
    def agreement(self) -> Figure:
        """Which share of the items both call the same."""
        return self._ratio(self.true_positives + self.true_negatives, self.n, _NOTHING)

    @property
    def kappa(self) -> Figure:
        """Cohen's kappa, in [-1, 1]: agreement beyond what the two rates of positives alone would bring."""
        judge = self.true_positives + self.false_positives
        human = self.true_positives + self.false_negatives
        # Expected and observed agreement, both times n²: whole numbers, so that "all by chance" is seen exactly.
        expected = judge * human + (self.n - judge) * (self.n - human)
        observed = (self.true_positives + self.true_negatives) * self.n
        return self._ratio(observed - expected, self.n**2 - expected, "one class only: both call every item the same")

    def figures(self) -> dict[str, Figure]:
        """Return every statistic by its name in JSON."""
        return {name: getattr(self, name) for name in ("precision", "recall", "f1", "kappa", "agreement")}

    def _ratio(self, part: int, whole: int, why: str) -> Figure:
        return ratio(part, whole, self.n, why if self.n else _NOTHING)


def confusion(pairs: Iterable[tuple[bool, bool]]) -> Confusion:
    """Count items by what (judge, human) say of each."""
    counts = Counter(pairs)
    return Confusion(counts[True, True], counts[True, False], counts[False, True], counts[False, False])


def confusion_of_sets(judge: AbstractSet[object], human: AbstractSet[object], total: int) -> Confusion:
    """Count the items of a set of `total`, of which each side calls some positive."""
    both = len(judge & human)
    return Confusion(both, len(judge) - both, len(human) - both, total - len(judge) - len(human) + both)


def pooled(confusions: Iterable[Confusion]) -> Confusion:
    """Add up counts, so that every item weighs the same, whatever the record it is of."""
    return Confusion(*map(sum, zip(Confusion(), *confusions, strict=True)))


class LabelAgreement(NamedTuple):
    """Agreement on the four kinds of labels.

    The items are: of `relevant` and `utilized` the document sentences; of `supported` the response sentences on which
    both have a verdict; of `links` the pairs of a response sentence and a document sentence.
    """

    relevant: Confusion = Confusion()
    utilized: Confusion = Confusion()
    supported: Confusion = Confusion()
    links: Confusion = Confusion()


def label_agreement(judge: Labels, human: Labels, record: Record) -> LabelAgreement:
    """Compare what judge and human say of every sentence of a record."""
    sentences, responses = len(record.document_keys), record.response_keys
    verdicts = [(judge.support(key).verdict, human.support(key).verdict) for key in responses]
    return LabelAgreement(
        relevant=confusion_of_sets(judge.relevant, human.relevant, sentences),
        utilized=confusion_of_sets(judge.utilized, human.utilized, sentences),
        supported=confusion(
            (ours is Verdict.SUPPORTED, theirs is Verdict.SUPPORTED)
            for ours, theirs in verdicts
            if Verdict.UNJUDGED not in {ours, theirs}
        ),
        links=pooled(
            confusion_of_sets(judge.support(key).keys, human.support(key).keys, sentences) for key in responses
        ),
    )


def agreement_by_document(judge: Labels, human: Labels, record: Record) -> Iterator[LabelAgreement]:
    """Yield the agreement on the sentences of each document in rank order; `supported` is of no document."""
    for document in record.documents:
        keys = {sentence.key for sentence in document.sentences}
        yield LabelAgreement(
            relevant=confusion_of_sets(judge.relevant & keys, human.relevant & keys, len(keys)),
            utilized=confusion_of_sets(judge.utilized & keys, human.utilized & keys, len(keys)),
            links=pooled(
                confusion_of_sets(judge.support(key).keys & keys, human.support(key).keys & keys, len(keys))
                for key in record.response_keys
            ),
        )


def pooled_labels(agreements: Iterable[LabelAgreement]) -> LabelAgreement:
    """Add up the counts of records, kind by kind."""
    return LabelAgreement(*map(pooled, zip(LabelAgreement(), *agreements, strict=True)))
