"""The key table: every action of the review, its keys, and what the footer and the help say of it.

Everything that mentions a key reads it from here or from the live bindings made of it, so that no hint can lie.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from textual.binding import Binding
from textual.keys import Keys, format_key, key_to_character

from trace_tui.display import one_line
from trace_tui.errors import UsageError

REPEAT_SECONDS: Final = 0.12
"""The same key sooner than this after itself is auto-repeat: keyboards repeat every 30 to 90 ms, fingers above 150."""
FIRST_REPEAT_SECONDS: Final = 0.7
"""A held key begins to repeat within this: keyboards wait 200 to 660 ms."""


@dataclass(frozen=True, slots=True)
class Key:
    """One action: `name` is what `--keys` remaps, `keys` Textual's names of its keys, separated by commas.

    `label` is the footer's word for it, "" to leave it out there; `panes` says in which panes the footer shows it.
    `decides` marks what must never happen by auto-repeat or before the record was seen.
    """

    name: str
    keys: str
    action: str
    help: str
    group: str
    label: str = ""
    panes: tuple[str, ...] = ("documents", "response")
    decides: bool = False


_RESPONSE = ("response",)
_DOCUMENTS = ("documents",)

KEYS: Final[tuple[Key, ...]] = (
    Key("accept", "space", "accept", "accept it as it stands; on the last one, the record",
        "Decide", "accept", decides=True),
    Key("supported", "y", "verdict('supported')", "the response sentence is supported; go to the next",
        "Decide", "supported", decides=True),
    Key("unsupported", "n", "verdict('unsupported')", "it is not, or not fully; go to the next",
        "Decide", "not", decides=True),
    Key("reject", "N", "reject", "not supported at all: unlink all; go to the next", "Decide", decides=True),
    Key("accept-record", "a", "accept_record", "accept the whole record; go to the next unreviewed",
        "Decide", "all", decides=True),
    *(
        Key(f"link-{digit}", str(digit), f"link_digit({digit})",
            "link that sentence (utilized too), or unlink it", "Label documents",
            "link" if digit == 1 else "")
        for digit in range(1, 10)
    ),
    Key("relevant", "r", "relevant", "relevant to the question, or not", "Label documents", "relevant", _DOCUMENTS),
    Key("utilized", "u", "utilized", "utilized by the response, or not", "Label documents", "utilized", _DOCUMENTS),
    Key("supports", "s", "supports", "supports the response sentence in focus, or not",
        "Label documents", "supports", _DOCUMENTS),
    Key("reason", "w", "reason", "say why the sentence needs no document sentence",
        "Label the response", "reason", _RESPONSE),
    Key("reset", "x", "reset", "the judge's label again, for this sentence", "Label the response", "judge's"),
    Key("reset-record", "X", "reset_record", "the judge's labels again, for the whole record", "Label the response"),
    Key("down", "j,down", "move(1)", "next line", "Move"),
    Key("up", "k,up", "move(-1)", "previous line", "Move"),
    Key("next-sentence", "J", "focus_by(1)", "next response sentence", "Move", "next", _DOCUMENTS),
    Key("previous-sentence", "K", "focus_by(-1)", "previous response sentence", "Move"),
    Key("pane", "tab", "other_pane", "the other pane", "Move", "pane"),
    Key("page-down", "pagedown,ctrl+f", "page(1)", "a page down", "Move"),
    Key("page-up", "pageup,ctrl+b", "page(-1)", "a page up", "Move"),
    Key("documents-down", "ctrl+d", "documents(1)", "half a page down in the documents, from any pane", "Move"),
    Key("documents-up", "ctrl+u", "documents(-1)", "half a page up in the documents, from any pane", "Move"),
    Key("top", "g,home", "edge(-1)", "first sentence", "Move"),
    Key("bottom", "G,end", "edge(1)", "last sentence", "Move"),
    Key("next-record", "full_stop", "step(1)", "next record", "Records", "next"),
    Key("previous-record", "comma", "step(-1)", "previous record", "Records"),
    Key("next-unreviewed", "greater_than_sign", "next_unreviewed", "next unreviewed record", "Records"),
    Key("next-difference", "d", "difference", "next difference from the judge, across records",
        "Records", "difference"),
    Key("search", "slash", "search", "search in this record", "Records"),
    Key("go-to", "colon", "go_to", "go to a record number, an id or a sentence key", "Records"),
    Key("note", "e", "note", "write a note on the record", "Records"),
    Key("flag", "exclamation_mark", "flag", "flag the record, or take the flag off", "Records"),
    Key("skip", "minus", "skip", "leave the record for later; go to the next", "Records", decides=True),
    Key("reopen", "O", "reopen", "take back that the record is accepted or skipped", "Records"),
    Key("adopt", "o", "adopt", "take over labels of an earlier content", "Records"),
    Key("compare", "v", "compare", "compare with the next judge", "Judge", "other judge"),
    Key("label", "L", "label", "ask a judge to label this record, or cancel that", "Judge", "ask judge"),
    Key("label-rest", "B", "label_rest", "have it label the rest meanwhile, or cancel that", "Judge"),
    Key("undo", "z", "undo", "undo your latest edit, wherever it was", "Program", "undo"),
    Key("redo", "Z", "redo", "redo", "Program"),
    Key("definition", "m", "definition", "switch the definition of the scores", "Program"),
    Key("help", "question_mark", "help", "all keys, and what the signs mean", "Program", "help"),
    Key("palette", "ctrl+p", "command_palette", "every action by name", "Program"),
    Key("quit", "q", "leave", "quit; all is saved", "Program", "quit"),
)  # fmt: skip

BY_NAME: Final[Mapping[str, Key]] = {key.name: key for key in KEYS}


def bindings() -> list[Binding]:
    """Return the table as Textual's bindings, the name as their id."""
    return [Binding(key.keys, key.action, key.help, id=key.name, group=None, show=False) for key in KEYS]


