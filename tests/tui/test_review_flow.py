"""Every key of the table does on the screen what its help says, on a real dataset and a real database."""

from pathlib import Path

import pytest

from tests.rows import make_row, support_entry
from tests.tui.stage import Stage, stage, write_rows
from trace_tui.labels import Reason, Verdict
from trace_tui.reviews import Edit, Status
from trace_tui.scoring import Definition
from trace_tui.store import Store
from trace_tui.tui.keys import KEYS


def edits(database: Path, annotator: str = "mia") -> list[Edit]:
    """Return what is committed, oldest first."""
    store = Store.open(database, write=False)
    try:
        return [edit for _, edit in reversed(store.edits(annotator, None, 10_000))]
    finally:
        store.close()


def line_of(s: Stage, key: str) -> str:
    return next(line for line in s.screen_lines() if f" {key} " in line)


def long_row(documents: int = 60, responses: int = 26) -> dict[str, object]:
    texts = [f"Ledger line {n} names a founder." for n in range(documents)]
    row = make_row(documents=[texts], response=[f"Claim number {n}." for n in range(responses)])
    support = [support_entry("a", ["0a"]), support_entry("b", [f"0{'b' if documents < 27 else 'bb'}"])]
    return row | {"sentence_support_information": support, "id": "long"}


async def test_space_accepts_sentence_by_sentence_then_the_record_and_opens_the_next(
    dataset: Path, database: Path
) -> None:
    async with stage(dataset, database) as s:
        assert "▌○ ✓ ✓ resp_s0" in s.text()
        await s.press("space")
        assert "● ✓ ✓ resp_s0" in s.text()
        assert "▌○ ✓ ✓ resp_s1" in s.text()
        await s.press("space")
        assert "record 2 / 3" in s.text()
        assert "1 accepted of 3" in s.text()
        await s.press("comma")
        assert "✓ accepted" in s.screen_lines()[0]
        await s.until_saved()
    accepted, record = edits(database)
    assert (accepted.action, record.action) == ("accept", "accept")
    assert record.annotator == "mia"
    assert record.at.endswith("+00:00")
    assert record.new["status"] == "accepted"


async def test_a_accepts_the_whole_record_in_one_key_with_a_trace(dataset: Path, database: Path) -> None:
    async with stage(dataset, database, annotator="ada") as s:
        await s.press("a")
        assert "record 2 / 3" in s.text()
        await s.until_saved()
    (edit,) = edits(database, "ada")
    assert (edit.annotator, edit.action, dict(edit.new)) == ("ada", "accept-record", {"status": "accepted"})
    assert edit.at
    assert edit.seconds >= 0


async def test_two_overrides_take_six_keys_at_most(dataset: Path, database: Path) -> None:
    keys = ["n", "5", "a"]  # the first response sentence is not supported, the second has another sentence too, next
    async with stage(dataset, database) as s:
        await s.press(*keys)
        assert "record 2 / 3" in s.text()
        assert "overrides 3 of 7" in s.text(), "two response sentences, and the linked one is utilized"
    assert len(keys) <= 6


async def test_y_and_n_give_a_verdict_and_go_on(dataset: Path, database: Path) -> None:
    async with stage(dataset, database) as s:
        await s.press("n")
        assert "● ◐*✓ resp_s0" in s.text(), "it still has its supporting sentence: partial"
        assert "▌○ ✓ ✓ resp_s1" in s.text()
        await s.press("n", "y")
        assert "▌● ✓ ✓ resp_s1" in s.text()
        assert "record 1 / 3" in s.text(), "a verdict never accepts the record"


