"""Finds the JSON objects in what a language model wrote, among prose, code fences and thinking aloud.

A model's text is hostile input: it may hold anything, at any length. Every step moves forward, what is read again
after a false start is bounded, and nesting is limited, so that the time is linear in the text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from json import JSONDecodeError, JSONDecoder
from typing import Any, Final

_DEEPEST: Final = 16  # a reply needs five levels; a wrapper or two around it are survived
_LONGEST_NAME: Final = 40  # of a name in a message; the longest of ours has 29
_FALSE_START: Final = 100  # what an attempt costs beside the characters that it reads
_EFFORT: Final = 2_000_000  # characters read in vain, beyond those of eight passes over the text


class JsonObject(dict[str, Any]):
    """An object, and where it stands: `text[start:end]`.

    `conflicts` are the names that it, or an object inside it, has twice with different values; the last holds.
    `is_repaired` says that strict JSON would not have allowed it.
    """

    def __init__(self, start: int) -> None:
        super().__init__()
        self.start = start
        self.end = start
        self.conflicts: set[str] = set()
        self.is_repaired = False


@dataclass(frozen=True, slots=True)
class Scan:
    """What a text holds.

    `objects` are the complete objects that are not part of another one, in order. `cut_off` says where the text ends
    inside an object, or in thinking aloud, None if it does not; `is_answer_cut_off`, that this object had begun with
    names that were looked for. `broken` says what is wrong with the last such object that is no JSON, "" if none is.
    """

    objects: tuple[JsonObject, ...]
    cut_off: str | None = None
    is_answer_cut_off: bool = False
    broken: str = ""


def scan(text: str, names: frozenset[str]) -> Scan:
    """Find all objects outside of thinking aloud.

    Args:
        text: what the model wrote.
        names: what the fields of a wanted object are called. Such an object that turns out to be broken is passed
            over as a whole: what stands in its strings are no objects.
    """
    return _Scanner(text, names).scan()


# How models mark what they think before they answer: `<think>`, `[THINK]`, and the channels of gpt-oss.
_CHANNEL: Final = r"<\|channel\|>\s*(?:analysis|commentary)\b"
_MARK: Final = re.compile(
    rf"""<(?P<tag>think(?:ing)?|thought|reasoning)>
    | (?P<bracket>\[think\])
    | (?P<channel>{_CHANNEL})
    | (?P<closed></(?:think(?:ing)?|thought|reasoning)\s*> | \[/think\])
    | (?P<brace>\{{)(?=\s*(?:"|\Z))""",
    re.IGNORECASE | re.VERBOSE,
)
_BRACKET_CLOSED: Final = re.compile(r"\[/think\]", re.IGNORECASE)
_CHANNEL_CLOSED: Final = re.compile(r"<\|end\|>|<\|channel\|>\s*final\b", re.IGNORECASE)


class _Scanner:
    def __init__(self, text: str, names: frozenset[str]) -> None:
        self._text = text
        self._names = names
        self._effort = 8 * len(text) + _EFFORT
        self._hopeless: set[int] = set()  # braces that an attempt has shown to open nothing
        self._objects: list[JsonObject] = []
        self._broken = ""

    def scan(self) -> Scan:
        at = 0
        while match := _MARK.search(self._text, at):
            if match["closed"]:  # its opening stood in the prompt: all before it was thought
                self._objects.clear()
                self._broken = ""
                at = match.end()
            elif match["brace"]:
                try:
                    at = self._object(match.start())
                except _CutOffError as error:
                    return self._result(f"cut off {error}", is_answer=error.is_inside(self._names))
            else:
                closed = _closing(match).search(self._text, match.end())
                if closed is None:
                    return self._result("cut off while thinking")
                at = closed.end()
        return self._result(None)

    def _object(self, start: int) -> int:
        """Read the object that may begin here; return where to go on."""
        if start in self._hopeless:
            return start + 1
        try:
            found = _Reader(self._text, start).read()
        except _BrokenError as error:
            return self._pass_over(start, error)
        self._objects.append(found)
        return found.end

    def _pass_over(self, start: int, error: "_BrokenError") -> int:
        self._hopeless.update(container.start for container in error.open)
        self._effort -= error.at - start + _FALSE_START
        if error.is_inside(self._names) or self._effort < 0:
            self._broken = f"no JSON {error}"
        if self._effort < 0:
            return len(self._text)
        return error.at if error.is_inside(self._names) else start + 1

    def _result(self, cut_off: str | None, *, is_answer: bool = False) -> Scan:
        return Scan(tuple(self._objects), cut_off, is_answer, self._broken)


def _closing(opening: re.Match[str]) -> re.Pattern[str]:
    if opening["tag"]:
        return re.compile(rf"</{opening['tag']}\s*>", re.IGNORECASE)
    return _BRACKET_CLOSED if opening["bracket"] else _CHANNEL_CLOSED


class _UnreadableError(Exception):
    """No object can be read: at `at`, within the objects `open`, the last name read being `after`."""

    def __init__(self, at: int, open_objects: list[JsonObject], after: str) -> None:
        super().__init__(f"after `{after[:_LONGEST_NAME]}`" if after else "from its start")
        self.at = at
        self.open = open_objects
        self._after = after

    def is_inside(self, names: frozenset[str]) -> bool:
        """Whether one of the objects that are still open has begun with one of the names."""
        return self._after in names or any(not names.isdisjoint(container) for container in self.open)


class _BrokenError(_UnreadableError):
    """The text is not what JSON allows, or nested too deep."""


class _CutOffError(_UnreadableError):
    """The text ends inside an object."""


_STRING: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_STRINGS: Final = JSONDecoder(strict=False)  # not strict: control characters may stand in a string
_SPACE: Final = re.compile(r"\s*")
_SCALAR: Final = re.compile(r"(?:true|false|null|NaN|-?Infinity|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])", re.ASCII)
_UNFINISHED: Final = re.compile(r"[\w.+-]+\Z", re.ASCII)
_WORDS: Final[dict[str, bool | None]] = {"true": True, "false": False, "null": None}
_CONTROL: Final = re.compile(r"[\x00-\x1f]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class _Reader:
    """Reads one object from a brace on, as JSON but for three things whose meaning is beyond doubt.

    A comma before a closing bracket and a control character (a newline) in a string count as repairs; half of a
    surrogate pair becomes U+FFFD. Numbers are read as float: no label is one.
    """

    def __init__(self, text: str, at: int) -> None:
        self._text = text
        self._at = at
        self._open: list[JsonObject] = []
        self._depth = 0
        self._after = ""

    def read(self) -> JsonObject:
        """Return the object.

        Raises:
            _CutOffError: the text ends inside it.
            _BrokenError: it is none.
        """
        return self._object()

    def _value(self) -> Any:
        match self._peek():
            case "{":
                return self._object()
            case "[":
                return self._list()
            case '"':
                return self._string()
        return self._scalar()

    def _object(self) -> JsonObject:
        found = JsonObject(self._at)
        self._open.append(found)
        for _ in self._items("}", found):
            if self._peek() != '"':
                raise self._unreadable()
            name = self._string()
            self._after = name
            self._take(":")
            value = self._value()
            if name in found and found[name] != value:
                found.conflicts.add(name)
            found[name] = value
        found.end = self._at
        self._open.pop()
        if self._open:
            self._open[-1].conflicts |= found.conflicts
            self._open[-1].is_repaired |= found.is_repaired
        return found

    def _list(self) -> list[Any]:
        return [self._value() for _ in self._items("]", self._open[-1])]

    def _items(self, closing: str, owner: JsonObject) -> Iterator[None]:
        """Step through the places of a list or an object, from its bracket to the closing one."""
        self._at += 1
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._unreadable()
        is_first = True
        while self._peek() != closing:
            if not is_first:
                self._take(",")
                if self._peek() == closing:
                    owner.is_repaired = True
                    break
            yield
            is_first = False
        self._at += 1
        self._depth -= 1

    def _string(self) -> str:
        found = _STRING.match(self._text, self._at)
        self._at = found.end() if found else len(self._text)
        if not found:
            raise self._unreadable()
        try:
            value = _STRINGS.decode(found[0])
        except JSONDecodeError:
            raise self._unreadable() from None
        if _CONTROL.search(found[0]):
            self._open[-1].is_repaired = True
        return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value)

    def _scalar(self) -> float | bool | None:
        found = _SCALAR.match(self._text, self._at)
        if not found or found.end() == len(self._text):
            self._at = len(self._text) if _UNFINISHED.match(self._text, self._at) else self._at
            raise self._unreadable()
        self._at = found.end()
        word = found[0]
        return _WORDS[word] if word in _WORDS else float(word)

    def _take(self, char: str) -> None:
        if self._peek() != char:
            raise self._unreadable()
        self._at += 1

    def _peek(self) -> str:
        self._at = _SPACE.match(self._text, self._at).end()  # type: ignore[union-attr]  # it matches the empty string
        if self._at == len(self._text):
            raise self._unreadable()
        return self._text[self._at]

    def _unreadable(self) -> _UnreadableError:
        kind = _CutOffError if self._at >= len(self._text) else _BrokenError
        return kind(self._at, self._open, self._after)
