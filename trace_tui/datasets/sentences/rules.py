"""Rules beside Punkt: other scripts, other languages, and lists run into one line."""
# ruff: noqa: RUF001 other scripts' letters and full stops look like Latin ones

import re
from collections import Counter
from typing import Final

# Full stops that need no white space after them: CJK, Devanagari, Arabic and Urdu, Armenian, Ethiopic, Burmese, Khmer,
# and the Greek question mark.
_FULL_STOPS: Final = "。！？｡।॥؟۔։።။។\u037e"
_CLOSERS: Final = "」』）】》〉〕］”’»\"')\\]*\u0300-\u036f\u200d\ufe0e\ufe0f"
_CJK: Final = "\u3040-\u30ff\u3400-\u9fff"
_GREEK: Final = "\u0370-\u03ff\u1f00-\u1fff"
_FINAL: Final = re.compile(
    rf"""
    (?: [{_FULL_STOPS}] | ．(?!\d) | (?<=[{_CJK}])[!?](?=[!?]*+[{_CJK}]) | (?<=[{_GREEK}]);(?=\s) )
    [{_FULL_STOPS}．!?…]*+ [{_CLOSERS}]*+ \s*+
    (?! と | って | [、，,;：] | $ )                # the quotation is part of a longer sentence
    """,
    re.VERBOSE,
)
_SPACED_FINAL: Final = re.compile(rf"[.!?…]++[{_CLOSERS}]*+(?:\s»)?+\s++(?=\S)")


def final_starts(prose: str) -> set[int]:
    """Return where sentences start after a full stop of another script than Latin."""
    return set() if prose.isascii() else {final.end() for final in _FINAL.finditer(prose)}


def spaced_starts(prose: str, language: str) -> set[int]:
    """Return where sentences start after a full stop and white space, in any language but English.

    Edited prose in these languages starts sentences with a capital, where the script has any.
    """
    return {
        final.end()
        for final in _SPACED_FINAL.finditer(prose)
        if not prose[final.end()].islower() and not _abbreviates(_word_before(prose, final.end()), language)
    }


def _word_before(prose: str, start: int) -> str:
    words = prose[max(0, start - _WINDOW) : start].split()
    return words[-1].lstrip(_OPENERS).lower() if words else ""


def _abbreviates(word: str, language: str) -> bool:
    if word in _ABBREVIATIONS.get(language, ()) or _INITIAL.fullmatch(word):
        return True
    return language == "de" and _ORDINAL.fullmatch(word) is not None


_WINDOW: Final = 40  # characters that the word before a start is looked for in
_OPENERS: Final = "([{\"'«„“‚"
_INITIAL: Final = re.compile(r"[^\W\d_]\.")
_ORDINAL: Final = re.compile(r"\d{1,2}\.")  # "am 3. Oktober"

# Abbreviations that a sentence goes on after; those that may as well end one (usw., etc.) are left out.
_ABBREVIATIONS: Final = {
    language: frozenset(words.split())
    for language, words in {
        "de": """abb. abs. abt. art. aufl. bd. bes. bspw. bzgl. bzw. ca. chr. d.h. dez. dipl. dr. evtl. feb. fr. geb.
            gem. ggf. hr. hrn. hrsg. i.d.r. ing. inkl. jan. jh. kap. lt. max. med. mind. mio. mrd. n.chr. nov. nr. o.ä.
            okt. prof. rd. s.o. sep. sept. sog. st. std. str. tel. u.a. v.a. v.chr. vgl. z.b. z.t. zit. zzgl.""",
        "fr": """adj. al. apr. art. av. bd. cf. chap. déc. dr. éd. env. ex. févr. fig. hab. janv. juill. mlle. mm. mme.
            n°. no. nov. obs. oct. p.ex. pp. prof. réf. sept. st. ste. tél. vol.""",
        "es": """aprox. art. av. avda. cap. cía. dña. dr. dra. ed. ee.uu. ej. fig. gral. ing. lic. núm. p.ej. pág. prof.
            sr. sra. sres. srta. st. sta. sto. tel. ud. uds. vol.""",
        "it": """art. artt. avv. ca. cap. cfr. dott. dr. es. fig. gen. ing. nr. on. p.es. pag. pagg. prof. sen. sig.
            sig.ra. sigg. tel. vol.""",
        "pt": """art. av. cap. dr. dra. ed. eng. ex. fig. gov. núm. p.ex. pág. prof. profa. sr. sra. st. sta. sto. tel.
            vol.""",
        "nl": """afb. art. bijv. blz. bv. ca. d.w.z. dhr. dr. drs. evt. fig. hfst. ing. ir. max. mevr. mr. mw. nl. nr.
            o.a. prof. resp. st. t.a.v. tel. vgl. zgn.""",
        "ru": """акад. вв. вул. гг. гл. ім. им. кв. млн. млрд. напр. обл. оз. пер. пл. пр. просп. проф. рис. руб. см.
            ср. ст. стр. т.е. т.к. т.н. табл. тис. тыс. ул.""",
    }.items()
}

