"""An in-memory world for the session: records, an archive that folds what was submitted, and a clock that obeys."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tests.rows import make_record
from trace_tui.calls import Call, Cause, Failure, Usage
from trace_tui.errors import BadInputError
from trace_tui.labels import Judge, Judgement, Labels, Support, Verdict
from trace_tui.records import Record, RecordId, Sentence
from trace_tui.review import actions
from trace_tui.review.desk import Desk
from trace_tui.review.ledger import Ledger, summarise
from trace_tui.review.ports import Loaded
from trace_tui.review.session import Session
from trace_tui.reviews import Change, Edit, Introduction, Kept, Labelling, Place, Review, Sighting, Status, apply
from trace_tui.scoring import Summary

JUDGE = Judge("recorded", "gpt-x", about="labels that came with the dataset")


def judge_labels(record: Record, last_verdict: Verdict = Verdict.UNSUPPORTED) -> Labels:
    """All but the last document sentence relevant, the first utilized; all but the last response sentence supported."""
    relevant, responses = record.document_keys[:-1], record.response_keys
    supports = {
        key: Support(frozenset(relevant[:1]), Verdict.SUPPORTED, explanation=f"about {key}") for key in responses
    }
    if responses:
        supports[responses[-1]] = Support(frozenset(), last_verdict, explanation="nowhere")
    return Labels(frozenset(relevant), frozenset(relevant[:1]), supports)


def some_record(number: int, responses: int = 2, suffix: str = "") -> Record:
    return make_record(
        f"question {number}?",
        documents=[[f"First fact {number}.", f"Second fact {number}{suffix}."], [f"Third fact {number}."]],
        response=[f"Claim {number}.{n}." for n in range(responses)],
        uid=f'"{number}"#{number:015x}{suffix}',
        id=str(number),
    )


class World:
    """Source, archive, journal and clock in one."""

    def __init__(
        self, records: Sequence[Record], faults: Mapping[int, str] | None = None, *, judged: bool = True
    ) -> None:
        self.records = list(records)
        self.faults = dict(faults or {})
        self.judged = judged
        self.last_verdict = Verdict.UNSUPPORTED
        self.changes: list[Change] = []
        self.held: list[Change] = []
        self.is_holding = False
        self.asked = 0  # identities that were looked up one by one
        self.scans = 0
        self.time = 0.0
        self.name = "dataset.jsonl"

    # source

    def __len__(self) -> int:
        return len(self.records)

    def is_ready(self, position: int) -> bool:
        return True

    def prepare(self) -> None:
        raise AssertionError("nothing to prepare")

    def load(self, position: int) -> Loaded:
        if position in self.faults:
            raise BadInputError(self.faults[position])
        record = self.records[position]
        judgement = Judgement(JUDGE, judge_labels(record, self.last_verdict)) if self.judged else None
        return Loaded(record, judgement, position + 1)

    def uid_at(self, position: int) -> str | None:
        self.asked += 1
        return self.records[position].uid if position < len(self) and position not in self.faults else None

    def find_uids(self, hints: Mapping[str, int], progress: Callable[[int, int], None]) -> Mapping[str, int]:
        places = {record.uid: position for position, record in reversed(list(enumerate(self.records)))}
        progress(len(hints), len(hints))
        return {uid: places[uid] for uid in hints if uid in places}

    def find_uid(self, uid: str, hint: int) -> int | None:
        self.scans += 1
        return next((n for n, record in enumerate(self.records) if record.uid == uid), None)

    def find_id(self, text: str) -> int | None:
        return next((n for n, record in enumerate(self.records) if str(record.id) == text), None)

    # archive

    def kept(self, uid: str, annotator: str) -> Kept | None:
        start = next((c for c in self.changes if isinstance(c, Introduction) and c.record.uid == uid), None)
        if start is None:
            return None
        review = start.start
        for change in self.changes:
            if isinstance(change, Edit) and change.uid == uid:
                review = apply(review, change.new)
        return Kept(review, start.judgement, self.now() if review.is_accepted else "")

    def status(self, uid: str, annotator: str) -> Status:
        kept = self.kept(uid, annotator)
        return kept.review.status if kept else Status.OPEN

    def has_seen(self, uid: str, annotator: str) -> bool:
        return any(isinstance(c, Sighting) and c.uid == uid for c in self.changes)

    def place(self, dataset: str, annotator: str) -> Place | None:
        return next((c for c in reversed(self.changes) if isinstance(c, Place) and c.dataset == dataset), None)

    def summaries(self, annotator: str, versus: str = "") -> Sequence[Summary]:
        uids = dict.fromkeys(c.record.uid for c in self.changes if isinstance(c, Introduction))
        return [summary for uid in uids if (summary := self.summary(uid, annotator, versus))]

    def summary(self, uid: str, annotator: str, versus: str = "") -> Summary | None:
        met = next((c for c in self.changes if isinstance(c, Introduction) and c.record.uid == uid), None)
        kept = self.kept(uid, annotator)
        if met is None or kept is None:
            return None
        judgement = self.judgement(uid, versus) if versus else kept.judgement
        desk = Desk(Loaded(met.record, None, 0), judgement, met.position, kept.review, accepted_at=kept.accepted_at)
        return summarise(desk, met.dataset)

    def judges(self) -> Sequence[tuple[str, int]]:
        uids = {(judgement.judge.title, uid) for uid, judgement in self._judgements()}
        titles = sorted({title for title, _ in uids})
        return [(title, sum(title == other for other, _ in uids)) for title in titles]

    def judgement(self, uid: str, title: str) -> Judgement | None:
        found = [j for of, j in self._judgements() if of == uid and j.judge.title == title]
        return found[-1] if found else None

    def divided(self, title: str) -> Mapping[str, float]:
        newest = {uid: judgement for uid, judgement in self._judgements() if judgement.judge.title == title}
        return {uid: min(found.confidence.values()) for uid, found in newest.items() if found.confidence}

    def _judgements(self) -> Iterator[tuple[str, Judgement]]:
        for change in self.changes:
            if isinstance(change, Introduction) and change.judgement:
                yield change.record.uid, change.judgement
            elif isinstance(change, Labelling) and isinstance(change.call.outcome, Judgement):
                yield change.record.uid, change.call.outcome

    def edits(self, annotator: str, before: int | None, limit: int) -> Sequence[tuple[int, Edit]]:
        numbered = [(n, c) for n, c in enumerate(self.changes, 1) if isinstance(c, Edit)]
        return [(n, edit) for n, edit in reversed(numbered) if before is None or n < before][:limit]

    def log(self, annotator: str, after: int) -> Sequence[tuple[int, str, str]]:
        return [(n, edit.id, edit.uid) for n, edit in reversed(self.edits(annotator, None, 10**9)) if n > after]

    def namesakes(self, record_id: RecordId, uid: str, annotator: str) -> Sequence[tuple[str, Kept]]:
        introduced = [c.record for c in self.changes if isinstance(c, Introduction)]
        uids = [record.uid for record in introduced if record.id == record_id and record.uid != uid]
        return [(other, kept) for other in uids if (kept := self.kept(other, annotator))]

    def sentences(self, uid: str) -> Sequence[Sentence]:
        record = next(c.record for c in self.changes if isinstance(c, Introduction) and c.record.uid == uid)
        return [*record.document_sentences(), *record.response.sentences]

    # journal

    def submit(self, *changes: Change) -> None:
        (self.held if self.is_holding else self.changes).extend(changes)

    def let_go(self) -> None:
        """Commit what was held back."""
        self.changes += self.held
        self.held, self.is_holding = [], False

    # clock

    def now(self) -> str:
        return f"2026-01-01T00:00:{self.time:09.3f}+00:00"

    def monotonic(self) -> float:
        self.time += 1.0
        return self.time

    # what tests ask

    def session(self, *, blind: bool = False) -> Session:
        session = Session(self, Ledger(self, self, self, "mia", self.name), blind=blind)
        session.resume()
        return session

    def edits_made(self) -> list[Edit]:
        return [change for change in self.changes if isinstance(change, Edit)]

    def review(self, number: int) -> Review:
        kept = self.kept(self.records[number].uid, "mia")
        return kept.review if kept else Review()

    def state(self, number: int) -> Status:
        return self.review(number).status


def accept_sentence(session: Session) -> None:
    session.act("accept", actions.accept_sentence)


def verdict(session: Session, value: Verdict) -> None:
    session.act(value.value, lambda desk: actions.judge_sentence(desk, value))


GROQ = Judge("groq", "openai/gpt-oss-120b", prompt="3f2a1c9e")


def labelled(
    record: Record, judge: Judge = GROQ, *, last_verdict: Verdict = Verdict.SUPPORTED, confidence: Any = None
) -> Call:
    """Return a call in which a judge says of the record what `judge_labels` does, but of the last sentence."""
    judgement = Judgement(judge, judge_labels(record, last_verdict), confidence=confidence or {})
    return Call(record.uid, judge, f"request {record.uid}", "2026-01-01T00:00:00+00:00", Usage(1), judgement)


def failed(record: Record, cause: Cause = Cause.REFUSED, detail: str = "I cannot help with that") -> Call:
    return replace(labelled(record), outcome=Failure(cause, detail))
