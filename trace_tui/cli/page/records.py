"""Records to be read sentence by sentence: what the truth says of each, what a judge says, and where the two differ."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, NamedTuple

from trace_tui.cli.page.blocks import Cell, Table, TableBuilder
from trace_tui.cli.page.tables import SHOWN
from trace_tui.cli.reading import Reading
from trace_tui.display import UNDEFINED
from trace_tui.labels import Labels, Support, Verdict, differing
from trace_tui.scoring import METRICS, Tier, tier
from trace_tui.scoring.diagnosis import Finding

_VERDICTS: Final[Mapping[Verdict, tuple[str, str]]] = {
    Verdict.SUPPORTED: ("✓", "supported"),
    Verdict.UNSUPPORTED: ("✗", "not supported"),
    Verdict.UNJUDGED: ("?", "not judged"),
}
_PARTIAL: Final = ("◐", "partly supported")


class Opinion(NamedTuple):
    """What one side says of a sentence: signs, and the same in words. `look` is the class of it in the style sheet."""

    signs: str
    words: str
    look: str


class Line(NamedTuple):
    """A sentence. `judge` is None where no judge labels the record; `remark` is what the judge gives for a reason."""

    key: str
    text: str
    truth: Opinion
    judge: Opinion | None
    remark: str = ""

    @property
    def differs(self) -> bool:
        """Whether the two sides say different things."""
        return self.judge is not None and self.judge != self.truth


class Part(NamedTuple):
    """A document or the response."""

    title: str
    lines: Sequence[Line]


class Sheet(NamedTuple):
    """All that is shown of one record. `judge` is the title of the judge whose labels stand beside the truth."""

    number: int
    id: str
    uid: str
    position: int
    rmse: float | None
    furthest: str
    tier: Tier | None
    differing: int | None
    findings: Sequence[Finding]
    question: str
    judge: str
    scores: Table
    response: Part
    documents: Sequence[Part]


@dataclass(frozen=True, slots=True)
class Sheets:
    """Records to be read, one below the other."""

    truth: str
    sheets: Sequence[Sheet]
    kind: ClassVar = "sheets"


def sheet(number: int, truth: str, reading: Reading) -> Sheet:
    """Return one record as it is shown; `truth` is what the side that is right is called."""
    case, record, ours, judgement = reading
    theirs = judgement.labels if judgement else None
    rmse, furthest = case.worst() or (None, "")
    return Sheet(
        number=number,
        id=str(case.id),
        uid=case.uid,
        position=case.position + 1,
        rmse=rmse,
        furthest=furthest,
        tier=tier(rmse),
        differing=None if theirs is None else len(differing(ours, theirs)),
        findings=[finding for finding in case.findings if finding.actions],
        question=record.question,
        judge=judgement.judge.title if judgement else "",
        scores=_scores(truth, reading),
        response=Part("Response", _lines(record.response.sentences, _verdict, ours, theirs)),
        documents=[
            Part(
                f"Document {rank}" + (f" · {document.title}" if document.title else ""),
                _lines(document.sentences, _use, ours, theirs),
            )
            for rank, document in enumerate(record.documents, 1)
        ],
    )


def _lines(
    sentences: Sequence[tuple[str, str, str]],
    says: Callable[[Labels, str], Opinion],
    ours: Labels,
    theirs: Labels | None,
) -> list[Line]:
    return [
        Line(
            key,
            text,
            says(ours, key),
            says(theirs, key) if theirs else None,
            theirs.support(key).explanation if theirs else "",
        )
        for key, text, _ in sentences
    ]


def _use(labels: Labels, key: str) -> Opinion:
    """Return what is said of a document sentence."""
    relevant, utilized = key in labels.relevant, key in labels.utilized
    signs = ("R" if relevant else "·") + ("U" if utilized else "·")
    words = " and ".join(word for word, said in (("relevant", relevant), ("utilized", utilized)) if said)
    return Opinion(signs, words or "neither relevant nor utilized", (words or "neither").replace(" and ", "-"))


def _verdict(labels: Labels, key: str) -> Opinion:
    """Return what is said of a response sentence."""
    support = labels.support(key)
    sign, words = _PARTIAL if support.is_partial else _VERDICTS[support.verdict]
    because = _because(support)
    return Opinion(f"{sign} {because}".rstrip(), f"{words} {because}".rstrip(), words.replace(" ", "-"))


def _because(support: Support) -> str:
    reason = (support.reason.value.replace("_", " "),) if support.reason else ()
    return ", ".join((*reason, *sorted(support.keys)))


def _scores(truth: str, reading: Reading) -> Table:
    case = reading.case
    table = TableBuilder("Scores", "Side", *(SHOWN[metric] for metric in METRICS), "RMSE", "Tier")
    table.add(truth, *(getattr(case.truth, metric) for metric in METRICS), Cell("figure"), Cell("tier"))
    for title, judged in case.judged.items():
        compared = case.compare(title)
        rmse = compared.aggregated_rmse if compared else None
        table.add(title, *(getattr(judged.scores, metric) for metric in METRICS), rmse, tier(rmse) or UNDEFINED)
    return table.table()
