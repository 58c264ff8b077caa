"""Brings labels as they came, from a row or from a model's reply, to `Labels` by rule, and counts what was mended.

Nothing is guessed: a key that is no sentence of the record is dropped and counted, a sentence without a verdict is
unjudged. Who decides a verdict differs by origin: RAGBench rows list the unsupported sentences,
GPT-labeling replies say `fully_supported`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from operator import attrgetter
from typing import Any

from trace_tui.labels import NO_SUPPORT, Labels, Reason, Support, Verdict
from trace_tui.records import Record, document_key, response_key


class Dirt(StrEnum):
    """What can be wrong with labels as they came. The value is what `check` prints."""

    UNTIDY_KEY = "keys with dots, spaces, brackets or capitals, tidied"
    JOINED_KEYS = "several keys in one string, split"
    KEY_RANGE = "key ranges such as `i through v`, expanded"
    UNKNOWN_KEY = "keys of no sentence in relevant or utilized, dropped"
    UNKNOWN_SUPPORT_KEY = "supporting keys of no document sentence, dropped"
    UNKNOWN_RESPONSE_KEY = "support entries or verdicts for no response sentence, dropped"
    DUPLICATE_KEY = "duplicate keys, counted once"
    DUPLICATE_SUPPORT = "several support entries for one response sentence, merged"
    MISSING_SUPPORT = "response sentences without a support entry"
    SPECIAL_WORD = "special words among relevant or utilized keys, dropped"
    NO_VERDICT = "response sentences without a verdict, left unjudged"
    CONTRADICTION = "`fully_supported` contradicts `unsupported_response_sentence_keys`, the list holds"
    OUTSIDE_RELEVANT = "utilized sentences that are not relevant, kept"
    WRONG_TYPE = "label fields of a wrong type, ignored"
    OVERALL_DIFFERS = "`overall_supported` contradicts the sentences' verdicts, derived anew"


@dataclass(frozen=True, slots=True)
class RawLabels:
    """The label fields of a row or a reply, as parsed from JSON and otherwise untouched.

    `unsupported` is RAGBench's list of unsupported response sentences; None where the row has none, and then
    `fully_supported` of each support entry decides.
    """

    relevant: Any = None
    utilized: Any = None
    support: Any = None
    unsupported: Any = None
    overall_supported: Any = None
    relevance_explanation: Any = None
    overall_explanation: Any = None


@dataclass(frozen=True, slots=True)
class Normalised:
    """Labels fit to use, and how often each kind of dirt was met on the way."""

    labels: Labels
    dirt: Counter[Dirt] = field(default_factory=Counter)


def normalise(raw: RawLabels, record: Record) -> Normalised:
    """Bring raw labels to the record's sentence keys by the rules of `Dirt`.

    Args:
        raw: label fields as they came; any type is survived.
        record: the record they speak of, already cut into sentences.
    """
    dirt: Counter[Dirt] = Counter()
    keys = _Keys(record, dirt)
    relevant = keys.document_set(raw.relevant)
    utilized = keys.document_set(raw.utilized)
    dirt[Dirt.OUTSIDE_RELEVANT] += len(utilized - relevant)
    entries = _entries(raw.support, keys, dirt)
    listed = _listed(raw.unsupported, keys, dirt)
    supports = {}
    for key in record.response_keys:
        if key not in entries and raw.support is not None:
            dirt[Dirt.MISSING_SUPPORT] += 1
        supports[key] = _support(entries.get(key, []), listed, key, keys, dirt)
    if listed is None:
        _check_overall(raw.overall_supported, supports.values(), dirt)
    labels = Labels(
        relevant=relevant,
        utilized=utilized,
        supports={key: support for key, support in supports.items() if support != NO_SUPPORT},
        relevance_explanation=_text(raw.relevance_explanation),
        overall_explanation=_text(raw.overall_explanation),
    )
    return Normalised(labels, +dirt)


_REASONS = {reason.value: reason for reason in Reason}
_CANONICAL = re.compile(r"(?:doc_(\d{1,9})_s(\d{1,9})|resp_s(\d{1,9}))", re.ASCII)
_RAGBENCH = re.compile(r"(\d{0,9})([a-z]{1,6})", re.ASCII)
_RANGE = re.compile(r"\s*([\w.]+)\s*(?:\s(?:through|to)\s|[-\u2013])\s*([\w.]+)\s*", re.ASCII)
_ALIAS = attrgetter("alias")
_EDGES = " \t\r\n.,;:()[]'\"`"


class _Keys:
    """Knows the record's keys under all their names."""

    def __init__(self, record: Record, dirt: Counter[Dirt]) -> None:
        self._documents = dict(zip(map(_ALIAS, record.document_sentences()), record.document_keys, strict=True))
        self._response = dict(zip(map(_ALIAS, record.response.sentences), record.response_keys, strict=True))
        self._record = record
        self._dirt = dirt

    @cached_property
    def _document_keys(self) -> frozenset[str]:
        return frozenset(self._record.document_keys)

    @cached_property
    def _response_keys(self) -> frozenset[str]:
        return frozenset(self._record.response_keys)

    def document(self, written: str) -> str | None:
        return self._documents.get(written) or self._resolve(written, self._documents, self._document_keys)

    def response(self, written: str) -> str | None:
        return self._response.get(written) or self._resolve(written, self._response, self._response_keys)

    def document_set(self, value: object) -> frozenset[str]:
        found: list[str] = []
        for written in self.strings(value):
            key = self.document(written)
            if key:
                found.append(key)
            elif written.strip(_EDGES).lower() in _REASONS:
                self._dirt[Dirt.SPECIAL_WORD] += 1
            else:
                self._dirt[Dirt.UNKNOWN_KEY] += 1
        return self.once(found)

    def once(self, found: list[str]) -> frozenset[str]:
        """Return the keys as a set; what was there twice is dirt."""
        keys = frozenset(found)
        if len(keys) < len(found):
            self._dirt[Dirt.DUPLICATE_KEY] += len(found) - len(keys)
        return keys

    def strings(self, value: object) -> list[str]:
        """Return the keys in a list, or in one string that joins them; ranges are spelled out."""
        if value is None:
            return []
        if isinstance(value, str):
            value = [value]
        if isinstance(value, list) and self._are_names(value):
            return value
        if not isinstance(value, Sequence):
            self._dirt[Dirt.WRONG_TYPE] += 1
            return []
        strings = [item for item in value if isinstance(item, str)]
        self._dirt[Dirt.WRONG_TYPE] += len(value) - len(strings)
        return [key for item in strings for key in self._named_in(item)]

    def _are_names(self, items: list[Any]) -> bool:
        """Whether all are the row's own names of document sentences, or all of response sentences: nearly always so."""
        try:
            return all(map(self._documents.__contains__, items)) or all(map(self._response.__contains__, items))
        except TypeError:  # something that no key can be
            return False

    def _named_in(self, item: str) -> list[str]:
        if item in self._documents or item in self._response:
            return [item]
        return [key for part in self._split(item) for key in self._spelled_out(part)]

    def _split(self, item: str) -> list[str]:
        parts = [part for part in re.split(r"[,;\n]", item) if part.strip()]
        if len(parts) > 1:
            self._dirt[Dirt.JOINED_KEYS] += 1
            return [part.strip() for part in parts]
        return parts

    def _spelled_out(self, part: str) -> list[str]:
        """Return the keys from one to the other in `i through v` or `0a-0c`, if both stand in one passage."""
        if match := _RANGE.fullmatch(part):
            first, last = (self.document(end) or self.response(end) for end in match.groups())
            for passage in (*self._record.documents, self._record.response):
                keys = [sentence.key for sentence in passage.sentences]
                if first in keys and last in keys[keys.index(first) :]:
                    self._dirt[Dirt.KEY_RANGE] += 1
                    return keys[keys.index(first) : keys.index(last) + 1]
        return [part]

    def _resolve(self, written: str, aliases: Mapping[str, str], keys: frozenset[str]) -> str | None:
        if written in keys:
            return written
        tidy = written.strip(_EDGES).lower()
        key = aliases.get(tidy) or _generic(tidy)
        if key not in keys:
            return None
        if tidy != written:
            self._dirt[Dirt.UNTIDY_KEY] += 1
        return key


