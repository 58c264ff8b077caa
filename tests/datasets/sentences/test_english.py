"""English prose, sentence by sentence: `¦` marks where a sentence must start, and nowhere else."""

from collections.abc import Callable

import pytest

PROSE = [
    "Water boils at 100 degrees. ¦It boils at 71 degrees on Everest.",
    "Dr. Smith of the U.S. agency paid $3.5 million, e.g. for No. 5. ¦He left.",
    "As shown in Fig. ??, it fell. ¦It rose again.",
    "I live in the U.S. ¦How about you?",
    "I work for the U.S. Government in Virginia.",
    "My name is Jonas E. Smith.",
    "The meeting is at 2 p.m. ¦Please be on time.",
    "She has $100.00. ¦It is in her bag.",
    "See https://example.invalid/a.b/c?d=e.f for more. ¦Then go.",
    'It agreed... ¦"Really?" she asked. ¦Yes!',
    'He said "It is done." ¦Then he left.',
    "He was late (as ever). ¦(She was not.) ¦They went.",
    "Hello?! ¦Is that you? ¦Hello!! ¦It is me.",
    "I never meant that.... ¦She left the store.",
    "What I mean . . . what I'm saying is this. ¦Listen.",
    "One habit was that of combining words. . . . ¦The practice was not abandoned.",
    "**A bold claim.** ¦Then more of it.",
    "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{FIRE ENGINE} arrived first. ¦Z\u0338\u0351 came second.",
]

CITATIONS = [
    "It agreed.[1] ¦Others did not. [2] ¦A third group left. [3, 4] ¦The end.",
    "Lewis et al. [2004] agreed. ¦Others did not [5]. ¦That was it.",
    "It was cold.[12][citation needed] ¦Nobody checked.",
    'They said "no." [7] ¦Then they left.',
    "The path [/usr/bin] is listed [1] [00]. ¦Press [@click=app.quit]here[/] now. ¦Unclosed [b + c.",
    "[1] Smith, The Book. ¦[2] Jones, The Other Book.",
]


@pytest.mark.parametrize("marked", PROSE + CITATIONS)
def test_sentences_start_where_marked(cut: Callable[[str], list[str]], marked: str) -> None:
    assert cut(marked.replace("¦", "")) == [sentence.strip() for sentence in marked.split("¦")]


def test_a_newline_within_a_sentence_changes_nothing(cut: Callable[[str], list[str]]) -> None:
    assert cut("Dr. Smith paid,\nas he said, for No. 5. He\nleft.") == [
        "Dr. Smith paid,\nas he said, for No. 5.",
        "He\nleft.",
    ]
