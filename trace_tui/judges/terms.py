"""Cuts text of any script into comparable terms: what `lexical-overlap` counts.

Words are folded (NFKC, case) and, in English, stripped of light suffixes; scripts written without spaces give
character bigrams; numbers come out in one form. All of it is linear in the text and needs no model.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Final

# Han, kana, Hangul, Thai, Lao, Myanmar and Khmer: no spaces between words, or particles grown onto them.
_UNSPACED: Final = (
    "\u3005-\u3007\u3041-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff\uac00-\ud7a3\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1780-\u17d3"
)
# Marks that belong to a word but are not `\w`: accents, Hebrew and Arabic points, Indic vowel signs.
_MARKS: Final = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
    "\u0900-\u0963\u0971-\u0dff"
)
_TOKEN: Final = re.compile(rf"\d+(?:[.,]\d+)*|%|[{_UNSPACED}]+|[^\W\d_{_UNSPACED}](?:[^\W_{_UNSPACED}]|[{_MARKS}])*")
_ASCII_TOKEN: Final = re.compile(r"\d+(?:[.,]\d+)*|%|[a-z][a-z0-9]*")
_FIRST_UNSPACED: Final = "\u0e01"
_IS_UNSPACED: Final = re.compile(f"[{_UNSPACED}]")
_HIRAGANA: Final = re.compile("[\u3041-\u309f]+")
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")

_NUMBER_WORDS: Final = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
    fifteen sixteen seventeen eighteen nineteen twenty"""
_TENS: Final = "thirty forty fifty sixty seventy eighty ninety hundred"
_SAME: Final = (
    {"%": "percent"}
    | {word: str(value) for value, word in enumerate(_NUMBER_WORDS.split())}
    | {word: str(10 * value) for value, word in enumerate(_TENS.split(), start=3)}
)
# English words that carry grammar, not content. Negations are content; what is common in other languages is weighed
# down by its frequency.
_GRAMMAR_WORDS: Final = """a about after all also am an and any are as at be because been before being between both
    but by can could did do does doing done during each either for from had has have having he her here hers him
    his how however i if in into is it its itself just may me might more most must my nor of on only or other our
    ours out over own per she should so some such than that the their theirs them then there therefore these they
    this those through thus to too under until up upon us very via was we were what when where whether which while
    who whom whose why will with within would yes you your yours aren didn doesn don isn ll re ve wasn weren"""
_GRAMMAR: Final = frozenset(_GRAMMAR_WORDS.split())


def terms(text: str) -> list[str]:
    """Return the content terms of a text in reading order, repeats included.

    A term is a folded word without its suffix, a character bigram, or a number as `numbers` writes it; number words
    up to twenty and the tens count as numbers. Grammatical words, single Latin letters and bigrams of nothing but
    hiragana are left out.
    """
    return [term for token in _tokens(text) for term in _terms_of(token)]


def words(text: str) -> dict[str, str]:
    """Return the distinct terms of a text in reading order, each with its (folded) word; a bigram is its own."""
    found: dict[str, str] = {}
    for token in _tokens(text):
        for term in _terms_of(token):
            found.setdefault(term, term if _IS_UNSPACED.match(token) else token)
    return found


def numbers(text: str) -> tuple[str, ...]:
    """Return the numbers written in digits, in one form: `1,000` and `1000.0` are `1000`, `3,5` is `3.5`.

    A number that ends a word (`COVID-19`) counts, one inside a word (`H1N1`) does not.
    """
    return tuple(_number(token) for token in _tokens(text) if token[0].isdecimal())


def _tokens(text: str) -> list[str]:
    if text.isascii():
        return _ASCII_TOKEN.findall(text.lower())
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold())


# The memo is a plain speed-up of a pure function: a text repeats its words, and folding is most of the work.
@lru_cache(maxsize=1 << 16)
def _terms_of(token: str) -> tuple[str, ...]:
    if token[0].isdecimal():
        return (_number(token),)
    if token[0] >= _FIRST_UNSPACED and _IS_UNSPACED.match(token):
        return _bigrams(token)
    if token in _GRAMMAR or (len(token) == 1 and token.isalpha() and token.isascii()):
        return ()
    return (_SAME.get(token) or _stem(token),)


def _number(token: str) -> str:
    if _THOUSANDS.fullmatch(token):
        token = token.replace(",", "")
    whole, *rest = re.split("[.,]", "".join(str(unicodedata.decimal(c, c)) for c in token))
    whole = whole.lstrip("0") or "0"
    if len(rest) == 1:  # a decimal fraction; more dots are a date, a version or an address, kept as they are
        rest = [digits for digits in (rest[0].rstrip("0"),) if digits]
    return ".".join([whole, *rest])


def _bigrams(run: str) -> tuple[str, ...]:
    """Cut a run of an unspaced script into overlapping pairs; hiragana alone is mostly Japanese grammar."""
    pairs = [run[at : at + 2] for at in range(len(run) - 1)] or [run]
    return tuple(pair for pair in pairs if not _HIRAGANA.fullmatch(pair))


_SHORTEST_STEM: Final = 3
_VOWEL: Final = re.compile("[aeiouy]")


def _stem(word: str) -> str:
    """Strip light English suffixes, so that `spreads`, `spreading` and `spread` meet.

    Plural, then one of -ing, -ed, -ly, then a doubled letter or a final e (`stopped`, `stop`; `closing`, `close`). A
    stem keeps three letters and a vowel: `string` is not `str`. It need not be a word, it must only be the same.
    """
    if not word.isascii():
        return word
    if not word.endswith(("ss", "us", "is")):
        word = _without("ies", word, "y") or _without("s", word) or word
    word = _without("ing", word) or _without("ed", word) or _without("ly", word) or word
    if len(word) > _SHORTEST_STEM and word[-1] == word[-2] != "s":
        return word[:-1]
    return _without("e", word) or word


def _without(suffix: str, word: str, ending: str = "") -> str | None:
    stem = word.removesuffix(suffix)
    if stem == word or len(stem) < _SHORTEST_STEM or not _VOWEL.search(stem):
        return None
    return stem + ending
