"""A judge that answers when it is told to, in place of a service. Run `python -m tests.tui.service DATASET` to look."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.review.world import GROQ, failed, labelled
from trace_tui.calls import Call, Cause
from trace_tui.errors import BadInputError, JudgeUnavailableError
from trace_tui.labels import Judgement
from trace_tui.records import Record
from trace_tui.review.ports import Outlook
from trace_tui.review.session import Session


class FakeService:
    """Answers once for each `release`. `of` makes the answer; `events` tells what was asked of it, in order."""

    title = GROQ.title
    host = "judge.example:443"

    def __init__(self, session: Session, *, agreed: bool = True, of: Callable[[Record], Call] = labelled) -> None:
        self.session = session
        self.agreed = agreed
        self.of = of
        self.outlook = ""
        self.events: list[str] = []
        self._gate = asyncio.Semaphore(0)

    def needs_consent(self) -> int | None:
        return None if self.agreed else len(self.session)

    def consent(self) -> None:
        self.agreed = True
        self.events.append("consent")

    async def label(self, record: Record) -> Call:
        self.events.append(f"label {record.shown_id}")
        try:
            await self._gate.acquire()
        except asyncio.CancelledError:
            self.events.append("cancelled")
            raise
        return self.of(record)

    async def rest(self, first: int) -> AsyncGenerator[tuple[Record, Call] | Outlook, None]:
        source, archive = self.session._source, self.session.ledger.archive
        records = [source.load(n % len(source)).record for n in range(first, first + len(source))]
        records = [record for record in records if archive.judgement(record.uid, self.title) is None]
        yield Outlook(len(records))
        for record in records:
            answer = await self.label(record)
            if self.outlook:
                yield Outlook(len(records), self.outlook)
            yield record, answer

    async def aclose(self) -> None:
        self.events.append("closed")

    def release(self, answers: int = 1) -> None:
        for _ in range(answers):
            self._gate.release()


def unavailable() -> FakeService:
    raise JudgeUnavailableError("GROQ_API_KEY is not set: no model can be asked")


# ---------------------------------------------------------------------------- to look at


class Demonstration(FakeService):
    """Answers a record a second: every fifth fails, then it waits for a limit, and every third was voted upon."""

    async def label(self, record: Record) -> Call:
        self._asked = getattr(self, "_asked", 0) + 1
        self.outlook = "14:03:12" if self._asked % 5 == 4 else ""
        await asyncio.sleep(1)
        if self._asked % 5 == 0:
            return failed(record, Cause.TRUNCATED, "after 2,048 tokens")
        call = labelled(record)
        if self._asked % 3 or not isinstance(call.outcome, Judgement):
            return call
        response, document = record.response_keys[0], record.document_keys[0]
        confidence = {
            f"verdict/{response}": 2 / 3,
            f"supports/{response}/{document}": 2 / 3,
            f"supports/{response}/{record.document_keys[-1]}": 2 / 3,
            f"utilized/{record.document_keys[1]}": 2 / 3,
        }
        return replace(call, outcome=replace(call.outcome, confidence=confidence))


def _look(dataset: Path) -> None:
    from trace_tui.cli.review import session_on
    from trace_tui.tui.app import ReviewApp
    from trace_tui.tui.shell import Saved

    with TemporaryDirectory() as folder, suppress(BadInputError):
        database = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(folder) / "x.db"
        with session_on(dataset, database, "mia") as (session, saving):
            session.blind = "--blind" in sys.argv
            service = Demonstration(session, agreed=False)
            service.host, service.title = "api.groq.com", service.title
            app = ReviewApp(session, saving, {}, lambda: service)
            saving.notify = lambda _: (app.post_message(Saved()), None)[1]
            app.run()


if __name__ == "__main__":
    _look(Path(sys.argv[1]))
