"""What the chat models of Groq can do and cost, in one dated table.

Prices, context sizes and limits are as the service had published them on the date of `AS_OF`, as far as copies of its
pages could be read then; what could not be read is None. They change without notice: `--price`, `--rpm` and the
service's own answers overrule them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import isfinite
from types import MappingProxyType
from typing import Final

from trace_tui.calls import Usage
from trace_tui.errors import JudgeUnavailableError, UsageError

AS_OF: Final = "2026-11-30"
DEFAULT_MODEL: Final = "openai/gpt-oss-120b"

_PER_MILLION: Final = 1_000_000
_NOTHING: Final[Mapping[str, object]] = MappingProxyType({})


class ReplyFormat(StrEnum):
    """How far the service can hold a model to the form of the reply."""

    STRICT = "strict"  # a JSON schema, enforced while the model writes
    SCHEMA = "schema"  # a JSON schema, best effort
    OBJECT = "object"  # some JSON object
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens: of the prompt, of what the prefix cache had of it, of the completion."""

    prompt: float
    cached: float
    completion: float

    def cost(self, usage: Usage) -> float:
        """Return what the usage costs, in US dollars."""
        new = usage.prompt_tokens - usage.cached_tokens
        total = new * self.prompt + usage.cached_tokens * self.cached + usage.completion_tokens * self.completion
        return total / _PER_MILLION


@dataclass(frozen=True, slots=True)
class Model:
    """What is known of one model.

    `context` is the most tokens of prompt and completion together, `completion` the most of the completion alone,
    reasoning included. `efforts` are the values that `reasoning_effort` takes, `effort` the one that is sent unless
    another is asked for, "" where the parameter is not sent. `options` are further parameters, by the service's names.
    `rpm` is in requests a minute, None where no limit is known.
    """

    name: str
    context: int
    completion: int
    format: ReplyFormat = ReplyFormat.OBJECT
    efforts: tuple[str, ...] = ()
    effort: str = ""
    options: Mapping[str, object] = field(default_factory=lambda: _NOTHING)
    rpm: int | None = None
    price: Price | None = None


# Requests a minute of the free plan, the same for all chat models: what every account has. The developer plan has 1,000
# (the service's page of rate limits and its table of models).
_FREE_RPM: Final = 30

# What is sent to keep the reasoning out of the reply. gpt-oss takes `include_reasoning`, qwen `reasoning_format`; to
# send the wrong one, or either to a model that does not reason, is a 400 (reference of the chat API; groq 1.7.0).
_GPT_OSS: Final = Model(
    name="",
    context=131_072,
    completion=65_536,
    format=ReplyFormat.STRICT,
    efforts=("low", "medium", "high"),
    effort="medium",  # the service's own default, named so that it is part of the judge's version
    options=MappingProxyType({"include_reasoning": False}),
    rpm=_FREE_RPM,
)
# Without thinking: the reply explains before it decides, and thinking would take thousands of tokens of the budget.
_QWEN: Final = Model(
    name="",
    context=131_072,
    completion=16_384,
    efforts=("none", "default"),
    effort="none",
    options=MappingProxyType({"reasoning_format": "hidden"}),
    rpm=_FREE_RPM,
)

# Sources: the service's pages of models, pricing, structured outputs (strict: the two gpt-oss models alone) and prompt
# caching (half the price), and the documentation in the groq SDK 1.7.0.
_MODELS: Final = (
    replace(_GPT_OSS, name="openai/gpt-oss-120b", price=Price(0.15, 0.075, 0.60)),
    replace(_GPT_OSS, name="openai/gpt-oss-20b", price=Price(0.075, 0.0375, 0.30)),
    replace(_GPT_OSS, name="openai/gpt-oss-safeguard-20b", format=ReplyFormat.SCHEMA, price=Price(0.075, 0.037, 0.30)),
    # Previews: the service may withdraw them at short notice.
    replace(_QWEN, name="qwen/qwen3.6-27b", price=Price(0.60, 0.60, 3.00)),  # no price for cached tokens published
    replace(
        _QWEN,
        name="qwen/qwen3.8-27b",
        context=131_042,
        efforts=("none", "default", "low", "medium", "high"),
        price=Price(0.80, 0.40, 4.00),
    ),
    # Withdrawn from free and developer accounts on 2026-07-17; contracts may still have it.
    replace(_QWEN, name="qwen/qwen3-32b", completion=40_960, price=Price(0.29, 0.29, 0.59)),
)
_BY_NAME: Final = {model.name: model for model in _MODELS}

# The service's page of deprecations: when each was shut down, and what it recommends instead.
_SHUT_DOWN: Final = {
    "llama-3.3-70b-versatile": ("2026-08-16", "openai/gpt-oss-120b"),
    "llama-3.1-8b-instant": ("2026-08-16", "openai/gpt-oss-20b"),
    "meta-llama/llama-4-scout-17b-16e-instruct": ("2026-07-17", "openai/gpt-oss-120b"),
    "meta-llama/llama-4-maverick-17b-128e-instruct": ("2026-03-09", "openai/gpt-oss-120b"),
}

# What any model can be expected to take: if it takes more, a record is refused that need not be; none is cut.
_SAFE: Final = Model(name="", context=8_192, completion=4_096)


def model_named(name: str, *, is_groq: bool, context: int | None = None) -> Model:
    """Return what is known of a model; of an unknown one, what is safe to assume of any.

    Args:
        name: the model's id, as the service lists it.
        is_groq: whether the service is Groq's: other servers' models are unknown, whatever they are called.
        context: tokens of context, where the user knows better than the table.

    Raises:
        JudgeUnavailableError: the model was shut down.
        UsageError: the context is not positive.
    """
    if is_groq and name in _SHUT_DOWN:
        date, successor = _SHUT_DOWN[name]
        raise JudgeUnavailableError(f"the model {name} was shut down on {date}; use --model {successor}")
    known = _BY_NAME.get(name) if is_groq else None
    model = known or replace(_SAFE, name=name, rpm=_FREE_RPM if is_groq else None)
    if context is None:
        return model
    if context < 1:
        raise UsageError(f"a context of {context} tokens is none; give a number above 0")
    # A known model keeps its own limit of the completion; what is assumed of an unknown one grows with its context.
    return replace(model, context=context, completion=model.completion if known else max(1, context // 2))


def parse_price(text: str) -> Price:
    """Read a price as a user gives it: `0.15,0.60` for prompt and completion, or `0.15,0.075,0.60` with cached between.

    Without a price for cached tokens they cost what others do: the sum is then an upper bound.

    Raises:
        UsageError: it is not two or three numbers from 0 up.
    """
    try:
        figures = [float(figure) for figure in text.split(",")]
    except ValueError:
        figures = []
    if not all(isfinite(figure) and figure >= 0 for figure in figures):
        figures = []
    match figures:
        case [prompt, completion]:
            return Price(prompt, prompt, completion)
        case [prompt, cached, completion]:
            return Price(prompt, cached, completion)
    raise UsageError(
        f"{text!r} is no price; give dollars per million tokens of prompt and completion, such as 0.15,0.60"
    )