async def test_w_picks_a_reason_by_digit_by_arrows_or_not_at_all(dataset: Path, database: Path) -> None:
    async with stage(dataset, database) as s:
        await s.press("w")
        assert "a well-known fact" in s.text()
        await s.press("2")
        assert s.session.desk.focused.reason is Reason.WELL_KNOWN_FACT
        assert "supported · doc_0_s0 · well known fact" in s.text()
        await s.press("w", "down", "enter")
        assert s.session.desk.focused.reason is Reason.WELL_KNOWN_FACT
        await s.press("w", "down", "down", "enter")
        assert s.session.desk.focused.reason is Reason.NUMERICAL_REASONING
        await s.press("w", "escape")
        assert s.session.desk.focused.reason is Reason.NUMERICAL_REASONING
        await s.press("w", "5")
        assert s.session.desk.focused.reason is None


async def test_x_takes_a_sentence_and_capital_x_the_record_back_to_the_judges_labels(
    dataset: Path, database: Path
) -> None:
    async with stage(dataset, database) as s:
        await s.press("n", "k", "x")
        assert "▌○ ✓ ✓ resp_s0" in s.text()
        await s.press("tab", "r", "x")
        assert "RU ru doc_0_s0" in s.text()
        await s.press("r", "u", "J", "3", "X")
        assert not s.session.desk.overridden
        assert "*" not in "".join(s.screen_lines()[5:-2])


async def test_a_digit_links_and_unlinks_and_one_undo_takes_both_back(dataset: Path, database: Path) -> None:
    async with stage(dataset, database) as s:
        await s.press("3")
        assert "◆*·U*·· doc_0_s2" in line_of(s, "doc_0_s2"), "linked, and utilized by that"
        await s.press("3")
        assert " *" not in line_of(s, "doc_0_s2")[:6]
        assert "·U*·· doc_0_s2" in line_of(s, "doc_0_s2"), "unlinking takes back the link only"
        await s.press("z", "z")
        assert "·· ·· doc_0_s2" in line_of(s, "doc_0_s2")
        await s.press("9")
        assert not s.session.desk.overridden, "no sentence carries a 9"


async def test_r_u_s_label_the_document_sentence_under_the_cursor(dataset: Path, database: Path) -> None:
    async with stage(dataset, database) as s:
        await s.press("tab", "j", "j", "r")
        assert "R·*·· doc_0_s2" in s.text()
        await s.press("u")
        assert "RU*·· doc_0_s2" in s.text()
        await s.press("s")
        assert "◆*RU*·· doc_0_s2" in s.text()
        await s.press("s", "u", "r")
        assert "·· ·· doc_0_s2" in s.text()


@pytest.mark.parametrize(("down", "up"), [("j", "k"), ("down", "up")])
async def test_lines(dataset: Path, database: Path, down: str, up: str) -> None:
    async with stage(dataset, database) as s:
        await s.press(down)
        assert s.session.desk.focused_key == "resp_s1"
        await s.press(down, up)
        assert s.session.desk.focused_key == "resp_s0"
        await s.press("tab", down)
        assert line_of(s, "doc_0_s1").startswith("▌")
        assert s.session.desk.focused_key == "resp_s0"
        await s.press(up)
        assert line_of(s, "doc_0_s0").startswith("▌")


async def test_capital_j_and_k_move_the_response_from_both_panes(dataset: Path, database: Path) -> None:
    async with stage(dataset, database) as s:
        for _ in range(2):
            await s.press("J")
            assert "▌○ ✓ ✓ resp_s1" in s.text()
            assert line_of(s, "doc_1_s0").startswith("▌"), "its first supporting sentence"
            await s.press("K")
            assert "▌○ ✓ ✓ resp_s0" in s.text()
            await s.press("tab")


async def test_tab_changes_pane_and_footer(dataset: Path, database: Path) -> None:
    async with stage(dataset, database) as s:
        assert "y supported" in s.screen_lines()[-1]
        await s.press("tab")
        assert "r relevant" in s.screen_lines()[-1]
        assert "y supported" in s.screen_lines()[-1], "it works here too"
        await s.press("tab")
        assert "r relevant" not in s.screen_lines()[-1]


