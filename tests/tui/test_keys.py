"""The key table holds no key twice, can be remapped by name, and everything on the screen follows it."""

import re
from collections import Counter
from inspect import getsource
from pathlib import Path

import pytest
from textual.keys import Keys

from tests.tui.stage import Stage, stage
from trace_tui.errors import UsageError
from trace_tui.tui import pane, rows
from trace_tui.tui.app import ReviewApp
from trace_tui.tui.help import key_lines, legend
from trace_tui.tui.keys import BY_NAME, KEYS, read_keymap, shown

TEXTUALS_OWN = {
    "ctrl+q",  # quits as q does, and asks as q does
    "ctrl+c",  # copies what a prompt has selected; else says how to quit
    "super+c",  # the same on a Mac
    "shift+tab",  # the other pane too: there are two
}


def keymap_of(tmp_path: Path, text: str) -> dict[str, str]:
    path = tmp_path / "keys.toml"
    path.write_text(text, encoding="utf-8")
    return read_keymap(path)


def test_no_key_means_two_things_and_no_name_stands_twice() -> None:
    keys = Counter(key for entry in KEYS for key in entry.keys.split(","))
    assert [key for key, count in keys.items() if count > 1] == []
    assert len(BY_NAME) == len(KEYS)


def test_names_are_words_and_every_action_exists() -> None:
    for key in KEYS:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", key.name)
        assert key.help
        assert key.group
        assert key.panes
        action = key.action.partition("(")[0]
        assert hasattr(ReviewApp, f"action_{action}"), action


def test_every_key_is_one_that_textual_knows_or_one_character() -> None:
    known = {name.value for name in Keys}
    names = {
        "greater_than_sign",
        "full_stop",
        "comma",
        "slash",
        "colon",
        "exclamation_mark",
        "minus",
        "question_mark",
        "space",
    }
    for key in (key for entry in KEYS for key in entry.keys.split(",")):
        assert len(key) == 1 or key in known | names


def test_no_key_needs_a_character_that_a_german_or_french_keyboard_hides() -> None:
    hidden = set("[]{}\\|@~`^")  # behind AltGr or a dead key there
    assert not any(hidden & set(shown(entry.keys)) for entry in KEYS)


async def test_what_is_live_is_what_the_table_and_the_help_say(dataset: Path, database: Path) -> None:
    async with stage(dataset, database) as s:
        for _ in range(2):
            live = set(s.app.active_bindings)
            assert live - {key for entry in KEYS for key in entry.keys.split(",")} == TEXTUALS_OWN & live
            assert {key for entry in KEYS for key in entry.keys.split(",")} <= live
            await s.press("tab")
    text = ["".join(part for part, _ in line) for line in key_lines({})]
    for key in KEYS:
        if not key.name.startswith("link-"):
            assert any(line.startswith(shown(key.keys)) and key.help in line for line in text), key.name
    assert any(line.startswith("1-9") for line in text)


def test_the_legend_covers_every_sign_that_the_screen_uses() -> None:
    explained = "".join(part for line in legend() for part, _ in line)
    signs = {sign for sign in getsource(rows) + getsource(pane) if not sign.isascii()}
    assert signs - set(explained) - set("“”…━─┃│") == set()


async def test_help_stands_on_the_screen_whole(dataset: Path, database: Path) -> None:
    for size in ((80, 24), (120, 50)):
        async with stage(dataset, database, size=size) as s:
            await s.press("question_mark")
            seen = s.text()
            for _ in range(6):
                await s.press("pagedown")
                await s.pilot.wait_for_scheduled_animations()
                seen += s.text()
            for line in (*legend(), *key_lines({})):
                assert " ".join("".join(part for part, _ in line).split())[-30:] in " ".join(seen.split())


# ---------------------------------------------------------------------------- --keys


async def press_and_tell(s: Stage, key: str) -> int:
    await s.press(key)
    return len(s.session.desk.review.settled)


