"""A batch is decided in few parts, and what is decided does not depend on how it was cut."""

from typing import cast

from schemas.inbox_records import InboxRecord
from streams.stage import InRecord
from streams.stages.adjudicate import Item, rounds
from tests.contract.alone_world import command
from tests.unit.deciding.world import World


def batch(*kinds: str) -> list[Item]:
    """``u1`` is a statement about user:u1, ``u1!`` a command about it."""
    made, items = World(), []
    for n, kind in enumerate(kinds):
        entity = f"user:{kind.rstrip('!')}"
        record = (
            command(made, f"c{n}", "retract", n, entity=entity, predicate="office", value_key="text:1")
            if kind.endswith("!")
            else made.proposal("a", str(n), n, entity=entity)
        )
        items.append((InRecord("inbox", 0, n, None, None), cast(InboxRecord, record)))
    return items


def offsets(*kinds: str) -> list[list[int]]:
    return [[record.offset for record, _ in part] for part in rounds(batch(*kinds))]


def test_statements_are_one_part() -> None:
    assert offsets("u1", "u2", "u1", "u2") == [[0, 1, 2, 3]]


def test_records_decided_alone_share_a_part_when_their_entities_differ() -> None:
    assert offsets("u1!", "u2", "u2!", "u3!", "u1") == [[1], [0, 2, 3], [4]]


def test_the_order_within_an_entity_stays() -> None:
    kinds = ("u1", "u1!", "u1!", "u2!", "u1", "u2", "u1!")
    found = offsets(*kinds)
    assert found == [[0], [1, 3], [5], [2], [4], [6]]
    for entity in ("u1", "u2"):
        mine = [n for part in found for n in part if kinds[n].startswith(entity)]
        assert mine == sorted(mine)
