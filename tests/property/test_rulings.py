"""A ruling stands: the sides of a dispute that a person ended do not open it again by repeating themselves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.property.effort import effort
from tests.unit.deciding.world import World

SIDES = {"a": "214", "b": "113"}


@pytest.mark.parametrize("action", ["accept_challenger", "uphold_incumbent"])
def test_the_same_sides_change_nothing(action: str) -> None:
    winner = SIDES["b"] if action == "accept_challenger" else SIDES["a"]

    @effort(40)
    @given(again=st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 3)), min_size=1, max_size=6))
    def search(again: list[tuple[str, int]]) -> None:
        world = World()
        world.policy("authority", {"a": 0.9, "b": 0.2})
        world.say("a", SIDES["a"], 1)
        world.say("b", SIDES["b"], 2)
        world.rule(action, 3)
        at = 4
        for agent, later in again:
            at += later
            world.say(agent, SIDES[agent], at)
            assert world.values("active") == [winner]
            assert not world.disputes()

    search()