async def test_pages_and_edges_in_both_panes(tmp_path: Path, database: Path) -> None:
    async with stage(write_rows(tmp_path / "x.jsonl", [long_row()]), database, size=(80, 24)) as s:
        for page_down, page_up in (("pagedown", "pageup"), ("ctrl+f", "ctrl+b")):
            await s.press(page_down)
            assert s.session.desk.focus > 1
            await s.press(page_up, page_up)
            assert s.session.desk.focus == 0
        await s.press("G")
        assert "▌○ ✓ ✓ resp_s25" in s.text()
        await s.press("g")
        assert "resp_s0 " in s.text()
        await s.press("tab", "end")
        assert line_of(s, "doc_0_s59").startswith("▌")
        await s.press("home", "pagedown", "pagedown")
        shown = s.session.desk.cursor
        assert shown > 10
        assert line_of(s, f"doc_0_s{shown}").startswith("▌"), "the cursor is on the screen"
        await s.press("pageup", "pageup")
        assert s.session.desk.cursor == 0


async def test_digits_follow_the_screen_in_reading_order(tmp_path: Path, database: Path) -> None:
    async with stage(write_rows(tmp_path / "x.jsonl", [long_row()]), database, size=(80, 24)) as s:
        await s.press("tab", "pagedown", "pagedown", "tab")
        numbered = [line for line in s.screen_lines() if line[1:2].isdigit() and "doc_0" in line]
        keys = [int(line.split("doc_0_s")[1].split()[0]) for line in numbered]
        assert [int(line[1]) for line in numbered] == list(range(1, 10))
        assert keys == list(range(keys[0], keys[0] + 9))
        await s.press("5")
        assert f"doc_0_s{keys[4]}" in s.session.desk.focused.keys


async def test_moving_to_a_response_sentence_scrolls_to_its_first_support(tmp_path: Path, database: Path) -> None:
    async with stage(write_rows(tmp_path / "x.jsonl", [long_row()]), database, size=(80, 24)) as s:
        assert not any(" doc_0_s53 " in line for line in s.screen_lines()[3:-3])
        await s.press("j")
        assert line_of(s, "doc_0_s53").startswith("▌")
        assert "◆" in line_of(s, "doc_0_s53")


async def test_records_forth_and_back_and_no_further(dataset: Path, database: Path) -> None:
    async with stage(dataset, database) as s:
        await s.press("comma")
        assert "this is the first record" in s.text()
        await s.press("full_stop", "full_stop")
        assert "record 3 / 3  id-2" in s.text()
        await s.press("full_stop")
        assert "this is the last record" in s.text()
        await s.press("comma")
        assert "record 2 / 3" in s.text()


async def test_d_walks_the_differences_across_records(dataset: Path, database: Path) -> None:
    async with stage(dataset, database) as s:
        await s.press("n", "a", "full_stop", "tab", "r", "tab", "a")
        assert "record 2 / 3" in s.text()
        await s.press("d")
        assert "record 3 / 3" in s.text()
        assert "r relevant" in s.screen_lines()[-1], "the difference is in the documents"
        await s.press("d")
        assert "record 1 / 3" in s.text()
        assert "▌● ◐*✓ resp_s0" in s.text()


async def test_search_goes_on_and_back_with_enter_and_the_arrows_and_closes_with_escape(
    dataset: Path, database: Path
) -> None:
    async with stage(dataset, database) as s:
        await s.press("slash", *"clock")
        first = s.session.desk.focus, s.session.desk.cursor
        assert "not found" not in s.text()
        seen = [first]
        for key in ("enter", "enter", "enter"):
            await s.press(key)
            seen.append((s.session.desk.focus, s.session.desk.cursor))
        assert len(set(seen)) > 1
        await s.press("shift+enter")
        assert (s.session.desk.focus, s.session.desk.cursor) == seen[-2]
        await s.press("up")
        assert (s.session.desk.focus, s.session.desk.cursor) == seen[-3]
        await s.press("z", "z")
        assert "not found in this record" in s.text()
        await s.press("escape")
        assert "/ clock" not in s.text()
        await s.press("j")
        assert "not found" not in s.text()


