"""Other scripts, other languages and lists run into one line; `¦` marks where a sentence must start."""

from collections.abc import Callable

import pytest

from trace_tui.datasets.sentences import rules

CJK = [
    "水は百度で沸騰します。¦塩は沸点を上げます。",
    "「はい。」と言った。¦そうです！！¦本当？¦うん。",
    "本当?¦はい!¦そうだ。",
    "水在３．５度。¦很好！¦真的吗？¦是的。",
    "“水开了。”¦他走了。",
    "(終わり。)¦次です。",
    "안녕하세요. ¦반갑습니다. ¦네.",
    "It is hot. ¦水は百度で沸騰します。¦It is.",
]

OTHER_SCRIPTS = [
    "مرحبا بالعالم. ¦هل أنت هنا؟ ¦نعم.",
    "पानी उबलता है। ¦यह गर्म है। ¦क्या?",
    "שלום עולם. ¦מים רותחים ב־100 מעלות.",
    "Είναι εδώ; ¦Ναι. ¦Όχι.",
    "Он живёт в г. Москва, т. е. далеко. ¦Это рис. 5 на стр. 7. ¦Да.",
]

LATIN = [
    "Am 3. Oktober kam Dr. Meier z.B. für Nr. 5, d.h. das Haus. ¦Er ging mit der Bahn usw. ¦Das war es.",
    "Das kostet ca. 3 Mio. Euro und ist z. B. für die Bahn. ¦Wer zahlt es? ¦Der Staat.",
    "M. Dupont est dans le bureau, cf. fig. 5. ¦Il a dit : « C'est bien. » ¦Elle est partie.",
    "El Sr. García vive en la Avda. Central con una perra. ¦¿Es de él? ¦No.",
    "Il dott. Rossi è di Roma, cfr. pag. 5. ¦Non è qui.",
    "O Dr. Silva não está em casa, p.ex. no jardim. ¦Ele saiu.",
    "Dat is dhr. Jansen van het bedrijf, zgn. de baas. ¦Hij is er niet.",
]

LISTS = [
    "1) The first item. ¦2) The second item.",
    "1.) The first item ¦2.) The second item",
    "1. Open the box. ¦2. Take it out. ¦3. Eat it.",
    "Do this: ¦1) Open the box ¦2) Take it out",
    "Steps: ¦1. Open the box. ¦2. Take it out.",
    "• 9. The first item ¦• 10. The second item",
    "Pick 1) apples and 2) pears.",
    "Version 1. ¦Then he left.",
    "He said that 3) Is wrong.",
]


@pytest.mark.parametrize("marked", CJK + OTHER_SCRIPTS + LATIN + LISTS)
def test_sentences_start_where_marked(cut: Callable[[str], list[str]], marked: str) -> None:
    assert cut(marked.replace("¦", "")) == [sentence.strip() for sentence in marked.split("¦")]


@pytest.mark.parametrize(
    ("prose", "language"),
    [
        ("The water of the lake is cold.", "en"),
        ("Wasser", "en"),
        ("Das Wasser ist nicht kalt und der See auch.", "de"),
        ("L'eau est dans le lac et il fait froid.", "fr"),
        ("Вода холодная.", "ru"),
        ("The word Вода means water.", "en"),
        ("水は冷たい。", ""),
    ],
)
def test_the_language_is_told_from_script_and_function_words(prose: str, language: str) -> None:
    assert rules.language(prose) == language


@pytest.mark.parametrize("unit", ["2.", "(b)", "iv)", "12)", "[3]", "• 4.", "1.)"])
def test_a_number_or_letter_alone_is_an_enumerator(unit: str) -> None:
    assert rules.is_enumerator(unit)


@pytest.mark.parametrize("unit", ["1999.", "He.", "2", "No. 5.", "..."])
def test_anything_else_is_not(unit: str) -> None:
    assert not rules.is_enumerator(unit)
