"""How far a labelling run in the background is."""

from dataclasses import dataclass, field, replace

from trace_tui.calls import Call, Causes, Failure


@dataclass(frozen=True, slots=True)
class Run:
    """A snapshot of a run of one judge over the records that it has not labelled.

    `total` is None until it is known. `failed` counts by cause. `waits_until` is the local time until which it waits
    for a limit of the service, "" while it does not; `ended` says how it ended, "" while it goes on.
    """

    title: str
    total: int | None = None
    labelled: int = 0
    failed: Causes = field(default_factory=dict)
    waits_until: str = ""
    ended: str = ""

    @property
    def done(self) -> int:
        """Records that are labelled or failed."""
        return self.labelled + sum(self.failed.values())

    def count(self, call: Call) -> "Run":
        """Return the run with one more record done."""
        if isinstance(call.outcome, Failure):
            cause = call.outcome.cause
            return replace(self, failed={**self.failed, cause: self.failed.get(cause, 0) + 1}, waits_until="")
        return replace(self, labelled=self.labelled + 1, waits_until="")