async def test_colon_goes_to_a_number_a_key_an_own_key_and_an_id(dataset: Path, database: Path) -> None:
    async with stage(dataset, database) as s:
        for typed, shown in (("2", "record 2 / 3"), ("id-2", "record 3 / 3"), ("doc_1_s1", "▌5   ··"), ("b", "▌○")):
            await s.press("colon", *typed, "enter")
            assert shown in s.text(), typed
        assert s.session.desk.focused_key == "resp_s1"
        await s.press("colon", *"nowhere", "enter")
        assert "no record has that number or id" in s.text()
        await s.press("colon", "1", "escape")
        assert "record 3 / 3" in s.text()


async def test_a_number_too_long_to_be_one_is_answered_in_words(dataset: Path, database: Path) -> None:
    async with stage(dataset, database) as s:
        s.session.go_to("9" * 5000)
        assert "no record has that number" in s.session.message


async def test_e_writes_edits_and_removes_a_note(dataset: Path, database: Path) -> None:
    async with stage(dataset, database) as s:
        await s.press("e", *"say why", "enter")
        assert "✎ note" in s.screen_lines()[0]
        assert "say why" in s.text()
        await s.press("e", *" not", "escape")
        assert s.session.desk.review.note == "say why"
        await s.press("e", "ctrl+u", "enter")
        assert "✎" not in s.text()


async def test_flag_and_skip(dataset: Path, database: Path) -> None:
    async with stage(dataset, database) as s:
        await s.press("exclamation_mark")
        assert "⚑ flagged" in s.screen_lines()[0]
        assert "0 skipped · 1 flagged" in s.text()
        await s.press("exclamation_mark")
        assert "⚑" not in s.text()
        await s.press("minus")
        assert "record 2 / 3" in s.text()
        await s.press("comma")
        assert "~ skipped" in s.screen_lines()[0]


async def test_o_takes_over_the_labels_of_an_earlier_content(tmp_path: Path, database: Path) -> None:
    path = write_rows(tmp_path / "x.jsonl", [make_row(id="same")])
    async with stage(path, database) as s:
        await s.press("n", "a")
        await s.until_saved()
    write_rows(path, [make_row(id="same", question="Who mended the town clock?")])
    async with stage(path, database) as s:
        assert "o takes them over" in s.text()
        assert "◐" not in s.text(), "offered, not applied"
        await s.press("o")
        assert "◐*✓ resp_s0" in s.text()
        assert "takes them over" not in s.text()
        await s.press("z")
        assert "◐*✓ resp_s0" not in s.text()


async def test_undo_and_redo_jump_to_the_record_also_after_a_restart(dataset: Path, database: Path) -> None:
    async with stage(dataset, database) as s:
        await s.press("n", "full_stop", "n", "full_stop")
        await s.press("z")
        assert "record 2 / 3" in s.text()
        assert "undone: resp_s0 is supported" in s.text()
        await s.until_saved()
    async with stage(dataset, database) as s:
        await s.press("z")
        assert "record 1 / 3" in s.text()
        assert "▌○ ✓ ✓ resp_s0" in s.text()
        await s.press("z")
        assert "nothing to undo" in s.text()
        await s.press("Z", "Z")
        assert "record 2 / 3" in s.text()
        assert "● ◐*✓ resp_s0" in s.text()
        await s.press("Z")
        assert "nothing to redo" in s.text()


async def test_m_switches_the_definition_of_all_scores(dataset: Path, database: Path) -> None:
    async with stage(dataset, database) as s:
        assert "relevance      0.15   0.15" in s.text()
        await s.press("m")
        assert "relevance      0.60   0.60" in s.text()
        assert f"scores by the {Definition.RAGBENCH.value} definition" in s.text()


