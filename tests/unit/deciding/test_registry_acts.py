"""What a registry entry does to decisions: its strategy, its number of values, what it excludes, what is material."""

from datetime import UTC, datetime

import pytest

from inference.profiles import STUB as BANDS
from processors.deciding.model import Decision
from processors.predicates import MAX_EXCLUDES, rank
from processors.registry import shipped
from schemas.commands import Command
from schemas.control import PredicateSpec, RegistrySet
from schemas.inbox import Candidate
from schemas.reviews import ReviewRaised
from schemas.values import TypedValue
from tests.unit.deciding.world import World


@pytest.fixture
def world() -> World:
    return World()


def reviews(world: World) -> list[tuple[str, str]]:
    rows = [event for event in world.ws.events if isinstance(event, ReviewRaised)]
    return [(row.reason, row.content.text) for row in rows]


# -- strategy -----------------------------------------------------------------------------------------------------
def test_the_registry_names_the_strategy_where_the_policy_does_not(world: World) -> None:
    world.register(strategy="consensus")
    world.say("a", "214", 1)
    decided = world.say("b", "317", 2)
    assert (decided.outcome, decided.strategy) == ("DISPUTED", "consensus")
    assert decided.detail["strategy_of"] == "registry"


@pytest.mark.parametrize(
    ("pattern", "strategy"), [("user.office", "recency"), ("user.*", "recency"), ("*", "consensus")]
)
def test_a_pattern_of_the_policy_goes_before_it_but_not_the_one_for_everything(
    world: World, pattern: str, strategy: str
) -> None:
    world.policy("recency", pattern=pattern)
    world.register(strategy="consensus")
    world.say("a", "214", 1)
    assert world.say("b", "317", 2).strategy == strategy


# -- number of values ---------------------------------------------------------------------------------------------
def asked(world: World) -> list[Command]:
    return [event for event in world.ws.events if isinstance(event, Command)]


def settle(world: World) -> Decision:
    """The command that the fold asked for, decided."""
    command = asked(world)[-1]
    return world.decide(command, [world.slot()])


def test_many_values_become_one_and_the_newest_stays(world: World) -> None:
    world.register(cardinality="many")
    for hour, text in enumerate(("214", "317", "101")):
        world.say("ab"[hour % 2], text, hour)
    assert world.values("active") == ["214", "317", "101"]
    world.register(cardinality="one")
    world.say("a", "214", 5)
    assert len(asked(world)) == 1
    decided = settle(world)
    assert (decided.outcome, decided.rule, decided.detail["cardinality"]) == (
        "APPLIED",
        "resettle",
        ["many", "one"],
    )
    assert world.values("active") == ["214"]
    # As if it had been one from the start: 214 twice, each for its own time.
    assert world.values("superseded") == ["214", "317", "101"]
    assert world.ws.slots[world.slot()].cardinality == "one"


def test_one_value_becomes_many_and_what_it_displaced_comes_back(world: World) -> None:
    world.register(cardinality="one")
    world.say("a", "214", 1)
    world.say("b", "317", 2)
    assert world.values("active") == ["317"]
    world.register(cardinality="many")
    world.say("a", "101", 3)
    settle(world)
    assert world.values("active") == ["214", "317", "101"]
    assert world.say("b", "500", 4).outcome == "ADD"


def test_what_was_taken_back_stays_away_when_a_slot_is_settled_anew(world: World) -> None:
    world.register(cardinality="one")
    world.say("a", "214", 1)
    world.command("retract", 2, predicate="office", value_key="text:214")
    world.say("a", "317", 3)
    world.register(cardinality="many")
    world.say("a", "101", 4)
    settle(world)
    assert world.values("active") == ["317", "101"]


def test_it_is_asked_once_for_a_version_and_the_second_answer_changes_nothing(world: World) -> None:
    world.register(cardinality="many")
    world.say("a", "214", 1)
    world.register(cardinality="one")
    world.say("a", "317", 2)
    world.say("b", "317", 3)
    ids = {command.id for command in asked(world)}
    assert len(ids) == 1
    settle(world)
    world.say("c", "317", 4)
    assert {command.id for command in asked(world)} == ids
    again = asked(world)[-1].model_copy(update={"id": world.proposal("x", "y").id})
    assert world.decide(again, [world.slot()]).outcome == "NOOP"


# -- excludes -----------------------------------------------------------------------------------------------------
def ranked(value: str, **spec: object) -> Candidate:
    entry = PredicateSpec.model_validate({"name": "order_state", "cardinality": "many", **spec})
    registry = shipped().merged(RegistrySet(tenant="t", event_id="r", predicates=(entry,)))
    at = datetime(2026, 3, 1, tzinfo=UTC)
    (found,) = rank("order_state", "order", value, registry=registry, at=at, bands=BANDS, similar={})
    return found


@pytest.mark.parametrize(
    ("value", "excluded"),
    [("cancelled", ("text:shipped", "text:paid")), ("SHIPPED", ("text:cancelled",)), ("lost", ())],
)
def test_resolve_fills_in_what_the_registry_excludes(value: str, excluded: tuple[str, ...]) -> None:
    pairs = (("cancelled", "shipped"), ("Paid", "cancelled"), ("cancelled", "shipped"))
    assert ranked(value, excludes=pairs).excludes == excluded


def test_what_a_candidate_carries_is_bounded() -> None:
    pairs = tuple(("cancelled", f"state {n}") for n in range(100))
    assert len(ranked("cancelled", excludes=pairs).excludes) == MAX_EXCLUDES


def test_a_rule_of_the_domain_is_asked_as_well() -> None:
    class Rooms:
        id = "rooms/1"

        def excluded(self, subject_type: str, predicate: str, value: TypedValue) -> tuple[str, ...]:
            assert (subject_type, predicate) == ("user", "owns")
            return (value.key, "text:other")

    at = datetime(2026, 3, 1, tzinfo=UTC)
    (found,) = rank("owns", "user", "a", registry=shipped(), at=at, bands=BANDS, similar={}, rules=(Rooms(),))
    assert found.excludes == ("text:other",)


# -- material -----------------------------------------------------------------------------------------------------
def test_a_change_of_a_material_value_is_reviewed(world: World) -> None:
    world.register(material=True)
    world.say("a", "214", 1)
    world.say("a", "214", 2)
    assert reviews(world) == []
    world.say("b", "317", 3)
    assert reviews(world) == [("material_change", "office was 214, is 317")]
    world.say("b", "317", 4, ended=True)
    assert reviews(world)[1:] == [("material_change", "office was 317, is not known now")]


def test_what_a_person_commands_and_what_is_not_material_is_not(world: World) -> None:
    world.register(material=True)
    world.say("a", "214", 1)
    world.command("retract", 2, predicate="office", value_key="text:214")
    other = World()
    other.register(material=False)
    other.say("a", "214", 1)
    other.say("b", "317", 2)
    assert reviews(world) == reviews(other) == []
