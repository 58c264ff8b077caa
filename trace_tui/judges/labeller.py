"""Puts one record to a model: asks, reads the reply, tries again where that may help, else gives up with a cause."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final

from trace_tui.calls import Call, Cause, Failure, Usage
from trace_tui.judges.limits import Limiter
from trace_tui.judges.models import Model
from trace_tui.judges.prompt import Prompt, response_format, user_message
from trace_tui.judges.reply import Reply, ReplyError, read_reply
from trace_tui.judges.service import ChatClient, ChatRequest, Completion, ServiceError, Trouble
from trace_tui.judges.tokens import completion_budget, estimate_tokens
from trace_tui.judges.tries import SMALLEST_BUDGET, GaveUpError, Tries, failure_of
from trace_tui.judges.votes import majority, restore, rotate
from trace_tui.labels import Judge, Judgement, Labels
from trace_tui.records import Record

REPAIRED: Final = "replies of broken JSON, mended"


@dataclass(frozen=True, slots=True)
class Settings:
    """What is asked, of which model and how; `name` is the judge's.

    `votes` is how often each record is asked about, with its documents' order rotated; `effort` the reasoning effort,
    "" for the model's own. `deadline` is in seconds of asking a record may take, waiting for limits not counted: it
    changes no answer, and so is no part of the prompt's version.
    """

    name: str
    model: Model
    prompt: Prompt
    votes: int = 1
    effort: str = ""
    deadline: float = 60.0


@dataclass(frozen=True, slots=True)
class Question:
    """A record ready to be put to a model.

    `prompt_tokens` is an estimate. `id` is a hash of all that is asked: records that it does not tell apart have equal
    answers.
    """

    record: Record
    request: ChatRequest
    prompt_tokens: int
    id: str
    votes: int

    @property
    def estimate(self) -> Usage:
        """About what the answer takes, completions at their longest."""
        return Usage(self.votes, self.prompt_tokens * self.votes, 0, self.request.budget * self.votes)


def question_of(record: Record, settings: Settings, judge: Judge) -> Question:
    """Return what a judge is asked about a record under these settings."""
    model, user = settings.model, user_message(record)
    prompt_tokens = _fixed_tokens(settings.prompt.instructions) + estimate_tokens(user)
    budget = completion_budget(record, model, settings.effort or model.effort)
    request = ChatRequest(
        model=model.name,
        system=settings.prompt.instructions,
        user=user,
        budget=min(budget, max(model.context - prompt_tokens, 0)),
        response_format=response_format(model.format),
        options=_options(model, settings.effort),
    )
    content = sha256(json.dumps([judge.title, user]).encode()).hexdigest()
    return Question(record, request, prompt_tokens, content, settings.votes)


_fixed_tokens: Final = lru_cache(maxsize=4)(estimate_tokens)  # of instructions, which are the same for every record


@dataclass
class _Spent:
    """What one record has cost so far, and the time it has left."""

    left: float
    usage: Usage = field(default_factory=Usage)

    def add(self, completion: Completion) -> None:
        self.usage += Usage(
            prompt_tokens=completion.prompt_tokens,
            cached_tokens=completion.cached_tokens,
            completion_tokens=completion.completion_tokens,
        )

    def took(self, seconds: float) -> None:
        self.left -= seconds
        self.usage += Usage(seconds=seconds)


class Labeller:
    """One model behind one client, asked with one prompt: turns records into calls.

    Several records may be labelled at a time: what they share is the client and its limiter.
    """

    def __init__(
        self,
        client: ChatClient,
        limiter: Limiter,
        settings: Settings,
        now: Callable[[], str],
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        """Take whom to ask and what.

        Args:
            client: the connection; closing it is the caller's.
            limiter: shared by all requests to that service.
            settings: what is asked and how.
            now: the time as ISO 8601 in UTC.
            sleep: waits between two tries.
        """
        self._client = client
        self._limiter = limiter
        self._settings = settings
        self.now = now
        self._sleep = sleep
        self.judge = judge_of(settings, client.host)

    def question(self, record: Record) -> Question:
        """Return what is asked about a record."""
        return question_of(record, self._settings, self.judge)

    def waits(self) -> float:
        """Return for how many more seconds all requests wait for a limit of the service; 0 if they do not."""
        until = self._limiter.waiting_until
        return 0.0 if until is None else max(0.0, until - time.monotonic())

    async def label(self, question: Question) -> Call:
        """Ask about a record until there are labels, or a cause why there are none.

        Raises:
            JudgeUnavailableError: the service takes no request from us: a wrong key, no such model, the day's limit.
        """
        spent = _Spent(self._settings.deadline)
        outcome = await self._outcome(question, spent)
        return Call(question.record.uid, self.judge, question.id, self.now(), spent.usage, outcome)

    async def _outcome(self, question: Question, spent: _Spent) -> Judgement | Failure:
        asked = self._settings.votes
        replies: list[Reply] = []
        failures: list[Failure] = []
        for vote in range(asked):
            try:
                replies.append(await self._vote(question, vote, spent))
            except GaveUpError as error:
                failures.append(error.failure)
                if 2 * len(failures) >= asked:  # no majority can come of the rest
                    return _no_majority(failures, asked)
        return self._judgement(question.record, replies)

    async def _vote(self, question: Question, vote: int, spent: _Spent) -> Reply:
        """Ask with the documents in the order of this vote."""
        if not vote:
            return await self._reply(question, spent)
        rotated = rotate(question.record, vote)
        reply = await self._reply(self.question(rotated.record), spent)
        return replace(reply, labels=restore(reply.labels, rotated))

    def _judgement(self, record: Record, replies: Sequence[Reply]) -> Judgement:
        asked = self._settings.votes
        labels: Labels = replies[0].labels
        confidence: Mapping[str, float] = {}
        if asked > 1:
            labels, confidence = majority([reply.labels for reply in replies], asked, record)
        repairs: dict[str, int] = {}
        for reply in replies:
            for dirt, times in reply.dirt.items():
                repairs[dirt.value] = repairs.get(dirt.value, 0) + times
            if reply.is_repaired:
                repairs[REPAIRED] = repairs.get(REPAIRED, 0) + 1
        parameters = {**_parameters(self._settings), "host": self._client.host, "valid_votes": len(replies)}
        return Judgement(self.judge, labels, parameters, confidence, repairs)

    # ------------------------------------------------------------------ one vote

    async def _reply(self, question: Question, spent: _Spent) -> Reply:
        """Ask once, and again as long as that may help."""
        model, record = self._settings.model, question.record
        if question.request.budget < SMALLEST_BUDGET:
            size = f"about {question.prompt_tokens:,} tokens, and the model takes {model.context:,}"
            raise GaveUpError(Failure(Cause.TOO_LONG, f"{size} with its reply; not sent, and not cut"))
        tries = Tries(question.request, model)
        while True:
            try:
                completion = await self._send(tries.request, question.prompt_tokens, spent)
            except ServiceError as error:
                if error.trouble is Trouble.UNUSABLE_REPLY and (reply := _salvaged(error, record)):
                    return reply
                await self._pause(tries.after_error(error), error, spent)
            else:
                if completion.finish_reason != "length":
                    return _read(completion, record)
                tries.after_truncation(completion.text, f"after {completion.completion_tokens:,} tokens")

    async def _send(self, request: ChatRequest, prompt_tokens: int, spent: _Spent) -> Completion:
        """Send a request when the limits let it, within the time that the record has left."""
        async with self._limiter.slot(prompt_tokens + request.budget):
            if spent.left <= 0:
                raise GaveUpError(self._too_late())
            spent.usage += Usage(requests=1)
            started = time.monotonic()
            try:
                async with asyncio.timeout(spent.left):
                    completion = await self._client.complete(request)
            except TimeoutError as error:
                raise GaveUpError(self._too_late()) from error
            finally:
                spent.took(time.monotonic() - started)
        spent.add(completion)
        return completion

    async def _pause(self, seconds: float | None, error: ServiceError, spent: _Spent) -> None:
        """Hold all requests back where the service says so, which costs the record no time; else this one alone."""
        if seconds is None:
            return
        if error.trouble is Trouble.LIMITED or error.retry_after is not None:
            self._limiter.pause(seconds)
            return
        spent.left -= seconds
        if spent.left <= 0:
            raise GaveUpError(failure_of(error))
        await self._sleep(seconds)

    def _too_late(self) -> Failure:
        return Failure(Cause.DEADLINE, f"no complete answer within {self._settings.deadline:g} s")


def _read(completion: Completion, record: Record) -> Reply:
    if completion.refusal:
        raise GaveUpError(Failure(Cause.REFUSED, completion.refusal[:200], completion.refusal))
    try:
        return read_reply(completion.text, record)
    except ReplyError as error:
        raise GaveUpError(Failure(error.cause, error.detail, completion.text)) from error


def _salvaged(error: ServiceError, record: Record) -> Reply | None:
    """Return what the service found unusable and we can read."""
    try:
        return read_reply(error.failed_generation, record)
    except ReplyError:
        return None


def _no_majority(failures: Sequence[Failure], asked: int) -> Failure:
    if asked == 1:
        return failures[0]
    details = "; ".join(dict.fromkeys(f"{failure.cause.value}: {failure.detail}" for failure in failures))
    replies = "\n".join(filter(None, (failure.reply for failure in failures)))
    return Failure(Cause.NO_MAJORITY, f"{len(failures)} of {asked} failed ({details})", replies)


def _options(model: Model, effort: str) -> dict[str, Any]:
    effort = effort or model.effort
    return {"temperature": 0, **model.options, **({"reasoning_effort": effort} if effort else {})}


def _parameters(settings: Settings) -> dict[str, Any]:
    """Return what a model is asked with, as far as it can change an answer."""
    model = settings.model
    return {"format": model.format.value, "votes": settings.votes, **_options(model, settings.effort)}


def judge_of(settings: Settings, host: str) -> Judge:
    """Return who judges under these settings: the version is that of the prompt with all parameters."""
    version = settings.prompt.version(_parameters(settings))
    return Judge(settings.name, settings.model.name, version, f"asked at {host}", version)
