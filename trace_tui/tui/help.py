"""The legend and the key table as lines: made from the live keys, so that they cannot lie."""

from collections.abc import Mapping, Sequence

from trace_tui.tui.keys import KEYS, Key, shown
from trace_tui.tui.lines import Line
from trace_tui.tui.theme import Role

_LEGEND: Sequence[Line] = (
    (("What the signs mean", Role.TITLE),),
    (),
    (("R·", Role.RELEVANT), ("  relevant to the question", Role.PLAIN)),
    (("·U", Role.UTILIZED), ("  utilized, though not relevant", Role.PLAIN)),
    (("RU", Role.BOTH), ("  relevant and utilized", Role.PLAIN)),
    (("··", Role.NEITHER), ("  neither", Role.PLAIN)),
    (("ru", Role.JUDGE), ("  lower case: what the judge says", Role.PLAIN)),
    (("◆ ", Role.SUPPORTED), ("  supports the sentence in focus: you say so", Role.PLAIN)),
    (("◇ ", Role.SUPPORTED), ("  only the judge says so", Role.PLAIN)),
    (("* ", Role.OVERRIDE), ("  you and the judge differ here", Role.PLAIN)),
    (("~ ", Role.WARNING), ("  the judge was asked several times and was", Role.PLAIN)),
    (("    of two minds about this sentence", Role.PLAIN),),
    (),
    (("✓ ", Role.SUPPORTED), ("  supported", Role.PLAIN)),
    (("◐ ", Role.PARTIAL), ("  partly: has support, but not fully", Role.PLAIN)),
    (("✗ ", Role.UNSUPPORTED), ("  not supported", Role.PLAIN)),
    (("? ", Role.UNJUDGED), ("  not judged", Role.PLAIN)),
    (("●○", Role.DIM), ("  you have decided it, or not yet", Role.PLAIN)),
    (("▌ ", Role.FOCUS), ("  in focus", Role.PLAIN)),
    (("7 ", Role.DIGIT), ("  the key that links this sentence", Role.PLAIN)),
    (("◆ 2↑ 1↓", Role.WARNING), ("  supporting sentences out of view", Role.PLAIN)),
    (),
    (("R T C A", Role.TITLE), ("  relevance, utilization,", Role.PLAIN)),
    (("         completeness, adherence", Role.PLAIN),),
    (("you?", Role.DIM), ("  your score once you accept", Role.PLAIN)),
    (("Δ", Role.TITLE), ("  yours minus the judge's", Role.PLAIN)),
)

_FIRST = (
    "accept",
    "supported",
    "unsupported",
    "accept-record",
    "link-1",
    "relevant",
    "utilized",
    "supports",
    "pane",
    "next-record",
    "undo",
)
_LINKS = tuple(key.name for key in KEYS if key.name.startswith("link-"))


def legend() -> Sequence[Line]:
    """Return what every sign on the screen means."""
    return _LEGEND


def key_lines(keymap: Mapping[str, str]) -> list[Line]:
    """Return the keys in force, group by group.

    Args:
        keymap: keys by action name, where they differ from the table.
    """
    lines: list[Line] = []
    group = ""
    for key in KEYS:
        if key.group != group:
            group = key.group
            lines += [(), ((group, Role.TITLE),)] if lines else [((group, Role.TITLE),)]
        if key.name not in _LINKS or key.name == _LINKS[0] or _links_remapped(keymap):
            keys, text = _hint_key(key, keymap), key.help
            lines.append(((f"{keys:<12}", Role.FOCUS), (text, Role.PLAIN)))
    return lines


def hints(keymap: Mapping[str, str], pane: str) -> list[tuple[Key, Line]]:
    """Return what the footer says of each key that counts in a pane, what a beginner needs first."""
    counting = [key for key in KEYS if key.label and pane in key.panes]
    counting.sort(key=lambda key: _FIRST.index(key.name) if key.name in _FIRST else len(_FIRST))
    return [(key, ((f" {_hint_key(key, keymap)} ", Role.FOCUS), (f"{key.label} ", Role.DIM))) for key in counting]


def _hint_key(key: Key, keymap: Mapping[str, str]) -> str:
    if key.name == _LINKS[0] and not _links_remapped(keymap):
        return "1-9"
    return shown(keymap.get(key.name, key.keys))


def _links_remapped(keymap: Mapping[str, str]) -> bool:
    return not keymap.keys().isdisjoint(_LINKS)
