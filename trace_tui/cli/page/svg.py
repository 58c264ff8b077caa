"""Drawings by matplotlib, made fit to stand in a page: coloured by its style sheet, named for those who hear it.

matplotlib writes a document of its own: with a style sheet that would style the whole page, ids that would meet those
of the next drawing, and colours for one background. What leaves here has none of these. Words from outside do not pass
through matplotlib at all, which would ask its fonts for every character: it places stand-ins for them.
"""

import io
from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Any, Final
from xml.etree import ElementTree as ET

from markupsafe import Markup
from matplotlib import rc_context, rcdefaults, rcParams
from matplotlib.figure import Figure

from trace_tui.display import one_line

INK: Final = "#010101"
MUTED: Final = "#020202"
RULE: Final = "#030303"
ACCENT: Final = "#040404"
"""Colours to draw with; each becomes a variable in the style sheet of the page."""

_COLOURS: Final = {
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    RULE: "var(--rule)",
    ACCENT: "var(--accent)",
}
_STYLE: Final[Mapping[Any, Any]] = {
    "svg.fonttype": "none",  # text stays text: it can be found, copied and read aloud
    "svg.hashsalt": "trace-tui",  # the same drawing has the same ids, always
    "figure.dpi": 72,  # a point is a pixel
    "font.size": 11,
    "text.color": INK,
    "text.parse_math": False,
    "axes.edgecolor": RULE,
    "axes.labelcolor": MUTED,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": RULE,
    "ytick.color": RULE,
    "xtick.labelcolor": MUTED,
    "ytick.labelcolor": MUTED,
}
_NO_METADATA: Final = dict.fromkeys(("Creator", "Date", "Format", "Type"))
_LONGEST: Final = 44  # characters of a text: a drawing is as wide as a phone
_NAMED_IN: Final = ("clip-path", "href")

StandIn = Callable[[str], str]
"""Takes a text that belongs on a drawing, and returns what to write there instead of it until the drawing is done."""


def draw(width: int, height: int, about: str, paint: Callable[[Figure, StandIn], None]) -> Markup:
    """Draw, and return an `svg` element of HTML.

    Args:
        width: in pixels, as of `height`.
        height: the same.
        about: what there is to be seen, for those who do not see it.
        paint: draws on a figure, in our colours.
    """
    texts: dict[str, str] = {}

    def stand_in(text: str) -> str:
        name = f"text{len(texts)}"
        texts[name] = one_line(text)
        return name

    written = io.BytesIO()
    with rc_context():  # whatever style the user has, it comes back
        rcdefaults()
        rcParams.update(_STYLE)
        figure = Figure(figsize=(width / 72, height / 72))
        paint(figure, stand_in)
        figure.savefig(written, format="svg", transparent=True, metadata=_NO_METADATA)
    svg = ET.fromstring(written.getvalue())  # noqa: S314 - it was written above
    mark = blake2b(written.getvalue(), digest_size=4).hexdigest()
    _settle(svg, mark, texts)
    svg.attrib = {
        "viewBox": f"0 0 {width} {height}",
        "width": str(width),
        "height": str(height),
        "role": "img",
        "aria-label": one_line(about),
    }
    return Markup(ET.tostring(svg, encoding="unicode", method="html"))  # noqa: S704 - it escapes all text


def _settle(parent: ET.Element, mark: str, texts: Mapping[str, str]) -> None:
    """Make an element and all in it part of a page."""
    parent.tag = _local(parent.tag)
    for name, value in list(parent.attrib.items()):
        del parent.attrib[name]
        if name == "style":
            parent.attrib |= _looks(value)
        elif name == "id":
            if parent.tag in {"path", "clipPath"}:
                parent.set("id", mark + value)
        else:
            parent.set(_local(name), value.replace("#", f"#{mark}") if _local(name) in _NAMED_IN else value)
    parent.text = None if parent.text is None or not parent.text.strip() else parent.text
    parent.tail = None
    if parent.text and parent.text in texts:
        _put(parent, texts[parent.text])
    for child in list(parent):
        if _local(child.tag) in {"style", "metadata"}:
            parent.remove(child)
        else:
            _settle(child, mark, texts)


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _looks(style: str) -> dict[str, str]:
    """Return a style as attributes, with the colours of the page, and the font left to it."""
    found = dict(part.strip().split(": ", 1) for part in style.split(";") if part.strip())
    found.pop("font-family", None)
    colours = {name: _COLOURS[value] for name, value in found.items() if value in _COLOURS}
    plain = {name: value for name, value in found.items() if name not in colours}
    return plain | ({"style": ";".join(f"{name}:{value}" for name, value in colours.items())} if colours else {})


def _put(element: ET.Element, text: str) -> None:
    element.text = text
    if len(text) > _LONGEST:
        element.text = text[: _LONGEST - 1] + "…"
        ET.SubElement(element, "title").text = text
