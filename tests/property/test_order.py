"""Under recency the order of delivery does not matter: what is believed depends on what was said, and when."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from processors.deciding.fold import fold
from processors.deciding.model import EntityKey, SlotKey
from schemas.identity import Adopt
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
    "affirmed": statements(PLAIN, affirmed=True),
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


def test_batches_do_not_matter() -> None:
    @effort(100)
    @given(said=statements(NESTED + PLAIN), cuts=st.lists(st.integers(0, 8), max_size=3))
    def search(said: Said, cuts: list[int]) -> None:
        one_by_one = World()
        for item in said:
            one_by_one.say(**item)
        batched = World()
        records = [batched.proposal(**item) for item in said]
        for record in records:
            slot = SlotKey("t", record.entity, record.content.candidates[0].predicate, record.scope)
            batched.ws.stories.setdefault(slot, [])
        bounds = sorted({0, len(records), *(cut for cut in cuts if cut < len(records))})
        for start, end in pairwise(bounds):
            fold(batched.ws, records[start:end], batched.view)
        assert batched.ws.decisions == one_by_one.ws.decisions
        assert batched.ws.claims == one_by_one.ws.claims

    search()


def test_what_is_said_of_a_merged_entity_goes_on_to_the_other() -> None:
    @effort(30)
    @given(before=statements(PLAIN, most=3), after=statements(NESTED, most=3))
    def search(before: Said, after: Said) -> None:
        world = World()
        for item in before:
            world.say(**{**item, "event_id": "x" + item["event_id"]})
        world.ws.entity(EntityKey("t", "user:u1")).moved_to = "person:ana"
        held = dict(world.ws.claims)
        outcomes = [world.say(**{**item, "event_id": "y" + item["event_id"]}).outcome for item in after]
        assert outcomes == ["FORWARDED"] * len(after)
        assert world.ws.claims == held
        sent = [event for event in world.ws.events if isinstance(event, Adopt)]
        assert [(event.entity, event.event_id) for event in sent] == [
            ("person:ana", "y" + item["event_id"]) for item in after
        ]

    search()
