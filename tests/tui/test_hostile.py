"""Hostile text stands everywhere it can come from, and none of it commands the terminal or runs an action."""

import re
from pathlib import Path

import pytest

from tests.rows import Row, make_row, support_entry
from tests.tui.stage import Stage, stage, write_rows
from tests.tui.terminal import run_in_pty
from trace_tui.datasets.source import open_dataset
from trace_tui.display import one_line
from trace_tui.errors import BadInputError

SHARED = Path(__file__).parents[2] / ".." / "shared" / "data"
ESCAPES = (
    "\x1b[2J\x1b]52;c;b3duZWQ=\x07\x1b]0;owned\x07\x1bc\x9b31m\x9d52;c;eA==\x9c\x90\x85\x07\x08\x7f\x00"
    "\u202egpj.exe\u202c\u2066x\u2069\u200e\u200b\u2028\ufeff\U000e0041"
)
MARKUP = "[/] [/INST] [@click=app.quit]x[/] [link=https://example.com]y[/link] [bold red]z [on red"
FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff]")
TEXTS = {"escapes": ESCAPES, "markup": MARKUP}


def hostile_row(text: str, number: int) -> Row:
    row = make_row(
        id=f"{number}{text}",
        question=f"Q {text}",
        documents=[[f"D {text}", "plain"], [text]],
        response=[f"R {text}", "plain"],
        generation_model_name=text,
        annotating_model_name=text,
        dataset_name=text,
        sentence_support_information=[
            support_entry("a", ["0a"], explanation=f"E {text}"),
            support_entry(f"b{text}", [f"0b{text}"], explanation=text, fully=text),
        ],
        relevance_explanation=text,
        overall_supported_explanation=text,
    )
    return row | {"all_relevant_sentence_keys": ["0a", text], text: text}


def plain_row(text: str) -> Row:
    documents = [{"page_content": f"D {text}", "title": text, "metadata": {text: text}}]
    return {"id": text, "question": text, "documents": documents, "response": f"R. {text}", "ground_truth": text}


def assert_harmless(s: Stage) -> None:
    for line in s.screen_lines():
        assert not FORBIDDEN.search(line), ascii(line)
    for strip in s.app.screen._compositor.render_strips():
        for segment in strip:
            assert segment.style is None or segment.style.link is None
            meta = segment.style.meta if segment.style else {}
            assert "@click" not in meta
    assert s.app.is_running


