"""Options that say which model is asked and how, and the way from them to a labeller, for `label` and `review`."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from trace_tui.errors import BadInputError, JudgeUnavailableError, UsageError

if TYPE_CHECKING:
    from trace_tui.judges.address import Address
    from trace_tui.judges.labeller import Labeller, Settings
    from trace_tui.judges.limits import Limiter
    from trace_tui.judges.models import Model, Price
    from trace_tui.judges.secrets import Secret
    from trace_tui.judges.service import ChatClient
    from trace_tui.labels import Judge

GROQ_KEY: Final = "GROQ_API_KEY"
GROQ_URL: Final = "GROQ_BASE_URL"
OTHER_KEY: Final = "TRACE_TUI_API_KEY"
"""The key for `--base-url`: a variable of its own, so that no key of Groq's goes anywhere else."""

_GROQ_HOST: Final = "api.groq.com"
_SHOWN_MODELS: Final = 12


@dataclass(frozen=True)
class Asking:
    """Which model is asked, where, and how: the options as they were given."""

    model: str
    base_url: str | None = None
    key_file: Path | None = None
    prompt_file: Path | None = None
    rpm: int | None = None
    votes: int = 1
    effort: str = ""
    deadline: float = 60.0
    context: int | None = None
    price: "Price | None" = None

    @cached_property
    def host(self) -> str:
        """Where requests go: host and port, as they are shown.

        Raises:
            UsageError: the URL is none that may be used.
        """
        return self._address.host

    @cached_property
    def settings(self) -> "Settings":
        """What is asked.

        Raises:
            UsageError: the effort is none that the model knows, or the prompt is empty.
            BadInputError: the file of the prompt cannot be read.
            JudgeUnavailableError: the model was shut down.
        """
        from trace_tui.judges.labeller import Settings
        from trace_tui.judges.models import ReplyFormat
        from trace_tui.judges.prompt import Prompt, prompt_from

        prompt = prompt_from(_read(self.prompt_file), str(self.prompt_file)) if self.prompt_file else Prompt()
        if self._known.format is ReplyFormat.OBJECT and "json" not in prompt.instructions.lower():
            # Services refuse to hold a model to JSON that was not told of it.
            raise UsageError(f"{self.prompt_file}: {self.model} replies in JSON only if told so; say JSON in it")
        name = "openai-compatible" if self.base_url else "groq"
        efforts = self._known.efforts
        if self.effort and efforts and self.effort not in efforts:
            raise UsageError(f"--effort: {self.model} has no effort {self.effort}; it has {', '.join(efforts)}")
        return Settings(name, self._known, prompt, self.votes, self.effort, self.deadline)

    @cached_property
    def judge(self) -> "Judge":
        """Who labels under these options."""
        from trace_tui.judges.labeller import judge_of

        return judge_of(self.settings, self.host)

    @cached_property
    def known_price(self) -> "Price | None":
        """What tokens cost: as given, or by the table for Groq's own service; None where that is not known."""
        return self.price or (self._known.price if self.host == _GROQ_HOST else None)

    @cached_property
    def _address(self) -> "Address":
        from trace_tui.judges.address import compatible_address, groq_address

        if self.base_url:
            return compatible_address(self.base_url, with_key=bool(self._given_key))
        return groq_address(os.environ.get(GROQ_URL))

    @cached_property
    def _known(self) -> "Model":
        from trace_tui.judges.models import model_named

        return model_named(self.model, is_groq=not self.base_url, context=self.context)

    @asynccontextmanager
    async def labeller(self, now: Callable[[], str]) -> AsyncIterator["Labeller"]:
        """Connect, see that the model is there, and close the connection at the end.

        Raises:
            UsageError: a key would go over plain http.
            JudgeUnavailableError: no key, no connection, no such model.
        """
        from trace_tui.judges.labeller import Labeller
        from trace_tui.judges.limits import Limiter

        # The table's limits are those of Groq's own service; another host says its own in its headers.
        rpm = self.rpm or (self._known.rpm if self.host == _GROQ_HOST else None)
        limiter = Limiter(rpm)
        client = self._client(limiter)
        try:
            await _check_model(client, self.model)
            yield Labeller(client, limiter, self.settings, now)
        finally:
            await client.aclose()

    @cached_property
    def key(self) -> "Secret | None":
        """The key that is sent, None where a server of the user's own wants none.

        Raises:
            JudgeUnavailableError: there is none though Groq wants one, or it is none that could be sent.
            BadInputError: the file of the key cannot be read.
        """
        from trace_tui.judges.secrets import read_key

        if self.base_url and self._given_key is None:
            return None
        return read_key(self._given_key, str(self.key_file or (OTHER_KEY if self.base_url else GROQ_KEY)))

    @cached_property
    def _given_key(self) -> str | None:
        if self.key_file:
            return _read(self.key_file)
        return os.environ.get(OTHER_KEY if self.base_url else GROQ_KEY)

    def _client(self, limiter: "Limiter") -> "ChatClient":
        if self.base_url:
            from trace_tui.judges.compatible import CompatibleClient

            return CompatibleClient(self.key, self._address, limiter)
        from trace_tui.judges.groq import GroqClient

        assert self.key
        return GroqClient(self.key, self._address, limiter)


