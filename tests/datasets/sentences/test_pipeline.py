"""The spaCy side: our registered component, and installed pipelines."""

from pathlib import Path

import pytest
import spacy

from trace_tui.datasets.sentences import make_splitter, pipeline
from trace_tui.errors import UsageError
from trace_tui.records import Span

TEXT = " It is hot.  水は百度。塩は。\n\nThe end. "


def test_the_component_is_registered_and_yields_sentences() -> None:
    nlp = pipeline.own()
    assert nlp.pipe_names == [pipeline.COMPONENT]
    doc = nlp(TEXT)
    assert doc.text == TEXT
    assert [sentence.text.strip() for sentence in doc.sents] == ["It is hot.", "水は百度。", "塩は。", "The end."]
    assert [token.text for token in doc if token.text.strip()][:3] == ["It", "is", "hot."]


def test_words_do_not_stay_in_the_vocabulary() -> None:
    nlp = pipeline.own()
    before = len(nlp.vocab.strings)
    pipeline.sentence_spans(nlp, "Quite unusual words. Never seen before.")
    assert len(nlp.vocab.strings) == before


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    nlp = spacy.blank("en", meta={"name": "rules", "version": "1.2.3"})
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path / "rules")
    return tmp_path / "rules"


def test_an_installed_pipeline_goes_by_its_name_and_version(installed: Path) -> None:
    splitter = make_splitter(str(installed))
    assert splitter.name == f"en_rules-1.2.3 spacy-{spacy.__version__}"
    assert splitter.split("  One here.  Two\nhere.\n") == (Span(2, 11), Span(13, 22))


def test_an_installed_pipeline_takes_texts_of_any_length(installed: Path) -> None:
    text = "Ab cd. " * 150_000
    assert len(make_splitter(str(installed)).split(text)) == 150_000


def test_a_missing_pipeline_is_one_clear_line() -> None:
    with pytest.raises(
        UsageError, match=r"`no_such_thing` cannot be loaded .* `python -m spacy download no_such_thing"
    ) as caught:
        make_splitter("no_such_thing")
    assert "\n" not in str(caught.value)


def test_a_hostile_name_does_not_reach_the_terminal() -> None:
    with pytest.raises(UsageError) as caught:
        make_splitter("evil\x1b[2J\nname")
    assert str(caught.value).isprintable()


def test_a_pipeline_without_boundaries_is_refused(tmp_path: Path) -> None:
    spacy.blank("en").to_disk(tmp_path)
    with pytest.raises(UsageError, match="sets no sentence boundaries"):
        make_splitter(str(tmp_path))
