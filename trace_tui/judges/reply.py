"""Takes labels out of a model's reply, and refuses every reply that does not plainly hold one set of them.

The reply is a JSON object with the fields of `REPLY_SCHEMA`; prose, code fences and thinking around it are passed
over, never read. A refusal, a cut-off reply, two different answers or the echo of a document are failures: nothing
in them becomes a label.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

from trace_tui.calls import Cause
from trace_tui.judges.scan import JsonObject, scan
from trace_tui.labels import NO_LABELS, Labels
from trace_tui.normalise import Dirt, RawLabels, normalise
from trace_tui.records import Record

RELEVANT: Final = "all_relevant_sentence_keys"
SUPPORT: Final = "sentence_support_information"
UTILIZED: Final = "all_utilized_sentence_keys"
RESPONSE_KEY: Final = "response_sentence_key"
SUPPORTING: Final = "supporting_sentence_keys"
FULLY_SUPPORTED: Final = "fully_supported"
OVERALL: Final = "overall_supported"
RELEVANCE_EXPLANATION: Final = "relevance_explanation"
OVERALL_EXPLANATION: Final = "overall_supported_explanation"

_NEEDED: Final = (RELEVANT, SUPPORT, UTILIZED)  # whatever else is missing leaves labels to be had
_NAMES: Final = frozenset({*_NEEDED, OVERALL, RELEVANCE_EXPLANATION, OVERALL_EXPLANATION})
_DECIDING: Final = frozenset({*_NEEDED, RESPONSE_KEY, SUPPORTING, FULLY_SUPPORTED})


@dataclass(frozen=True, slots=True)
class Reply:
    """Labels that a reply holds, what was mended in them, and whether its JSON itself had to be repaired."""

    labels: Labels
    dirt: Counter[Dirt]
    is_repaired: bool


class ReplyError(Exception):
    """The reply holds no labels. `detail` names fields, as the reply wrote them: not safe to show as it is."""

    def __init__(self, cause: Cause, detail: str) -> None:
        super().__init__(f"{cause}: {detail}")
        self.cause = cause
        self.detail = detail


def read_reply(text: str, record: Record) -> Reply:
    """Return the labels that the reply gives to the record.

    A response sentence that the reply leaves out is unjudged. `overall_supported` is derived from the verdicts;
    where the reply says otherwise, that is dirt.

    Args:
        text: the completion as it came; anything is survived.
        record: the record that was put to the model, with the keys that it was shown.

    Raises:
        ReplyError: with cause EMPTY, NO_OBJECT, TRUNCATED, WRONG_TYPE, AMBIGUOUS or ECHO.
    """
    if not text.strip("\ufeff \t\r\n"):
        raise ReplyError(Cause.EMPTY, "the reply has no text")
    found = scan(text, _NAMES)
    if found.is_answer_cut_off:
        raise ReplyError(Cause.TRUNCATED, found.cut_off or "")
    candidates = [candidate for top in found.objects for candidate in _candidates(top)]
    own = [candidate for candidate in candidates if not _is_echo(text[candidate.start : candidate.end], record)]
    if candidates and not own:
        raise ReplyError(Cause.ECHO, "its answer stands word for word in the record")
    if own:
        return _only(own, record)
    if found.cut_off:
        raise ReplyError(Cause.TRUNCATED, found.cut_off)
    raise ReplyError(Cause.NO_OBJECT, found.broken or _lacking(found.objects))


def _candidates(value: Any) -> Iterator[JsonObject]:
    """Yield the outermost objects that have the fields of a reply: the value itself, or those inside it."""
    if isinstance(value, JsonObject) and all(name in value for name in _NEEDED):
        yield value
    elif isinstance(value, dict):
        yield from chain.from_iterable(map(_candidates, value.values()))
    elif isinstance(value, list):
        yield from chain.from_iterable(map(_candidates, value))


def _is_echo(text: str, record: Record) -> bool:
    """Whether the text stands in the record, white space apart: planted there, and copied by the model."""
    wanted = _squeezed(text)
    passages = (*record.documents, record.response)
    titles = (passage.title for passage in passages)
    wholes = (passage.text for passage in passages)
    sentences = ("".join(sentence.text for sentence in passage.sentences) for passage in passages)
    texts: Iterable[str] = chain((record.question,), titles, wholes, sentences)
    return any(wanted in _squeezed(given) for given in texts if RELEVANT in given)


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _only(candidates: list[JsonObject], record: Record) -> Reply:
    """Return what the candidates say, if all that have the right types say the same."""
    flaws = [_wrong_type(candidate) for candidate in candidates]
    sound = [candidate for candidate, flaw in zip(candidates, flaws, strict=True) if not flaw]
    if not sound:
        raise ReplyError(Cause.WRONG_TYPE, flaws[0])
    replies = [_labelled(candidate, record) for candidate in sound]
    first = replies[0]
    if any(reply.labels.without_explanations() != first.labels.without_explanations() for reply in replies):
        raise ReplyError(Cause.AMBIGUOUS, f"{len(replies)} objects that say different things")
    if record.response_keys and first.labels.without_explanations() == NO_LABELS:
        # What a model writes that must keep to a schema and will not answer: to read "nothing is relevant" out of
        # it would turn a refusal into a score.
        raise ReplyError(Cause.EMPTY, "the reply names no sentence and gives no verdict")
    return first


def _labelled(reply: JsonObject, record: Record) -> Reply:
    if twice := sorted(reply.conflicts & _DECIDING):
        raise ReplyError(Cause.AMBIGUOUS, f"`{twice[0]}` stands there twice, with different values")
    raw = RawLabels(
        relevant=reply[RELEVANT],
        utilized=reply[UTILIZED],
        support=reply[SUPPORT],
        overall_supported=reply.get(OVERALL),
        relevance_explanation=reply.get(RELEVANCE_EXPLANATION),
        overall_explanation=reply.get(OVERALL_EXPLANATION),
    )
    clean = normalise(raw, record)
    return Reply(clean.labels, clean.dirt, reply.is_repaired)


def _wrong_type(reply: JsonObject) -> str:
    """Name the first label field whose value is of a type that no label can have, "" if there is none."""
    entries = reply[SUPPORT]
    if not isinstance(entries, list):
        return f"`{SUPPORT}` is {_type(entries)}, not a list"
    flaws = chain(
        (_no_keys(reply, name, name) for name in (RELEVANT, UTILIZED)),
        (_wrong_entry(entry, f"{SUPPORT}[{number}]") for number, entry in enumerate(entries)),
    )
    return next(filter(None, flaws), "")


def _wrong_entry(entry: Any, place: str) -> str:
    if not isinstance(entry, JsonObject):
        return f"`{place}` is {_type(entry)}, not an object"
    if not isinstance(entry.get(RESPONSE_KEY), str):
        return f"`{place}.{RESPONSE_KEY}` is {_type(entry.get(RESPONSE_KEY))}, not a string"
    if flaw := _no_keys(entry, SUPPORTING, f"{place}.{SUPPORTING}"):
        return flaw
    verdict = entry.get(FULLY_SUPPORTED)
    is_word = isinstance(verdict, str) and verdict.strip().lower() in {"true", "false"}
    if verdict is None or isinstance(verdict, bool) or is_word:
        return ""
    return f"`{place}.{FULLY_SUPPORTED}` is {_type(verdict)}, not true or false"


def _no_keys(holder: JsonObject, name: str, place: str) -> str:
    """Say what is wrong with a list of keys; one string that joins them is as good."""
    keys = holder.get(name)
    if isinstance(keys, str) or (isinstance(keys, list) and all(isinstance(key, str) for key in keys)):
        return ""
    return f"`{place}` is {_type(keys)}, not a list of keys"


def _type(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a string", float: "a number", bool: "a truth value"}
    return next((name for kind, name in names.items() if isinstance(value, kind)), "null or missing")


def _lacking(objects: Iterable[JsonObject]) -> str:
    """Say what the object that comes nearest lacks."""
    missing = min(([name for name in _NEEDED if name not in found] for found in objects), key=len, default=_NEEDED)
    if len(missing) == len(_NEEDED):
        return "no object with the fields of an answer"
    return "no " + ", ".join(f"`{name}`" for name in missing)
