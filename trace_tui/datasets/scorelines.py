"""Lines of `metrics` and `ground_truth_scores`: what `export` writes and `rmse` reads, in a stream.

A file holds a JSON object a line, or one JSON array of such objects, plain or compressed by gzip. A score is a number
in [0, 1]; true and false count as 1 and 0; null and absent are undefined. Any other value (NaN, 1.2, "0.8") is
undefined too, and counted as unusable.
"""

import codecs
import gzip
import io
import json
import math
import os
import re
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Final, NamedTuple, cast

import msgspec

from trace_tui.datasets.jsonarray import ArrayElements, BrokenArrayError, Element
from trace_tui.errors import BadInputError
from trace_tui.records import RecordId

BLIND: Final = "blind"
ASSISTED: Final = "assisted"

_BLOCK: Final = 1 << 17  # bytes read at a time: large against the cost of a call, small against memory
_PORTION: Final = 512  # elements of an array handed on at a time
_ERRORS_KEPT: Final = 20  # all are counted, the first are told in full
_NAMES_TOLD: Final = 8
_NAME_LENGTH: Final = 40

_ARRAY: Final = re.compile(rb"\s*\[\s*(?:\{|\]\s*\Z)")  # `[1, 2]` is no array of lines but a line that is no object
_GZIP: Final = b"\x1f\x8b"
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_BAD_BYTE: Final = re.compile("[\udc80-\udcff]")
_ENCODINGS: Final = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)

_Score = Annotated[float, msgspec.Meta(ge=0, le=1)] | bool | None


class Scores(msgspec.Struct, frozen=True, gc=False):
    """The four scores of one side, each in [0, 1], None if undefined."""

    context_relevance: _Score = None
    context_utilization: _Score = None
    completeness: _Score = None
    adherence: _Score = None


class BlindJudgement(msgspec.Struct, frozen=True, gc=False):
    """What was accepted before the judge's output was seen; an assisted line may carry it."""

    ground_truth_scores: Scores


class ScoreLine(msgspec.Struct, frozen=True, gc=False):
    """One line: the judge's scores, the human's, and what tells groups apart."""

    metrics: Scores
    ground_truth_scores: Scores
    id: RecordId = None
    judge: str | None = None
    judge_model: str | None = None
    definition: str | None = None
    mode: str | None = None
    annotator: str | None = None
    blind_judgement: BlindJudgement | None = None


_DECODER: Final = msgspec.json.Decoder(ScoreLine)


class Group(NamedTuple):
    """What may be pooled: one judge with its model, one definition, one mode, one annotator; "" if not named."""

    judge: str = ""
    definition: str = ""
    mode: str = ""
    annotator: str = ""


class Pairs(NamedTuple):
    """Scores of one group, the judge's and the human's, of equal number."""

    group: Group
    predicted: list[Scores]
    truth: list[Scores]


class Block(NamedTuple):
    """Some lines that follow each other, with the line numbers (from 1) at which they begin."""

    numbers: Sequence[int]
    lines: Sequence[ScoreLine]


class LineError(NamedTuple):
    """Why a line (from 1) was passed over, and at which column (from 1) where that is known."""

    line: int
    column: int | None
    reason: str


_group_key = attrgetter("judge", "judge_model", "definition", "mode", "annotator")


def pairs(lines: Sequence[ScoreLine]) -> Iterator[Pairs]:
    """Yield the pairs of scores in the lines, group by group as they follow each other.

    An assisted line that carries a blind judgement revises it, so it counts twice: as assisted, and as blind.
    """
    for (judge, model, definition, mode, annotator), run in groupby(lines, _group_key):
        same = list(run)
        title = " ".join(filter(None, (judge, model)))
        group = Group(title, definition or "", mode or "", annotator or "")
        yield Pairs(group, [line.metrics for line in same], [line.ground_truth_scores for line in same])
        if mode == ASSISTED:
            blind = [(line.metrics, line.blind_judgement) for line in same if line.blind_judgement]
            if blind:
                predicted = [metrics for metrics, _ in blind]
                yield Pairs(group._replace(mode=BLIND), predicted, [then.ground_truth_scores for _, then in blind])


