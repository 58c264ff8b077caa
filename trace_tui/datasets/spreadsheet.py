"""Lines of CSV that a spreadsheet can open without running anything that stands in them."""

import csv
import io
import re
from collections.abc import Iterable
from typing import Final

Cell = str | int | float | bool | None

_INVISIBLE: Final = r"\s\x00-\x1f\x7f-\xa0\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
# A spreadsheet takes a cell for a formula by its first sign, which may be full-width; some pass over white space.
_FORMULA: Final = re.compile(rf"[\t\r\n]|[{_INVISIBLE}]*[=+\-@\uff1d\uff0b\uff0d\uff20]")


def csv_line(cells: Iterable[Cell]) -> str:
    r"""Return one line of CSV with its newline: comma, double quotes where needed, `\n` as the end.

    Text that a spreadsheet would take for a formula gets an apostrophe in front, as OWASP advises; numbers stay
    numbers, true and false are words, None is an empty cell.
    """
    line = io.StringIO()
    csv.writer(line).writerow(map(_written, cells))  # its own line end, \r\n, makes it quote either sign in a cell
    return line.getvalue().removesuffix("\r\n") + "\n"


def _written(cell: Cell) -> str | float | None:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, str) and _FORMULA.match(cell):
        return f"'{cell}"
    return cell
