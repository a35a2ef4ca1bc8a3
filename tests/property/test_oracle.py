"""What is believed is what a plain reading of the table says, for statements that come in time."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.property.effort import effort
from tests.property.oracle import Oracle
from tests.unit.deciding.world import World

AGENTS = ("a", "b", "c", "d")
#: Two agents weigh the same, one nothing at all.
WEIGHTS = {"a": 0.9, "b": 0.5, "c": 0.5}
PAGES = ("page:1", "page:2")


@st.composite
def conversations(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Up to ten statements on one cell; some are echoes of the memory, some are taken from the same page."""
    many = draw(st.booleans())
    made = []
    for number in range(draw(st.integers(2, 10))):
        value = "tent" if many else draw(st.sampled_from(("214", "113", "99")))
        page = draw(st.sampled_from((None, None, None, *PAGES)))
        made.append(
            {
                "agent": draw(st.sampled_from(AGENTS)),
                "text": value,
                "polarity": draw(st.sampled_from("+-")) if many else "+",
                "cardinality_hint": "many" if many else "one",
                "event_id": f"e{number:02}",
                "page": page,
                "echo": draw(st.integers(0, 4)) == 0,
                # Some at the same moment: then the ids are the order.
                "later": draw(st.booleans()),
            }
        )
    return made


def compare(strategy: str, said: list[dict[str, Any]]) -> None:
    """Tells both the same, and asks both after every statement."""
    world = World()
    weights = WEIGHTS if strategy == "authority" else {}
    world.policy(strategy, weights)
    oracle = Oracle(strategy, weights)
    at = 0
    for item in said:
        at += 1 if item["later"] else 0
        page = item["page"] if strategy == "consensus" else None
        origins = (page,) if page else (f"s:{item['event_id']}",)
        active = world.claims("active")
        recalled = tuple(str(claim.id) for claim in active) if item["echo"] else ()
        fields = {key: item[key] for key in ("polarity", "cardinality_hint", "event_id")}
        world.say(item["agent"], item["text"], at, origins=origins, recalled=recalled, **fields)
        oracle.say(item["agent"], (item["text"], item["polarity"]), origins, echo=bool(recalled))
        found = [(row.value.text, row.polarity) for row in world.claims("active")]
        assert found == [oracle.active]
        disputed = {(row.value.text, row.polarity) for row in world.claims("disputed")}
        assert disputed == set(oracle.disputed)
        (claim,) = world.claims("active")
        assert {row.agent for row in world.ws.supporters(claim)} == set(oracle.voices[oracle.active])


@pytest.mark.parametrize("strategy", ["recency", "authority", "consensus"])
def test_the_oracle_agrees(strategy: str) -> None:
    @effort(300)
    @given(said=conversations())
    def search(said: list[dict[str, Any]]) -> None:
        compare(strategy, said)

    search()
