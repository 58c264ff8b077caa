"""Between what is kept in memory and what stands in a row."""

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec

from trace_tui.labels import Judge, Judgement, Labels
from trace_tui.reviews import Edit, EditKind, Kept, Review, Status
from trace_tui.scoring.counts import Counts, Summary


class Reviewed(NamedTuple):
    """One annotator's review of one record, with what an export tells of it.

    `mode` is `blind` if the labels are those accepted before the judge's output was seen, else `assisted`. Times are
    ISO 8601 in UTC, `seconds` is the time spent.
    """

    uid: str
    kept: Kept
    mode: str
    started_at: str
    seconds: float


def dump(value: Any) -> str:
    """Write JSON as it stands in the database: compact, in any script."""
    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:  # half of a surrogate pair, which only the slower writer takes
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def dump_labels(labels: Labels) -> str:
    """Write labels as JSON."""
    return dump(labels.to_json())


def load_labels(text: str) -> Labels:
    """Read labels that `dump_labels` wrote."""
    return Labels.from_json(json.loads(text))


class LabelsMemo:
    """Reads and writes labels as the two functions do, and remembers the last few.

    An edit reads what the edit before it wrote, and the judgement it compares with never changes: on a record of
    20,000 sentences parsing them again would take most of a commit.
    """

    _ROOM = 8

    def __init__(self) -> None:
        self._known: dict[str, Labels] = {}

    def load(self, text: str) -> Labels:
        """Read labels from JSON."""
        return self._keep(text, self._known.get(text) or load_labels(text))

    def dump(self, labels: Labels) -> str:
        """Write labels as JSON."""
        text = dump_labels(labels)
        self._keep(text, labels)
        return text

    def _keep(self, text: str, labels: Labels) -> Labels:
        self._known.pop(text, None)
        self._known[text] = labels  # the newest last
        if len(self._known) > self._ROOM:
            del self._known[next(iter(self._known))]
        return labels


REVIEW = """reviews.labels, reviews.settled, reviews.status, reviews.flagged, reviews.note, reviews.blind,
    reviews.adopted"""


def load_review(row: Sequence[Any], load: Callable[[str], Labels] = load_labels) -> Review:
    """Read the columns of `REVIEW`, the labels by `load`."""
    labels, settled, status, flagged, note, blind, adopted = row
    return Review(
        labels=load(labels),
        settled=frozenset(json.loads(settled)),
        status=Status(status),
        flagged=bool(flagged),
        note=note,
        blind=load(blind) if blind else None,
        adopted=adopted,
    )


JUDGEMENT = """judgements.judge, judgements.model, judgements.version, judgements.about, judgements.prompt,
    judgements.labels, judgements.parameters, judgements.confidence, judgements.repairs"""


def load_judgement(row: Sequence[Any]) -> Judgement | None:
    """Read the columns of `JUDGEMENT`; None from the nulls of a review that is compared with no judge."""
    *judge, labels, parameters, confidence, repairs = row
    if labels is None:
        return None
    details = map(json.loads, (parameters, confidence, repairs))
    return Judgement(Judge(*judge), load_labels(labels), *details)


KEPT = f"{REVIEW}, {JUDGEMENT}, reviews.accepted_at"


def load_kept(row: Sequence[Any]) -> Kept:
    """Read the columns of `KEPT`."""
    return Kept(load_review(row[:7]), load_judgement(row[7:-1]), row[-1])


EDIT = "seq, id, at, annotator, record, action, old, new, seconds, kind, target"


def load_edit(row: Sequence[Any]) -> tuple[int, Edit]:
    """Read the columns of `EDIT`: the place in the log and the edit."""
    seq, edit_id, at, annotator, uid, action, old, new, seconds, kind, target = row
    cells = json.loads(old), json.loads(new)
    return seq, Edit(edit_id, at, annotator, uid, action, *cells, seconds, EditKind(kind), target)


SUMMARY = """
    reviews.record, reviews.dataset, reviews.position, reviews.status, reviews.flagged, reviews.revised,
    reviews.overrides, reviews.blind_overrides, reviews.accepted_at,
    coalesce(judgements.title, ''),
    judgements.sentences, judgements.relevant, judgements.utilized, judgements.common,
    judgements.response_sentences, judgements.unsupported, judgements.unjudged,
    reviews.sentences, reviews.relevant, reviews.utilized, reviews.common,
    reviews.response_sentences, reviews.unsupported, reviews.unjudged,
    reviews.sentences, reviews.blind_relevant, reviews.blind_utilized, reviews.blind_common,
    reviews.response_sentences, reviews.blind_unsupported, reviews.blind_unjudged
"""


def load_summary(row: Sequence[Any]) -> Summary:
    """Read the columns of `SUMMARY`."""
    uid, dataset, position, status, flagged, revised, overrides, blind_overrides, accepted_at, judge = row[:10]
    return Summary(
        uid,
        dataset,
        position,
        status,
        bool(flagged),
        judge,
        None if row[10] is None else Counts._make(row[10:17]),
        Counts._make(row[17:24]),
        None if row[25] is None else Counts._make(row[24:31]),
        bool(revised),
        overrides,
        blind_overrides,
        accepted_at,
    )