async def test_help_and_palette_open_and_close(dataset: Path, database: Path) -> None:
    async with stage(dataset, database) as s:
        await s.press("question_mark")
        assert "What the signs mean" in s.text()
        await s.press("space")
        assert "What the signs mean" not in s.text()
        assert not s.session.desk.review.settled, "the key that closed the help did nothing else"
        await s.press("ctrl+p", *"accept record")
        await s.pilot.pause(0.3)
        assert "Accept record" in s.text()
        await s.press("escape")
        assert "record 1 / 3" in s.text()


async def test_the_palette_runs_what_it_names(dataset: Path, database: Path) -> None:
    async with stage(dataset, database) as s:
        for name, effect in (("Flag", "⚑ flagged"), ("Accept record", "record 2 / 3"), ("Unsupported", "◐*✓")):
            await s.press("ctrl+p", *name.lower())
            await s.pilot.pause(0.3)
            await s.press("enter")
            await s.pilot.pause(0.1)
            assert effect in s.text(), name


async def test_the_saved_mark_follows_the_commit(dataset: Path, database: Path) -> None:
    async with stage(dataset, database) as s:
        assert "✓ saved " in s.screen_lines()[0]
        store = Store.open(database)
        with store._database.transaction():  # another program writes: the commit has to wait
            await s.press("n")
            assert "◐*✓ resp_s0" in s.text(), "painted at once"
            await s.pilot.pause(0.3)
            assert "saved 1" not in s.screen_lines()[0]
            assert not edits(database)
        store.close()
        await s.until_marked(1)
        assert len(edits(database)) == 1


async def test_q_waits_for_the_commit_and_the_next_start_opens_at_the_same_sentence(
    dataset: Path, database: Path
) -> None:
    async with stage(dataset, database) as s:
        await s.press("full_stop", "n", "q")
        await s.until(lambda: not s.app.is_running)
    assert len(edits(database)) == 1
    async with stage(dataset, database) as s:
        assert "record 2 / 3" in s.text()
        assert "● ◐*✓ resp_s0" in s.text()
        assert "▌○ ✓ ✓ resp_s1" in s.text()


async def test_the_same_place_in_the_documents_and_after_accepting(dataset: Path, database: Path) -> None:
    async with stage(dataset, database) as s:
        await s.press("a", "J")
    async with stage(dataset, database) as s:
        assert "record 2 / 3" in s.text()
        assert "▌○ ✓ ✓ resp_s1" in s.text()
        assert "1 accepted of 3" in s.text()


async def test_unjudged_sentences_stop_the_first_a_and_not_the_second(tmp_path: Path, database: Path) -> None:
    path = write_rows(tmp_path / "x.jsonl", [long_row(responses=3) | {"unsupported_response_sentence_keys": None}])
    async with stage(path, database) as s:
        assert s.session.desk.focused.verdict is Verdict.SUPPORTED
        await s.press("a")
        assert s.session.desk.focused_key == "resp_s2"
        assert "resp_s2 has no verdict yet" in s.text()
        assert s.session.desk.review.status is Status.OPEN
        await s.press("a")
        assert s.session.desk.review.is_accepted


async def test_a_row_that_was_put_in_before_others_is_still_to_review(tmp_path: Path, database: Path) -> None:
    rows = [make_row(id=f"id-{n}") for n in range(2)]
    path = write_rows(tmp_path / "x.jsonl", rows)
    async with stage(path, database) as s:
        await s.press("a")
        await s.until_saved()
    write_rows(path, [make_row(id="new", question="Who is new?"), *rows])
    async with stage(path, database) as s:
        assert "record 3 / 3  id-1" in s.text()
        await s.press("a")
        assert "record 1 / 3  new" in s.text(), "where an accepted one stood before"


async def test_d_finds_a_record_that_moved(tmp_path: Path, database: Path) -> None:
    rows = [make_row(id=f"id-{n}") for n in range(2)]
    path = write_rows(tmp_path / "x.jsonl", rows)
    async with stage(path, database) as s:
        await s.press("n", "a")
        await s.until_saved()
    write_rows(path, [make_row(id="new", question="Who is new?"), *rows])
    async with stage(path, database) as s:
        await s.press("full_stop", "d")
        assert "record 2 / 3  id-0" in s.text()


