"""The block pass: what the layout of a text says about where sentences cannot run on.

Paragraphs, headings, list items, table rows and lines of code end a sentence whether or not there is a full stop;
no sentence splitter trained on prose knows that, and it is most of what there is to gain on web pages and manuals.
Every decision looks at one paragraph only, and each pass over it is linear.
"""
# ruff: noqa: RUF001 bullets and dashes are meant

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple


class Block(NamedTuple):
    """A stretch that no sentence crosses: `text[start:end]`, without white space at its edges.

    `prose` says that it may hold several sentences; a table row or a line of code is one unit as it stands.
    """

    start: int
    end: int
    prose: bool


class _Line(NamedTuple):
    """A line without the white space around it, and how deep it is indented."""

    start: int
    body: str
    indent: int

    @property
    def end(self) -> int:
        return self.start + len(self.body)


Paragraph = list[Block]

_FENCE: Final = re.compile(r"(`{3,})[^`]*|(~{3,}).*", re.DOTALL)
_HEADING_OR_ROW: Final = re.compile(r"#{1,6}\s|\|")
_HTML_TAGS: Final = "p|div|h[1-6]|ul|ol|li|dl|dt|dd|table|thead|tbody|tr|th|td|pre|section|article|blockquote|br|hr"
_STARTS_BLOCK: Final = re.compile(
    rf"""
      \#{{1,6}}\s | \|                        # heading, table row
    | [-*+•‣⁃◦▪●·–—]\s                       # bullet
    | [(\[]? (?: \d{{1,3}} | [a-zA-Z] | [ivxIVX]{{2,5}} ) (?: \.\) | [.)\]] ) \s  # list item, clause, reference
    | </?(?i:{_HTML_TAGS})\b                 # HTML block
    | [\[{{]\s*["\[{{]                        # JSON
    | [A-Z][\w-]{{0,20}}:\s                   # label: "Title: ", "Note: "
    """,
    re.VERBOSE,
)
_RUNS_ON: Final = (",", ";", "-", "—", "–", "(")
_OPENS_CODE: Final = re.compile(r".*(?:[{]|\)\s*:)|(?:class|else|elif|if|for|while|try|finally|with)\b.*:", re.DOTALL)
_JSON: Final = re.compile(r"""[\[{]\s*["\[{].*[\]}],?""", re.DOTALL)
_JSON_ROW_END: Final = re.compile(r"[\]}],(?=\s*[\[{])")
_HTML_ROW_END: Final = re.compile(r"(?:</(?:tr|li|p|h[1-6]|dt|dd|div|table|ul|ol)>\s?)+", re.IGNORECASE)
# A wrap width is believed from three lines on, where columns people wrap at are.
_MIN_WRAPPED_LINES: Final = 3
_WRAP_WIDTHS: Final = range(40, 121)


def paragraphs(text: str) -> Iterator[Paragraph]:
    """Yield the blocks of a text, rising and disjoint, paragraph by paragraph; between blocks is white space only."""
    lines: list[_Line] = []
    fence = ""
    for line in _lines(text):
        if fence:
            if line.body:
                lines.append(line)
            if _closes(line.body, fence):
                yield _verbatim(lines)
                lines, fence = [], ""
            continue
        opening = _FENCE.fullmatch(line.body)
        if lines and (opening or not line.body):
            yield _paragraph(text, lines)
            lines = []
        if opening:
            fence = opening[1] or opening[2]
        if line.body:
            lines.append(line)
    if lines:
        yield _verbatim(lines) if fence else _paragraph(text, lines)


def _lines(text: str) -> Iterator[_Line]:
    r"""Yield the lines; `\r\n`, `\f`, U+0085 and U+2028 end one as `\n` does."""
    position = 0
    for raw in text.splitlines(keepends=True):
        body = raw.strip()
        indent = len(raw) - len(raw.lstrip())
        yield _Line(position + indent, body, indent)
        position += len(raw)


def _closes(body: str, fence: str) -> bool:
    return len(body) >= len(fence) and not body.strip(fence[0])


def _verbatim(lines: Sequence[_Line]) -> Paragraph:
    return [Block(line.start, line.end, prose=False) for line in lines]


def _paragraph(text: str, lines: Sequence[_Line]) -> Paragraph:
    if any(_opens_code(line, following) for line, following in pairwise(lines)):
        return _verbatim(lines)
    width = _wrap_width(lines)
    blocks: Paragraph = []
    first = lines[0]
    for line, following in zip(lines, (*lines[1:], None), strict=True):
        if following is None or _ends_block(line, following, width):
            blocks.extend(_rows(text, first.start, line.end))
            first = following or first
    return blocks


def _opens_code(line: _Line, following: _Line) -> bool:
    return following.indent > line.indent and _OPENS_CODE.fullmatch(line.body) is not None


def _wrap_width(lines: Sequence[_Line]) -> int | None:
    """Return the width that the paragraph was wrapped at, None if its newlines look deliberate."""
    longest = max(line.indent + len(line.body) for line in lines)
    if len(lines) < _MIN_WRAPPED_LINES or longest not in _WRAP_WIDTHS:
        return None
    full = sum(not _fits(line, following, longest) for line, following in pairwise(lines))
    return longest if full * 2 > len(lines) - 1 else None


def _fits(line: _Line, following: _Line, width: int) -> bool:
    """Say whether the next line's first word would have fitted on this line."""
    return line.indent + len(line.body) + 1 + len(following.body.split(maxsplit=1)[0]) <= width


def _ends_block(line: _Line, following: _Line, width: int | None) -> bool:
    """Say whether the newline between two lines of a paragraph is a boundary, or only wraps the text."""
    if _HEADING_OR_ROW.match(line.body) or _STARTS_BLOCK.match(following.body):
        return True
    if following.body.lstrip("> ")[:1].islower() or line.body.endswith(_RUNS_ON):
        return False
    return width is None or _fits(line, following, width)


def _rows(text: str, start: int, end: int) -> Iterator[Block]:
    """Cut tables that were written on one line; most blocks come out as they are."""
    body = text[start:end]
    json = _JSON.fullmatch(body) is not None
    prose = not (json or _HEADING_OR_ROW.match(body))
    position = 0
    for row in (_JSON_ROW_END if json else _HTML_ROW_END).finditer(body):
        yield from _tight(body, start, position, row.end(), prose=prose)
        position = row.end()
    yield from _tight(body, start, position, len(body), prose=prose)


def _tight(body: str, offset: int, start: int, end: int, *, prose: bool) -> Iterator[Block]:
    piece = body[start:end]
    stripped = piece.strip()
    if stripped:
        start += len(piece) - len(piece.lstrip())
        yield Block(offset + start, offset + start + len(stripped), prose)