def shown(keys: str) -> str:
    """Return keys as a person reads them: `space`, `.`, `j ↓`."""
    return " ".join(_shown(key) for key in keys.split(","))


_NAMES: Final = {"space": "space", "pagedown": "PgDn", "pageup": "PgUp", "home": "Home", "end": "End", "tab": "Tab"}


def _shown(key: str) -> str:
    if key in _NAMES:
        return _NAMES[key]
    if key.startswith("ctrl+"):
        return f"Ctrl+{key[5:].upper()}"
    return key_to_character(key) or format_key(key)


def read_keymap(path: Path) -> dict[str, str]:
    """Read a TOML file of `name = "key"` or `name = ["key", "other key"]`, by the names of the key table.

    Raises:
        UsageError: the file cannot be read, a name is unknown, or a key would mean two things.
    """
    import tomllib  # noqa: PLC0415  # few sessions remap keys, and each would wait for it

    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as a key table: {error}") from error
    keymap = {name: _keys(path, name, value) for name, value in data.items()}
    _check_clashes(path, {key.name: keymap.get(key.name, key.keys) for key in KEYS})
    return keymap


def _keys(path: Path, name: str, value: object) -> str:
    if name not in BY_NAME:
        raise UsageError(f"{path}: there is no action {one_line(name)!r}; the names are {', '.join(BY_NAME)}")
    keys: Sequence[object] = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    words = [key for key in keys if isinstance(key, str) and key]
    if not words or len(words) != len(keys):
        raise UsageError(f'{path}: {name} takes a key or a list of keys, as in {name} = "f5"')
    named = [_key_name(key) for key in words]
    for key, word in zip(named, words, strict=True):
        if key is None:
            raise UsageError(f"{path}: there is no key {one_line(word)!r}; {name} takes a character, or a name like f5")
        if key in _FIXED and key not in BY_NAME[name].keys.split(","):
            raise UsageError(f"{path}: {shown(key)} keeps its meaning; take another key for {name}")
    return ",".join(filter(None, named))


_FIXED: Final = frozenset({"tab", "shift+tab", "ctrl+c", "ctrl+q"})  # Textual answers to these before the app does
_MODIFIERS: Final = frozenset({"ctrl", "alt", "shift", "super", "hyper", "meta"})
_NAMED: Final = frozenset(key.value for key in Keys)


def _key_name(key: str) -> str | None:
    """Return Textual's name of a key that was given by its character or by its name; None if there is none."""
    if len(key) == 1:
        if not key.isprintable():
            return None
        return "space" if key == " " else next(iter(Binding.make_bindings([(key, "", "")]))).key
    *modifiers, name = key.split("+")
    is_key = name in _NAMED or (name.isidentifier() and len(format_key(name)) == 1)
    return key if is_key and _MODIFIERS.issuperset(modifiers) else None


def _check_clashes(path: Path, table: Mapping[str, str]) -> None:
    owner: dict[str, str] = {}
    for name, keys in table.items():
        for key in keys.split(","):
            if key in owner:
                raise UsageError(f"{path}: the key {shown(key)} would mean both {owner[key]} and {name}; remap one")
            owner[key] = name
