"""Every part stands on every screen, whatever the record holds: no line too wide, no cell torn, no crash."""

from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.rows import Row, make_row, named_rows, support_entry
from tests.tui.stage import Stage, stage, write_rows
from trace_tui.tui.lines import wrap
from trace_tui.tui.panel import question

SIZES = [(80, 24), (120, 40), (200, 60)]
SHARED = Path(__file__).parents[2] / ".." / "shared" / "data" / "ragbench"

SCRIPTS = {
    "CJK": "時計台は一七八八年に造られ、鐘は青銅製で、市場の広場に面している。" * 6,
    "emoji": "The clock 🕰️ and the clockmaker 👩🏽‍🔧 and flags 🇩🇪🇫🇷 and 👨‍👩‍👧‍👦 stand here. " * 8,
    "combining": "Zo\u0308e\u0301 re\u0301pare\u0301 l\u2019horloge a\u0328 Vellmar\u0323\u0302. " * 12,
    "Hebrew": "השעון של העיר נוצק בשנת אלף שבע מאות שמונים ושמונה. " * 8,
    "Arabic": "صُنعت ساعة البلدة في عام ألف وسبعمائة وثمانية وثمانين. " * 8,
    "one word": "a" * 20_000,
    "one wide word": "時" * 10_000,
    "zero width": "\u0301" * 500 + " and e" + "\u0301" * 500,
    "tabs and newlines": "a\tb\n\nc\r\nd " * 40,
    "blanks": "  \n \t ",
}


def scripted(name: str) -> Row:
    text = SCRIPTS[name]
    return make_row(
        documents=[[text, "Short."], [text]],
        response=[text, "Short."],
        id=text[:30],
        question=text,
        annotating_model_name=text[:40],
        sentence_support_information=[support_entry("a", ["0a"], explanation=text), support_entry("b", [])],
    )


def assert_whole(s: Stage) -> None:
    """Every part is there, and each line is exactly as wide as the screen."""
    width, height = s.app.size
    lines = s.screen_lines()
    assert len(lines) == height
    assert {cell_len(line) for line in lines} == {width}
    assert lines[0].startswith(" trace-tui ")
    assert lines[1].startswith((" Q ", " ! "))
    for part in ("documents", "response"):
        assert any(f"━ {part}" in line or f"─ {part}" in line for line in lines), part
    assert "? help" in lines[-1]
    if s.session.desk:
        scores = " judge " if width < 104 else "── this record"
        assert any(scores in line for line in lines)


@pytest.mark.parametrize("size", SIZES)
async def test_every_part_stands_on_the_screen(dataset: Path, database: Path, size: tuple[int, int]) -> None:
    async with stage(dataset, database, size=size) as s:
        assert_whole(s)
        lines = s.screen_lines()
        for key in ("doc_0_s0", "doc_1_s1", "resp_s0", "resp_s1"):
            assert sum(f" {key}  " in line for line in lines) >= 1
        assert "Who repaired the town clock" in lines[1]
        side_by_side = any("documents" in line and "response" in line for line in lines)
        assert side_by_side == (size[0] >= 160)


@pytest.mark.parametrize("size", SIZES)
async def test_the_question_stays_and_is_cut_with_an_ellipsis(
    tmp_path: Path, database: Path, size: tuple[int, int]
) -> None:
    row = make_row(question="Why does the clock strike so late? " * 40, documents=[[f"Line {n}." for n in range(99)]])
    async with stage(write_rows(tmp_path / "x.jsonl", [row]), database, size=size) as s:
        rows = 2 if size[0] < 104 else 3
        before = s.screen_lines()[1 : 1 + rows]
        assert before[-1].rstrip().endswith("…")
        await s.press("tab", "G", "pageup", "tab", "G")
        assert s.screen_lines()[1 : 1 + rows] == before
        assert_whole(s)


@pytest.mark.parametrize("text", ["なぜ時計は遅れて鳴るのか。", "🕰️ why ", "why "])
@pytest.mark.parametrize("width", [40, 79, 80, 81, 120])
async def test_a_cut_question_fits_in_any_script(tmp_path: Path, database: Path, text: str, width: int) -> None:
    path = write_rows(tmp_path / "x.jsonl", [make_row(question=text * 120)])
    async with stage(path, database, size=(width, 24)) as s:
        for line in question(s.session.desk, "", width, 2):
            assert sum(cell_len(part) for part, _ in line) <= width
        assert s.screen_lines()[2 if width < 104 else 3].rstrip().endswith("…")


async def test_26_response_and_1056_document_sentences_are_walked_to_the_end(tmp_path: Path, database: Path) -> None:
    row = make_row(
        documents=[[f"Ledger line {n} names a bell founder." for n in range(528)] for _ in range(2)],
        response=[f"Bell number {n} hangs in the tower." for n in range(26)],
        sentence_support_information=[support_entry("z", ["1tg"])],
    )
    async with stage(write_rows(tmp_path / "x.jsonl", [row]), database, size=(80, 24)) as s:
        assert "documents 2 · 1056 sentences" in s.text()
        for n in range(1, 26):
            await s.press("J")
            assert s.session.desk.focused_key == f"resp_s{n}"
            assert any(line.startswith("▌") and f" resp_s{n} " in line for line in s.screen_lines())
        assert any(line.startswith("▌") and " doc_1_s526 " in line for line in s.screen_lines()), "its first support"
        await s.press("tab", "g", "G")
        assert any(line.startswith("▌") and " doc_1_s527 " in line for line in s.screen_lines())
        assert_whole(s)


