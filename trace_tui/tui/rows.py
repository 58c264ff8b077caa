"""How the sentences of the record on the desk look: pure functions from a desk to rows."""

from bisect import bisect_right
from collections.abc import Callable, Mapping
from functools import cache
from itertools import accumulate

from trace_tui.display import one_line
from trace_tui.labels import Judge, Labels, Support, Verdict
from trace_tui.records import Sentence
from trace_tui.review.desk import Desk
from trace_tui.tui.content import Row
from trace_tui.tui.lines import Line, Part, wrap
from trace_tui.tui.theme import Role

VERDICTS = {
    Verdict.SUPPORTED: ("✓", "supported", Role.SUPPORTED),
    Verdict.UNSUPPORTED: ("✗", "not supported", Role.UNSUPPORTED),
    Verdict.UNJUDGED: ("?", "not judged", Role.UNJUDGED),
}
_OWN_WORDS = {
    "lexical-overlap": {
        Verdict.SUPPORTED: "covered",
        Verdict.UNSUPPORTED: "not covered",
        Verdict.UNJUDGED: "needs review",
    }
}
PARTIAL = ("◐", "partly supported", Role.PARTIAL)


def has_own_words(judge: Judge) -> bool:
    """Whether a judge measures something else than support, and says it in words of its own."""
    return judge.name in _OWN_WORDS


def verdict_look(support: Support) -> tuple[str, str, Role]:
    """Return glyph, words and role of what is said of a response sentence."""
    return PARTIAL if support.is_partial else VERDICTS[support.verdict]


class DocumentRows:
    """The documents of one record as rows: a heading for each document, then its sentences."""

    def __init__(self, desk: Desk) -> None:
        documents = desk.record.documents
        self._rows: list[Sentence] = []
        for number, document in enumerate(documents):
            self._rows.append(Sentence("", _heading(document.title, len(document.sentences)), f"doc_{number}"))
            self._rows += document.sentences
        lengths = [len(document.sentences) for document in documents]
        self._starts = [end - length for end, length in zip(accumulate(lengths), lengths, strict=True)]
        self._headings = [start + number for number, start in enumerate(self._starts)]
        self._key_width = max((len(d.sentences[-1].key) for d in documents if d.sentences), default=0)

    def __len__(self) -> int:
        return len(self._rows)

    def row_of(self, sentence: int) -> int:
        """Return the row of a document sentence by its number."""
        return sentence + bisect_right(self._starts, sentence)

    def key_at(self, row: int) -> str | None:
        """Return the key of the sentence in a row; None for a heading."""
        return self._rows[row].key or None if 0 <= row < len(self._rows) else None

    def sentence_at(self, row: int) -> int:
        """Return the number of the sentence in a row; for a heading, of the first sentence below it."""
        headings = bisect_right(self._headings, row)
        return row - headings + (0 if self.key_at(row) else 1)

    def evidence(self, desk: Desk) -> list[int]:
        """Return in order the rows that support the response sentence in focus, as the annotator says."""
        numbers = desk.record.document_numbers
        return sorted(self.row_of(numbers[key]) for key in desk.focused.keys if key in numbers)

    def painter(self, desk: Desk) -> Callable[[int], Row]:
        """Return what each row looks like in the state of this desk."""
        mine, judge = desk.review.labels, desk.judge_labels
        evidence = desk.focused.keys
        judged_evidence = desk.judged_focused.keys if desk.judged_focused else None

        def row(number: int) -> Row:
            sentence = self._rows[number]
            if not sentence.key:
                heading = ((f"{sentence.alias}  ", Role.KEY),)
                return Row("", sentence.text, heading, Role.TITLE)
            key = sentence.key
            links = _evidence(key, evidence, judged_evidence)
            gutter = (*links, *_marks(key, mine, judge, _doubt(desk, key)), (f"{key:<{self._key_width}}  ", Role.KEY))
            return Row(key, sentence.text, gutter, Role.EVIDENCE if key in evidence else _role(key, mine))

        return row


def _heading(title: str, sentences: int) -> str:
    count = f"{sentences} sentence{'' if sentences == 1 else 's'}" if sentences else "empty"
    return f"{title} · {count}" if title else count


def _evidence(key: str, mine: frozenset[str], judged: frozenset[str] | None) -> Line:
    """Diamond filled: I link it; hollow: only the judge does; a star where the two differ."""
    is_mine = key in mine
    if judged is None:
        return (("◆ " if is_mine else "  ", Role.SUPPORTED),)
    is_judged = key in judged
    glyph = "◆" if is_mine else "◇" if is_judged else " "
    star = "*" if is_mine != is_judged else " "
    return ((glyph, Role.SUPPORTED), (star, Role.OVERRIDE))


def _marks(key: str, mine: Labels, judge: Labels | None, doubt: Part) -> Line:
    """Letters of my labels, and beside them in lower case the judge's, a star between if they differ."""
    letters = _letters(key, mine)
    own: Part = (letters, _role(key, mine))
    if judge is None:
        return (own, (" ", Role.PLAIN))
    judged = _letters(key, judge)
    return (own, ("*" if letters != judged else " ", Role.OVERRIDE), (judged.lower(), Role.JUDGE), doubt)


def _doubt(desk: Desk, key: str) -> Part:
    """Return the mark beside what the judge says of a sentence about which its votes were divided."""
    return ("~" if key in desk.uncertain else " ", Role.WARNING)


def _letters(key: str, labels: Labels) -> str:
    relevant, utilized = key in labels.relevant, key in labels.utilized
    return f"{'R' if relevant else '·'}{'U' if utilized else '·'}"


