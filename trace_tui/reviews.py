"""One annotator's work on one record, and the patches that change it.

A review is addressed cell by cell: `relevant/doc_0_s1`, `supports/resp_s0/doc_0_s1`, `verdict/resp_s0`, `status`.
`diff` says which cells two reviews differ in, `apply` writes cells: so every edit, however large, is one small patch
with its inverse, and undo, the log of edits and two processes on one record all rest on the same two functions.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from trace_tui.calls import Call
from trace_tui.labels import NO_LABELS, NO_SUPPORT, Judgement, Labels, Reason, Verdict, differing
from trace_tui.records import Record

Patch = Mapping[str, Any]
"""Cells by path with the JSON value each takes: true or false in a set, else a word, a text, an object or null."""


class Status(StrEnum):
    """How far the annotator is with the record."""

    OPEN = "open"
    ACCEPTED = "accepted"
    SKIPPED = "skipped"


class Mode(StrEnum):
    """Whether labels were accepted before the annotator saw the judge's output. The two are never pooled."""

    BLIND = "blind"
    ASSISTED = "assisted"

    @classmethod
    def of(cls, *, was_blind: bool, is_revised: bool) -> "Mode":
        """Return the mode of labels as they stand: a blind judgement stays blind until it is revised."""
        return cls.BLIND if was_blind and not is_revised else cls.ASSISTED


@dataclass(frozen=True, slots=True)
class Review:
    """An annotator's labels of a record and what goes with them.

    `settled` holds the response sentences that were decided one by one. `blind` is the judgement as it was accepted
    before the judge's output was seen, frozen; None if there is none. `labels` goes on changing after the reveal.
    `adopted` is the identity of the earlier content whose labels were taken over, "" if none were.
    """

    labels: Labels = NO_LABELS
    settled: frozenset[str] = frozenset()
    status: Status = Status.OPEN
    flagged: bool = False
    note: str = ""
    blind: Labels | None = None
    adopted: str = ""

    @property
    def is_accepted(self) -> bool:
        """Whether human scores exist for this record."""
        return self.status is Status.ACCEPTED

    @property
    def is_revised(self) -> bool:
        """Whether the labels say something else than what was accepted blind."""
        return self.blind is not None and bool(differing(self.labels, self.blind))

    @property
    def mode(self) -> Mode:
        """Whether the labels as they stand are blind."""
        return Mode.of(was_blind=self.blind is not None, is_revised=self.is_revised)


@dataclass(frozen=True, slots=True)
class Kept:
    """What the store keeps of one annotator's review of a record.

    `judgement` is the judge's output it is compared with, `accepted_at` when it was accepted, "" while it is not.
    """

    review: Review
    judgement: Judgement | None
    accepted_at: str = ""


class EditKind(StrEnum):
    """Whether an edit is a fresh decision or takes one back or up again."""

    EDIT = "edit"
    UNDO = "undo"
    REDO = "redo"


@dataclass(frozen=True, slots=True)
class Edit:
    """One entry of the append-only log: who changed which cells of which record, when, from what to what.

    `id` is unique for ever (committing an edit twice is committing it once), `at` is ISO 8601 in UTC, `action` the
    name of what the annotator did, `seconds` the time since the record was shown or last edited, `target` the id of
    the edit that an undo or redo speaks of.
    """

    id: str
    at: str
    annotator: str
    uid: str
    action: str
    old: Patch
    new: Patch
    seconds: float = 0.0
    kind: EditKind = EditKind.EDIT
    target: str | None = None


@dataclass(frozen=True, slots=True)
class Introduction:
    """A record met for the first time: what must be in the store before an edit of it can be.

    `start` is the review from which the annotator's edits set out: the judge's labels, or nothing when blind.
    """

    record: Record
    judgement: Judgement | None
    annotator: str
    start: Review
    dataset: str
    position: int
    at: str


