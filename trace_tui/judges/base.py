"""What a judge is."""

from typing import Protocol

from trace_tui.labels import Judge, Judgement
from trace_tui.records import Record


class LabellingJudge(Protocol):
    """Anything that turns a record into labels without a person."""

    @property
    def judge(self) -> Judge:
        """Who judges: the name, version and caveat that go with every judgement."""

    def label(self, record: Record) -> Judgement:
        """Label one record. The labels name sentences of the record only; what cannot be told stays unjudged."""
