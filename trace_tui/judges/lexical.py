"""The judge `lexical-overlap`: word coverage weighted by inverse document frequency within the record.

It sorts response sentences into three bands for an annotator who starts from nothing. It compares words: it does
not see negation, swapped roles or paraphrase, and it says so. Pure functions, no model, no network.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from math import floor, log
from typing import Final, NamedTuple

from trace_tui.judges.terms import numbers, terms, words
from trace_tui.labels import Judge, Judgement, Labels, Support, Verdict
from trace_tui.records import Record, Sentence

NAME: Final = "lexical-overlap"
ABOUT: Final = "word coverage, not entailment; cannot see negation, role swaps or paraphrase"
_METHOD: Final = "1"  # goes up with every change that can move a label under the same thresholds
_DUST: Final = 1e-9  # what sums of weights are off by
_SHOWN: Final = 5  # as many missing words and foreign numbers an explanation names


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where the bands lie. All but `supports` are shares of a sentence's weight, 0 to 1.

    A response sentence is covered from `covered` up if all its numbers occur in the documents, not covered below
    `not_covered`, and needs review between. A document sentence is relevant if it covers at least `relevant` of the
    question, and supports a response sentence if it adds at least `gain` to its coverage; `supports` is the most
    that one response sentence gets.
    """

    covered: float = 0.8
    not_covered: float = 0.4
    relevant: float = 0.2
    gain: float = 0.15
    supports: int = 3


@dataclass(frozen=True)
class LexicalOverlap:
    """Labels a record by the words that its sentences share."""

    thresholds: Thresholds = Thresholds()

    @cached_property
    def judge(self) -> Judge:
        """The judge's name, with its method and thresholds as version."""
        settings = (f"{name}={value}" for name, value in asdict(self.thresholds).items())
        return Judge(NAME, version=" ".join([_METHOD, *settings]), about=ABOUT)

    def label(self, record: Record) -> Judgement:
        """Label every sentence of the record; refusals and sentences without content words stay unjudged."""
        limits = self.thresholds
        question = tuple(dict.fromkeys(terms(record.question)))
        claims = [_Claim.of(sentence) for sentence in record.response.sentences]
        index = _Index.of(tuple(record.document_sentences()), frozenset(question).union(*(c.words for c in claims)))
        supports = {claim.key: _support(claim, index, limits) for claim in claims}
        labels = Labels(
            relevant=_relevant(question, index, limits),
            utilized=frozenset[str]().union(*(support.keys for support in supports.values())),
            supports=supports,
            relevance_explanation=f"sentences that cover at least {limits.relevant:.2f} of the question's words",
        )
        return Judgement(self.judge, labels, asdict(limits))


class _Claim(NamedTuple):
    """A response sentence as the judge sees it.

    `words` maps its distinct terms, in reading order, to the words as written; `numbers` are those written in digits.
    """

    key: str
    words: Mapping[str, str]
    numbers: Sequence[str]
    refuses: bool
    introduces: bool

    @classmethod
    def of(cls, sentence: Sentence) -> "_Claim":
        text = _LAYOUT.sub(" ", sentence.text)
        return cls(
            key=sentence.key,
            words=words(text),
            numbers=tuple(dict.fromkeys(numbers(text))),
            refuses=bool(_REFUSAL.search(sentence.text)),
            introduces=text.rstrip().endswith((":", "\N{FULLWIDTH COLON}")),
        )


