import pytest

from tests.review.world import World, some_record


@pytest.fixture
def world() -> World:
    return World([some_record(n) for n in range(4)])
