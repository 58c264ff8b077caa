"""The review with a real client and the test server: from the key that is pressed to the labels in the store."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.serving import serving
from tests.service.chat import Answer, Chat, completion, labelling, plausible
from tests.tui.stage import stage
from tests.tui.test_asking import answer_dialog
from trace_tui.cli.asked import AskedModel
from trace_tui.cli.asking import Asking
from trace_tui.cli.review import SystemClock
from trace_tui.normalise import Dirt
from trace_tui.review.ports import LabelService
from trace_tui.review.session import Session
from trace_tui.store import Store


async def test_this_record_and_then_the_rest(dataset: Path, database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def untidy_at_first(chat: Chat) -> Answer:
        if chat.attempt or len(service.chats) > 1:
            return plausible(chat)
        said = json.loads(labelling(chat.user))
        said["all_relevant_sentence_keys"].append("doc_9_s9")
        return completion(json.dumps(said), chat)

    monkeypatch.setenv("GROQ_API_KEY", "gsk_test_0123456789")
    asking = Asking("openai/gpt-oss-20b")

    def make(session: Session) -> LabelService:
        return AskedModel(asking, dataset, database, session.ledger._journal, SystemClock(), None)

    with serving(untidy_at_first, delay=0.01) as service:
        monkeypatch.setenv("GROQ_BASE_URL", service.base_url)
        async with stage(dataset, database, make_service=make) as s:
            await s.press("L")
            await s.until(lambda: f"Send documents to {asking.host}?" in s.text())
            assert service.chats == []
            await answer_dialog(s, "y")
            await s.until(lambda: f"labelled by {asking.judge.title}" in s.text())
            assert s.session.desk.judgement.repairs[Dirt.UNKNOWN_KEY.value] > 0
            assert "mended: " in s.text()
            assert len(service.chats) == 1
            await s.press("B")
            await s.until(lambda: s.session.run is not None and s.session.run.ended == "finished")
            await s.press("v", "v")
        assert set(service.asked.values()) == {1}
    with closing(Store.open(database)) as store:
        assert dict(store.judges())[asking.judge.title] == 3
        assert store.usage(asking.judge.title).requests == len(service.chats)  # fewer: equal questions are asked once
