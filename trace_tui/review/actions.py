"""What an annotator can do to the record on the desk: from a desk to a review, a step and a word; nothing else."""

from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any

from trace_tui.labels import Labels, Reason, Support, Verdict
from trace_tui.review.desk import Desk
from trace_tui.reviews import Review, Status


class Step(Enum):
    """Where to go after an action."""

    STAY = auto()
    SENTENCE = auto()
    UNJUDGED = auto()
    RECORD = auto()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an action leaves: the review as it then is, where to go, and a word for the annotator.

    `hints` names the actions of the key table that are likely to come next; their keys are shown after the message.
    """

    review: Review
    step: Step = Step.STAY
    message: str = ""
    hints: tuple[str, ...] = ()


def accept_sentence(desk: Desk) -> Outcome:
    """Accept the response sentence in focus as it stands; on the last one, the record."""
    key = desk.focused_key
    if key is None:
        return accept_record(desk, insist=False)
    is_last = desk.focus == len(desk.record.response_keys) - 1
    if desk.review.is_accepted:
        return Outcome(desk.review, Step.RECORD if is_last else Step.SENTENCE)
    if desk.focused.verdict is Verdict.UNJUDGED:
        return Outcome(desk.review, message=f"{key} has no verdict yet", hints=("supported", "unsupported"))
    settled = replace(desk.review, settled=desk.review.settled | {key})
    if not is_last:
        return Outcome(settled, Step.SENTENCE)
    return accept_record(replace(desk, review=settled), insist=False)


def accept_record(desk: Desk, *, insist: bool) -> Outcome:
    """Accept the whole record and go on; with unjudged sentences only if the annotator insists."""
    if desk.review.is_accepted:
        return Outcome(desk.review, Step.RECORD)
    if desk.unjudged and not insist:
        key = desk.record.response_keys[desk.unjudged[0]]
        more = f" ({len(desk.unjudged)} unjudged)" if len(desk.unjudged) > 1 else ""
        message = f"{key} has no verdict yet{more}: adherence would be undefined"
        return Outcome(desk.review, Step.UNJUDGED, message, ("accept-record",))
    accepted = replace(desk.review, status=Status.ACCEPTED)
    if not desk.counts_as_blind:
        return Outcome(accepted, Step.RECORD)
    # Going back shows what the judge says.
    return Outcome(replace(accepted, blind=accepted.labels), Step.RECORD, "accepted blind", ("previous-record",))


def judge_sentence(desk: Desk, verdict: Verdict) -> Outcome:
    """Say that the response sentence in focus is supported or not, and go on to the next.

    An unsupported sentence has no reason for needing no sentence; its supporting sentences stay: that is partial.
    """
    return _decide(desk, verdict=verdict, reason=desk.focused.reason if verdict is Verdict.SUPPORTED else None)


def reject(desk: Desk) -> Outcome:
    """Say that nothing supports the response sentence in focus: no verdict but that, no link; go on to the next."""
    return _decide(desk, verdict=Verdict.UNSUPPORTED, reason=None, keys=frozenset())


def _decide(desk: Desk, **changes: Any) -> Outcome:
    key, keys = desk.focused_key, desk.record.response_keys
    if key is None:
        return Outcome(desk.review, message="the response has no sentence")
    review = _with_support(desk, **changes)
    review = replace(review, settled=review.settled | {key})
    if desk.focus < len(keys) - 1:
        return Outcome(review, Step.SENTENCE)
    if review.is_accepted:
        return Outcome(review)
    decided = "all sentences are" if review.settled.issuperset(keys) else "the last sentence is"
    return Outcome(review, message=f"{decided} decided", hints=("accept",))


def link(desk: Desk, document_key: str | None) -> Outcome:
    """Link or unlink a document sentence as support of the one in focus; linking marks it utilized too."""
    if document_key is None or desk.focused_key is None:
        return Outcome(desk.review, message="nothing to link")
    keys = desk.focused.keys
    if document_key in keys:
        return Outcome(_with_support(desk, keys=keys - {document_key}))
    review = _with_support(desk, keys=keys | {document_key})
    return Outcome(_with_labels(review, utilized=review.labels.utilized | {document_key}))


def toggle_relevant(desk: Desk, document_key: str | None) -> Outcome:
    """Mark or unmark a document sentence as relevant to the question."""
    if document_key is None:
        return Outcome(desk.review, message="there is no document sentence")
    return Outcome(_with_labels(desk.review, relevant=desk.review.labels.relevant ^ {document_key}))


def toggle_utilized(desk: Desk, document_key: str | None) -> Outcome:
    """Mark or unmark a document sentence as utilized by the response."""
    if document_key is None:
        return Outcome(desk.review, message="there is no document sentence")
    return Outcome(_with_labels(desk.review, utilized=desk.review.labels.utilized ^ {document_key}))


def give_reason(desk: Desk, reason: Reason | None) -> Outcome:
    """Say why the sentence in focus needs no document sentence, which makes it supported; None takes that back."""
    if desk.focused_key is None:
        return Outcome(desk.review, message="the response has no sentence")
    if reason is None:
        return Outcome(_with_support(desk, reason=None))
    review = _with_support(desk, reason=reason, verdict=Verdict.SUPPORTED)
    return Outcome(replace(review, settled=review.settled | {desk.focused_key}))


def reset_response(desk: Desk) -> Outcome:
    """Take the response sentence in focus back to the judge's label; to none while that is hidden."""
    key = desk.focused_key
    if key is None:
        return Outcome(desk.review, message="the response has no sentence")
    start = desk.start.support(key)
    review = _with_support(desk, keys=start.keys, verdict=start.verdict, reason=start.reason)
    return Outcome(replace(review, settled=review.settled - {key}))