async def test_another_dataset_in_the_same_database_settles_nothing_here(tmp_path: Path, database: Path) -> None:
    async with stage(write_rows(tmp_path / "x.jsonl", [make_row(id=f"x-{n}") for n in range(3)]), database) as s:
        await s.press("a", "a", "a")
        await s.until_saved()
    async with stage(write_rows(tmp_path / "y.jsonl", [make_row(id=f"y-{n}") for n in range(3)]), database) as s:
        await s.press("a")
        assert "record 2 / 3" in s.text()


# ---------------------------------------------------------------------------- blind

BLIND_ROW = make_row(
    id="blind",
    sentence_support_information=[
        support_entry("a", ["0a"], explanation="JUDGEPROSE about the casting."),
        support_entry("b", [], fully=False, explanation="JUDGEPROSE nothing found."),
    ],
    unsupported_response_sentence_keys=["b"],
    annotating_model_name="JUDGEMODEL",
    relevance_explanation="JUDGEPROSE on relevance.",
    overall_supported_explanation="JUDGEPROSE in all.",
)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_blind_shows_no_trace_of_the_judge_before_acceptance(
    tmp_path: Path, database: Path, size: tuple[int, int]
) -> None:
    one = write_rows(tmp_path / "one.jsonl", [BLIND_ROW])
    bare = {
        "sentence_support_information": [],
        "unsupported_response_sentence_keys": [],
        "all_relevant_sentence_keys": [],
        "all_utilized_sentence_keys": [],
        "relevance_score": 0.1,
    }
    other = write_rows(
        tmp_path / "two.jsonl", [BLIND_ROW | bare | {"response_sentences": BLIND_ROW["response_sentences"]}]
    )
    screens = []
    for number, path in enumerate((one, other)):
        async with stage(path, database.with_suffix(f".{number}.db"), size=size, blind=True) as s:
            shown = []
            for key in ("tab", "j", "J", "d", "tab", "1", "x", "X", "question_mark", "escape", "colon", "escape"):
                await s.press(key)
                header, *rest = s.screen_lines()
                left, blind, _ = header.replace(path.name, "x.jsonl").partition(" · blind ")  # and the saved mark
                shown.append([left.split(), blind, *rest])
                assert "JUDGE" not in s.text()
                assert "▌○ ✓" not in s.text()
            screens.append(shown)
    assert screens[0] == screens[1], "whatever the judge says, the screen is the same to the last cell"


async def test_blind_shows_the_judge_after_acceptance_and_keeps_the_blind_judgement(
    tmp_path: Path, database: Path
) -> None:
    path = write_rows(tmp_path / "x.jsonl", [BLIND_ROW, make_row(id="other")])
    async with stage(path, database, blind=True) as s:
        assert " · blind " in s.screen_lines()[0]
        assert "hidden until you accept" in s.text()
        numbers = [line[1] for line in s.screen_lines() if " doc_" in line and line[1:2].isdigit()]
        assert numbers == ["1", "2", "3", "4", "5"]
        await s.press("1", "y", "n", "a")
        assert "record 2 / 2" in s.text()
        await s.press("comma")
        assert "JUDGEPROSE about the casting." in s.text()
        assert "JUDGEMODEL" in s.text()
        assert " · seen " in s.screen_lines()[0]
        blind = s.session.desk.review.blind
        await s.press("y", "y")
        assert s.session.desk.review.blind == blind
        assert "blind n = 1 · assisted n = 1" in s.text(), "a revision after the reveal"


async def test_the_judges_own_keys_change_nothing_where_there_is_no_other_judge(dataset: Path, database: Path) -> None:
    async with stage(dataset, database) as s:
        before = s.session.desk
        for key, said in (
            ("v", "no other judge yet  L label  B label rest"),
            ("L", "no judge to ask"),
            ("B", "no judge"),
        ):
            await s.press(key)
            assert said in s.text()
        assert s.session.desk == before
        assert s.saving.submitted == 0