# What belongs to the layout or speaks of the documents themselves, not of the facts: list markers (also the next
# item's, where a splitter left it behind), step numbers, citations, "based on the provided context".
_LAYOUT: Final = re.compile(
    r"""^\W{0,9}\(?\d{1,2}[.):](?!\d)
    | (?<=[.:!?)\]"'\u201d\u2019])\s{1,9}\d{1,2}[.)]\s*$
    | \[\d{1,3}(?:\s?[,-]\s?\d{1,3}){0,9}\]
    | \b(?:based\ on|according\ to)\ (?:the\ )?(?:\w+\ )?
      (?:context|documents?|passages?|information|sources?)(?:\ \d{1,3})?\b
    | \b(?:step|document|doc|passage|source|context)s?\s{0,2}\[?\#?\d{1,3}\b""",
    re.IGNORECASE | re.VERBOSE,
)
_REFUSAL: Final = re.compile(
    r"""\b(?:I\ (?:do\ not|don['\u2019]t)\ (?:know|have)|I(?:['\u2019]m|\ am)\ (?:sorry|afraid|unable)
      | (?:can\ ?not|can['\u2019]t|unable\ to|not\ able\ to)\ (?:answer|determine|be\ (?:answered|determined))
      | (?:documents?|context|passages?|texts?|information|sources?|articles?)\b.{0,60}?
        \ (?:do|does|did)(?:\ not|n['\u2019]t)\ (?:\w+\ ){0,2}(?:provide|contain|mention|specify|include|state|say|give)
      | not\ (?:\w+\ ){0,2}(?:provided|mentioned|specified|stated|given|found)\ (?:\w+\ ){1,4}
        (?:documents?|context|passages?|texts?|information|sources?|articles?)
      | no\ (?:\w+\ ){0,2}(?:information|mentions?|details?)|(?:not\ enough|insufficient)\ information)\b
    | わかりません|分かりません|(?:記載|情報)(?:され|は|が)?(?:ていません|ありません)
    | (?:无法|無法)回答|[没沒]有提[到供及]""",
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class _Index:
    """Inverted index over the document sentences, of the terms that question and response ask for.

    A document of the index is a sentence: that is the unit that labels name, and a record has a handful of
    documents but tens of sentences, so that frequencies mean something. `postings` has every term asked for.
    """

    keys: tuple[str, ...]
    postings: Mapping[str, Sequence[int]]

    @classmethod
    def of(cls, sentences: Sequence[Sentence], wanted: frozenset[str]) -> "_Index":
        postings: dict[str, list[int]] = {term: [] for term in wanted}
        for number, sentence in enumerate(sentences):
            for term in wanted.intersection(terms(sentence.text)):
                postings[term].append(number)
        return cls(tuple(sentence.key for sentence in sentences), postings)

    def weights(self, wanted: Iterable[str]) -> dict[str, float]:
        """Return the inverse document frequency of each term: ln(1 + N / n), n of N sentences having it.

        Always above 0; a term of no sentence weighs as much as a term of one (Manning, Raghavan, Schütze,
        Introduction to Information Retrieval, 6.2.1, smoothed by the 1 so that a record of one sentence works).
        """
        total = max(1, len(self.keys))
        return {term: log(1 + total / max(1, len(self.postings[term]))) for term in wanted}

    def gains(self, weights: Mapping[str, float]) -> list[float]:
        """Return for each sentence the weight of the terms that it holds."""
        gains = [0.0] * len(self.keys)
        for term, weight in weights.items():
            for number in self.postings[term]:
                gains[number] += weight
        return gains


class _Coverage(NamedTuple):
    """How much of a claim's weight the chosen sentences hold, 0 to 1.

    `keys` are the sentences that add enough to count as support, `missing` the terms that no chosen sentence has.
    """

    share: float
    keys: tuple[str, ...]
    missing: tuple[str, ...]


def _cover(wanted: Iterable[str], index: _Index, limits: Thresholds) -> _Coverage:
    """Choose sentences one by one, each time the one that adds most weight; the first in reading order wins a tie."""
    missing = index.weights(wanted)
    total = sum(missing.values())
    gains = index.gains(missing)
    keys: list[str] = []
    for _ in range(min(limits.supports, len(gains))):
        best = gains.index(max(gains))
        found = [term for term in missing if best in index.postings[term]]
        if not found:
            break
        # Summed anew: what is left in `gains` after subtractions is inexact.
        if sum(missing[term] for term in found) >= limits.gain * total:
            keys.append(index.keys[best])
        for term in found:
            weight = missing.pop(term)
            for number in index.postings[term]:
                gains[number] -= weight
    return _Coverage(1 - sum(missing.values()) / total, tuple(keys), tuple(missing))


def _support(claim: _Claim, index: _Index, limits: Thresholds) -> Support:
    if claim.refuses:
        return Support(explanation="needs review: seems to say that the documents do not answer")
    if not claim.words:
        return Support(explanation="needs review: no content words to compare")
    coverage = _cover(claim.words, index, limits)
    foreign = [number for number in claim.numbers if not index.postings[number]]
    share, keys = _rounded_down(coverage.share), frozenset(coverage.keys)
    if coverage.share >= limits.covered and not foreign:
        by = ", ".join(coverage.keys) or "scattered words"
        return Support(keys, Verdict.SUPPORTED, explanation=f"covered {share} by {by}")
    why = _why(foreign, [claim.words[term] for term in coverage.missing if term not in foreign])
    if coverage.share >= limits.not_covered:
        return Support(keys, explanation=f"needs review {share}: {why}")
    if claim.introduces:
        return Support(keys, explanation=f"needs review {share}: introduces what follows; {why}")
    return Support(verdict=Verdict.UNSUPPORTED, explanation=f"not covered {share}: {why}")


def _rounded_down(share: float) -> str:
    """Two digits, so that what is below a threshold never looks as if it had reached it."""
    return f"{floor(share * 100 + _DUST) / 100:.2f}"


def _why(foreign: Sequence[str], missing: Sequence[str]) -> str:
    """Say what no document, or none of the chosen sentences, has."""
    parts = []
    if foreign:
        number, are = ("the number", "is") if len(foreign) == 1 else ("the numbers", "are")
        parts.append(f"{number} {_some(foreign)} {are} in no document")
    if missing:
        parts.append("missing " + _some([f'"{word}"' for word in missing]))
    return "; ".join(parts)


def _some(words: Sequence[str]) -> str:
    more = len(words) - _SHOWN
    return ", ".join(words[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _relevant(question: Sequence[str], index: _Index, limits: Thresholds) -> frozenset[str]:
    weights = index.weights(question)
    least = limits.relevant * sum(weights.values())
    return frozenset(key for key, gain in zip(index.keys, index.gains(weights), strict=True) if gain >= least > 0)
