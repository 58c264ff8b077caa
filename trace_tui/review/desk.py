"""The record on the desk: everything the screen shows of it, frozen, and what follows from that."""

from dataclasses import dataclass, replace
from functools import cached_property

from trace_tui.labels import NO_LABELS, NO_SUPPORT, Judgement, Labels, Support, Verdict, differing
from trace_tui.records import Record
from trace_tui.review.ports import Loaded
from trace_tui.reviews import Review
from trace_tui.scoring import AdvancedTRACEScores, Definition, scores
from trace_tui.scoring.counts import Counts, count


@dataclass(frozen=True)
class Desk:
    """One record under review.

    `loaded.judgement` is the record's own: the one that it was first reviewed with, or that came with it. `judgement`
    is what it is compared with, which is another where the session compares with the judge that `versus` names; None
    if that judge has not labelled it.

    `position` counts from 0 in the dataset, `blind` says that the session hides the judge's output until the record
    is accepted, `seen` that this annotator has looked at it before. `accepted_at` is when the record was accepted, ""
    while it is not. `focus` is the number of the response sentence in focus, `cursor` that of the document sentence.
    """

    loaded: Loaded
    judgement: Judgement | None
    position: int
    review: Review
    versus: str = ""
    blind: bool = False
    seen: bool = False
    accepted_at: str = ""
    focus: int = 0
    cursor: int = 0

    @property
    def record(self) -> Record:
        """The record itself."""
        return self.loaded.record

    @property
    def judge_labels(self) -> Labels | None:
        """The judge's labels as far as the annotator may see them: None where there are none or they are hidden."""
        if self.is_hidden or self.judgement is None:
            return None
        return self.judgement.labels

    @cached_property
    def uncertain(self) -> frozenset[str]:
        """Keys of the sentences about which the judge's votes were divided, as far as it may be seen."""
        return self.judgement.uncertain if self.judgement and not self.is_hidden else frozenset()

    @property
    def is_hidden(self) -> bool:
        """Whether the judge's output is kept from the annotator for now."""
        return self.blind and not self.review.is_accepted

    @property
    def lacks_labels(self) -> bool:
        """Whether the judge that the session compares with has not labelled this record."""
        return bool(self.versus) and self.judgement is None

    @property
    def counts_as_blind(self) -> bool:
        """Whether accepting now makes a blind judgement: hidden now, and never seen before."""
        return self.is_hidden and not self.seen

    @cached_property
    def start(self) -> Labels:
        """The labels that the annotator's own set out from, and that `x` goes back to."""
        return self.judge_labels.without_explanations() if self.judge_labels else NO_LABELS

    @property
    def focused_key(self) -> str | None:
        """Key of the response sentence in focus; None where the response has none."""
        keys = self.record.response_keys
        return keys[self.focus] if keys else None

    @property
    def cursor_key(self) -> str | None:
        """Key of the document sentence under the cursor; None where there is none."""
        keys = self.record.document_keys
        return keys[self.cursor] if keys else None

    @property
    def focused(self) -> Support:
        """What the annotator says of the response sentence in focus."""
        return self.review.labels.support(self.focused_key) if self.focused_key else NO_SUPPORT

    @property
    def judged_focused(self) -> Support | None:
        """What the judge says of it, as far as it may be seen."""
        if self.judge_labels is None or self.focused_key is None:
            return None
        return self.judge_labels.support(self.focused_key)

    @cached_property
    def overridden(self) -> frozenset[str]:
        """Keys of the sentences of which human and judge say different things, as far as it may be seen."""
        return differing(self.review.labels, self.judge_labels) if self.judge_labels is not None else frozenset()

    @cached_property
    def unjudged(self) -> tuple[int, ...]:
        """Numbers of the response sentences without a verdict."""
        labels = self.review.labels
        return tuple(
            number
            for number, key in enumerate(self.record.response_keys)
            if labels.support(key).verdict is Verdict.UNJUDGED
        )

    @cached_property
    def judge_counts(self) -> Counts | None:
        """The judge's counts, seen or not: for the totals."""
        return count(self.judgement.labels, self.record) if self.judgement else None

    @cached_property
    def human_counts(self) -> Counts:
        """The counts of the annotator's labels as they stand."""
        return count(self.review.labels, self.record)

    def judge_scores(self, definition: Definition) -> AdvancedTRACEScores | None:
        """Score the judge's labels; None where there are none or they are hidden."""
        if self.judge_labels is None or self.judge_counts is None:
            return None
        return scores(self.judge_counts, definition)

    def human_scores(self, definition: Definition) -> AdvancedTRACEScores:
        """Score the annotator's labels: what counts once the record is accepted."""
        return scores(self.human_counts, definition)

    def first_evidence(self) -> int | None:
        """Number of the first document sentence that supports the response sentence in focus, as far as it is seen."""
        keys = self.focused.keys or (self.judged_focused.keys if self.judged_focused else frozenset())
        numbers = self.record.document_numbers
        return min((numbers[key] for key in keys if key in numbers), default=None)

    def focus_on(self, number: int) -> "Desk":
        """Return the desk with another response sentence in focus, the cursor on the first sentence supporting it."""
        desk = replace(self, focus=_within(number, len(self.record.response_keys)))
        evidence = desk.first_evidence()
        return desk if evidence is None else desk.point_at(evidence)

    def point_at(self, number: int) -> "Desk":
        """Return the desk with the cursor on another document sentence."""
        return replace(self, cursor=_within(number, len(self.record.document_keys)))


def _within(number: int, size: int) -> int:
    return max(0, min(number, size - 1))
