"""After every one of thousands of random keys, the totals on screen equal what the store says when read afresh."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.review.world import World, some_record
from trace_tui.labels import Reason, Verdict, differing
from trace_tui.review import actions
from trace_tui.review.ledger import Ledger
from trace_tui.review.session import Session
from trace_tui.review.totals import Mode, Totals
from trace_tui.reviews import Change
from trace_tui.scoring import Definition, RMSECalculator, count, scores
from trace_tui.store import Store

KEYS = 5_000


class Direct:
    """A journal that commits at once."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def submit(self, change: Change) -> None:
        self._store.commit([change])


def act(session: Session, name: str, action: Callable[..., actions.Outcome]) -> None:
    session.act(name, action)


def random_key(session: Session, chance: random.Random) -> None:
    desk = session.desk
    assert desk is not None
    document = chance.choice(desk.record.document_keys)
    choices: list[Callable[[], None]] = [
        lambda: act(session, "accept", actions.accept_sentence),
        lambda: act(session, "yes", lambda d: actions.judge_sentence(d, Verdict.SUPPORTED)),
        lambda: act(session, "no", lambda d: actions.judge_sentence(d, Verdict.UNSUPPORTED)),
        session.accept_record,
        lambda: act(session, "link", lambda d: actions.link(d, document)),
        lambda: act(session, "relevant", lambda d: actions.toggle_relevant(d, document)),
        lambda: act(session, "utilized", lambda d: actions.toggle_utilized(d, document)),
        lambda: act(session, "reason", lambda d: actions.give_reason(d, chance.choice([None, *Reason]))),
        lambda: act(session, "reset", actions.reset_response),
        lambda: act(session, "reset all", actions.reset_record),
        lambda: act(session, "skip", actions.skip),
        lambda: act(session, "flag", actions.toggle_flag),
        session.undo,
        session.undo,
        session.redo,
        lambda: session.step(chance.choice([-1, 1])),
        lambda: session.focus(chance.randrange(4)),
        session.next_difference,
        session.switch_definition,
        session.ledger.all_saved,
        lambda: setattr(session, "blind", chance.random() < 0.5),  # as if restarted in the other mode
    ]
    chance.choice(choices)()


@pytest.mark.parametrize("seed", [1, 2])
def test_panel_equals_a_recomputation_from_the_store(tmp_path: Path, seed: int) -> None:
    world = World([some_record(n, responses=n % 3) for n in range(1, 9)])
    store = Store.open(tmp_path / "x.trace.db")
    chance = random.Random(seed)
    session = Session(world, Ledger(store, Direct(store), world, "mia", world.name), blind=bool(seed % 2))
    session.resume()
    for number in range(KEYS // 2):
        random_key(session, chance)
        judgement = session.desk.loaded.judgement
        title = judgement.judge.title if judgement else ""
        afresh = Totals(store.summaries("mia"), session.definition).progress(title, len(world))
        assert session.progress() == afresh, f"after key {number}"
        if number % 100 == 0:
            check_against_labels(session, store, world)
    store.close()


def check_against_labels(session: Session, store: Store, world: World) -> None:
    """Once more from the labels themselves, by the plain formulas."""
    pairs: dict[Mode, list[tuple[object, object]]] = {mode: [] for mode in Mode}
    overrides = 0
    for record in world.records:
        kept = store.kept(record.uid, "mia")
        if kept is None or not kept.review.is_accepted:
            continue
        judged = score(kept.judgement.labels, record, session.definition)
        overrides += len(differing(kept.review.labels, kept.judgement.labels))
        if kept.review.blind is not None:
            pairs[Mode.BLIND].append((judged, score(kept.review.blind, record, session.definition)))
        if kept.review.blind is None or differing(kept.review.blind, kept.review.labels):
            pairs[Mode.ASSISTED].append((judged, score(kept.review.labels, record, session.definition)))
    progress = session.progress()
    assert progress.overrides == overrides
    for mode, both in pairs.items():
        predicted, truth = [p for p, _ in both], [t for _, t in both]
        assert progress.rmse[mode] == RMSECalculator.compute_rmse_all_metrics(predicted, truth)


def score(labels: object, record: object, definition: Definition) -> object:
    return scores(count(labels, record), definition)
