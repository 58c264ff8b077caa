"""Where a sentence of the record on the desk is: by key, by what it holds, by what is said of it."""

from collections.abc import Callable
from enum import StrEnum

from trace_tui.records import Record
from trace_tui.review.desk import Desk


class Pane(StrEnum):
    """Where a sentence is shown."""

    DOCUMENTS = "documents"
    RESPONSE = "response"


def find_sentence(record: Record, name: str) -> tuple[Pane, int] | None:
    """Return the pane of the sentence with this key or alias and its number there; None if there is none."""
    for pane, sentences in (
        (Pane.DOCUMENTS, record.document_sentences()),
        (Pane.RESPONSE, iter(record.response.sentences)),
    ):
        for number, sentence in enumerate(sentences):
            if name in (sentence.key, sentence.alias):
                return pane, number
    return None


def next_difference(desk: Desk, after: str | None) -> str | None:
    """Return the key of the next sentence of which human and judge say different things; None if there is none.

    Args:
        desk: the record; while the judge is hidden nothing differs.
        after: the key of the one before; None begins with the response.
    """
    keys = [*desk.record.response_keys, *desk.record.document_keys]
    start = keys.index(after) + 1 if after else 0
    return next((key for key in keys[start:] if key in desk.overridden), None)


def next_match(desk: Desk, matches: Callable[[str], bool], pane: Pane, direction: int) -> str | None:
    """Return the key of the next sentence whose text matches, round the end of the record; None if none does.

    Args:
        desk: the record, with cursor and focus.
        matches: tells whether a sentence's text is wanted.
        pane: where the search sets out, from the cursor or the focus there.
        direction: 1 for the next, -1 for the previous, 0 for the one it sets out from or else the next.
    """
    sentences = [*desk.record.document_sentences(), *desk.record.response.sentences]
    here = desk.cursor if pane is Pane.DOCUMENTS else len(desk.record.document_keys) + desk.focus
    step = direction or 1
    start = here if direction == 0 else here + step
    round_trip = ((start + step * n) % len(sentences) for n in range(len(sentences)))
    return next((sentences[n].key for n in round_trip if matches(sentences[n].text)), None)