class ScoreFile:
    """A file of score lines, read once from start to end.

    `errors` holds the first line errors and `error_count` their number; `unusable` counts the values that are no
    score. All three grow while `blocks` is read.
    """

    def __init__(self, name: str, raw: "io.BufferedReader[Any]") -> None:
        self.name = name
        self.errors: list[LineError] = []
        self.error_count = 0
        self.unusable = 0
        self._raw = raw
        self._stream: BinaryIO = raw

    def done(self) -> float | None:
        """Return how much of the file has been read, in [0, 1]; None where its size is not known, as of a pipe."""
        try:
            size = os.fstat(self._raw.fileno()).st_size
            return self._raw.tell() / size if size else None
        except OSError:
            return None

    def blocks(self) -> Iterator[Block]:
        """Yield the lines in order; a line that cannot be used is counted in `errors`, and the next goes on.

        Raises:
            BadInputError: the file is empty, in another encoding than UTF-8, or cannot be read to its end.
        """
        try:
            if self._raw.peek(len(_GZIP)).startswith(_GZIP):
                self._stream = io.BufferedReader(gzip.GzipFile(fileobj=self._raw))
            head = self._stream.read(_BLOCK)
            _refuse_other_encodings(self.name, head)
            head = head.removeprefix(codecs.BOM_UTF8)
            if not head.strip():
                raise BadInputError(f"{self.name} is empty: it needs a line with metrics and ground_truth_scores")
            yield from self._array(head) if _ARRAY.match(head) else self._lines(head)
        except (OSError, EOFError, zlib.error) as error:
            raise BadInputError(f"{self.name} cannot be read: {_reason(error)}") from error

    def _lines(self, head: bytes) -> Iterator[Block]:
        first = 1
        texts = (head + self._stream.readline()).removesuffix(b"\n").split(b"\n")
        while texts:
            yield self._block(texts, range(first, first + len(texts)))
            first += len(texts)
            texts = self._stream.readlines(_BLOCK)

    def _block(self, texts: list[bytes], numbers: range) -> Block:
        if lines := _decode(texts):
            return Block(numbers, lines)
        # One is blank, broken or unusual: line by line, so that each stands for itself.
        numbered = [
            (number, line)
            for number, text in zip(numbers, texts, strict=True)
            if text.strip() and (line := self._line(text, number))
        ]
        return Block([number for number, _ in numbered], [line for _, line in numbered])

    def _line(self, text: bytes, number: int) -> ScoreLine | None:
        if decoded := _decode([text]):
            return decoded[0]
        try:
            return self._convert(json.loads(text.decode()), number)
        except UnicodeDecodeError as error:
            self._refuse(number, f"byte 0x{text[error.start]:02x} is not UTF-8", error.start + 1)
        except json.JSONDecodeError as error:
            self._refuse(number, f"not JSON: {error.msg}", error.colno)
        except RecursionError:
            self._refuse(number, "nested too deeply")
        except ValueError:
            self._refuse(number, "a number has too many digits")
        return None

    def _array(self, head: bytes) -> Iterator[Block]:
        numbered = self._elements(ArrayElements(head, self._stream))
        while portion := list(islice(numbered, _PORTION)):
            yield Block([number for number, _ in portion], [line for _, line in portion])

    def _elements(self, elements: Iterable[Element]) -> Iterator[tuple[int, ScoreLine]]:
        try:
            for number, text, value in elements:
                if _BAD_BYTE.search(text):
                    self._refuse(number, "a byte is not UTF-8")
                elif line := self._convert(value, number):
                    yield number, line
        except BrokenArrayError as error:
            self._refuse(error.line, str(error))

    def _convert(self, value: object, number: int) -> ScoreLine | None:
        """Make a line of any JSON value, with whatever of it can be used."""
        if not isinstance(value, Mapping):
            self._refuse(number, "not a JSON object")
            return None
        sides = [value.get(name, ()) for name in ("metrics", "ground_truth_scores")]
        if not all(side is None or isinstance(side, Mapping) for side in sides):
            self._refuse(number, f"needs the objects metrics and ground_truth_scores; it has {_names(value)}")
            return None
        metrics, truth = map(self._scores, sides)
        blind = value.get("blind_judgement")
        then = blind.get("ground_truth_scores") if isinstance(blind, Mapping) else None
        return ScoreLine(
            metrics,
            truth,
            id=_identity(value.get("id")),
            judge=_word(value.get("judge")),
            judge_model=_word(value.get("judge_model")),
            definition=_word(value.get("definition")),
            mode=_word(value.get("mode")),
            annotator=_word(value.get("annotator")),
            blind_judgement=BlindJudgement(self._scores(then)) if isinstance(then, Mapping) else None,
        )

    def _scores(self, side: Mapping[str, Any] | None) -> Scores:
        return Scores(*(self._score((side or {}).get(metric)) for metric in Scores.__struct_fields__))

    def _score(self, value: object) -> float | None:
        if isinstance(value, int | float) and 0 <= value <= 1:
            return value
        self.unusable += value is not None
        return None

    def _refuse(self, line: int, reason: str, column: int | None = None) -> None:
        self.error_count += 1
        if len(self.errors) < _ERRORS_KEPT:
            self.errors.append(LineError(line, column, reason))


@contextmanager
def open_scores(path: str) -> Iterator[ScoreFile]:
    """Open a file of score lines, `-` for the standard input.

    Raises:
        BadInputError: it cannot be opened.
    """
    if path == "-":
        raw: io.BufferedReader[Any] = io.BufferedReader(cast("Any", sys.stdin.buffer))
        try:
            yield ScoreFile("standard input", raw)
        finally:
            raw.detach()
        return
    try:
        raw = Path(path).open("rb")  # noqa: SIM115  # an error of whoever reads the lines is not one of opening
    except (OSError, ValueError) as error:
        raise BadInputError(f"{path} cannot be opened: {_reason(error)}") from error
    with raw:
        yield ScoreFile(path, raw)


def _decode(texts: Sequence[bytes]) -> list[ScoreLine]:
    """Decode lines quickly; nothing unless all of them are valid and no value is unusable."""
    try:
        if not all(map(bytes.isascii, texts)):
            b"\n".join(texts).decode()  # msgspec looks only at the fields it keeps
        return list(map(_DECODER.decode, texts))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return []


def _refuse_other_encodings(name: str, head: bytes) -> None:
    encoding = next((encoding for mark, encoding in _ENCODINGS if head.startswith(mark)), None)
    if encoding is None and b"\0" in head[:2]:  # ASCII in UTF-16 without a mark has a zero in every pair of bytes
        encoding = "UTF-16"
    if encoding:
        raise BadInputError(f"{name} is in {encoding}: convert it to UTF-8 first")


def _identity(value: object) -> RecordId:
    if isinstance(value, str):
        return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return None


def _word(value: object) -> str | None:
    """Read a name: text with half surrogate pairs replaced; of anything else the JSON, which still tells apart."""
    if value is None:
        return None
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value if isinstance(value, str) else json.dumps(value))


def _names(value: Mapping[str, Any]) -> str:
    told = ", ".join(name[:_NAME_LENGTH] for name in list(value)[:_NAMES_TOLD])
    return f"{told}, …" if len(value) > _NAMES_TOLD else told or "no field"


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
