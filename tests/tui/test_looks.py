"""Roles are told apart without colour, and with it by everyone, on a dark and on a light screen."""

import os
import re
from itertools import combinations
from pathlib import Path

import pyte
import pytest
from rich.color import Color
from rich.style import Style

from tests.rows import make_row, support_entry
from tests.tui.stage import stage, write_rows
from tests.tui.terminal import run_in_pty
from trace_tui.tui.theme import DARK_THEME, LIGHT_THEME, Role, palette

LABELS = [Role.RELEVANT, Role.UTILIZED, Role.BOTH, Role.NEITHER]
VERDICTS = [Role.SUPPORTED, Role.UNSUPPORTED, Role.PARTIAL, Role.UNJUDGED]
THEMES = {"dark": (DARK_THEME, True), "light": (LIGHT_THEME, False)}

# Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency",
# IEEE TVCG 15(6), 2009: the matrices of full deficiency, in linear RGB.
DEFICIENCIES = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
}
RGB = tuple[float, float, float]


def linear(colour: str) -> RGB:
    """Return a colour's red, green and blue in linear light (sRGB, IEC 61966-2-1)."""
    triplet = Color.parse(colour).get_truecolor()
    channels = [value / 255 for value in triplet]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return red, green, blue


def luminance(colour: RGB) -> float:
    return 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2]


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of WCAG 2.2."""
    low, high = sorted((luminance(linear(one)), luminance(linear(other))))
    return (high + 0.05) / (low + 0.05)


def lab(colour: RGB) -> RGB:
    """Return CIE L*a*b* under D65 of linear RGB."""
    red, green, blue = (min(max(c, 0.0), 1.0) for c in colour)
    x = (0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047
    y = 0.2126729 * red + 0.7151522 * green + 0.0721750 * blue
    z = (0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883
    fx, fy, fz = (t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def seen(colour: str, deficiency: str | None) -> RGB:
    rgb = linear(colour)
    if deficiency is None:
        return lab(rgb)
    red, green, blue = (sum(f * c for f, c in zip(row, rgb, strict=True)) for row in DEFICIENCIES[deficiency])
    return lab((red, green, blue))


def distance(one: str, other: str, deficiency: str | None) -> float:
    """Return the CIE 1976 colour difference; about 2.3 is just noticeable side by side."""
    return sum((a - b) ** 2 for a, b in zip(seen(one, deficiency), seen(other, deficiency), strict=True)) ** 0.5


def ink(style: Style) -> str:
    assert style.color is not None
    return style.color.name


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("role", [role for role in Role if role is not Role.MATCH])
def test_contrast(theme: str, role: Role) -> None:
    colours, dark = THEMES[theme]
    style = palette(dark=dark)[role]
    backgrounds = [style.bgcolor.name] if style.bgcolor else [colours.background, colours.surface, colours.panel]
    wanted = 3 if role is Role.RULE else 4.5  # text against what is no text
    for background in backgrounds:
        assert background is not None
        assert contrast(ink(style), background) >= wanted, f"{role} on {background}"


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("deficiency", [None, *DEFICIENCIES])
@pytest.mark.parametrize("group", [LABELS, VERDICTS], ids=["labels", "verdicts"])
def test_colours_of_a_group_are_apart_for_everyone(theme: str, deficiency: str | None, group: list[Role]) -> None:
    colours = palette(dark=THEMES[theme][1])
    for one, other in combinations(group, 2):
        apart = distance(ink(colours[one]), ink(colours[other]), deficiency)
        assert apart >= 10, f"{one} and {other}"


def test_the_simulation_confuses_what_such_eyes_confuse() -> None:
    assert distance("#b00000", "#606000", "deuteranopia") < distance("#b00000", "#606000", None) / 2
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


STATES = make_row(
    documents=[["Both and evidence.", "Relevant alone.", "Utilized alone.", "Neither."]],
    response=["Supported.", "Partly.", "Not supported.", "Not judged."],
    all_relevant_sentence_keys=["0a", "0b"],
    all_utilized_sentence_keys=["0a", "0c"],
    sentence_support_information=[
        support_entry("a", ["0a"]),
        support_entry("b", ["0b"], fully=False),
        support_entry("c", [], fully=False),
        support_entry("d", [], fully=None),
    ],
)
del STATES["unsupported_response_sentence_keys"]


def gutters(lines: list[str], kind: str) -> list[str]:
    return [line.split(kind)[0] for line in lines if kind in line[:18]]


async def test_every_state_has_signs_of_its_own(tmp_path: Path, database: Path) -> None:
    async with stage(write_rows(tmp_path / "x.jsonl", [STATES]), database) as s:
        documents = gutters(s.screen_lines(), "doc_0_s")
        assert [line[2:8].strip() for line in documents] == ["◆ RU", "R·", "·U", "··"]
        responses = gutters(s.screen_lines(), "resp_s")
        assert [line[3:].split()[0] for line in responses] == ["✓", "◐", "✗", "?"]
        assert responses[0].startswith("▌"), "the focus"
        before = [*documents, *responses]
        await s.press("1", "tab", "r", "j", "u", "tab", "J", "y", "J", "J", "n")
        after = [*gutters(s.screen_lines(), "doc_0_s"), *gutters(s.screen_lines(), "resp_s")]
        stars = ["*" in line for line in after]
        assert stars == [True, True, False, False, True, True, False, True], "where human and judge differ"
        assert not any("*" in line for line in before)
        assert "◇" in (await _focus_first(s)), "only the judge says it supports"


async def _focus_first(s) -> str:  # noqa: ANN001 - a stage
    await s.press("g")
    return gutters(s.screen_lines(), "doc_0_s")[0]


def colours_in(said: bytes) -> set[bytes]:
    """Return the parameters of SGR sequences that set a colour."""
    found = re.findall(rb"\x1b\[([0-9;:]*)m", said)
    return {p for p in found if re.search(rb"(^|;)(3[0-8]|4[0-8]|9[0-7]|10[0-7])(;|:|$)", p)}


def shown(said: bytes, size: tuple[int, int]) -> list[str]:
    screen = pyte.Screen(*size)
    stream = pyte.ByteStream(screen)
    stream.feed(re.sub(rb"\x1b\[[<>=?][0-9;$]*[a-zA-Z]", b"", said))
    return list(screen.display)


def test_no_color_is_honoured_and_readable(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "x.jsonl", [STATES])
    arguments = ["review", str(path), "--annotator", "mia"]
    assert "NO_COLOR" not in os.environ
    assert colours_in(run_in_pty(arguments, [], (100, 30)))
    said = run_in_pty(arguments, [b"j"], (100, 30), NO_COLOR="1")
    screen = "\n".join(shown(said, (100, 30)))
    for part in ("RU ru doc_0_s0", "R· r· doc_0_s1", "·U ·u doc_0_s2", "▌○ ◐ ◐ resp_s1", "○ ? ? resp_s3", "? help"):
        assert part in screen
    assert {p for p in colours_in(said) if not _is_grey(p)} == set()


def _is_grey(parameters: bytes) -> bool:
    """Whether every colour set is a grey: that is how Textual honours NO_COLOR."""
    return all(len(set(rgb.split(b";"))) == 1 for rgb in re.findall(rb"[34]8;2;(\d+;\d+;\d+)", parameters))