NO_LABELS = {"sentence_support_information": [], "all_relevant_sentence_keys": [], "all_utilized_sentence_keys": []}
NO_DOCUMENTS = NO_LABELS | {"documents": [], "documents_sentences": []}
BARE = {
    "no documents": make_row() | NO_DOCUMENTS,
    "an empty document": make_row(documents=[[], ["One."]]) | NO_LABELS,
    "no response": make_row(response=[]) | NO_LABELS,
    "nothing at all": make_row(response=[], question="") | NO_DOCUMENTS,
}
KEYS = ["j", "k", "J", "K", "G", "g", "pagedown", "pageup", "1", "9", "r", "u", "s", "x", "X", "y", "n", "space"]


@pytest.mark.parametrize("name", BARE)
async def test_what_is_missing_is_said_and_no_key_crashes(tmp_path: Path, database: Path, name: str) -> None:
    rows = [BARE[name] | {"id": n} for n in range(2)]
    async with stage(write_rows(tmp_path / "x.jsonl", rows), database) as s:
        assert_whole(s)
        for _ in range(2):
            for key in KEYS:
                await s.press(key)
                assert_whole(s)
            await s.press("w", "1", "d", "slash", "x", "enter", "escape", "tab")
        await s.press("a", "a", "z", "Z")
        assert_whole(s)


async def test_a_row_that_cannot_be_read_is_named_and_passed(tmp_path: Path, database: Path) -> None:
    path = tmp_path / "x.jsonl"
    good = write_rows(path, [make_row(id="good")]).read_bytes()
    path.write_bytes(good + b'{"question": "cut\n' + good.replace(b"good", b"fine"))
    async with stage(path, database) as s:
        await s.press("full_stop")
        assert_whole(s)
        assert "x.jsonl: line 2" in s.text()
        for key in [
            *KEYS,
            "a",
            "e",
            "w",
            "slash",
            "escape",
            "colon",
            "escape",
            "z",
            "Z",
            "m",
            "o",
            "d",
            "tab",
            "minus",
        ]:
            await s.press(key)
            if len(s.app.screen_stack) > 1:
                await s.press("escape")
        assert s.saving.saved + s.saving.pending == 0
        await s.press("colon", "3", "enter")
        assert " fine " in s.screen_lines()[0]


@pytest.mark.parametrize("name", SCRIPTS)
async def test_every_script_wraps_within_the_screen(tmp_path: Path, database: Path, name: str) -> None:
    async with stage(write_rows(tmp_path / "x.jsonl", [scripted(name)]), database, size=(80, 24)) as s:
        assert_whole(s)
        for key in ("tab", "j", "pagedown", "G", "k", "pageup", "g", "r", "tab", "J", "y", "n", "pagedown"):
            await s.press(key)
            assert_whole(s)
        for size in (*SIZES, (30, 12), (80, 24)):
            await s.pilot.resize_terminal(*size)
            await s.pilot.pause()
            assert {cell_len(line) for line in s.screen_lines()} == {size[0]}


@pytest.mark.parametrize("name", SCRIPTS)
@pytest.mark.parametrize("width", [2, 3, 7, 40])
def test_wrapping_loses_no_character_and_exceeds_no_width(name: str, width: int) -> None:
    text = " ".join(SCRIPTS[name].split())
    lines = wrap(text, width)
    assert max(map(cell_len, lines)) <= width
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


async def test_a_terminal_of_any_size_is_survived(dataset: Path, database: Path) -> None:
    async with stage(dataset, database, size=(120, 40)) as s:
        for size in ((1, 1), (5, 3), (20, 8), (103, 24), (104, 24), (160, 30), (300, 100), (80, 24)):
            await s.pilot.resize_terminal(*size)
            await s.pilot.pause()
            await s.press("J", "tab", "j", "1", "question_mark", "escape", "w", "escape", "e", "escape")
            assert len(s.screen_lines()) == size[1]
        assert_whole(s)


async def test_every_named_row_of_the_tests_opens(tmp_path: Path, database: Path) -> None:
    rows = list(named_rows().values())
    async with stage(write_rows(tmp_path / "x.jsonl", rows), database) as s:
        for n in range(len(rows)):
            assert f"record {n + 1} / {len(rows)} " in s.text()
            assert_whole(s)
            await s.press("full_stop")


@pytest.mark.skipif(not SHARED.is_dir(), reason="the real rows are not beside this checkout")
async def test_every_dirty_real_row_opens(database: Path) -> None:
    async with stage(SHARED / "edge_cases.jsonl", database, size=(80, 24)) as s:
        for _ in range(len(s.session)):
            assert_whole(s)
            await s.press("full_stop")