async def _check_model(client: "ChatClient", model: str) -> None:
    """See that the service has the model, so that a slip of the pen does not fail every record."""
    from trace_tui.judges.checking import offered

    models = await offered(client)
    if models is not None and model not in models:
        some = ", ".join(sorted(models)[:_SHOWN_MODELS]) or "none"
        more = f" and {len(models) - _SHOWN_MODELS} more" if len(models) > _SHOWN_MODELS else ""
        raise JudgeUnavailableError(f"{client.host} has no model {model}; it has {some}{more}")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _price(_context: click.Context, _parameter: click.Parameter, value: str | None) -> "Price | None":
    if value is None:
        return None
    from trace_tui.judges.models import parse_price

    return parse_price(value)


_DEFAULT_MODEL: Final = "openai/gpt-oss-120b"
_OPTIONS: Final = (
    click.option("--model", default=_DEFAULT_MODEL, show_default=True, help="The model that labels."),
    click.option(
        "--base-url",
        metavar="URL",
        help=f"Ask this OpenAI-compatible server instead of Groq (http://localhost:8000/v1); {OTHER_KEY} has its key.",
    ),
    click.option(
        "--key-file",
        type=click.Path(path_type=Path),
        help=f"A file with the key, instead of {GROQ_KEY}; a key is never given on the command line.",
    ),
    click.option(
        "--prompt",
        "prompt_file",
        type=click.Path(path_type=Path),
        help="A file of instructions that replace the built-in ones; another prompt is another judge.",
    ),
    click.option(
        "--rpm", type=click.IntRange(min=1), help="Requests a minute at most; by the table of models if absent."
    ),
    click.option(
        "--votes",
        type=click.IntRange(1, 15),
        default=1,
        show_default=True,
        help="Ask so many times, with the documents' order rotated, and take the majority.",
    ),
    click.option("--effort", default="", metavar="WORD", help="Reasoning effort; the model's default if absent."),
    click.option(
        "--deadline",
        type=click.FloatRange(min=0.1),
        default=60.0,
        show_default=True,
        help="Seconds that asking about a record may take, waiting for limits not counted.",
    ),
    click.option(
        "--context", type=click.IntRange(min=1024), help="Tokens the model takes, if the table has no such model."
    ),
)
PRICE: Final = click.option(
    "--price",
    metavar="IN,OUT",
    callback=_price,
    help="Dollars per million prompt and completion tokens, instead of the table's.",
)


def asking_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options above, and `PRICE` if it has that, handed on together as `asking`."""
    names = list(Asking.__dataclass_fields__)

    @wraps(command)
    def with_asking(*arguments: Any, **options: Any) -> Any:
        asking = Asking(**{name: options.pop(name) for name in names if name in options})
        return command(*arguments, asking=asking, **options)

    for option in reversed(_OPTIONS):
        with_asking = option(with_asking)
    return with_asking
