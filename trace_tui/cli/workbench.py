"""Puts dataset, splitter, judges and store together: what the commands that judge records share."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from trace_tui.datasets.rows import Row, record_of
from trace_tui.datasets.source import Dataset
from trace_tui.errors import BadInputError, StoreError, UsageError
from trace_tui.judges.recorded import judge_recorded
from trace_tui.labels import Judgement
from trace_tui.records import Record, Spans
from trace_tui.review.ports import Loaded
from trace_tui.store import Store

if TYPE_CHECKING:
    from trace_tui.datasets.sentences import Splitter

_KEPT = 16  # records parsed lately; going back and forth costs nothing


def database_path(dataset: Path, named: Path | None) -> Path:
    """Return where the reviews of a dataset are kept: `--db`, or beside it `NAME.trace.db`.

    NAME is the file's without `.gz` and `.jsonl`: packing it changes nothing, and `x.json` has another than `x.jsonl`.

    Raises:
        UsageError: the database would be the dataset itself.
    """
    name = dataset.name.removesuffix(".gz").removesuffix(".jsonl")
    path = named or dataset.with_name(f"{name}.trace.db")
    if path.resolve() == dataset.resolve():
        raise UsageError(f"{path}: is the dataset; name another file with --db")
    return path


def open_reviews(path: Path) -> Store:
    """Open a database to read what was reviewed.

    Raises:
        StoreError: there is none, or it cannot be read.
    """
    if not path.exists():
        raise StoreError(f"{path}: there is no such database; `trace-tui review` makes it, --db names another one")
    return Store.open(path, write=False)


@contextmanager
def stored(dataset: Path, named: Path | None) -> Iterator[Callable[[], Store | None]]:
    """Yield what opens the database of a dataset when it is first asked; None where there is none yet.

    A database that was not named may be missing, and is not opened before it is asked for.

    Raises:
        StoreError: the database that was named is not there, or one cannot be read.
    """
    path = database_path(dataset, named)
    with ExitStack() as opened:

        @cache
        def store() -> Store | None:
            if named is None and not path.exists():
                return None
            return opened.enter_context(closing(open_reviews(path)))

        if named:
            store()
        yield store


class Cutter:
    """Turns rows into records of sentences; the splitter is made when the first row needs it."""

    def __init__(self, stored: Callable[[str], Spans | None], spacy_model: str | None = None) -> None:
        self._stored = stored
        self._model = spacy_model
        self._splitter: Splitter | None = None

    @property
    def is_ready(self) -> bool:
        """Whether the splitter is loaded."""
        return self._splitter is not None

    def prepare(self) -> "Splitter":
        """Load the splitter: spaCy alone takes more than half a second to import."""
        if self._splitter is None:
            from trace_tui.datasets.sentences import make_splitter

            self._splitter = make_splitter(self._model)
        return self._splitter

    def record(self, row: Row) -> Record:
        """Return the row as a record: cut as it was when labels of it were first stored, if they were."""
        if row.is_split:
            return record_of(row, None)
        spans = self._stored(row.uid)
        if spans is not None:
            return record_of(row, None, spans, "stored")
        splitter = self.prepare()
        return record_of(row, splitter.split, split=splitter.name)


def judge(record: Record, row: Row) -> Judgement:
    """Return the labels that came with the row, or where there are none what word coverage says."""
    if row.labels is not None:
        return judge_recorded(record, row.labels)
    from trace_tui.judges.lexical import LexicalOverlap  # its patterns take as long to compile as a frame to paint

    return LexicalOverlap().label(record)


class JudgedDataset:
    """A dataset as the review session sees it (its `Source`): rows become judged records as they are opened."""

    def __init__(self, dataset: Dataset, cutter: Cutter) -> None:
        self._dataset = dataset
        self._cutter = cutter
        self._row = lru_cache(maxsize=1)(dataset.row)  # `is_ready` and `load` ask for the same one
        self._uids: dict[int, str | None] = {}  # where the session asked
        self._lately: OrderedDict[int, Loaded] = OrderedDict()
        self._loading = Lock()

    @property
    def name(self) -> str:
        """The file's name: places are kept under it, so a dataset may move together with its database."""
        return self._dataset.path.name

    def __len__(self) -> int:
        return len(self._dataset)

    def is_ready(self, position: int) -> bool:
        """Whether a record can be made without first loading the splitter."""
        if self._cutter.is_ready or position in self._lately or not 0 <= position < len(self):
            return True
        try:
            return self._row(position).is_split
        except BadInputError:
            return True

    def prepare(self) -> None:
        """Load the splitter."""
        self._cutter.prepare()

    def load(self, position: int) -> Loaded:
        """Return the judged record at a position. Two threads may ask: one loads, the other waits and has it then."""
        with self._loading:
            loaded = self._lately.get(position)
            if loaded is None:
                row = self._row(position)
                record = self._cutter.record(row)
                loaded = Loaded(record, judge(record, row), self._dataset.line_number(position), row.warnings)
                self._lately[position] = loaded
                if len(self._lately) > _KEPT:
                    self._lately.popitem(last=False)
            self._lately.move_to_end(position)
            return loaded

    def uid_at(self, position: int) -> str | None:
        """Return the identity of the record at a position; None for a line that cannot be read, or past the end."""
        if position not in self._uids:
            try:
                lately = self._lately.get(position)
                self._uids[position] = lately.record.uid if lately else self._row(position).uid
            except (BadInputError, IndexError):
                self._uids[position] = None
        return self._uids[position]

    def find_uids(self, hints: Mapping[str, int], progress: Callable[[int, int | None], None]) -> Mapping[str, int]:
        """Return where the records with these identities stand; one that is not in the dataset is absent."""
        return self._dataset.find_uids(hints, progress)

    def find_uid(self, uid: str, hint: int) -> int | None:
        """Return where a record stands now, None if it has left the file."""
        return self._dataset.find_uid(uid, hint)

    def find_id(self, text: str) -> int | None:
        """Return the first position whose id reads as `text`."""
        return next(self._dataset.find_id(text), None)