@pytest.mark.parametrize(
    "written", ['"f5"', '["f5", "ö"]', '["ö"]', '"+"', '"plus"', '"ctrl+y"', '"shift+f5"', '"alt+x"', '" "', '"é"']
)
async def test_a_key_is_given_by_character_or_name(tmp_path: Path, dataset: Path, database: Path, written: str) -> None:
    keymap = keymap_of(tmp_path, f'unsupported = {written}\naccept = "f9"\npane = "tab"')
    async with stage(dataset, database, keymap=keymap) as s:
        assert await press_and_tell(s, "n") == 0, "the old key is free"
        key = keymap["unsupported"].split(",")[-1]
        assert await press_and_tell(s, key) == 1
        await s.press("question_mark")
        await s.pilot.pause()
        assert f"{shown(keymap['unsupported'])} " in s.text()


async def test_footer_help_and_bindings_follow(tmp_path: Path, dataset: Path, database: Path) -> None:
    keymap = keymap_of(tmp_path, 'accept = "f2"\nlink-1 = "f3"\nhelp = "f1"\nadopt = "f4"')
    async with stage(dataset, database, keymap=keymap, size=(200, 60)) as s:
        footer = s.screen_lines()[-1]
        assert "F2 accept" in footer or "f2 accept" in footer
        assert "help" in footer
        assert "space accept" not in footer
        assert "1-9" not in footer
        await s.press("f3")
        assert s.session.desk.overridden
        await s.press("f1")
        assert "What the signs mean" in s.text()


async def test_the_key_of_the_palette_may_be_given_to_another(tmp_path: Path, dataset: Path, database: Path) -> None:
    keymap = keymap_of(tmp_path, 'palette = "f7"\nflag = "ctrl+p"')
    async with stage(dataset, database, keymap=keymap) as s:
        await s.press("ctrl+p")
        assert "⚑ flagged" in s.text()
        await s.press("f7")
        assert len(s.app.screen_stack) == 2


async def test_two_keys_may_be_swapped(tmp_path: Path, dataset: Path, database: Path) -> None:
    async with stage(dataset, database, keymap=keymap_of(tmp_path, 'supported = "n"\nunsupported = "y"')) as s:
        await s.press("y")
        assert "● ◐*✓ resp_s0" in s.text()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('acept = "f5"', "there is no action 'acept'; the names are accept, supported,"),
        ('accept = "y"', "the key y would mean both accept and supported; remap one"),
        ('accept = ["f5", "f5"]', "the key"),
        ('accept = "tab"', "Tab keeps its meaning; take another key for accept"),
        ('quit = "ctrl+c"', "Ctrl+C keeps its meaning"),
        ("accept = 5", 'accept takes a key or a list of keys, as in accept = "f5"'),
        ("accept = []", "accept takes a key or a list of keys"),
        ('accept = ""', "accept takes a key or a list of keys"),
        ('accept = ["f5", 1]', "accept takes a key or a list of keys"),
        ("[accept]\nkey = 1", "accept takes a key or a list of keys"),
        ('accept = "f5', "cannot be read as a key table"),
        ('accept = "fünf"', "there is no key 'fünf'"),
        ('accept = "f5 "', "there is no key 'f5 '"),
        ('accept = "[/]"', "there is no key '[/]'"),
        ('accept = "f55"', "there is no key 'f55'"),
        ('accept = "strg+y"', "there is no key 'strg+y'"),
        ('accept = "y,n"', "there is no key 'y,n'"),
        ('accept = "\\u001b"', "there is no key"),
        ('"\\u001b[2J[/]" = "y"', "there is no action"),
    ],
)
def test_a_bad_table_is_one_line_that_names_the_file(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        keymap_of(tmp_path, text)
    message = str(caught.value)
    assert "keys.toml: " in message
    assert said in message
    assert "\n" not in message
    assert "\x1b" not in message


def test_a_file_that_is_not_there_or_not_text_is_one_line(tmp_path: Path) -> None:
    for path in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(UsageError, match="cannot be read as a key table"):
            read_keymap(path)
    (tmp_path / "bad.toml").write_bytes(b"accept = '\xff'")
    with pytest.raises(UsageError, match="cannot be read as a key table"):
        read_keymap(tmp_path / "bad.toml")
