"""Makes untrusted text safe to show, and figures that may be undefined.

Every string that came from outside (a dataset, a model, a file name, the environment) passes through `visible`
or `one_line` on its way to a screen or a terminal, and only there: stores and exports keep the text as it was.
"""

from typing import Final

UNDEFINED: Final = "\N{EN DASH}"
"""What stands for a score that is undefined, which is not zero, and not nothing."""

_C0_PICTURES: Final = 0x2400  # U+2400 … U+241F picture the C0 controls in order
_REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"


def _table() -> dict[int, str]:
    table = {code: chr(_C0_PICTURES + code) for code in range(0x20) if chr(code) not in "\n\t"}
    table[0x7F] = "\N{SYMBOL FOR DELETE}"
    # C1 controls are commands to many terminals; they have no pictures of their own.
    table |= dict.fromkeys(range(0x80, 0xA0), "\N{SYMBOL FOR SUBSTITUTE FORM TWO}")
    bidi = [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
    table |= dict.fromkeys(bidi, "\N{LEFTWARDS HARPOON OVER RIGHTWARDS HARPOON}")
    table |= dict.fromkeys([0x200B, *range(0x2060, 0x2065)], "\N{MIDDLE DOT}")
    # Line and paragraph separators, the byte order mark and the tag characters are invisible but not harmless.
    table |= dict.fromkeys([0x2028, 0x2029], "\N{SYMBOL FOR NEWLINE}")
    table |= dict.fromkeys([0xFEFF, *range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE0080)], _REPLACEMENT)
    return table


_VISIBLE: Final = _table() | dict.fromkeys(range(0xD800, 0xE000), _REPLACEMENT)
_ONE_LINE: Final = _VISIBLE | {ord("\n"): " ", ord("\t"): " ", ord("\r"): " "}


def visible(text: str) -> str:
    """Replace, one for one, every character that commands a terminal or hides itself by one that can be seen.

    Newline and tab stay. The result has as many code points as `text`, so that offsets hold.
    """
    return text if text.isascii() and text.isprintable() else text.translate(_VISIBLE)


def one_line(text: str) -> str:
    """Do as `visible` does, with newline, carriage return and tab shown as a space each."""
    return text if text.isascii() and text.isprintable() else text.translate(_ONE_LINE)


def figure(value: float | None, digits: int) -> str:
    """Return a score or an error as it is shown, with so many decimal places."""
    return UNDEFINED if value is None else f"{value:.{digits}f}"
