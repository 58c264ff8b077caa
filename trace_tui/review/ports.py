"""What the session needs from the world; the command line fills these in."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from trace_tui.calls import Call
from trace_tui.labels import Judgement
from trace_tui.records import Record, RecordId, Sentence
from trace_tui.reviews import Change, Edit, Kept, Place, Status
from trace_tui.scoring.counts import Summary


@dataclass(frozen=True, slots=True)
class Loaded:
    """A record as it stands in the dataset, with its judge's output and what was mended on the way in."""

    record: Record
    judgement: Judgement | None
    line: int
    notices: tuple[str, ...] = ()


class Source(Protocol):
    """The dataset, cut into sentences and judged: a record is made when it is asked for."""

    @property
    def name(self) -> str:
        """The dataset's name, under which places are kept."""

    def __len__(self) -> int:
        """How many records there are to step through."""

    def is_ready(self, position: int) -> bool:
        """Whether `load` answers at once, with nothing to prepare first."""

    def prepare(self) -> None:
        """Do what takes long before a record can be loaded; may be called in another thread."""

    def load(self, position: int) -> Loaded:
        """Return the record at a position from 0; may be called in two threads at once.

        Raises BadInputError for a line that cannot be read.
        """

    def uid_at(self, position: int) -> str | None:
        """Return the identity of the record at a position; None for a line that cannot be read, or past the end."""

    def find_uids(self, hints: Mapping[str, int], progress: Callable[[int, int | None], None]) -> Mapping[str, int]:
        """Return where the records with these identities stand; one that is not in the dataset is absent.

        Looks at the hints first, and tells `progress` how many are done, and of how many.
        """

    def find_uid(self, uid: str, hint: int) -> int | None:
        """Return where the record with this identity stands; looks at `hint` first, then everywhere."""

    def find_id(self, text: str) -> int | None:
        """Return the first position whose id reads as `text`."""


class Archive(Protocol):
    """What earlier sessions left."""

    def kept(self, uid: str, annotator: str) -> Kept | None:
        """Return the annotator's review of a record, None if there is none."""

    def status(self, uid: str, annotator: str) -> Status:
        """Return how far the annotator is with a record."""

    def has_seen(self, uid: str, annotator: str) -> bool:
        """Whether the annotator has ever looked at a judge's output of the record."""

    def place(self, dataset: str, annotator: str) -> Place | None:
        """Return where the annotator was."""

    def summaries(self, annotator: str, versus: str = "") -> Sequence[Summary]:
        """Return what the totals need of every record that the annotator reviewed, of any dataset.

        Each against the judgement that it was reviewed with, or against the newest by the judge of the title `versus`.
        """

    def summary(self, uid: str, annotator: str) -> Summary | None:
        """Return what the totals need of one record, against the judgement that it was reviewed with."""

    def judges(self) -> Sequence[tuple[str, int]]:
        """Return the titles of all judges whose labels are kept, each with the number of records it labelled."""

    def judgement(self, uid: str, title: str) -> Judgement | None:
        """Return the newest judgement of a record by the judge of this title; None if there is none."""

    def divided(self, title: str) -> Mapping[str, float]:
        """Return the records about which a judge's votes differed, with the smallest share of votes for a label."""

    def edits(self, annotator: str, before: int | None, limit: int) -> Sequence[tuple[int, Edit]]:
        """Return the annotator's edits, newest first, older than the sequence number `before`."""

    def log(self, annotator: str, after: int) -> Sequence[tuple[int, str, str]]:
        """Return place, edit id and record of what came into the annotator's log after a place, oldest first."""

    def namesakes(self, record_id: RecordId, uid: str, annotator: str) -> Sequence[tuple[str, Kept]]:
        """Return reviews of other contents under the same id: perhaps what this row was before it changed."""

    def sentences(self, uid: str) -> Sequence[Sentence]:
        """Return the sentences of a stored record."""


class Journal(Protocol):
    """Takes changes to be committed, in order, without waiting."""

    def submit(self, *changes: Change) -> None:
        """Queue changes that are committed together."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is known of a labelling run beyond its results.

    `total` is the number of records that it set out to label. `waits_until` is the local time, `14:03:12`, until which
    it waits for a limit of the service, "" while it does not.
    """

    total: int
    waits_until: str = ""


class LabelService(Protocol):
    """A judge that can be asked for labels during the review, in the app's event loop.

    What it brings is not committed yet: the session hands it to the journal. Cancelling whoever awaits it ends its
    requests at once.
    """

    title: str  # the judge's
    host: str  # where documents would be sent, as it is shown

    def needs_consent(self) -> int | None:
        """Return how many records may be sent if the annotator agrees; None if that was agreed upon before.

        Consent covers the dataset at that host. May be called in another thread.
        """

    def consent(self) -> None:
        """Write down that the annotator agreed."""

    async def label(self, record: Record) -> Call:
        """Put one record to the judge.

        Raises:
            JudgeUnavailableError: no record can be labelled: why, in one line.
        """

    def rest(self, first: int) -> AsyncGenerator[tuple[Record, Call] | Outlook, None]:
        """Label all records of the dataset that this judge has not labelled, from a position on and round to before it.

        Yields:
            Each record with what came of it, as it comes; an outlook first, and whenever that is another.

        Raises:
            JudgeUnavailableError: no further record can be labelled: why, in one line.
        """

    async def aclose(self) -> None:
        """Close all connections."""


class Clock(Protocol):
    """Two clocks: one to write down, one to measure with."""

    def now(self) -> str:
        """Return the time as ISO 8601 in UTC."""

    def monotonic(self) -> float:
        """Return seconds that only ever rise."""
