import pytest

from trace_tui.scoring import tier


@pytest.mark.parametrize(
    ("rmse", "name", "action"),
    [
        (0.0, "Excellent", "no action"),
        (0.0999, "Excellent", "no action"),
        (0.10, "Good", "monitor"),
        (0.1999, "Good", "monitor"),
        (0.20, "Acceptable", "investigate specific metrics"),
        (0.30, "Poor", "review the RAG pipeline"),
        (0.3999, "Poor", "review the RAG pipeline"),
        (0.40, "Critical", "act now"),
        (1.0, "Critical", "act now"),
    ],
)
def test_tiers_and_their_actions(rmse: float, name: str, action: str) -> None:
    band = tier(rmse)
    assert band is not None
    assert (band.name, band.action) == (name, action)


def test_binary_noise_does_not_pick_the_tier() -> None:
    band = tier(0.9 - 0.8)  # 0.09999999999999998
    assert band is not None
    assert band.name == "Good"


def test_undefined_has_no_tier() -> None:
    assert tier(None) is None
