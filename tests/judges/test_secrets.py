import pickle
from base64 import b64encode, urlsafe_b64encode
from urllib.parse import quote

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_tui.errors import JudgeUnavailableError
from trace_tui.judges.secrets import HIDDEN, Secret, read_key, redact

KEY = "gsk_Zx81kQ/w+9LmT2vB7cYd0pRs"
SECRET = Secret(KEY)

keys = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=8, max_size=60)


def test_a_secret_shows_itself_nowhere() -> None:
    for text in (repr(SECRET), str(SECRET), f"{SECRET}", f"{SECRET!r:>40}", f"{[SECRET]}"):
        assert KEY not in text
        assert HIDDEN in text
    assert SECRET.reveal() == KEY
    with pytest.raises(TypeError, match="not written anywhere"):
        pickle.dumps(SECRET)
    assert not hasattr(SECRET, "__dict__")


def test_a_key_is_read_without_the_space_around_it() -> None:
    assert read_key(f"  {KEY}\r\n", "GROQ_API_KEY").reveal() == KEY


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        (None, "is not set"),
        ("", "is empty"),
        (" \n\t", "is empty"),
        ("gsk_abcdé", "not ASCII"),
        ("gsk_abc\u200bdef", "not ASCII"),
        ("gsk_abc\udce9", "not ASCII"),
        ("\ufeffgsk_abc", "not ASCII"),
        ("gsk_abc\ndef", "line break"),
        ("gsk_abc\rX-Other: 1", "line break"),
        ("gsk_abc def", "a space"),
        ("gsk_abc\x00def", "control character"),
        ("gsk_abc\x7fdef", "control character"),
    ],
)
def test_a_key_that_cannot_be_sent_is_named_not_shown(value: str | None, wrong: str) -> None:
    with pytest.raises(JudgeUnavailableError, match=wrong) as caught:
        read_key(value, "GROQ_API_KEY")
    assert "GROQ_API_KEY" in str(caught.value)
    assert "gsk_" not in str(caught.value)


@given(key=keys, before=st.text(max_size=20), after=st.text(max_size=20))
def test_no_form_of_a_key_is_left(key: str, before: str, after: str) -> None:
    secret = Secret(key)
    in_json = msgspec.json.encode(key).decode()[1:-1]
    for form in (key, quote(key), quote(key, safe=""), in_json, in_json.replace("/", r"\/")):
        if form != HIDDEN:
            assert form not in secret.hide_in(f"{before} {form} {after}").replace(HIDDEN, "")
            assert form not in redact(f"{before} {form} {after}", secret).replace(HIDDEN, "")


@given(key=keys, before=st.binary(max_size=9), after=st.binary(max_size=9))
def test_nor_within_base64(key: str, before: bytes, after: bytes) -> None:
    for encode in (b64encode, urlsafe_b64encode):
        encoded = encode(before + key.encode() + after).decode()
        left = Secret(key).hide_in(encoded)
        assert HIDDEN in left
        assert len(left) - len(HIDDEN) <= len(encoded) - (len(key) - 2) // 3 * 4 + 4


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: gsk_Zx81…0pRs. Find yours at",
        "Incorrect API key provided: gsk_Zx81...0pRs.",
        "key gsk_Z***************0pRs",
        "key ****0pRs is wrong",
        "key gsk_Zx81kQ… is wrong",
    ],
)
def test_what_a_service_leaves_of_a_key_goes_too(text: str) -> None:
    left = redact(text, SECRET)
    assert HIDDEN in left
    assert "0pRs" not in left
    assert "Zx81" not in left
    assert left.split(maxsplit=1)[0] == text.split(maxsplit=1)[0]


def test_a_masked_key_of_any_form_is_known_by_its_ends() -> None:
    assert redact("token local-9f…77aa refused", Secret("local-9fba-1177aa")) == f"token {HIDDEN} refused"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gsk_ABCDEFGHIJKLMNOP1234 there", f"{HIDDEN} there"),
        ("sk-proj-ABCDEF123456 there", f"{HIDDEN} there"),
        ("sk-ABCD****WXYZ there", f"{HIDDEN} there"),
        ("Authorization: Bearer abc", f"Authorization: {HIDDEN}"),
        ('{"authorization": "Basic Zm9vOmJhcg=="}', f'{{"authorization": "{HIDDEN}"}}'),
        ("sent bearer 0123456789abcdef, it", f"sent {HIDDEN}, it"),
        ("in organization `org_01kjh7p9n8f1qs6nz2bz77vy6b` on", f"in organization `{HIDDEN}` on"),
        ("in organization org-uOtiSEwvUnroadaOnJJquBEC on", f"in organization {HIDDEN} on"),
    ],
)
def test_other_secrets_go_without_a_key_to_compare(text: str, expected: str) -> None:
    assert redact(text, None) == expected


@pytest.mark.parametrize(
    "text",
    [
        "a risk-based-assessment-of-things",
        "bearer bonds and certificates of deposit",
        "wait... what … then",
        "the org_chart",
        "Rate limit reached for model `openai/gpt-oss-120b`: Limit 8000, Used 7000. Try again in 9m38.016s.",
    ],
)
def test_plain_words_stay(text: str) -> None:
    assert redact(text, SECRET) == text
    assert SECRET.hide_in(text) == text


def test_a_key_that_is_a_word_is_hidden_as_a_word_and_left_alone_in_replies() -> None:
    secret = Secret("test")
    assert redact("the latest key 'test' failed", secret) == f"the latest key '{HIDDEN}' failed"
    assert secret.hide_in('{"test": "a test"}') == '{"test": "a test"}'
