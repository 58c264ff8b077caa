"""Reads a page back: by the parser of the standard library, and by a browser where there is one."""

import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
_OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"),
)
_VOID = frozenset({"meta", "link", "img", "br", "hr", "input"})


class Page(HTMLParser):
    """What stands in a page: its elements, attributes, text and tables."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: set[str] = set()
        self.attributes: list[tuple[str, str, str]] = []
        self.texts: list[str] = []
        self.rows: list[tuple[str, str, list[str]]] = []
        self.values: list[str] = []
        self.ids: list[str] = []
        self._open: list[str] = []
        self._chapter = self._caption = ""
        self.feed(text)
        self.close()

    @property
    def text(self) -> str:
        return "".join(self.texts)

    def table(self, chapter: str, caption: str) -> dict[str, list[str]]:
        """Return a table by the start of its chapter's title and its caption: for each row, the numbers in it."""
        found: dict[str, list[str]] = {}
        for over, title, row in self.rows:
            if over.startswith(chapter) and title == caption and row:
                found.setdefault(row[0], row[1:])  # parts of the records have tables of the same caption, further down
        return found

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        given = dict(attrs)
        if tag not in _VOID:
            self._open.append(tag)
        if tag == "data":
            self.values.append(given["value"] or "")
            if self.rows:
                self.rows[-1][2].append(given["value"] or "")
        if tag == "h2":
            self._chapter = ""
        if tag in {"figure", "h3"}:
            self._caption = ""
        if tag == "tr":
            self.rows.append((self._chapter, self._caption, []))
        if "id" in given:
            self.ids.append(given["id"] or "")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" in self._open:
            return
        self.texts.append(data)
        if self._open[-1:] == ["h2"]:
            self._chapter += data
        if self._open[-2:] == ["figcaption", "b"]:
            self._caption += data
        if self._open[-2:] == ["tr", "th"] and not self.rows[-1][2]:
            self.rows[-1][2].append(data)


def dump(page: Path, profile: Path, *options: str) -> str:
    """Return the document as a browser has it once all of it ran."""
    assert CHROMIUM
    command = [CHROMIUM, *_OPTIONS, f"--user-data-dir={profile}", "--virtual-time-budget=2000", "--dump-dom"]
    ran = subprocess.run([*command, *options, page.as_uri()], capture_output=True, check=True, timeout=120)
    return ran.stdout.decode()
