"""What is said of a record: relevant, utilized and supporting sentences, and a verdict per response sentence."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self


class Verdict(StrEnum):
    """Whether a response sentence is fully supported. Unjudged is not unsupported."""

    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"
    UNJUDGED = "unjudged"


class Reason(StrEnum):
    """Why a response sentence needs no document sentence; the words of the GPT-labeling reply and of RAGBench."""

    GENERAL = "general"
    WELL_KNOWN_FACT = "well_known_fact"
    NUMERICAL_REASONING = "numerical_reasoning"
    SUPPORTED_WITHOUT_SENTENCE = "supported_without_sentence"


@dataclass(frozen=True, slots=True)
class Support:
    """What is said of one response sentence: the document sentences that support it, and the verdict."""

    keys: frozenset[str] = frozenset()
    verdict: Verdict = Verdict.UNJUDGED
    reason: Reason | None = None
    explanation: str = ""

    @property
    def is_partial(self) -> bool:
        """At least one supporting sentence, yet not fully supported."""
        return self.verdict is Verdict.UNSUPPORTED and bool(self.keys)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON data, keys sorted."""
        return {
            "keys": sorted(self.keys),
            "verdict": self.verdict.value,
            "reason": self.reason.value if self.reason else None,
            "explanation": self.explanation,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_json` wrote."""
        return cls(
            keys=frozenset(data["keys"]),
            verdict=Verdict(data["verdict"]),
            reason=Reason(data["reason"]) if data["reason"] else None,
            explanation=data["explanation"],
        )


NO_SUPPORT = Support()


@dataclass(frozen=True, slots=True)
class Labels:
    """All labels of one record, by one judge or one annotator.

    `supports` maps response sentence keys to what is said of them; a sentence that is absent is unjudged.
    """

    relevant: frozenset[str] = frozenset()
    utilized: frozenset[str] = frozenset()
    supports: Mapping[str, Support] = field(default_factory=dict)
    relevance_explanation: str = ""
    overall_explanation: str = ""

    def support(self, response_key: str) -> Support:
        """Return what is said of one response sentence: unjudged where nothing is."""
        return self.supports.get(response_key, NO_SUPPORT)

    def without_explanations(self) -> "Labels":
        """Return the same decisions with no prose: where an annotator starts from a judge's labels."""
        return Labels(
            self.relevant,
            self.utilized,
            {key: Support(s.keys, s.verdict, s.reason) for key, s in self.supports.items()},
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON data, keys sorted, that `from_json` reads back equal."""
        return {
            "relevant": sorted(self.relevant),
            "utilized": sorted(self.utilized),
            "supports": {key: support.to_json() for key, support in self.supports.items()},
            "relevance_explanation": self.relevance_explanation,
            "overall_explanation": self.overall_explanation,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_json` wrote."""
        return cls(
            relevant=frozenset(data["relevant"]),
            utilized=frozenset(data["utilized"]),
            supports={key: Support.from_json(value) for key, value in data["supports"].items()},
            relevance_explanation=data["relevance_explanation"],
            overall_explanation=data["overall_explanation"],
        )


NO_LABELS = Labels()


@dataclass(frozen=True, slots=True)
class Judge:
    """What made labels without a person.

    `name` is what `--judge` takes, `model` the model behind it where there is one, `version` what tells two
    settings of it apart (a prompt hash, named thresholds), `about` one line that an annotator should read. `prompt`
    is the version of what a model was asked, and with which parameters, "" where nothing was asked.
    """

    name: str
    model: str = ""
    version: str = ""
    about: str = ""
    prompt: str = ""

    @property
    def title(self) -> str:
        """Name, model and prompt: `recorded gpt-4o`. Judges of another title are never pooled."""
        return " ".join(filter(None, (self.name, self.model, self.prompt and f"@{self.prompt}")))


@dataclass(frozen=True, slots=True)
class Judgement:
    """One judge's labels of one record, with the settings that made them.

    `confidence` holds the share of votes, above 0 and below 1, that each label has on which the votes were not
    unanimous, by cell: `relevant/doc_0_s1`, `utilized/doc_0_s1`, `supports/resp_s0/doc_0_s1`, `verdict/resp_s0`. It is
    empty where there was one vote. `repairs` counts what was mended in the reply, by the words of `Dirt`.
    """

    judge: Judge
    labels: Labels
    parameters: Mapping[str, Any] = field(default_factory=dict)
    confidence: Mapping[str, float] = field(default_factory=dict)
    repairs: Mapping[str, int] = field(default_factory=dict)

    @property
    def uncertain(self) -> frozenset[str]:
        """Keys of the sentences, of documents and response, about which the votes were not unanimous.

        A link that was not unanimous makes the response sentence uncertain, not the document sentence.
        """
        return frozenset(cell.split("/")[1] for cell in self.confidence)


def differing(ours: Labels, theirs: Labels) -> frozenset[str]:
    """Return the keys of the sentences, of documents and response, of which the two say different things.

    A document sentence differs in being relevant or utilized; a response sentence in verdict, reason or support.
    Explanations are not compared.
    """
    responses = {
        key
        for key in ours.supports.keys() | theirs.supports.keys()
        if _decision(ours.support(key)) != _decision(theirs.support(key))
    }
    return (ours.relevant ^ theirs.relevant) | (ours.utilized ^ theirs.utilized) | responses


def _decision(support: Support) -> tuple[object, ...]:
    return support.keys, support.verdict, support.reason
