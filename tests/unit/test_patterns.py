"""Which pattern covers a predicate, and which of several wins."""

from itertools import permutations

import pytest

from processors.patterns import matches, most_specific, name_of


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("*", "user.timezone", True),
        ("user.*", "user.timezone", True),
        ("user.*", "user.schedule.standup", True),
        ("user.*", "org.timezone", False),
        ("user.schedule.*", "user.schedule.standup", True),
        ("user.schedule.*", "user.schedule", False),
        ("user.schedule.*", "user.scheduled", False),
        ("*.timezone", "org.timezone", True),
        ("*.timezone", "user.office.timezone", False),
        ("user.*_time", "user.wake_time", True),
        ("user.*_time", "user.timezone", False),
        ("user.time", "user.timezone", False),
        ("user.(x|y)", "user.x", False),
        ("user.c+", "user.cc", False),
    ],
)
def test_matches(pattern: str, name: str, expected: bool) -> None:
    assert matches(pattern, name) is expected


def test_the_most_specific_wins_in_any_order_of_the_list() -> None:
    ranked = ["user.schedule.standup", "user.schedule.stand*", "user.schedule.*", "user.*", "*"]
    for size in range(1, len(ranked) + 1):
        for patterns in permutations(ranked[-size:]):
            assert most_specific("user.schedule.standup", patterns) == ranked[-size]
    assert most_specific("user.timezone", ["user.*", "*.timezone"]) == "*.timezone"
    assert most_specific("user.timezone", ["org.*"]) is None


def test_the_name_is_the_entity_type_and_the_predicate() -> None:
    assert name_of("user:u1:x", "timezone") == "user.timezone"
