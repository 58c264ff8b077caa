from collections.abc import Callable

import pytest

from trace_tui.datasets.sentences import Splitter, make_splitter

Cut = Callable[[str], list[str]]


@pytest.fixture(scope="session")
def splitter() -> Splitter:
    return make_splitter()


@pytest.fixture(scope="session")
def cut(splitter: Splitter) -> Cut:
    """The sentences of a text, as text."""

    def sentences(text: str) -> list[str]:
        return [text[start:end] for start, end in splitter.split(text)]

    return sentences
