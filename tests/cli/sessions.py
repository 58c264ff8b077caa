"""A dataset and reviews of it, made as the screen makes them: through the session, into the store."""

import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from trace_tui.cli.workbench import Cutter, JudgedDataset
from trace_tui.datasets.source import open_dataset
from trace_tui.labels import Verdict
from trace_tui.review import actions
from trace_tui.review.desk import Desk
from trace_tui.review.ledger import Ledger
from trace_tui.review.session import Session
from trace_tui.reviews import Change
from trace_tui.store import Store

Act = Callable[[Session], None]


class Journal:
    """Commits at once."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def submit(self, *changes: Change) -> None:
        self._store.commit(changes)


class Clock:
    """A second passes whenever somebody looks."""

    def __init__(self) -> None:
        self._ticks = itertools.count()

    def now(self) -> str:
        return f"2026-01-01T12:{next(self._ticks) // 60:02}:00.000+00:00"

    def monotonic(self) -> float:
        return float(next(self._ticks))


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def database_of(dataset: Path) -> Path:
    return dataset.with_suffix(".trace.db")


@contextmanager
def session(dataset: Path, annotator: str = "mia", *, blind: bool = False, db: Path | None = None) -> Iterator[Session]:
    """Open the review of a dataset, at its first record."""
    with open_dataset(dataset) as opened, closing(Store.open(db or database_of(dataset))) as store:
        ledger = Ledger(store, Journal(store), Clock(), annotator, dataset.name)
        reviewing = Session(JudgedDataset(opened, Cutter(store.spans)), ledger, blind=blind)
        reviewing.open(0)
        yield reviewing


def review(
    dataset: Path, doings: Mapping[int, Sequence[Act]], annotator: str = "mia", *, blind: bool = False, **more: Any
) -> None:
    """Do things to the records at some positions, one after the other."""
    with session(dataset, annotator, blind=blind, **more) as reviewing:
        for position, acts in doings.items():
            for act in acts:
                reviewing.open(position)
                act(reviewing)


def accept(reviewing: Session) -> None:
    """Accept the record as it stands, unjudged sentences and all."""
    reviewing.act("accept-record", lambda desk: actions.accept_record(desk, insist=True))


def verdict(sentence: int, verdict: Verdict) -> Act:
    def act(reviewing: Session) -> None:
        reviewing.focus(sentence)
        reviewing.act("verdict", lambda desk: actions.judge_sentence(desk, verdict))

    return act


def supported(*sentences: int) -> list[Act]:
    return [verdict(sentence, Verdict.SUPPORTED) for sentence in sentences]


def unsupported(*sentences: int) -> list[Act]:
    return [verdict(sentence, Verdict.UNSUPPORTED) for sentence in sentences]


def relevant(*keys: str) -> list[Act]:
    return [_on_document(actions.toggle_relevant, key) for key in keys]


def utilized(*keys: str) -> list[Act]:
    return [_on_document(actions.toggle_utilized, key) for key in keys]


def note(text: str) -> Act:
    return lambda reviewing: reviewing.act("note", lambda desk: actions.write_note(desk, text))


def flag(reviewing: Session) -> None:
    reviewing.act("flag", actions.toggle_flag)


def _on_document(action: Callable[[Desk, str], actions.Outcome], key: str) -> Act:
    return lambda reviewing: reviewing.act("label", lambda desk: action(desk, key))
