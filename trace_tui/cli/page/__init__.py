"""A report as one HTML page: no script, nothing from the network, readable in light and dark and on paper.

Everything from outside goes through `_shown` (what hides itself is made visible) and then through the template's
escaping; what is marked as safe are the drawings, which escape their own text.
"""

from pathlib import PurePath
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from trace_tui.cli.page.blocks import Chapter, Section, brief, shown
from trace_tui.cli.page.sections import RECORDED, chapter, modes_chapter, truth_word
from trace_tui.cli.page.tables import columns_table
from trace_tui.cli.reading import Read
from trace_tui.cli.reportdata import Report
from trace_tui.display import visible
from trace_tui.scoring.intervals import LEVEL, RESAMPLES


def html(report: Report, read: Read) -> str:
    """Return the page of a report; `read` reads the records that are shown in full."""
    chapters = [chapter(group, read) for group in report.groups]
    if len(chapters) > 1:
        chapters.append(modes_chapter(report.groups))
    if report.columns:
        columns = Section("columns-read", "Fields taken for judges", "", [columns_table(report.columns)])
        chapters.append(Chapter("columns", "Columns", [columns]))
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            name=PurePath(str(report.about["dataset"])).name,
            about=_about(report),
            chapters=chapters,
        )
    )


def _about(report: Report) -> dict[str, Any]:
    about = report.about
    truth = str(about["truth"])
    counts = {group.mode: group.comparison.records for group in report.groups}
    return {
        "Dataset": about["dataset"],
        "Truth": truth_word(RECORDED) if truth == RECORDED else f"{truth} ({about['annotator']})",
        "Records": ", ".join(f"{count:,} {mode}" for mode, count in counts.items()),
        "Definition": about["definition"],
        "Intervals": f"{LEVEL:.0%}, percentile bootstrap, {RESAMPLES:,} resamples, seed {about['seed']}",
    }


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(__name__, ""),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["brief"] = brief
    environment.filters["figure"] = shown
    return environment


def _shown(value: Any) -> Any:
    """Make what hides itself visible, in every text that enters the page."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
