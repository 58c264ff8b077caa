"""The legend and the key table as lines: made from the live keys, so that they cannot lie."""

from collections.abc import Mapping, Sequence

from trace_tui.tui.keys import KEYS, Key, shown
from trace_tui.tui.lines import Line
from trace_tui.tui.theme import Role

_LEGEND: Sequence[Line] = (
    (("What the signs mean", Role.TITLE),),
    (),
    (("R·", Role.RELEVANT), ("  relevant to the question", Role.PLAIN)),
    (("·U", Role.UTILIZED), ("  utilized by the response, though not relevant", Role.PLAIN)),
    (("RU", Role.BOTH), ("  relevant and utilized", Role.PLAIN)),
    (("··", Role.NEITHER), ("  neither", Role.PLAIN)),
    (("ru", Role.JUDGE), ("  in lower case beside it: what the judge says", Role.PLAIN)),
    (("◆ ", Role.SUPPORTED), ("  you link it to the response sentence in focus", Role.PLAIN)),
    (("◇ ", Role.SUPPORTED), ("  only the judge does", Role.PLAIN)),
    (("* ", Role.OVERRIDE), ("  you and the judge differ here", Role.PLAIN)),
    (),
    (("✓ ", Role.SUPPORTED), ("  supported", Role.PLAIN)),
    (("◐ ", Role.PARTIAL), ("  partly: it has supporting sentences and is not fully supported", Role.PLAIN)),
    (("✗ ", Role.UNSUPPORTED), ("  not supported", Role.PLAIN)),
    (("? ", Role.UNJUDGED), ("  not judged", Role.PLAIN)),
    (("●○", Role.DIM), ("  you have decided it, or not yet", Role.PLAIN)),
    (("▌ ", Role.FOCUS), ("  in focus", Role.PLAIN)),
    (("7 ", Role.DIGIT), ("  the key that links this document sentence", Role.PLAIN)),
)


def help_lines(keymap: Mapping[str, str]) -> list[Line]:
    """Return the legend and the keys in force.

    Args:
        keymap: keys by action name, where they differ from the table.
    """
    lines: list[Line] = [*_LEGEND]
    group = ""
    for key in KEYS:
        if key.group != group:
            group = key.group
            lines += [(), ((group, Role.TITLE),), ()]
        keys = shown(keymap.get(key.name, key.keys))
        lines.append(((f"{keys:<14}", Role.FOCUS), (key.help, Role.PLAIN)))
    return lines


def hints(keymap: Mapping[str, str], pane: str) -> list[tuple[Key, Line]]:
    """Return what the footer says of each key that counts in a pane."""
    return [
        (key, ((f" {_hint_key(key, keymap)} ", Role.FOCUS), (f"{key.label} ", Role.DIM)))
        for key in KEYS
        if key.label and pane in key.panes
    ]


def _hint_key(key: Key, keymap: Mapping[str, str]) -> str:
    if key.name == "link-1" and not any(name.startswith("link-") for name in keymap):
        return "1-9"
    return shown(keymap.get(key.name, key.keys))
