"""The totals: judges and modes apart, where records stand, and the same whatever way they came about."""

from hypothesis import given
from hypothesis import strategies as st

from trace_tui.review.totals import Totals
from trace_tui.reviews import Mode, Status
from trace_tui.scoring import Counts, Definition, Summary

NONE = Counts(20, 0, 0, 0, 3, 0, 0)
_few = st.integers(0, 3)
counts = st.builds(Counts, st.just(20), _few, _few, st.just(0), st.just(3), _few, _few)


def summary(
    number: int, *, judge: str = "j", status: str = "accepted", relevant: int = 0, overrides: int = 0, at: str = ""
) -> Summary:
    at = at or f"{number:06}"
    human = NONE._replace(relevant=relevant)
    return Summary(
        f"u{number}", "d", number, status, False, judge, NONE, human, None, False, overrides, 0,
        at if status == "accepted" else "",
    )  # fmt: skip


@st.composite
def summaries(draw: st.DrawFn) -> Summary:
    number, status = draw(st.integers(0, 9)), draw(st.sampled_from(Status))
    blind, revised = draw(st.none() | counts), draw(st.booleans())
    return Summary(
        uid=f"u{number}",
        dataset="d",
        position=number,
        status=status.value,
        flagged=draw(st.booleans()),
        judge=draw(st.sampled_from(["j", "k"])),
        judged=draw(st.none() | counts),
        human=draw(counts),
        blind=blind,
        revised=revised and blind is not None,
        overrides=draw(_few),
        blind_overrides=draw(_few) if blind else 0,
        accepted_at=draw(st.sampled_from("abc")) if status is Status.ACCEPTED else "",
    )


@given(st.lists(summaries(), max_size=30))
def test_one_after_the_other_or_all_at_once(changes: list[Summary]) -> None:
    totals = Totals()
    for change in changes:
        totals.put(change)
    last = {change.uid: change for change in changes}
    afresh = Totals(last.values())
    for definition in Definition:
        for judge in ("j", "k", ""):
            assert totals.progress(judge, 10, definition) == afresh.progress(judge, 10, definition)
    assert set(totals.settled) == {s.position for s in last.values() if s.status != Status.OPEN}
    assert set(totals) == set(last.values())
    for accepted_only in (True, False):
        expected = sorted(
            (s.position <= 4, s.position)
            for s in last.values()
            if s.overrides and s.position != 4 and (s.status == Status.ACCEPTED or not accepted_only)
        )
        assert list(totals.differing(4, accepted_only=accepted_only)) == [position for _, position in expected]


def test_judges_and_modes_are_never_pooled() -> None:
    blind = summary(2, overrides=4)._replace(blind=NONE, blind_overrides=1)
    revised = summary(3, overrides=8)._replace(blind=NONE, blind_overrides=2, revised=True)
    totals = Totals([summary(0, overrides=1), summary(1, judge="k", overrides=2), blind, revised])
    of_j, of_k = (totals.progress(judge, 9, Definition.RAGBENCH).agreement for judge in "jk")
    found = [(a.overrides, a.decided, len(a.trend), a.rmse.num_evaluations)
             for a in (of_j[Mode.ASSISTED], of_j[Mode.BLIND], of_k[Mode.ASSISTED], of_k[Mode.BLIND])]  # fmt: skip
    assert found == [(9, 46, 2, 2), (3, 46, 2, 2), (2, 23, 1, 1), (0, 0, 0, 0)]


def test_the_trend_has_the_latest_records_in_the_order_of_acceptance() -> None:
    numbers = range(100)
    shuffled = [summary(n, relevant=n % 20, at=f"{(n * 37) % 100:06}") for n in numbers]
    totals = Totals(shuffled)
    trend = totals.progress("j", 100, Definition.GPT_LABELING).agreement[Mode.ASSISTED].trend
    latest = sorted(shuffled, key=lambda s: s.accepted_at)[-60:]
    one_by_one = [
        Totals([s]).progress("j", 1, Definition.GPT_LABELING).agreement[Mode.ASSISTED].trend[0] for s in latest
    ]
    assert list(trend) == one_by_one
    assert len(set(trend)) == 20
