import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.cli.page.hostile import MARK, PAYLOADS, write_hostile
from tests.cli.page.reading import CHROMIUM, Page, dump
from tests.cli.sessions import accept, review, write_rows
from tests.cli.test_report import DEGENERATE, graded_rows
from tests.rows import make_row
from trace_tui.display import visible
from trace_tui.labels import Labels, differing

Json = dict[str, Any]

ELEMENTS = {
    *("html", "head", "meta", "title", "link", "style", "body", "header", "main", "footer", "nav", "section", "figure"),
    *("figcaption", "div", "p", "h1", "h2", "h3", "h4", "h5", "ul", "ol", "li", "dl", "dt", "dd", "a", "b", "span"),
    *("small", "code", "data", "table", "thead", "tbody", "tr", "th", "td", "details", "summary"),
    *("svg", "g", "path", "use", "defs", "clippath", "rect", "text"),
}
SOME = ("--truth", "recorded", "--column", "half=adherence", "--judge", "lexical-overlap")


def page_of(run: Run, dataset: Path, *options: str) -> str:
    ran = run("report", dataset, "--format", "html", *options)
    assert (ran.code, ran.err) == (0, "")
    return ran.out


def json_of(run: Run, dataset: Path, *options: str) -> Json:
    found: Json = json.loads(run("report", dataset, "--format", "json", *options).out)
    return found


def check_harmless(page: Page) -> None:
    assert page.elements <= ELEMENTS
    for tag, name, value in page.attributes:
        assert not name.startswith("on"), (tag, name)
        if name in {"href", "src", "action", "srcdoc", "xlink:href"}:
            assert value.startswith("#") or (tag, value) == ("link", "data:,")
        if name == "style":
            assert re.fullmatch(r"((fill|stroke):var\(--[a-z]+\);?)+", value)
    assert len(page.ids) == len(set(page.ids)) or all(re.match(r"[0-9a-f]{8}", one) for one in _repeated(page.ids))


def _repeated(ids: list[str]) -> set[str]:
    return {one for one in ids if ids.count(one) > 1}


@pytest.fixture
def hostile(run: Run, tmp_path: Path) -> str:
    data = write_hostile(tmp_path)
    columns = ("--column", "half=adherence", "--column", f"{PAYLOADS[3]}=context_relevance")
    review(data, {number: [accept] for number in range(len(PAYLOADS))}, annotator=PAYLOADS[0])
    return page_of(run, data, *columns, "--by", "dataset_name", "--by", "document-position")


