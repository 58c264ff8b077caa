"""What stands above the review for a moment: prompts, the choice of a reason, help, and leaving with edits unsaved."""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, Label, OptionList, Static
from textual.widgets.option_list import Option

from trace_tui.display import one_line
from trace_tui.labels import Reason
from trace_tui.review.ports import LabelService
from trace_tui.tui.lines import Line
from trace_tui.tui.theme import Palette, Role


def text_of(lines: Sequence[Line], colours: Palette) -> Text:
    """Return lines of parts as one text; no markup is read on the way."""
    return Text("\n").join(Text.assemble(*((text, colours[role]) for text, role in line)) for line in lines)


class _Input(Input):
    """Takes what is typed or pasted as it can be seen, so that a pasted command never reaches the terminal."""

    def validate_value(self, value: str) -> str:
        """Make every character visible, one for one."""
        return one_line(value)


class Prompt(ModalScreen[str | None]):
    """One line to type into at the bottom of the screen. Enter gives it, Esc gives nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "close")]
    DEFAULT_CSS = """
    Prompt { align: left bottom; background: transparent; }
    Prompt > Horizontal { height: 1; background: $panel; }
    Prompt Label { width: auto; padding: 0 1; color: $accent; text-style: bold; }
    Prompt Input { width: 1fr; height: 1; border: none; padding: 0; background: $panel; }
    Prompt Input:focus { border: none; }
    """

    def __init__(self, label: str, value: str = "") -> None:
        super().__init__()
        self._label = label
        self._value = value

    def compose(self) -> ComposeResult:
        """Label and input side by side."""
        with Horizontal():
            yield Label(self._label, markup=False)
            yield _Input(self._value, select_on_focus=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Give what was typed."""
        self.dismiss(event.value)


class SearchBar(Prompt):
    """Stays open while searching: typing searches at once, Enter goes on, Shift+Enter or the up arrow goes back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("shift+enter,up", "search(-1)", "previous", priority=True),
        Binding("down", "search(1)", "next", priority=True),
    ]

    def __init__(self, search: Callable[[str, int], None]) -> None:
        super().__init__("/")
        self._search = search

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search from where the cursor is."""
        self._search(event.value, 0)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go to the next match."""
        event.prevent_default()  # Textual would go on to the handler of `Prompt`, which closes it
        self._search(event.value, 1)

    def action_search(self, direction: int) -> None:
        """Go to the next or the previous match."""
        self._search(self.query_one(Input).value, direction)


class ReasonPicker(ModalScreen[str | None]):
    """Why a response sentence needs no document sentence: a digit, or arrows and Enter. Esc leaves it as it is."""

    WORDS: ClassVar[dict[str, str]] = {
        Reason.GENERAL: "a general remark, an introduction or a transition",
        Reason.WELL_KNOWN_FACT: "a well-known fact",
        Reason.NUMERICAL_REASONING: "follows by numerical reasoning",
        Reason.SUPPORTED_WITHOUT_SENTENCE: "supported, but by no single sentence",
        "": "no reason: take it back",
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "close"),
        *(Binding(str(digit), f"pick({digit})", show=False) for digit in range(1, len(WORDS) + 1)),
    ]
    DEFAULT_CSS = """
    ReasonPicker { align: center middle; }
    ReasonPicker OptionList { width: 64; height: auto; border: round $accent; background: $panel; }
    """

    def compose(self) -> ComposeResult:
        """One option a reason."""
        choices = OptionList(
            *(Option(f"{number}  {words}", id=name) for number, (name, words) in enumerate(self.WORDS.items(), 1)),
            markup=False,
        )
        choices.border_title = "supported without a sentence, because it is …"
        yield choices

    def action_pick(self, digit: int) -> None:
        """Choose by number."""
        self.dismiss(str(list(self.WORDS)[digit - 1]))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Choose the highlighted one."""
        self.dismiss(str(event.option_id or ""))


