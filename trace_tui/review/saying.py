"""Says in words what a patch makes the case."""

from collections.abc import Callable, Mapping
from typing import Final

from trace_tui.reviews import Patch

_SAID: Final = 2  # as many cells are spelled out, the rest is counted

_VERDICT: Final = {"supported": "supported", "unsupported": "not supported", "unjudged": "without a verdict"}

# By the first word of a cell's path, what it says with a value; those that tell most of an edit come first.
_TELLING: Final[Mapping[str, Callable[..., str]]] = {
    "status": lambda value: f"the record is {value}",
    "adopted": lambda value: f"labels of the earlier content are {'' if value else 'not '}taken over",
    "verdict": lambda value, key: f"{key} is {_VERDICT[value]}",
    "supports": lambda value, response, key: f"{key} is {'' if value else 'no longer '}linked to {response}",
    "reason": lambda value, key: f"{key} needs no sentence" if value else f"{key} has no reason",
    "relevant": lambda value, key: f"{key} is {'' if value else 'not '}relevant",
    "utilized": lambda value, key: f"{key} is {'' if value else 'not '}utilized",
    "flagged": lambda value: f"the record is {'' if value else 'not '}flagged",
    "note": lambda value: f"the note is {'back' if value else 'gone'}",
}
# These follow from others, and are said only where they stand alone.
_CONSEQUENCES: Final[Mapping[str, Callable[..., str]]] = {
    "settled": lambda value, key: f"{key} is {'decided' if value else 'undecided'}",
    "blind": lambda value: f"there is {'a' if value else 'no'} blind judgement",
}


def describe(patch: Patch) -> str:
    """Say what is the case once a patch is applied: `doc_2_s1 is no longer linked to resp_s0`.

    Args:
        patch: at least one cell of a review.
    """
    said = _sentences(patch, _TELLING) or _sentences(patch, _CONSEQUENCES)
    more = f" and {len(said) - _SAID} more" if len(said) > _SAID else ""
    return "; ".join(said[:_SAID]) + more


def _sentences(patch: Patch, words: Mapping[str, Callable[..., str]]) -> list[str]:
    said: dict[str, list[str]] = {name: [] for name in words}
    for path, value in patch.items():
        name, *keys = path.split("/")
        if name in words:
            said[name].append(words[name](value, *keys))
    return [sentence for sentences in said.values() for sentence in sentences]