def _role(key: str, labels: Labels) -> Role:
    match key in labels.relevant, key in labels.utilized:
        case True, True:
            return Role.BOTH
        case True, False:
            return Role.RELEVANT
        case False, True:
            return Role.UTILIZED
        case _:
            return Role.NEITHER


def document_action_at(column: int) -> str | None:
    """Return the name of the action that a click on a document sentence's gutter means."""
    return {0: "supports", 1: "supports", 2: "relevant", 3: "utilized"}.get(column)


def response_painter(desk: Desk, size: Callable[[], tuple[int, int]]) -> Callable[[int], Row]:
    """Return what each response sentence looks like; below the one in focus, what I say of it and what the judge.

    Args:
        desk: the record and what is said of it.
        size: tells the width and height of the pane; asked when the first row is, which is when it has a size.
    """
    sentences = desk.record.response.sentences
    key_width = max((len(sentence.key) for sentence in sentences), default=0)

    @cache
    def after() -> tuple[Line, ...]:
        width, height = size()
        room = max(width - _TEXT_AT - 3, 8)
        others = sum(len(sentence.text) // room + 1 for sentence in sentences)  # about as many lines
        return _said_of_focused(desk, room, explanation_lines=max(2, height // 3, height - others - 4))

    def row(number: int) -> Row:
        sentence = sentences[number]
        support = desk.review.labels.support(sentence.key)
        glyph, _, role = verdict_look(support)
        settled = "●" if sentence.key in desk.review.settled or desk.review.is_accepted else "○"
        is_focused = number == desk.focus
        gutter = (
            (f"{settled} ", Role.DIM),
            (glyph, role),
            *_judged_verdict(desk, sentence.key),
            (f"{sentence.key:<{key_width}}  ", Role.KEY),
        )
        text_role = Role.STRONG if is_focused else Role.PLAIN
        return Row(sentence.key, sentence.text, gutter, text_role, after() if is_focused else ())

    return row


def _judged_verdict(desk: Desk, key: str) -> Line:
    if desk.judge_labels is None:
        return ((" ", Role.PLAIN),)
    glyph, _, _ = verdict_look(desk.judge_labels.support(key))
    return (("*" if key in desk.overridden else " ", Role.OVERRIDE), (glyph, Role.JUDGE), _doubt(desk, key))


_INDENT = 5
_NAME_WIDTH = 7
_TEXT_AT = _INDENT + _NAME_WIDTH + 2  # below the words, right of the glyph


def _said_of_focused(desk: Desk, room: int, explanation_lines: int) -> tuple[Line, ...]:
    if desk.focused_key is None:
        return ()
    mine = desk.focused
    lines = _said("you", mine, verdict_look(mine)[1], _links(mine, {}), (Role.HUMAN, room))
    judged = desk.judged_focused
    if judged is not None:
        shares = _shares(desk, desk.focused_key)
        words = _judge_words(desk, judged, shares)
        lines += _said("judge", judged, words, _links(judged, shares), (Role.JUDGE, room))
        if judged.explanation:
            text = _shortened(wrap(f"“{one_line(judged.explanation).strip()}”", room), explanation_lines)
            lines += [((" " * _TEXT_AT, Role.PLAIN), (line, Role.JUDGE)) for line in text]
    return tuple(lines)


def _judge_words(desk: Desk, judged: Support, shares: Mapping[str, float]) -> str:
    """Return the judge's verdict in its own words: one that measures coverage does not say "supported"."""
    judgement = desk.judgement
    own_words = _OWN_WORDS.get(judgement.judge.name) if judgement else None
    words = own_words[judged.verdict] if own_words else verdict_look(judged)[1]
    return f"{words} ({shares['']:.0%} of its votes)" if "" in shares else words


def _shares(desk: Desk, key: str) -> dict[str, float]:
    """Return the shares of divided votes: for the links to a response sentence by key, and under "" for its verdict."""
    confidence = desk.judgement.confidence if desk.judgement else {}
    cells = ((cell.split("/"), share) for cell, share in confidence.items())
    return {"".join(cell[2:]): share for cell, share in cells if cell[0] in {"supports", "verdict"} and cell[1] == key}


def _links(support: Support, shares: Mapping[str, float]) -> str:
    """Return the supporting sentences in order, and those for which some votes were, but too few."""
    words = {key: f"{key} ({shares[key]:.0%})" if key in shares else key for key in support.keys}
    words |= {key: f"not {key} ({share:.0%})" for key, share in shares.items() if key and key not in support.keys}
    return ", ".join(words[key] for key in sorted(words, key=_in_order))


def _said(name: str, support: Support, words: str, links: str, look: tuple[Role, int]) -> list[Line]:
    """Return a verdict in words with its links, in a role, wrapped to a width."""
    glyph, _, verdict_role = verdict_look(support)
    role, room = look
    said = [words, links]
    if support.reason:
        said.append(support.reason.value.replace("_", " "))
    first, *more = wrap(" · ".join(filter(None, said)), room)
    head: Line = (
        (f"{'':<{_INDENT}}{name:<{_NAME_WIDTH}}", Role.DIM),
        (f"{glyph} ", verdict_role),
        (first, role),
    )
    return [head, *(((" " * _TEXT_AT, Role.PLAIN), (line, role)) for line in more)]


def _shortened(lines: list[str], most: int) -> list[str]:
    return lines if len(lines) <= most else [*lines[: most - 1], f"{lines[most - 1][:-1]}…"]


def _in_order(key: str) -> tuple[int, ...]:
    return tuple(int(number) for number in key.removeprefix("doc_").split("_s"))