class Help(ModalScreen[None]):
    """Everything there is to know, made from the live bindings. Any key that does not scroll closes it."""

    DEFAULT_CSS = """
    Help { align: center middle; }
    Help VerticalScroll { width: 100%; max-width: 132; height: 100%; max-height: 50; border: round $accent;
                          background: $panel; padding: 0 2; }
    Help Horizontal { height: auto; }
    Help Static { width: 1fr; height: auto; }
    Help .legend { width: 46; margin-right: 2; }
    Help.-narrow Horizontal { layout: vertical; }
    Help.-narrow .legend { width: 1fr; margin-bottom: 1; }
    """
    _SCROLLING: ClassVar[frozenset[str]] = frozenset({"up", "down", "pageup", "pagedown", "home", "end"})
    _TWO_COLUMNS: ClassVar[int] = 110

    def __init__(self, legend: Sequence[Line], keys: Sequence[Line], colours: Palette) -> None:
        super().__init__()
        self._legend, self._keys = text_of(legend, colours), text_of(keys, colours)

    def compose(self) -> ComposeResult:
        """Legend and keys side by side where there is room, in a box that scrolls."""
        self.set_class(self.app.size.width < self._TWO_COLUMNS, "-narrow")
        box = VerticalScroll(Horizontal(Static(self._legend, classes="legend"), Static(self._keys)))
        box.border_title = "trace-tui"
        box.border_subtitle = "arrows and page keys scroll, any other key closes"
        yield box

    def on_key(self, event: events.Key) -> None:
        """Close on any key that does not scroll."""
        if event.key not in self._SCROLLING:
            event.stop()
            self.dismiss()


class Unsaved(ModalScreen[bool]):
    """Leaving while edits cannot be saved: stay and try again, or lose them knowingly."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(False)", "stay"),
        Binding("L", "dismiss(True)", "lose them and quit"),
    ]
    DEFAULT_CSS = """
    Unsaved { align: center middle; }
    Unsaved Static { width: 70; height: auto; border: round $error; background: $panel; padding: 1 2; }
    """

    def __init__(self, edits: int, reason: str, colours: Palette) -> None:
        super().__init__()
        plural = "" if edits == 1 else "s"
        self._text = text_of(
            [
                ((f"{edits} edit{plural} not saved: ", Role.BAD), (one_line(reason), Role.PLAIN)),
                (),
                (("Esc", Role.KEY), ("  stay; saving is tried again every second", Role.PLAIN)),
                (("L  ", Role.KEY), ("  lose them and quit", Role.PLAIN)),
            ],
            colours,
        )

    def compose(self) -> ComposeResult:
        """The choice in words."""
        yield Static(self._text)


class Sending(ModalScreen[bool]):
    """Whether documents of a dataset may be sent to a host: asked once for each."""

    DEFAULT_CSS = """
    Sending { align: center middle; }
    Sending Static { width: 74; height: auto; border: round $warning; background: $panel; padding: 1 2; }
    """
    _READING: ClassVar[float] = 0.5  # seconds in which nobody has read it: a `y` as soon as that was for the review

    def __init__(self, service: LabelService, wish: str, dataset: str, records: int, colours: Palette) -> None:
        super().__init__()
        host, title, name = map(one_line, (service.host, service.title, dataset))
        self._shown_at: float | None = None
        self._text = text_of(
            [
                (("Send documents to ", Role.PLAIN), (host, Role.WARNING), ("?", Role.PLAIN)),
                (),
                ((f"Question, documents and response of {wish} would go there,", Role.PLAIN),),
                (("to be labelled by ", Role.PLAIN), (title, Role.STRONG), (".", Role.PLAIN)),
                ((f"If you agree, it is not asked again for {name}:", Role.PLAIN),),
                ((f"{records:,} record{'' if records == 1 else 's'} of it may be sent.", Role.PLAIN),),
                (),
                (("y  ", Role.FOCUS), ("  send", Role.PLAIN)),
                (("Esc", Role.FOCUS), ("  send nothing (n too)", Role.PLAIN)),
            ],
            colours,
        )

    def compose(self) -> ComposeResult:
        """The question in words."""
        yield Static(self._text)

    def on_mount(self) -> None:
        """Know when it can be read."""
        self.call_after_refresh(self._note_shown)

    def _note_shown(self) -> None:
        self._shown_at = monotonic()

    def on_key(self, event: events.Key) -> None:
        """Take the answer."""
        is_read = self._shown_at is not None and event.time >= self._shown_at + self._READING
        if event.key in {"escape", "n"} or (event.key == "y" and is_read):
            event.stop()
            self.dismiss(event.key == "y")
