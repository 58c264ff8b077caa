"""The least that Textual can do: an empty app that repaints one line on a key. What it takes is not ours to save."""

from rich.segment import Segment
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

READY = b"floor is painted"


class Line(Widget, can_focus=True):
    """Counts keys in its first line."""

    count = 0

    def render_line(self, y: int) -> Strip:
        text = f"{READY.decode()} {self.count}" if y == 0 else ""
        return Strip([Segment(text.ljust(self.size.width), self.rich_style)])

    def on_key(self) -> None:
        self.count += 1
        self.refresh(Region(0, 0, self.size.width, 1))


class Floor(App[None]):
    """One widget, no more."""

    def compose(self) -> ComposeResult:
        yield Line()

    def on_mount(self) -> None:
        self.query_one(Line).focus()


if __name__ == "__main__":
    Floor().run()