def test_hostile_text_is_text(hostile: str) -> None:
    page = Page(hostile)
    check_harmless(page)
    for payload in PAYLOADS:
        assert visible(payload) in page.text
    assert not {"\u202e", "\x1b", "\x00", "\u2066"} & set(hostile)
    assert hostile.count("default-src 'none'") == 1


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium to open the page in")
@pytest.mark.parametrize("policy", ["with its policy", "by escaping alone"])
def test_no_script_runs_in_a_browser(hostile: str, tmp_path: Path, policy: str) -> None:
    page = hostile if policy == "with its policy" else re.sub(r"<meta http-equiv[^>]*>", "", hostile)
    assert ("default-src" in page) == (policy == "with its policy")
    path = tmp_path / "page.html"
    path.write_text(page, encoding="utf-8")
    found = dump(path, tmp_path / "profile")
    assert not re.search(r"<html[^>]*data-owned", found)
    opened = Page(found)
    check_harmless(opened)
    assert opened.text.strip().endswith("runs no script.")


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium to open the page in")
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_wider_than_the_window(hostile: str, tmp_path: Path, width: int) -> None:
    opened = re.sub(r"<meta http-equiv[^>]*>", "", hostile.replace("<details", "<details open"))
    tell = "<script>parent.postMessage(document.documentElement.scrollWidth + ' of ' + innerWidth, '*')</script>"
    (tmp_path / "page.html").write_text(opened + tell, encoding="utf-8")
    frame = tmp_path / "frame.html"  # a window may not be as narrow as a phone
    hear = "<script>onmessage = event => document.title = event.data</script>"
    frame.write_text(f'{hear}<iframe style="border:0" src="page.html" width="{width}" height="900"></iframe>')
    assert f"<title>{width} of {width}</title>" in dump(frame, tmp_path / "profile")


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium to open the page in")
def test_a_script_that_runs_would_be_seen(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(f"<!DOCTYPE html><title>t</title><p>{PAYLOADS[3]}")
    assert re.search(r"<html[^>]*data-owned", dump(path, tmp_path / "profile"))
    assert MARK in PAYLOADS[3]


CHAPTERS = {"recorded": "Against recorded labels", "blind": "Blind reviews", "assisted": "Assisted reviews"}


def numbers(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from numbers(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from numbers(inner)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield value


def check_same(found: Json, page: Page) -> None:
    """Every number of the JSON stands in the page, exactly."""
    there = {float(value) for value in page.values}
    for group in found["groups"]:
        told = {name: value for name, value in group.items() if name != "by_record"}
        assert set(numbers(told)) - set(range(9)) <= there
        assert set(numbers([case["truth"] for case in group["by_record"]])) <= there
        for judge in group["judges"]:
            for metric, compared in judge["metrics"].items():
                if compared["rmse"]["n"] > 1:
                    name = metric.removeprefix("context_").capitalize()
                    row = page.table(CHAPTERS[group["mode"]], name)[judge["judge"]]
                    values = [compared["rmse"]["n"], *numbers({name: _bare(one) for name, one in compared.items()})]
                    assert sorted(map(float, row)) == sorted(values)


def _bare(figure: Any) -> Any:
    return {name: value for name, value in figure.items() if name != "n"} if isinstance(figure, dict) else figure


def test_the_page_has_the_numbers_of_the_json(run: Run, tmp_path: Path) -> None:
    data = write_rows(tmp_path / "g.jsonl", [row | {"half": index % 3 / 2} for index, row in enumerate(graded_rows())])
    options = (*SOME, "--ragbench-evaluators", "--by", "half", "--by", "document-position")
    check_same(json_of(run, data, *options), Page(page_of(run, data, *options)))


def test_reviews_of_both_modes(run: Run, reviewed: Path) -> None:
    page = Page(page_of(run, reviewed))
    check_same(json_of(run, reviewed), page)
    assert "What being led costs" in page.text
    assert "Blind reviews · 2 records" in page.text
    assert "human: not supported" in page.text
    assert "recorded some-annotator: supported" in page.text
    assert page.text.count("≠") > 5


def test_sentences_of_the_page_stand_in_the_json(run: Run, reviewed: Path) -> None:
    found, page = json_of(run, reviewed), Page(page_of(run, reviewed))
    readings = [reading for group in found["groups"] for reading in group["to_read"]]
    assert len(readings) == 6
    for reading in readings:
        for part in [*(document["sentences"] for document in reading["documents"]), reading["response"]]:
            assert all(line["key"] in page.text and line["text"] in page.text for line in part)
        ours, theirs = (
            Labels.from_json(reading[side]).without_explanations() if reading[side] else None
            for side in ("truth", "judge_labels")
        )
        if ours and theirs:
            count = len(differing(ours, theirs))
            assert f"{count} sentence{'' if count == 1 else 's'} differ{'s' if count == 1 else ''}" in page.text


@pytest.mark.parametrize("rows", DEGENERATE.values(), ids=DEGENERATE)
def test_what_is_undefined_says_why(run: Run, tmp_path: Path, rows: list[Json]) -> None:
    data = write_rows(tmp_path / "x.jsonl", rows)
    options = ("--truth", "recorded", "--column", "guess=adherence", "--judge", "lexical-overlap", "--by", "guess")
    found = json_of(run, data, *options)
    page = Page(page_of(run, data, *options))
    check_harmless(page)
    assert "nan" not in page.text.lower().split()
    for why in re.findall(r'"why": "([^"]*)"', json.dumps(found)):
        assert why in page.text or "both judges" in why


def test_nothing_to_compare_with(run: Run, tmp_path: Path) -> None:
    page = Page(page_of(run, write_rows(tmp_path / "x.jsonl", [make_row()]), "--truth", "recorded"))
    assert "There is no judge to compare with" in page.text


def test_the_same_report_is_the_same_page(run: Run, tmp_path: Path) -> None:
    data = write_rows(tmp_path / "g.jsonl", graded_rows())
    options = ("--truth", "recorded", "--ragbench-evaluators")
    assert page_of(run, data, *options) == page_of(run, data, *options)


def test_as_many_records_are_shown_as_can_be_read(run: Run, tmp_path: Path) -> None:
    data = write_rows(tmp_path / "g.jsonl", [row | {"half": 0.5} for row in graded_rows()])
    html = page_of(run, data, *SOME)
    assert html.count('class="sheet"') == 20
    assert "40 further records not shown in full" in html


def test_it_is_written_to_a_file(run: Run, dataset: Path, tmp_path: Path) -> None:
    for form in ("html", "json", "text"):
        out = tmp_path / f"report.{form}"
        options = ("--truth", "recorded", "--format", form)
        assert run("report", dataset, *options, "-o", out)[:2] == (0, "")
        assert out.read_text() == run("report", dataset, *options).out
        assert run("report", dataset, *options, "-o", out).code == 2
        assert run("report", dataset, *options, "-o", out, "--force").code == 0
    assert run("report", dataset, "--truth", "recorded", "-o", dataset, "--force").code == 2


def test_a_page_is_not_for_a_terminal(run: Run, dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    ran = run("report", dataset, "--truth", "recorded", "--format", "html")
    assert (ran.code, ran.out) == (2, "")
    assert "name a file with -o" in ran.err