_FUNCTION_WORDS: Final = {
    "en": "the of and to is that for was with as on by are it this at from be or an not has",
    "de": "der die das und ist nicht ein eine mit den von zu auf für sich dem des im wird am er sie es",
    "fr": "le la les des et est une un dans que pour du au qui sur pas il ce par en de",
    "es": "el la los las y que en una un por con del se para es su al de lo",
    "it": "il che di per una un non sono della è la le con del si da i al",
    "pt": "o que de em uma um para não os as do da com e se por no na é",
    "nl": "de het een van en is dat niet met op voor zijn te aan die er ook",
}
_SPEAKERS: Final = {
    word: tuple(name for name, words in _FUNCTION_WORDS.items() if word in words.split())
    for word in " ".join(_FUNCTION_WORDS.values()).split()
}
_SAMPLE: Final = 2_000  # characters that the language is told from
_LATIN: Final = re.compile(r"[a-zA-Z]")
_CYRILLIC: Final = re.compile(r"[а-яА-Я]")
_WORD: Final = re.compile(r"[^\W\d_]+")


def language(prose: str) -> str:
    """Guess the language of prose by its script and function words.

    Returns:
        `en` for Latin letters where the words do not tell; `ru` for mostly Cyrillic ones, which share a list of
        abbreviations; "" without either.
    """
    sample = prose[:_SAMPLE]
    latin, cyrillic = len(_LATIN.findall(sample)), len(_CYRILLIC.findall(sample))
    if cyrillic > latin:
        return "ru"
    if not latin:
        return ""
    hits = Counter(name for word in _WORD.findall(sample.lower()) for name in _SPEAKERS.get(word, ()))
    return max(_FUNCTION_WORDS, key=hits.__getitem__)  # English comes first, and so wins a tie


_NUMBER: Final = re.compile(r"(?<!\S)([(\[]?)(\d{1,3})(\.\)|[.)\]])\s+(?=[^\W\d_])")
_BULLETS: Final = "•‣⁃◦▪●"
_BULLET: Final = re.compile(rf"(?<=\s)[{_BULLETS}](?=\s)")
_ENUMERATOR: Final = re.compile(rf"(?:[{_BULLETS}]\s*)?[(\[]?(?:\d{{1,3}}|[a-zA-Z]|[ivxIVX]{{2,5}})(?:\.\)|[.)\]])")
_Style = tuple[str, str]


def is_enumerator(unit: str) -> bool:
    """Say whether a unit is the number or letter of a list item and nothing else: `2.`, `(b)`, `iv)`."""
    return _ENUMERATOR.fullmatch(unit) is not None


def item_starts(prose: str) -> set[int]:
    """Return where the items of a list start that was run into one line, as in "1) Open it 2) Close it".

    Bullets count where one opens the block. Numbers must count up in one style and go on with a capital (or a letter
    without case), so that "1) apples and 2) pears" within a sentence stays whole.
    """
    starts = {bullet.start() for bullet in _BULLET.finditer(prose)} if prose.startswith(tuple(_BULLETS)) else set()
    items: dict[_Style, list[tuple[int, int]]] = {}
    for match in _NUMBER.finditer(prose):
        position, number, style = match.start(), int(match[2]), (match[1], match[3])
        run = items.setdefault(style, [])
        expected = number == run[-1][1] + 1 if run else _may_open(prose, position, number, style)
        if expected and not prose[match.end()].islower():
            run.append((position, number))
    return starts.union(position for run in items.values() if len(run) > 1 for position, _ in run)


def _may_open(prose: str, position: int, number: int, style: _Style) -> bool:
    """Say whether a number may open a list: any at the start, else 1, where `1.` needs the end of a clause before."""
    if position == 0:
        return True
    if number != 1 or style[1] == "]":
        return False
    return style[1] != "." or prose[max(0, position - 3) : position].rstrip()[-1:] in ".:;!?"
