from trace_tui.datasets.scorelines import Group, ScoreLine, Scores, pairs


def test_lines_are_grouped_as_they_follow_each_other() -> None:
    lines = [
        ScoreLine(Scores(), Scores(), judge="a b"),
        ScoreLine(Scores(), Scores(), judge="a", judge_model="b"),
        ScoreLine(Scores(), Scores(), judge="a", annotator="x"),
        ScoreLine(Scores(), Scores(), judge="a", annotator="x"),
    ]
    assert [(pair.group, len(pair.truth)) for pair in pairs(lines)] == [
        (Group("a b"), 1),
        (Group("a b"), 1),
        (Group("a", annotator="x"), 2),
    ]
