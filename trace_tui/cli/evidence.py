"""Gathers what a report rests on: records of which the truth is known, and what every judge says of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from trace_tui.cli.accepted import accepted
from trace_tui.cli.output import note, note_line_errors, number_of, progress_bar
from trace_tui.cli.slices import DOCUMENT_POSITION, slices_of
from trace_tui.cli.workbench import Cutter, database_path, open_reviews
from trace_tui.datasets.columns import Column, ColumnReader
from trace_tui.datasets.identity import id_or_uid
from trace_tui.datasets.lines import LineError, LineErrors, Progress
from trace_tui.datasets.rows import Row
from trace_tui.datasets.source import Dataset
from trace_tui.errors import BadInputError, UsageError
from trace_tui.judges import lexical, recorded
from trace_tui.labels import Judgement, Labels, Verdict
from trace_tui.normalise import RawLabels
from trace_tui.records import Record
from trace_tui.reviews import Mode
from trace_tui.scoring import AdvancedTRACEScores, Definition, count, scores
from trace_tui.scoring.agreement import agreement_by_document, label_agreement
from trace_tui.scoring.comparison import Case, Judged, Rater
from trace_tui.store import Store

_MADE_HERE: Final = frozenset({recorded.NAME, lexical.NAME})  # judges that label anew: no need to look them up


class Evidence(NamedTuple):
    """Cases by the mode of their truth (`blind`, `assisted` or `recorded`), and who is compared with it."""

    groups: Mapping[str, Sequence[Case]]
    raters: Sequence[Rater]
    annotator: str | None


class Asked(NamedTuple):
    """What a report is asked to rest on. `judges` empty takes all there are; `by` is what it is sliced by."""

    judges: Sequence[str]
    columns: Sequence[Column]
    by: Sequence[str]
    definition: Definition


@contextmanager
def reviews_of(dataset: Path, named: Path | None, *, needed: bool) -> Iterator[Store | None]:
    """Open the database of a dataset to read; yield None where it is not there, not named and not needed.

    Raises:
        StoreError: a database that was named, or is needed, is not there, or one cannot be read.
    """
    path = database_path(dataset, named)
    if not needed and named is None and not path.exists():
        yield None
        return
    with closing(open_reviews(path)) as store:
        yield store


class Gatherer:
    """Makes cases of records, one by one, and knows afterwards which judges there were."""

    def __init__(self, dataset: Dataset, store: Store | None, cutter: Cutter, asked: Asked) -> None:
        self.reader = ColumnReader(asked.columns)
        self._dataset = dataset
        self._store = store
        self._cutter = cutter
        self._asked = asked
        self._with_recorded = False
        self._known = [title for title, _ in store.judges()] if store else []
        self._kept = [
            title for title in self._known if self._wants(title) and title.partition(" ")[0] not in _MADE_HERE
        ]
        self._titles = dict.fromkeys(self._kept)  # in the order in which they were met
        self._lexical = lexical.LexicalOverlap() if lexical.NAME in (asked.judges or self._known) else None

    def by_human(self, store: Store, annotator: str | None) -> Evidence:
        """Take what an annotator accepted for the truth, blind and assisted apart.

        Raises:
            UsageError: there are several annotators and none was named, or a judge that was named is not there.
            BadInputError: nothing was accepted.
        """
        self._with_recorded = True
        found = accepted(store, self._dataset, annotator, None)
        places = {summary.uid: position for position, summary in found.summaries.items()}
        groups: dict[str, list[Case]] = {mode.value: [] for mode in Mode}
        with progress_bar("comparing") as progress:
            for reviewed in store.records_reviewed(found.annotator):
                review = reviewed.kept.review
                if reviewed.uid in places and review.is_accepted:
                    position = places[reviewed.uid]
                    row = self._dataset.row(position)
                    make = self._maker(row, self._cutter.record(row), position)
                    groups[review.mode].append(make(review.labels))
                    if review.blind and review.is_revised:
                        groups[Mode.BLIND].append(make(review.blind))
                    progress(sum(map(len, groups.values())), len(places))
        return self._evidence(groups, found.annotator)

    def by_recorded(self) -> Evidence:
        """Take the labels that came with the rows for the truth; tell on stderr which rows have none.

        Raises:
            UsageError: a judge that was named is not there.
            BadInputError: no row has labels.
        """
        cases = []
        with progress_bar("comparing") as progress:
            for position, row, raw in self._labelled_rows(progress):
                record = self._cutter.record(row)
                truth = recorded.judge_recorded(record, raw).labels
                cases.append(self._maker(row, record, position)(truth))
        if not cases:
            raise BadInputError(f"{self._dataset.path}: no row has labels to take for the truth")
        return self._evidence({recorded.NAME: cases}, None)

    def _labelled_rows(self, progress: Progress) -> Iterator[tuple[int, Row, RawLabels]]:
        errors, seen, unlabelled, doubles = LineErrors(), set(), 0, self._dataset.repeats
        for position in range(len(self._dataset)):
            progress(position, len(self._dataset))
            try:
                row = self._dataset.row(position)
            except LineError as error:
                errors.add(error)
                continue
            unlabelled += row.labels is None
            doubles += row.uid in seen
            if row.labels is not None and row.uid not in seen:
                yield position, row, row.labels
            seen.add(row.uid)
        note_line_errors(errors, str(self._dataset.path), "`trace-tui check` names every one")
        for left_out, why in ((doubles, "the same record was there before"), (unlabelled, "no labels")):
            if left_out:
                note(f"{number_of(left_out, 'row')} left out: {why}")

    def _maker(self, row: Row, record: Record, position: int) -> Callable[[Labels], Case]:
        """Return what makes the case of a record from its true labels; the judges are asked once."""
        rated = {judge: AdvancedTRACEScores.from_dict(found) for judge, found in self.reader.read(row.fields).items()}
        judgements = list(self.judgements(row, record))
        self._titles |= dict.fromkeys(judgement.judge.title for judgement in judgements)
        case = Case(
            uid=row.uid,
            id=id_or_uid(row.id, row.uid),
            position=position,
            truth=AdvancedTRACEScores(),
            relevant_share=None,
            slices=slices_of(record, row.fields, self._asked.by),
        )

        def make(truth: Labels) -> Case:
            counts = count(truth, record)
            judged = {one.judge.title: self._judged(one.labels, truth, record) for one in judgements}
            return replace(
                case,
                truth=scores(counts, self._asked.definition),
                relevant_share=counts.relevant / counts.sentences if counts.sentences else None,
                unsupported=tuple(
                    key for key in record.response_keys if truth.support(key).verdict is Verdict.UNSUPPORTED
                ),
                judged=judged | {judge: Judged(found) for judge, found in rated.items()},
            )

        return make

    def judgements(self, row: Row, record: Record) -> Iterator[Judgement]:
        """Yield what every judge that is wanted says of a record, if it says anything."""
        if self._with_recorded and row.labels is not None:
            judgement = recorded.judge_recorded(record, row.labels)
            if self._wants(judgement.judge.title):
                yield judgement
        if self._lexical:
            yield self._lexical.label(record)
        for title in self._kept:
            if self._store and (kept := self._store.judgement(row.uid, title)):
                yield kept

    def _judged(self, labels: Labels, truth: Labels, record: Record) -> Judged:
        by_document = DOCUMENT_POSITION in self._asked.by
        return Judged(
            scores(count(labels, record), self._asked.definition),
            label_agreement(labels, truth, record),
            tuple(agreement_by_document(labels, truth, record)) if by_document else (),
        )

    def _wants(self, title: str) -> bool:
        return not self._asked.judges or any(_is_called(title, name) for name in self._asked.judges)

    def _evidence(self, groups: Mapping[str, Sequence[Case]], annotator: str | None) -> Evidence:
        there = dict.fromkeys([*self._titles, *self._known])
        for name in self._asked.judges:
            if not any(_is_called(title, name) for title in self._titles):
                raise UsageError(f"no judge {name} to compare here; there is {', '.join(there) or 'none'}")
        columns = dict.fromkeys(column.judge for column in self._asked.columns)
        raters = [*map(Rater, self._titles), *(Rater(judge, graded=True) for judge in columns)]
        return Evidence({mode: cases for mode, cases in groups.items() if cases}, raters, annotator)


def _is_called(title: str, name: str) -> bool:
    """Whether a judge is meant by a name: its title, or the first word of it, which takes in all its models."""
    return title == name or title.startswith(f"{name} ")
