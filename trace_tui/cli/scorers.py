"""Whose labels `trace-tui score` scores: the row's own, word coverage, or what a model said when it was asked."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Final

from trace_tui.calls import Cause, listed
from trace_tui.cli.judges import titles_named
from trace_tui.cli.output import note, note_line_errors, number_of, progress_bar
from trace_tui.cli.scoresheet import Scored
from trace_tui.cli.workbench import Cutter
from trace_tui.datasets.identity import id_or_uid
from trace_tui.datasets.lines import LineError, LineErrors
from trace_tui.datasets.rows import Row
from trace_tui.datasets.source import Dataset
from trace_tui.errors import BadInputError, JudgeUnavailableError, UsageError
from trace_tui.judges import lexical, recorded
from trace_tui.scoring import AdvancedTRACEScores, Definition, count, scores
from trace_tui.store import Store

_JUDGES: Final = (recorded.NAME, lexical.NAME)


def scorer(
    dataset: Dataset,
    store: Callable[[], Store | None],
    spacy_model: str | None,
    named: str | None,
    definition: Definition,
) -> "Scorer":
    """Choose whose labels are scored: the row's, word coverage, or those that a model gave earlier.

    Raises:
        UsageError: there is no judge of that name, or several.
        BadInputError: no row can be read.
        JudgeUnavailableError: the labels of the rows are wanted, and none has any.
    """
    if named is not None and named not in _JUDGES:
        database = store()
        title = _title(named, [title for title, _ in database.judges()] if database else [])
        assert database
        return _ByModel(dataset, definition, title, database)
    cutter = Cutter(lambda uid: found.spans(uid) if (found := store()) else None, spacy_model)
    return _ByRule(dataset, definition, _choose(dataset, named), cutter, is_named=named is not None)


def _title(named: str, titles: Sequence[str]) -> str:
    found = titles_named(named, titles)
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"several judges are called {named}: {', '.join(found)}; give more of the title")
    raise UsageError(f"no judge {named} scores here; there is {', '.join([*_JUDGES, *titles])}")


class Scorer(ABC):
    """Scores a dataset by the labels of one judge, row by row, and remembers what there is to tell afterwards."""

    def __init__(self, dataset: Dataset, definition: Definition, judge: str) -> None:
        self.judge = judge
        self._dataset = dataset
        self._definition = definition
        self._errors = LineErrors()
        self._doubles = dataset.repeats

    def records(self) -> Iterator[Scored]:
        """Yield the scores of every record, in the order of the file."""
        seen = set()
        with progress_bar("scoring", among_data=True) as progress:
            for position in range(len(self._dataset)):
                try:
                    row = self._dataset.row(position)
                except LineError as error:
                    self._errors.add(error)
                else:
                    if row.uid in seen:
                        self._doubles += 1
                    else:
                        seen.add(row.uid)
                        yield self._score(row)
                progress(position + 1, len(self._dataset))

    @abstractmethod
    def _score(self, row: Row) -> Scored:
        """Score one record."""

    def tell(self) -> None:
        """Say on stderr what a reader of the scores should know."""
        note_line_errors(self._errors, str(self._dataset.path), "`trace-tui check` names every one")
        if self._doubles:
            note(f"{number_of(self._doubles, 'row')} left out: the same record was there before")


class _ByRule(Scorer):
    """By the labels that came with the rows, or by word coverage."""

    def __init__(self, dataset: Dataset, definition: Definition, judge: str, cutter: Cutter, *, is_named: bool) -> None:
        super().__init__(dataset, definition, judge)
        self._is_named = is_named
        self._cutter = cutter
        self._lexical = lexical.LexicalOverlap()
        self._labelled = 0
        self._unlabelled = 0

    def _score(self, row: Row) -> Scored:
        self._labelled += row.labels is not None
        self._unlabelled += row.labels is None
        row_id = id_or_uid(row.id, row.uid)
        if self.judge == recorded.NAME and row.labels is None:
            return Scored(row_id, AdvancedTRACEScores(), None)
        record = self._cutter.record(row)
        if self.judge == recorded.NAME and row.labels is not None:
            judgement = recorded.judge_recorded(record, row.labels)
        else:
            judgement = self._lexical.label(record)
        return Scored(row_id, scores(count(judgement.labels, record), self._definition), judgement.judge.title)

    def tell(self) -> None:
        """Say also how many rows have labels, or have none."""
        super().tell()
        if self.judge == lexical.NAME:
            note(f"{lexical.NAME}: {lexical.ABOUT}")
            if self._labelled and not self._is_named:
                note(f"{number_of(self._labelled, 'row')} with labels: --judge {recorded.NAME} scores by those")
        elif self._unlabelled:
            note(f"{number_of(self._unlabelled, 'record')} without labels: scores undefined")


class _ByModel(Scorer):
    """By what a model said when `label` or `review` asked it."""

    def __init__(self, dataset: Dataset, definition: Definition, judge: str, store: Store) -> None:
        super().__init__(dataset, definition, judge)
        self._counts = store.counts(judge)
        self._failures = store.failures(judge)
        self._failed: Counter[Cause] = Counter()
        self._missing = 0

    def _score(self, row: Row) -> Scored:
        row_id = id_or_uid(row.id, row.uid)
        if row.uid in self._counts:
            return Scored(row_id, scores(self._counts[row.uid], self._definition), self.judge)
        if row.uid in self._failures:
            self._failed[self._failures[row.uid]] += 1
        else:
            self._missing += 1
        return Scored(row_id, AdvancedTRACEScores(), None)

    def tell(self) -> None:
        """Say also how many records have no score, and why."""
        super().tell()
        if self._failed:
            note(f"{number_of(self._failed.total(), 'record')} failed ({listed(self._failed)}): scores undefined")
        if self._missing:
            note(f"{number_of(self._missing, 'record')} not labelled by {self.judge}: scores undefined")


def _choose(dataset: Dataset, named: str | None) -> str:
    rows = _readable(dataset)
    first = next(rows, None)
    if first is None:
        raise BadInputError(_why_nothing(dataset))
    if named == recorded.NAME and first.labels is None and all(row.labels is None for row in rows):
        raise JudgeUnavailableError(f"{dataset.path}: no row has labels; --judge {lexical.NAME} needs none")
    return named or (lexical.NAME if first.labels is None else recorded.NAME)


def _why_nothing(dataset: Dataset) -> str:
    others = f"; nor is any of the {len(dataset) - 1:,} others a record" if len(dataset) > 1 else ""
    try:
        dataset.row(0)
    except LineError as error:
        return f"{error}{others}"
    raise AssertionError("a row that could not be read can be read")


def _readable(dataset: Dataset) -> Iterator[Row]:
    for position in range(len(dataset)):
        with suppress(LineError):
            yield dataset.row(position)
