"""What the layout decides, seen through the blocks and through the sentences."""

from collections.abc import Callable

import pytest

from trace_tui.datasets.sentences.blocks import Block, paragraphs

Cut = Callable[[str], list[str]]


def blocks(text: str) -> list[str]:
    return [text[block.start : block.end] for paragraph in paragraphs(text) for block in paragraph]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r", "\f", "\v", "\x85", "\u2028", "\u2029"])
def test_every_kind_of_newline_counts(newline: str) -> None:
    assert blocks(f"One{newline}Two{newline}{newline}three") == ["One", "Two", "three"]


def test_headings_lists_and_tables_break() -> None:
    text = "Heading\n\n- item one\n- item two\n\n| a | b |\n| 1 | 2 |\n## Next\nand text"
    assert blocks(text) == ["Heading", "- item one", "- item two", "| a | b |", "| 1 | 2 |", "## Next", "and text"]


@pytest.mark.parametrize("marker", ["-", "*", "•", "1.", "2)", "(a)", "b.", "iv)", "[3]", "1.)"])
def test_list_markers_break(marker: str) -> None:
    assert blocks(f"Take this,\n  {marker} one thing") == ["Take this,", f"{marker} one thing"]


@pytest.mark.parametrize("line", ["<p>text", "<li>a", "</ul>", '{"a": 1}', "[[1, 2]]", "Passage: text", "# A"])
def test_structure_at_the_start_of_a_line_breaks(line: str) -> None:
    assert blocks(f"Some text,\n{line}") == ["Some text,", line]


@pytest.mark.parametrize("ending", [",", ";", " -", " —", " ("])
def test_a_line_that_runs_on_does_not_break(ending: str) -> None:
    assert len(blocks(f"Some text{ending}\nMore text")) == 1


def test_a_lower_case_line_goes_on_and_a_capital_starts_anew() -> None:
    assert blocks("Some text\ngoes on\nMore text") == ["Some text\ngoes on", "More text"]


def test_quoted_lines_go_on() -> None:
    assert blocks("> Some text\n> goes on") == ["> Some text\n> goes on"]


def test_wrapped_prose_is_one_block() -> None:
    text = (
        "This paragraph was written by somebody at the office of\n"
        "Washington who wrapped each line at about sixty columns,\n"
        "Monday to Friday."
    )
    assert len(blocks(text)) == 1


def test_deliberate_lines_are_not_taken_for_wrapped_ones() -> None:
    assert len(blocks("The longest of these lines by far, for a heading\nApples\nPears\nPlums")) == 4


def test_each_line_of_fenced_code_is_a_unit(cut: Cut) -> None:
    text = "Look.\n```python\nx = 1. if y else 2.\n\n    return X. Y\n```\nAfter it. The end."
    assert cut(text) == ["Look.", "```python", "x = 1. if y else 2.", "return X. Y\n```", "After it.", "The end."]


def test_an_unclosed_fence_ends_with_the_text(cut: Cut) -> None:
    assert cut("~~~\na. B\nc") == ["~~~\na. B", "c"]


def test_a_fence_closes_with_its_own_kind_only(cut: Cut) -> None:
    assert cut("~~~\na\n```\nb\n~~~\nC. D.") == ["~~~\na\n```", "b\n~~~", "C. D."]


def test_code_without_a_fence_is_cut_into_lines(cut: Cut) -> None:
    assert cut("def f():\n    return 1.0\n\nThat is code.") == ["def f():", "return 1.0", "That is code."]
    assert cut("if (x) {\n  y = 1;\n  z = 2;\n}") == ["if (x) {", "y = 1;", "z = 2;\n}"]


def test_tables_on_one_line_are_cut_into_rows(cut: Cut) -> None:
    assert cut('[["", "2019"], ["Rev. A", "1. Foo"], ["x", "y"]]') == [
        '[["", "2019"],',
        '["Rev. A", "1. Foo"],',
        '["x", "y"]]',
    ]
    assert cut('[{"a": 1}, {"b": 2}]') == ['[{"a": 1},', '{"b": 2}]']
    assert cut("<table><tr><td>A</td></tr><tr><td>B</td></tr></table>") == [
        "<table><tr><td>A</td></tr>",
        "<tr><td>B</td></tr></table>",
    ]


def test_json_lines_and_html_paragraphs(cut: Cut) -> None:
    assert cut('{"a": "B. C"}\n{"b": 2}') == ['{"a": "B. C"}', '{"b": 2}']
    assert cut("<p>One here. Two here.</p><p>Three.</p>") == ["<p>One here.", "Two here.</p>", "<p>Three.</p>"]


def test_a_unit_without_words_joins_its_neighbour(cut: Cut) -> None:
    assert cut("Heading\n=======\nText") == ["Heading\n=======", "Text"]
    assert cut("| a |\n|---|\n| 1 |") == ["| a |\n|---|", "| 1 |"]
    assert cut("***") == ["***"]


def test_headings_and_rows_are_not_prose() -> None:
    assert [block.prose for paragraph in paragraphs("# 1. A\n| B. C |\nText") for block in paragraph] == [
        False,
        False,
        True,
    ]


def test_blocks_are_tight() -> None:
    assert list(paragraphs(" \n  a b \n")) == [[Block(4, 7, prose=True)]]
