"""The labels of one judge beside a review that was made beside another's."""

from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.cli.conftest import Run
from tests.cli.sessions import accept, database_of, review, session, unsupported, write_rows
from tests.review.world import GROQ, judge_labels, labelled
from tests.rows import make_row
from trace_tui.cli.judges import set_out
from trace_tui.errors import UsageError
from trace_tui.labels import Judge, Verdict, differing
from trace_tui.reviews import Labelling
from trace_tui.scoring import Definition, count, scores
from trace_tui.store import Store

NEWER = Judge("groq", "openai/gpt-oss-120b", version="2", prompt="77777777")


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    """Three of four records are accepted beside the dataset's labels; a model labelled two, another version one."""
    dataset = write_rows(tmp_path / "rows.jsonl", [make_row(id=f"r{number}") for number in range(4)])
    review(dataset, {0: [accept], 1: [*unsupported(1), accept], 2: [accept]})
    with session(dataset) as reviewing, closing(Store.open(database_of(dataset))) as store:
        for position, judge in ((1, GROQ), (2, GROQ), (2, NEWER)):
            record = reviewing._source.load(position).record
            confidence = {"verdict/resp_s0": 2 / 3} if judge is GROQ and position == 2 else {}
            store.commit([Labelling(record, labelled(record, judge, confidence=confidence))])
    return dataset


def test_export_pairs_a_review_with_the_judge_that_is_named(run: Run, judged: Path) -> None:
    lines = run("export", judged, "--judge", GROQ.title).lines
    assert [line["id"] for line in lines] == ["r1", "r2"]
    with session(judged) as reviewing:
        record = reviewing._source.load(1).record
        human = reviewing.ledger.kept(record.uid).review.labels
    theirs = judge_labels(record, Verdict.SUPPORTED)
    assert (lines[0]["judge"], lines[0]["judge_model"]) == ("groq", "openai/gpt-oss-120b")
    assert lines[0]["metrics"] == scores(count(theirs, record), Definition.GPT_LABELING).to_dict()
    assert set(lines[0]["labels"]["relevant"]) == theirs.relevant
    assert lines[0]["overrides"] == len(differing(human, theirs)) > 0


def test_without_a_name_reviews_stay_with_the_judge_they_were_made_beside(run: Run, judged: Path) -> None:
    lines = run("export", judged).lines
    assert [(line["id"], line["judge"]) for line in lines] == [
        ("r0", "recorded"),
        ("r1", "recorded"),
        ("r2", "recorded"),
    ]


@pytest.mark.parametrize("command", [["export"], ["score", "--source", "human"]])
def test_a_record_that_several_judges_of_the_name_labelled_needs_more_of_the_title(
    run: Run, judged: Path, command: list[str]
) -> None:
    name, *options = command
    ran = run(name, judged, *options, "--judge", "groq")
    assert ran.code == 2
    assert f"{GROQ.title}, {NEWER.title}" in ran.err
    assert run(name, judged, *options, "--judge", "groq openai/gpt-oss-120b @77").code == 0


def test_human_scores_are_of_the_records_that_the_judge_labelled(run: Run, judged: Path) -> None:
    ran = run("score", judged, "--source", "human", "--judge", GROQ.title, "--format", "csv")
    assert [line.split(",")[0] for line in ran.out.splitlines()[1:]] == ["r1", "r2"]


def test_a_judge_that_labelled_nothing_accepted_is_named_with_those_there_are(run: Run, judged: Path) -> None:
    ran = run("export", judged, "--judge", "nobody")
    assert ran.code == 2
    assert f"no accepted record was compared with the judge nobody; there is {GROQ.title}, " in ran.err


# ---------------------------------------------------------------------------- review


@pytest.mark.parametrize(
    ("judge", "uncertain", "said"),
    [
        ("nobody", False, f"no judge nobody has labelled records here; there is {GROQ.title}, {NEWER.title}, recorded"),
        ("groq", False, f"several judges: {GROQ.title}, {NEWER.title}; give more of the title with --judge"),
        (NEWER.title, True, f"no votes of a judge {NEWER.title} differed on any record"),
    ],
)
def test_a_judge_that_is_not_clear_is_one_line(judged: Path, judge: str, said: str, *, uncertain: bool) -> None:
    with session(judged) as reviewing, pytest.raises(UsageError) as caught:
        set_out(reviewing, judge, uncertain_first=uncertain)
    assert said in str(caught.value)


def test_review_compares_with_the_judge_named(judged: Path) -> None:
    with session(judged) as reviewing:
        set_out(reviewing, "groq openai/gpt-oss-120b @3f", uncertain_first=False)
        reviewing.resume()
        assert reviewing.compared == GROQ.title
        assert list(reviewing.order) == [0, 1, 2, 3]


@pytest.mark.parametrize("judge", [None, "groq"])
def test_uncertain_records_come_first(judged: Path, judge: str | None) -> None:
    with session(judged) as reviewing:
        set_out(reviewing, judge, uncertain_first=True)
        assert reviewing.compared == GROQ.title
        assert list(reviewing.order) == [2, 0, 1, 3]
        reviewing.resume()
        assert reviewing.position == 3, "the first in that order that is unreviewed"


def test_the_command_hands_both_on(judged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from trace_tui.cli import review as module
    from trace_tui.cli.main import main

    seen = []
    stream = SimpleNamespace(isatty=lambda: True)
    monkeypatch.setattr(module, "sys", SimpleNamespace(stdin=stream, stdout=stream))
    monkeypatch.setattr(module, "_run", lambda session, *_, **__: seen.append((session.compared, list(session.order))))
    assert main(["review", str(judged), "--judge", GROQ.title, "--order", "uncertain", "--annotator", "mia"]) == 0
    assert seen == [(GROQ.title, [2, 0, 1, 3])]
