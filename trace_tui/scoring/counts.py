"""The seven counts from which every TRACE score of a record follows."""

from collections.abc import Sequence
from typing import NamedTuple

from trace_tui.labels import Judgement, Labels, Verdict, differing
from trace_tui.records import Record, response_key
from trace_tui.reviews import Mode


class Counts(NamedTuple):
    """How many sentences of a record carry which label: enough to score it under any definition.

    `sentences` is N, `relevant` |R|, `utilized` |U|, `common` |R ∩ U|; `unsupported` and `unjudged` count among
    `response_sentences`.
    """

    sentences: int
    relevant: int
    utilized: int
    common: int
    response_sentences: int
    unsupported: int
    unjudged: int


def count(labels: Labels, record: Record) -> Counts:
    """Count the labels of one record."""
    return tally(labels, len(record.document_keys), record.response_keys)


def tally(labels: Labels, sentences: int, response_keys: Sequence[str]) -> Counts:
    """Count the labels of a record that has `sentences` document sentences and these response sentences."""
    verdicts = [labels.support(key).verdict for key in response_keys]
    return Counts(
        sentences=sentences,
        relevant=len(labels.relevant),
        utilized=len(labels.utilized),
        common=len(labels.relevant & labels.utilized),
        response_sentences=len(verdicts),
        unsupported=verdicts.count(Verdict.UNSUPPORTED),
        unjudged=verdicts.count(Verdict.UNJUDGED),
    )


class Summary(NamedTuple):
    """What the totals need of one reviewed record: its state and the counts of both sides.

    `dataset` is the name under which it was first reviewed, `position` where its row stood when last seen. `judge` is
    the title of the judge compared, "" and `judged` None if there is none. `human` counts the current labels, `blind`
    those accepted before the judge's output was seen; `revised` says that the two differ. `overrides` counts the
    sentences of which judge and human say different things, `blind_overrides` those of which the blind judgement does.
    `accepted_at` orders the trend, "" while the record is not accepted.
    """

    uid: str
    dataset: str
    position: int
    status: str
    flagged: bool
    judge: str
    judged: Counts | None
    human: Counts
    blind: Counts | None
    revised: bool
    overrides: int
    blind_overrides: int
    accepted_at: str

    @property
    def mode(self) -> Mode:
        """Whether the labels as they stand are blind."""
        return Mode.of(was_blind=self.blind is not None, is_revised=self.revised)

    def compared_with(self, judgement: Judgement | None, human: Labels, blind: Labels | None) -> "Summary":
        """Return the same review beside another judge's labels; beside none where there is no judgement.

        Args:
            judgement: of the same record.
            human: the labels that `human` counts.
            blind: those that `blind` counts.
        """
        if judgement is None:
            return self._replace(judge="", judged=None, overrides=0, blind_overrides=0)
        judged = judgement.labels
        response_keys = [response_key(number) for number in range(self.human.response_sentences)]
        return self._replace(
            judge=judgement.judge.title,
            judged=tally(judged, self.human.sentences, response_keys),
            overrides=len(differing(human, judged)),
            blind_overrides=len(differing(blind, judged)) if blind is not None else 0,
        )
