"""Under recency the order of delivery does not matter: what is believed depends on what was said, and when."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property.statements import NESTED, PLAIN, statements
from tests.unit.deciding.world import World


def believed(said: list[dict[str, Any]]) -> set[tuple[str, str, str]]:
    """(slot, value key, polarity) of the active claims after the statements, in the given order of delivery."""
    world = World()
    for item in said:
        world.say(**item)
    return {(row.cell.slot.predicate, row.value.key, row.polarity) for row in world.claims("active")}


@settings(max_examples=300)
@given(said=statements(PLAIN), data=st.data())
def test_any_order_of_delivery_gives_the_same_active_claims(
    said: list[dict[str, Any]], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(said))
    in_order = sorted(said, key=lambda item: item["at"])
    assert believed(shuffled) == believed(in_order)


@settings(max_examples=300)
@given(said=statements(NESTED), data=st.data())
def test_also_when_values_lie_in_one_another(said: list[dict[str, Any]], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(said))
    in_order = sorted(said, key=lambda item: item["at"])
    assert believed(shuffled) == believed(in_order)