@dataclass(frozen=True, slots=True)
class Sighting:
    """The annotator saw a judge's output of the record: nothing accepted from now on is blind."""

    uid: str
    annotator: str
    judge: str
    at: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where the annotator was in a dataset, to open there again: a position in the file and a sentence in focus.

    It also says where the record stands by now: lines come and go.
    """

    dataset: str
    annotator: str
    position: int
    uid: str
    focus: str


@dataclass(frozen=True, slots=True)
class Labelling:
    """A record that was put to a model, with what came of it. What the call had is kept, labels or failure."""

    record: Record
    call: Call


@dataclass(frozen=True, slots=True)
class Consent:
    """Somebody agreed that the documents of a dataset may be sent to a host."""

    dataset: str
    host: str
    at: str


Change = Edit | Introduction | Sighting | Place | Labelling | Consent


_SETS = ("relevant", "utilized")


def diff(old: Review, new: Review) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the cells in which two reviews differ: their values in `old` and in `new`, under the same paths."""
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}

    def compare(path: str, was: object, now: object) -> None:
        if was != now:
            before[path], after[path] = was, now

    def compare_sets(path: str, was: frozenset[str], now: frozenset[str]) -> None:
        for key in was ^ now:
            compare(f"{path}/{key}", key in was, key in now)

    for name in _SETS:
        compare_sets(name, getattr(old.labels, name), getattr(new.labels, name))
    for key in old.labels.supports.keys() | new.labels.supports.keys():
        was, now = old.labels.support(key), new.labels.support(key)
        if was is not now:
            compare_sets(f"supports/{key}", was.keys, now.keys)
            compare(f"verdict/{key}", was.verdict.value, now.verdict.value)
            compare(f"reason/{key}", _word(was.reason), _word(now.reason))
    compare_sets("settled", old.settled, new.settled)
    compare("status", old.status.value, new.status.value)
    compare("flagged", old.flagged, new.flagged)
    compare("note", old.note, new.note)
    compare("adopted", old.adopted, new.adopted)
    if old.blind != new.blind:
        compare("blind", _labels_json(old.blind), _labels_json(new.blind))
    return before, after


def apply(review: Review, patch: Patch) -> Review:
    """Return the review with the cells of `patch` written. Cells that have their value already stay as they are.

    Raises:
        ValueError: a path or a value that no review has.
    """
    labels = review.labels
    sets = {"relevant": set(labels.relevant), "utilized": set(labels.utilized), "settled": set(review.settled)}
    supports = dict(labels.supports)
    links: dict[str, set[str]] = {}
    fields: dict[str, Any] = {}
    for path, value in patch.items():
        match path.split("/"):
            case ["relevant" | "utilized" | "settled" as name, key]:
                _put(sets[name], key, present=value)
            case ["supports", response, key]:
                _put(links.setdefault(response, set(labels.support(response).keys)), key, present=value)
            case ["verdict" | "reason" as name, response]:
                supports[response] = replace(supports.get(response, NO_SUPPORT), **_decided(name, value))
            case ["status" | "flagged" | "note" | "adopted" | "blind" as name]:
                fields[name] = _FIELDS[name](value)
            case _:
                raise ValueError(f"no review has the cell {path!r}")
    for response, keys in links.items():
        supports[response] = replace(supports.get(response, NO_SUPPORT), keys=frozenset(keys))
    return replace(
        review,
        labels=replace(
            labels,
            relevant=frozenset(sets["relevant"]),
            utilized=frozenset(sets["utilized"]),
            # A sentence of which nothing is said is absent, so that undo leaves what was there before, to the letter.
            supports={key: support for key, support in supports.items() if support != NO_SUPPORT},
        ),
        settled=frozenset(sets["settled"]),
        **fields,
    )


_FIELDS: Mapping[str, Callable[[Any], Any]] = {
    "status": Status,
    "flagged": bool,
    "note": str,
    "adopted": str,
    "blind": lambda value: Labels.from_json(value) if value else None,
}


def _decided(name: str, value: Any) -> dict[str, Any]:
    if name == "verdict":
        return {"verdict": Verdict(value)}
    return {"reason": Reason(value) if value else None}


def _put(keys: set[str], key: str, *, present: bool) -> None:
    if present:
        keys.add(key)
    else:
        keys.discard(key)


def _word(reason: Reason | None) -> str | None:
    return reason.value if reason else None


def _labels_json(labels: Labels | None) -> dict[str, Any] | None:
    return labels.to_json() if labels else None