async def drive(s: Stage, *keys: str) -> None:
    for key in keys:
        await s.press(key)
        assert_harmless(s)


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_every_widget_and_dialog_shows_it_as_text(tmp_path: Path, name: str, size: tuple[int, int]) -> None:
    text = TEXTS[name]
    file_name = text.replace("/", "").replace("\x00", "")[:40]
    rows = [hostile_row(text, 0), hostile_row(text, 1)]
    path = write_rows(tmp_path / f"{file_name}.jsonl", rows)
    database = tmp_path / f"{file_name}.db"
    async with stage(path, database, size=size, annotator=f"mia {text}") as s:
        await drive(s, "j", "k", "tab", "j", "J", "r", "s", "n", "1", "exclamation_mark", "d", "m", "question_mark")
        await drive(s, "pagedown", "pagedown", "escape", "w", "escape", "slash", "x", "enter", "escape", "full_stop")
        await drive(s, "comma", "colon", "2", "enter", "a", "comma", "z", "Z", "ctrl+p", "escape")
        for y in range(1, size[1] - 1, size[1] // 8):  # markup that became an action would run on a click
            await s.pilot.click(offset=(size[0] // 3, y))
        assert_harmless(s)
    async with stage(path, database, size=size, annotator=f"mia {text}") as s:
        assert_harmless(s)


@pytest.mark.parametrize("name", TEXTS)
async def test_a_note_with_it_is_kept_and_shown_as_text(dataset: Path, database: Path, name: str) -> None:
    text = TEXTS[name]
    async with stage(dataset, database) as s:
        s.session.act("note", lambda desk: _noted(desk, text))
        await drive(s, "j", "e")
        assert "✎ note" in s.screen_lines()[0]
        await drive(s, "x", "enter")
        assert s.session.desk.review.note == f"{one_line(text)}x"
        await drive(s, "e", "escape", "full_stop", "comma")


def _noted(desk, text: str):  # noqa: ANN001, ANN202 - a desk to an outcome
    from trace_tui.review.actions import write_note

    return write_note(desk, text)


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("opener", ["e", "colon", "slash"])
async def test_pasted_text_is_shown_as_text(dataset: Path, database: Path, name: str, opener: str) -> None:
    from textual.events import Paste

    async with stage(dataset, database) as s:
        await drive(s, opener)
        s.app.post_message(Paste(TEXTS[name]))
        await s.pilot.pause()
        await s.pilot.pause()
        assert_harmless(s)
        await drive(s, "enter", "escape", "j")


@pytest.mark.parametrize("name", TEXTS)
async def test_messages_and_errors_show_it_as_text(dataset: Path, database: Path, name: str) -> None:
    text = TEXTS[name]
    async with stage(dataset, database) as s:
        s.session.message = text
        s.app._board.paint_status()
        await s.pilot.pause()
        assert_harmless(s)
        s.saving._failure = f"/tmp/{text}: {text}"
        s.app.on_save_failed()
        await s.pilot.pause()
        assert_harmless(s)
        await drive(s, "n", "q")
        assert "not saved" in s.text()
        await drive(s, "escape")
        s.saving._failure = ""
        s.session.desk, s.session.fault = None, text
        s.app._paint()
        await s.pilot.pause()
        assert_harmless(s)


@pytest.mark.parametrize("name", TEXTS)
async def test_plain_rows_with_titles_show_it_as_text(tmp_path: Path, database: Path, name: str) -> None:
    async with stage(write_rows(tmp_path / "x.jsonl", [plain_row(TEXTS[name])] * 2), database) as s:
        await s.until(lambda: s.session.desk is not None)
        await drive(s, "j", "tab", "j", "y", "question_mark", "escape")


TRICKY = sorted((SHARED / "tricky").glob("*.jsonl"))


@pytest.mark.skipif(not TRICKY, reason="the tricky files are not beside this checkout")
@pytest.mark.parametrize("path", TRICKY, ids=lambda path: path.stem)
async def test_every_tricky_file_opens_or_is_refused_in_words(tmp_path: Path, path: Path) -> None:
    if path.stem in {"empty", "utf16"}:
        with pytest.raises(BadInputError, match=path.name), open_dataset(path):
            pass
        return
    with open_dataset(path) as opened:
        number = len(opened)
    async with stage(path, tmp_path / "x.db") as s:
        await s.until(lambda: s.session.desk is not None or not s.session.fault.startswith("getting"))
        assert len(s.session) == number
        for _ in range(min(number, 6)):
            await drive(s, "J", "tab", "G", "r", "tab", "full_stop")


# ---------------------------------------------------------------------------- what reaches a terminal

KEYS = [
    *(b"j", b"\t", b"j", b"r", b"J", b"n", b"?", b"\x1b[B", b"q", b"e", b"note\r", b"/", b"own", b"\r", b"\x1b\x1b"),
    *(b".", b",", b"a", b"z", b":2\r", b"q"),
]


PAYLOADS = [
    b"\x1b]52;",
    b"\x1b]0;owned",
    b"\x1bc",
    b"\x1b]8;",
    b"\xc2\x9b",
    b"\xc2\x9d",
    b"\xc2\x90",
    b"\xc2\x85",
    b"\x07",
    b"\x7f",
    *(char.encode() for char in "\u202e\u202c\u2066\u2069\u200e\u200b\u2028\ufeff"),
]


def hostile_files(tmp_path: Path) -> list[Path]:
    name = "x\x1b]0;owned\x07\u202e[@click=app.quit]x[]"
    own = write_rows(tmp_path / f"{name}.jsonl", [hostile_row(ESCAPES, 0), hostile_row(MARKUP, 1), plain_row(ESCAPES)])
    shared = (SHARED / "tricky" / "escape_sequences.jsonl", SHARED / "tricky" / "markup.jsonl")
    return [own, *(path for path in shared if path.exists())]


@pytest.mark.parametrize("number", range(3))
def test_no_byte_of_it_reaches_a_terminal(tmp_path: Path, number: int) -> None:
    files = hostile_files(tmp_path)
    if number >= len(files):
        pytest.skip("the tricky files are not beside this checkout")
    database = tmp_path / "x\x1b]52;c;eA==\x07.db"
    annotator = ESCAPES.replace("\0", "")
    arguments = ["review", str(files[number]), "--db", str(database), "--annotator", annotator]
    said = run_in_pty(arguments, KEYS, (120, 40))
    assert b"record 1 / " in said
    assert b"edits saved in" in said, said[-500:]
    assert [payload for payload in PAYLOADS if payload in said] == []


def test_refusals_reach_a_terminal_as_text_too(tmp_path: Path) -> None:
    said = run_in_pty(["review", str(tmp_path / "gone\x1b]0;owned\x07\x9b.jsonl")], [], (80, 24))
    assert b"error: " in said
    assert [payload for payload in PAYLOADS if payload in said] == []
