"""After every one of thousands of random keys, the totals on screen equal what the store says when read afresh."""

import random
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import count as numbers
from pathlib import Path

import pytest

from tests.review.world import GROQ, World, labelled, some_record
from trace_tui.labels import Judge, Labels, Reason, Verdict, differing
from trace_tui.records import Record
from trace_tui.review import actions
from trace_tui.review.ledger import Ledger
from trace_tui.review.session import Session
from trace_tui.review.totals import Progress, Totals
from trace_tui.reviews import Change, Mode, Review
from trace_tui.scoring import AdvancedTRACEScores, Definition, RMSECalculator, count, scores
from trace_tui.store import Store

KEYS = 5_000


class Direct:
    """A journal that commits at once."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def submit(self, *changes: Change) -> None:
        self._store.commit(changes)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store.open(tmp_path / "x.trace.db")) as opened:
        opened.prepare()
        yield opened


def session_on(world: World, store: Store, *, blind: bool = False) -> Session:
    session = Session(world, Ledger(store, Direct(store), world, "mia", world.name), blind=blind)
    session.resume()
    return session


def dataset(name: str, *numbers: int, suffix: str = "") -> World:
    world = World([some_record(n, responses=n % 3, suffix=suffix) for n in numbers])
    world.name = name
    return world


def two_datasets(store: Store) -> tuple[World, World]:
    """Return two datasets with a record in common, records of one id in both, and ones that changed since a review."""
    old = dataset("one.jsonl", 1, 2, 3, suffix=" as it was")
    session = session_on(old, store)
    for _ in old.records:
        session.act("relevant", lambda desk: actions.toggle_relevant(desk, desk.cursor_key))
        session.accept_record()
    one, two = dataset("one.jsonl", *range(1, 9)), dataset("two.jsonl", *range(6, 10), suffix=" of two")
    two.records.insert(2, one.records[3])
    return one, two


def deeds(session: Session, chance: random.Random) -> list[Callable[[], object]]:
    """Return what can be done to the record on the desk."""
    desk = session.desk
    assert desk is not None
    document = chance.choice(desk.record.document_keys)
    reason, note = chance.choice([None, *Reason]), chance.choice(["", "odd", "look again"])
    acts: list[tuple[str, Callable[[actions.Desk], actions.Outcome]]] = [
        ("accept", actions.accept_sentence),
        ("supported", lambda d: actions.judge_sentence(d, Verdict.SUPPORTED)),
        ("unsupported", lambda d: actions.judge_sentence(d, Verdict.UNSUPPORTED)),
        ("reject", actions.reject),
        ("supports", lambda d: actions.link(d, document)),
        ("relevant", lambda d: actions.toggle_relevant(d, document)),
        ("utilized", lambda d: actions.toggle_utilized(d, document)),
        ("reason", lambda d: actions.give_reason(d, reason)),
        ("reset", actions.reset_response),
        ("reset", actions.reset_document),
        ("reset-record", actions.reset_record),
        ("skip", actions.skip),
        ("reopen", actions.reopen),
        ("flag", actions.toggle_flag),
        ("note", lambda d: actions.write_note(d, note)),
    ]
    return [
        *((lambda name=name, action=action: session.act(name, action)) for name, action in acts),
        *(session.accept_record, session.accept_record, session.undo, session.undo, session.redo),
    ]


def moves(session: Session, chance: random.Random) -> list[Callable[[], object]]:
    return [
        lambda: session.step(chance.choice([-1, 1])),
        lambda: session.focus(chance.randrange(4)),
        session.next_difference,
        session.switch_definition,
        session.adopt_stale,
        lambda: setattr(session, "blind", chance.random() < 0.5),  # as if restarted in the other mode
        session.next_judge,
    ]


def receive(session: Session, world: World, chance: random.Random) -> None:
    """Let a judge label a record; what is offered on the desk is taken."""
    record = chance.choice(world.records)
    judge = chance.choice([GROQ, Judge("other")])
    session.receive(record, labelled(record, judge, last_verdict=chance.choice(list(Verdict))), asked=False)
    if session.offered:
        session.next_judge()


def judge_of(session: Session) -> str:
    judgement = session.desk.judgement if session.desk else None
    return session.compared or (judgement.judge.title if judgement else "")


def afresh(session: Session, store: Store, world: World) -> Progress:
    here = {record.uid for record in world.records}
    totals, versus = (
        Totals(summary for summary in store.summaries("mia", title) if summary.uid in here)
        for title in ("", session.compared)
    )
    agreement = versus.agreement(judge_of(session), session.definition)
    return replace(totals.progress("", len(world), session.definition), agreement=agreement)


@pytest.mark.parametrize("seed", [1, 2])
def test_panel_equals_a_recomputation_from_the_store(store: Store, seed: int) -> None:
    chance = random.Random(seed)
    both = two_datasets(store)
    for part in numbers():
        world = both[part % 2]
        session = session_on(world, store, blind=bool(chance.randrange(2)))
        found = session.take_stock()
        chance.choice(deeds(session, chance))()  # before it is known what is there
        session.take_over(found)
        world.scans = 0
        for number in range(100):
            assert session.progress() == afresh(session, store, world), f"part {part}, key {number}"
            chance.choice(deeds(session, chance) + moves(session, chance))()
            if chance.random() < 0.1:
                receive(session, world, chance)
            assert session.compared_totals is not None
        check_against_labels(session, store, world)
        assert world.scans == 0, "no key goes through the file"
        if part * 100 >= KEYS // 2:
            return


def test_two_windows_know_of_each_other_and_accept_what_was_seen(store: Store) -> None:
    chance = random.Random(3)
    one, two = two_datasets(store)
    del two.records[2]  # the one in common: what another window does in another dataset counts here from the next start
    windows = [(session_on(world, store, blind=blind), world) for world, blind in [(one, False), (one, True), (two, 1)]]
    for session, _ in windows:
        assert session.totals
    for number in range(KEYS // 4):
        session, world = chance.choice(windows)
        if chance.random() < 0.3:
            chance.choice(moves(session, chance))()
            continue
        record, shown = session.desk.record, session.desk.review
        before, deed = stored(store, record), chance.choice(deeds(session, chance))
        deed()
        assert session.progress() == afresh(session, store, world), f"key {number}"
        after = stored(store, record)
        is_turned = deed in (session.undo, session.redo)
        if after and after.is_accepted and not (before and before.is_accepted) and not is_turned:
            assert after.labels == shown.labels
            assert before is None or before.labels == shown.labels


def stored(store: Store, record: Record) -> Review | None:
    kept = store.kept(record.uid, "mia")
    return kept.review if kept else None


def check_against_labels(session: Session, store: Store, world: World) -> None:
    """Once more from the labels themselves, by the plain formulas."""
    pairs: dict[Mode, list[tuple[AdvancedTRACEScores, AdvancedTRACEScores]]] = {mode: [] for mode in Mode}
    overrides = dict.fromkeys(Mode, 0)
    for record in world.records:
        kept = store.kept(record.uid, "mia")
        if kept is None or not kept.review.is_accepted:
            continue
        judgement = store.judgement(record.uid, session.compared) if session.compared else kept.judgement
        if judgement is None or judgement.judge.title != judge_of(session):
            continue
        judged = judgement.labels
        said: dict[Mode, Labels] = {}
        if kept.review.blind is not None:
            said[Mode.BLIND] = kept.review.blind
        if kept.review.blind is None or differing(kept.review.blind, kept.review.labels):
            said[Mode.ASSISTED] = kept.review.labels
        for mode, labels in said.items():
            overrides[mode] += len(differing(labels, judged))
            pairs[mode].append((score(judged, record, session.definition), score(labels, record, session.definition)))
    for mode, both in pairs.items():
        predicted, truth = [p for p, _ in both], [t for _, t in both]
        agreement = session.progress().agreement[mode]
        assert agreement.overrides == overrides[mode]
        assert agreement.rmse == RMSECalculator.compute_rmse_all_metrics(predicted, truth)


def score(labels: Labels, record: Record, definition: Definition) -> AdvancedTRACEScores:
    return scores(count(labels, record), definition)
