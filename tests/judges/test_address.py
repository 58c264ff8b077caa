import pytest

from trace_tui.errors import UsageError
from trace_tui.judges.address import Address, compatible_address, groq_address


@pytest.mark.parametrize("value", [None, "", "  "])
def test_groq_is_where_groq_is_unless_told(value: str | None) -> None:
    assert groq_address(value) == Address("https://api.groq.com", "api.groq.com")


@pytest.mark.parametrize(
    ("value", "url", "host"),
    [
        ("https://api.groq.com/openai/v1", "https://api.groq.com", "api.groq.com"),
        ("https://api.groq.com/openai/v1/", "https://api.groq.com", "api.groq.com"),
        (" https://Gate.Example:8443/groq/openai/v1\n", "https://gate.example:8443/groq", "gate.example:8443"),
        ("http://localhost:8765", "http://localhost:8765", "localhost:8765"),
        ("http://127.8.9.1:1/", "http://127.8.9.1:1", "127.8.9.1:1"),
        ("http://[::1]:8765", "http://[::1]:8765", "[::1]:8765"),
    ],
)
def test_base_urls_of_groq(value: str, url: str, host: str) -> None:
    assert groq_address(value) == Address(url, host)


def test_a_compatible_server_keeps_its_path() -> None:
    address = compatible_address("http://localhost:11434/v1/", with_key=False)
    assert address == Address("http://localhost:11434/v1", "localhost:11434")


@pytest.mark.parametrize("host", ["example.org", "10.0.0.7", "127.0.0.1.example.org", "localhost.example.org", "[::2]"])
def test_a_key_goes_over_plain_http_to_this_machine_only(host: str) -> None:
    with pytest.raises(UsageError, match="plain http"):
        groq_address(f"http://{host}:8000")
    with pytest.raises(UsageError, match="plain http"):
        compatible_address(f"http://{host}:8000/v1", with_key=True)
    assert compatible_address(f"http://{host}:8000/v1", with_key=False).host == f"{host}:8000"
    assert groq_address(f"https://{host}:8000").host == f"{host}:8000"


@pytest.mark.parametrize(
    "value",
    [
        "https://mia:hunter2@api.groq.com",
        "https://hunter2@api.groq.com",
        "https://:hunter2@api.groq.com",
        "https://api.groq.com/?key=hunter2",
        "https://api.groq.com#hunter2",
        "https://api.groq.com?",
        "https://mia:hunter2@[broken",
        "https://api.groq.com:hunter2",
        "https://api.groq.com:99999/hunter2",
        "mia:hunter2@api.groq.com",
        "api.groq.com/hunter2",
        "ftp://api.groq.com/hunter2",
        "https:///hunter2",
        "https://",
        "https://a b/hunter2",
        "https://api.groq.com\\@hunter2",
        "https://api.groq.com/\x1b[31mhunter2",
        "https://gröq.com/hunter2",
        "https://%41/hunter2",
        "//hunter2",
    ],
)
def test_what_is_no_base_url_is_refused_and_not_shown(value: str) -> None:
    for read in (groq_address, lambda value: compatible_address(value, with_key=False, name="GROQ_BASE_URL")):
        with pytest.raises(UsageError, match=r"^GROQ_BASE_URL ") as caught:
            read(value)
        assert "hunter2" not in str(caught.value)
        assert "\n" not in str(caught.value)