def test_no_key_was_forgotten_here() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    digits = {f"link-{digit}" for digit in range(1, 10)}
    missing = [
        k.name for k in KEYS if k.name not in digits and not any(f'"{key}"' in text for key in k.keys.split(","))
    ]
    assert missing == []


async def test_the_documents_scroll_by_half_pages_from_the_response_and_the_cursor_stays_in_view(
    tmp_path: Path, database: Path
) -> None:
    async with stage(write_rows(tmp_path / "x.jsonl", [long_row()]), database, size=(80, 24)) as s:
        assert "Ledger line 0 " in s.text()
        await s.press("ctrl+d", "ctrl+d")
        assert "Ledger line 0 " not in s.text()
        assert f" {s.session.desk.cursor_key} " in s.text()
        await s.press("ctrl+u", "ctrl+u", "ctrl+u")
        assert "Ledger line 0 " in s.text()


async def test_the_next_unreviewed_record_is_a_key_away(dataset: Path, database: Path) -> None:
    async with stage(dataset, database) as s:
        await s.press("a", "comma", "greater_than_sign")
        assert s.session.position == 1


async def test_a_digit_points_at_what_it_links_and_one_that_is_not_there_says_so(dataset: Path, database: Path) -> None:
    async with stage(dataset, database) as s:
        await s.press("5", "r")
        assert s.session.desk.cursor_key == "doc_1_s1"
        assert "doc_1_s1" in s.session.desk.review.labels.relevant
        await s.press("9")
        assert "no document sentence on the screen carries 9" in s.text()


async def test_supporting_sentences_out_of_view_are_announced(tmp_path: Path, database: Path) -> None:
    keys = ["0a", "0z", "0bz"]
    row = make_row(
        documents=[[f"Fact {n}." for n in range(100)]],
        all_relevant_sentence_keys=keys,
        all_utilized_sentence_keys=keys,
        sentence_support_information=[support_entry("a", keys), support_entry("b", [])],
    )
    async with stage(write_rows(tmp_path / "x.jsonl", [row]), database) as s:
        assert "◆ 2↓" in s.text()
        await s.press("tab", "G")
        assert "◆ 3↑" in s.text()
        await s.press("J")
        assert "↑" not in s.text()


async def test_rejecting_unlinks_all_and_reopening_takes_an_acceptance_back(dataset: Path, database: Path) -> None:
    async with stage(dataset, database) as s:
        await s.press("N")
        assert "✗*✓ resp_s0" in s.text()
        await s.press("a", "comma")
        assert "✓ accepted" in s.screen_lines()[0]
        await s.press("O")
        assert "✓ accepted" not in s.screen_lines()[0]


async def test_what_is_missing_is_said_with_its_keys(tmp_path: Path, database: Path) -> None:
    row = {"id": 1, "question": "q?", "documents": ["A b c."], "response": "Unheard of things. More of them."}
    async with stage(write_rows(tmp_path / "x.jsonl", [row]), database, blind=True) as s:
        await s.until(lambda: s.session.desk is not None)
        await s.press("space")
        assert "resp_s0 has no verdict yet  y supported  n unsupported" in s.text()


async def test_where_the_reveal_stays_on_the_record_the_sentences_are_wrapped_anew(
    tmp_path: Path, database: Path
) -> None:
    words = " ".join(f"word{n}" for n in range(60))
    row = make_row(documents=[[words], ["Short."]], all_relevant_sentence_keys=["0a"])
    async with stage(write_rows(tmp_path / "x.jsonl", [row]), database, blind=True) as s:
        await s.press("y", "y", "a")  # the only record: there is none to go on to
        await s.until(lambda: " ru " in s.text() or " r· " in s.text())
        assert all(f"word{n}" in s.text() for n in range(60)), "no word is cut at the edge"