def _generic(tidy: str) -> str | None:
    """Read `doc_0_s1`, `resp_s0`, `0b` or `b` where the row itself gives no such name to a sentence."""
    if match := _CANONICAL.fullmatch(tidy):
        document, sentence, response = match.groups()
        return response_key(int(response)) if response else document_key(int(document), int(sentence))
    if match := _RAGBENCH.fullmatch(tidy):
        document, letters = match.groups()
        sentence = _letters_to_number(letters)
        return document_key(int(document), sentence) if document else response_key(sentence)
    return None


def _letters_to_number(letters: str) -> int:
    """Count as RAGBench does: a is 0, z is 25, aa is 26."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("a") + 1
    return number - 1


def number_to_letters(number: int) -> str:
    """Return the RAGBench letters of a sentence number: 0 is a, 25 is z, 26 is aa."""
    letters = ""
    number += 1
    while number:
        number, remainder = divmod(number - 1, 26)
        letters = chr(ord("a") + remainder) + letters
    return letters


def _entries(support: object, keys: _Keys, dirt: Counter[Dirt]) -> dict[str, list[Mapping[str, Any]]]:
    """Sort support entries by the response sentence that they speak of."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    if support is None:
        return found
    if isinstance(support, Mapping):  # {"resp_s0": {...}} instead of a list of entries
        support = [{"response_sentence_key": key, **_mapping(value)} for key, value in support.items()]
    if not isinstance(support, list):
        dirt[Dirt.WRONG_TYPE] += 1
        return found
    for entry in support:
        written = entry.get("response_sentence_key") if isinstance(entry, Mapping) else None
        if not isinstance(written, str):
            dirt[Dirt.WRONG_TYPE] += 1
            continue
        for name in keys.strings(written):
            if key := keys.response(name):
                found.setdefault(key, []).append(entry)
            else:
                dirt[Dirt.UNKNOWN_RESPONSE_KEY] += 1
    dirt[Dirt.DUPLICATE_SUPPORT] += sum(len(entries) - 1 for entries in found.values())
    return found


