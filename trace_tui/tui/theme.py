"""Roles, and how each looks in a dark and in a light theme.

Code names what a thing means, never its colour. The hues are blue, orange and pink, which stay apart for every common
kind of colour blindness (Okabe & Ito, Color Universal Design, 2008); each role also has a letter or glyph of its own,
so that nothing is lost where there is no colour at all.
"""

from collections.abc import Mapping
from enum import StrEnum, auto
from typing import Final

from rich.style import Style
from textual.theme import Theme


class Role(StrEnum):
    """What a piece of text means."""

    PLAIN = auto()
    DIM = auto()
    STRONG = auto()
    TITLE = auto()
    RULE = auto()
    KEY = auto()
    DIGIT = auto()
    RELEVANT = auto()
    UTILIZED = auto()
    BOTH = auto()
    NEITHER = auto()
    EVIDENCE = auto()
    SUPPORTED = auto()
    UNSUPPORTED = auto()
    PARTIAL = auto()
    UNJUDGED = auto()
    OVERRIDE = auto()
    JUDGE = auto()
    HUMAN = auto()
    FOCUS = auto()
    MATCH = auto()
    GOOD = auto()
    BAD = auto()
    WARNING = auto()


Palette = Mapping[Role, Style]

_DARK: Final = {
    Role.PLAIN: "#d8dee9",
    Role.DIM: "#828da0",
    Role.STRONG: "bold #ffffff",
    Role.TITLE: "bold #b8c4d9",
    Role.RULE: "#5e6e8c",
    Role.KEY: "#828da0",
    Role.DIGIT: "bold #f0e442",
    Role.RELEVANT: "#6cb8f0",
    Role.UTILIZED: "#f0b040",
    Role.BOTH: "#9fe0d0",
    Role.NEITHER: "#8a93a5",
    Role.EVIDENCE: "bold #ffffff on #17405f",
    Role.SUPPORTED: "bold #56b4e9",
    Role.UNSUPPORTED: "bold #f08c28",
    Role.PARTIAL: "bold #f0e442",
    Role.UNJUDGED: "#a5adbd",
    Role.OVERRIDE: "bold #f090c0",
    Role.JUDGE: "#9aa5b8",
    Role.HUMAN: "bold #ffffff",
    Role.FOCUS: "bold #f0e442",
    Role.MATCH: "bold reverse",
    Role.GOOD: "#56b4e9",
    Role.BAD: "bold #f08c28",
    Role.WARNING: "bold #f0e442",
}
_LIGHT: Final = _DARK | {
    Role.PLAIN: "#1f2733",
    Role.DIM: "#606878",
    Role.STRONG: "bold #000000",
    Role.TITLE: "bold #33415a",
    Role.RULE: "#808690",
    Role.KEY: "#606878",
    Role.DIGIT: "bold #8a4b00",
    Role.RELEVANT: "#005a9c",
    Role.UTILIZED: "#9a5b00",
    Role.BOTH: "#00665a",
    Role.NEITHER: "#606878",
    Role.EVIDENCE: "bold #00263f on #cfe6f7",
    Role.SUPPORTED: "bold #005a9c",
    Role.UNSUPPORTED: "bold #731500",
    Role.PARTIAL: "bold #806600",
    Role.UNJUDGED: "#606878",
    Role.OVERRIDE: "bold #a8246d",
    Role.JUDGE: "#5a6475",
    Role.HUMAN: "bold #000000",
    Role.FOCUS: "bold #8a4b00",
    Role.GOOD: "#005a9c",
    Role.BAD: "bold #b34700",
    Role.WARNING: "bold #8a4b00",
}


def palette(*, dark: bool) -> Palette:
    """Return the style of every role."""
    return {role: Style.parse(style) for role, style in (_DARK if dark else _LIGHT).items()}


DARK_THEME: Final = Theme(
    name="trace-dark",
    primary="#56b4e9",
    secondary="#f0b040",
    accent="#f0e442",
    warning="#f0e442",
    error="#f08c28",
    success="#56b4e9",
    foreground="#d8dee9",
    background="#10141b",
    surface="#161b24",
    panel="#1c2330",
    dark=True,
)
LIGHT_THEME: Final = Theme(
    name="trace-light",
    primary="#005a9c",
    secondary="#9a5b00",
    accent="#8a4b00",
    warning="#8a4b00",
    error="#b34700",
    success="#005a9c",
    foreground="#1f2733",
    background="#fafbfc",
    surface="#f1f4f8",
    panel="#e6ebf2",
    dark=False,
)
