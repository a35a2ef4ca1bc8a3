"""Under recency the order of delivery does not matter: what is believed depends on what was said, and when."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.property.effort import effort
from tests.property.statements import NESTED, PLAIN, STATES, statements
from tests.unit.deciding.world import World

Said = list[dict[str, Any]]


def believed(said: Said) -> set[tuple[str, str, str, str]]:
    """(entity, slot, value key, polarity) of the active claims after the statements, in the given order of delivery."""
    world = World()
    for item in said:
        world.say(**item)
    return {
        (row.cell.slot.entity, row.cell.slot.predicate, row.value.key, row.polarity)
        for row in world.claims("active", None)
    }


def in_order(said: Said) -> Said:
    """As if everything had come in time: by (event time, event id)."""
    return sorted(said, key=lambda item: (item["at"], item["event_id"]))


SETS = {
    "plain": statements(PLAIN),
    "nested": statements(NESTED),
    "at the same moments": statements(PLAIN + NESTED, ties=True),
    "of mixed types": statements(PLAIN, types=("text", "date"), cardinalities=("one",)),
    "excluding one another": statements(tuple(STATES), cardinalities=("many",)),
}


@pytest.mark.parametrize("name", SETS)
def test_any_order_of_delivery_gives_the_same_active_claims(name: str) -> None:
    @effort(150)
    @given(said=SETS[name], data=st.data())
    def search(said: Said, data: st.DataObject) -> None:
        shuffled = data.draw(st.permutations(said))
        assert believed(shuffled) == believed(in_order(said))

    search()


@effort(50)
@given(one=statements(NESTED), two=statements(PLAIN), data=st.data())
def test_different_entities_commute(one: Said, two: Said, data: st.DataObject) -> None:
    """Whatever the interleaving: the order of each entity is kept, as its partition keeps it."""
    first = [{**item, "entity": "user:u1", "event_id": "x" + item["event_id"]} for item in one]
    second = [{**item, "entity": "user:u2", "event_id": "y" + item["event_id"]} for item in two]
    left, right = list(first), list(second)
    mixed: Said = []
    while left or right:
        take_left = bool(left) and (not right or data.draw(st.booleans()))
        mixed.append(left.pop(0) if take_left else right.pop(0))
    assert believed(mixed) == believed(first) | believed(second)