def _listed(unsupported: object, keys: _Keys, dirt: Counter[Dirt]) -> frozenset[str] | None:
    if unsupported is None:
        return None
    found = []
    for written in keys.strings(unsupported):
        if key := keys.response(written):
            found.append(key)
        else:
            dirt[Dirt.UNKNOWN_RESPONSE_KEY] += 1
    return keys.once(found)


def _support(
    entries: list[Mapping[str, Any]],
    listed: frozenset[str] | None,
    key: str,
    keys: _Keys,
    dirt: Counter[Dirt],
) -> Support:
    supporting: list[str] = []
    reason: Reason | None = None
    said: set[bool] = set()
    for entry in entries:
        for written in keys.strings(entry.get("supporting_sentence_keys")):
            if document := keys.document(written):
                supporting.append(document)
            elif word := _REASONS.get(written.strip(_EDGES).lower()):
                reason = reason or word
            else:
                dirt[Dirt.UNKNOWN_SUPPORT_KEY] += 1
        said |= _truth(entry.get("fully_supported"), dirt)
    return Support(
        keys=keys.once(supporting),
        verdict=_verdict(said, listed, key, dirt),
        reason=reason,
        explanation="\n".join(filter(None, (_text(entry.get("explanation")) for entry in entries))),
    )


def _verdict(said: set[bool], listed: frozenset[str] | None, key: str, dirt: Counter[Dirt]) -> Verdict:
    if listed is not None:
        supported = key not in listed
        if (not supported) in said:
            dirt[Dirt.CONTRADICTION] += 1
        return Verdict.SUPPORTED if supported else Verdict.UNSUPPORTED
    if len(said) == 1:
        return Verdict.SUPPORTED if said == {True} else Verdict.UNSUPPORTED
    dirt[Dirt.NO_VERDICT] += 1
    return Verdict.UNJUDGED


def _check_overall(overall: object, supports: Iterable[Support], dirt: Counter[Dirt]) -> None:
    verdicts = {support.verdict for support in supports}
    derived = {Verdict.UNSUPPORTED not in verdicts}
    if Verdict.UNJUDGED in verdicts and derived == {True}:
        return
    said = _truth(overall, dirt)
    if said and said != derived:
        dirt[Dirt.OVERALL_DIFFERS] += 1


def _truth(value: object, dirt: Counter[Dirt]) -> set[bool]:
    """Read true, false or the words for them; nothing from null; count anything else."""
    if value is None:
        return set()
    if isinstance(value, bool):
        return {value}
    if isinstance(value, str) and value.strip().lower() in {"true", "false"}:
        return {value.strip().lower() == "true"}
    dirt[Dirt.WRONG_TYPE] += 1
    return set()


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