def reset_document(desk: Desk) -> Outcome:
    """Take relevance and utilization of the document sentence under the cursor back to the judge's label."""
    key = desk.cursor_key
    if key is None:
        return Outcome(desk.review, message="there is no document sentence")
    labels = desk.review.labels
    return Outcome(
        _with_labels(
            desk.review,
            relevant=_as_in(labels.relevant, desk.start.relevant, key),
            utilized=_as_in(labels.utilized, desk.start.utilized, key),
        )
    )


def reset_record(desk: Desk) -> Outcome:
    """Take every label of the record back to the judge's; to none while those are hidden."""
    return Outcome(replace(desk.review, labels=desk.start, settled=frozenset()))


def skip(desk: Desk) -> Outcome:
    """Leave the record for later and go on; an accepted one stays accepted."""
    if desk.review.is_accepted:
        return Outcome(desk.review, Step.RECORD)
    return Outcome(replace(desk.review, status=Status.SKIPPED), Step.RECORD)


def reopen(desk: Desk) -> Outcome:
    """Take back that the record was accepted or skipped; what was accepted blind stays the blind judgement."""
    if desk.review.status is Status.OPEN:
        return Outcome(desk.review, message="the record is open")
    return Outcome(replace(desk.review, status=Status.OPEN), message="the record is open again")


def toggle_flag(desk: Desk) -> Outcome:
    """Flag the record for a second look, or take the flag off."""
    return Outcome(replace(desk.review, flagged=not desk.review.flagged))


def write_note(desk: Desk, note: str) -> Outcome:
    """Put a note on the record; an empty one removes it."""
    return Outcome(replace(desk.review, note=note.strip()))


def adopt(desk: Desk, uid: str, labels: Labels) -> Outcome:
    """Take over the labels made for another content, of this identity, already brought to this record's keys."""
    return Outcome(replace(desk.review, labels=labels, adopted=uid), message="labels of the earlier content taken over")


def _as_in(keys: frozenset[str], start: frozenset[str], key: str) -> frozenset[str]:
    return keys | {key} if key in start else keys - {key}


def _with_labels(review: Review, **sets: frozenset[str]) -> Review:
    return replace(review, labels=replace(review.labels, **sets))  # type: ignore[arg-type]  # only the two sets are given


def _with_support(desk: Desk, **changes: Any) -> Review:
    """Change what is said of the sentence in focus; of which nothing is said any more is absent again."""
    key = desk.focused_key
    assert key is not None
    labels = desk.review.labels
    support: Support = replace(labels.support(key), **changes)
    supports = {**labels.supports, key: support}
    if support == Support():
        del supports[key]
    return replace(desk.review, labels=replace(labels, supports=supports))
