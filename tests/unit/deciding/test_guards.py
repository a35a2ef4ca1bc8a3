"""What a guard holds is kept and not believed: quarantined text, an agent that says or disputes too much."""

import pytest

from processors.deciding.limits import MAX_AGENTS
from schemas.reviews import ReviewRaised
from tests.unit.deciding.world import World


@pytest.fixture
def world() -> World:
    return World()


def reviews(world: World) -> list[str]:
    return [event.reason for event in world.ws.events if isinstance(event, ReviewRaised)]


# -- quarantine ---------------------------------------------------------------------------------------------------
def test_quarantined_text_is_a_candidate_until_a_person_confirms_it(world: World) -> None:
    world.say("a", "214", 1)
    held = world.say("b", "317", 2, held="instruction")
    assert (held.case, held.outcome, held.rule) == ("h", "CANDIDATE", "quarantined")
    assert (world.values("active"), world.values("candidate")) == (["214"], ["317"])
    assert reviews(world) == ["quarantined"]
    world.say("b", "317", 3, held="instruction")
    assert reviews(world) == ["quarantined"], "a person is told once"
    assert held.claim_id is not None
    world.command("confirm", 4, claim_id=held.claim_id)
    assert world.values("active") == ["317"]


def test_it_ends_nothing_and_supports_nothing(world: World) -> None:
    world.say("a", "214", 1)
    assert world.say("b", "214", 2, held="instruction", ended=True).outcome == "CANDIDATE"
    assert world.say("b", "214", 3, held="instruction").rule == "same_unsure"
    assert world.values("active") == ["214"]
    (claim,) = world.claims("active")
    assert [row.agent for row in world.ws.supporters(claim)] == ["a"]
    # Nor by what an agent said of itself before.
    world.say("a", "317", 4, held="instruction")
    assert world.values("active") == ["214"]


# -- too much -----------------------------------------------------------------------------------------------------
def test_what_an_agent_says_over_its_limit_waits(world: World) -> None:
    world.policy("recency", limits={"statements_per_hour": 2})
    outcomes = [world.say("a", f"{n}", n / 100).outcome for n in range(5)]
    assert outcomes == ["ADD", "REPLACE", "CANDIDATE", "CANDIDATE", "CANDIDATE"]
    assert world.values("active") == ["1"]
    assert reviews(world) == ["rate_limit"], "told once an hour"
    assert world.say("b", "other", 0.5).outcome == "SUPERSEDE", "of another agent nothing is held"
    assert world.say("a", "next", 1.5).outcome == "SUPERSEDE", "the next hour"


def test_dating_back_does_not_evade_the_limit(world: World) -> None:
    world.policy("recency", limits={"statements_per_hour": 2})
    world.say("a", "1", 5)
    world.say("a", "2", 5.1)
    held = [world.say("a", f"back {n}", n).rule for n in range(4)]
    assert held == ["rate_limit"] * 4
    assert reviews(world) == ["rate_limit"]


def test_disputes_over_the_limit_wait(world: World) -> None:
    world.policy("authority", {"a": 0.9, "b": 0.1}, limits={"disputes_per_day": 2})
    world.say("a", "214", 0)
    decided = [world.say("b", f"{n}", n + 1) for n in range(4)]
    assert [row.outcome for row in decided] == ["DISPUTED", "DISPUTED", "CANDIDATE", "CANDIDATE"]
    assert decided[2].rule == "dispute_limit"
    assert reviews(world).count("dispute_limit") == 1
    assert world.say("b", "1", 5).outcome == "DISPUTED", "what is disputed already opens no other"
    assert world.say("b", "tomorrow", 30).outcome == "DISPUTED"


def test_no_limit_holds_nothing(world: World) -> None:
    world.policy("recency", limits={"statements_per_hour": 1})
    world.view.policies[-1] = world.view.policies[-1].model_copy(
        update={"limits": world.view.policies[-1].limits.model_copy(update={"statements_per_hour": None})}
    )
    assert {world.say("a", f"{n}", n / 100).outcome for n in range(5)} == {"ADD", "REPLACE"}


def test_counts_of_many_agents_are_bounded(world: World) -> None:
    for n in range(MAX_AGENTS + 10):
        world.say(f"agent-{n}", f"{n}", n / 1000)
    (entity,) = world.ws.entities.values()
    assert len(entity.rates) == MAX_AGENTS
    assert f"agent-{MAX_AGENTS + 9}" in entity.rates


def test_what_was_held_stays_held_when_its_slot_is_folded_again(world: World) -> None:
    world.policy("recency", limits={"statements_per_hour": 2})
    for n in range(4):
        world.say("a", f"{n}", n / 100)
    world.command("retract", 1, predicate="office", value_key="text:1")
    assert world.values("active") == ["0"]
    assert world.values("candidate") == ["2", "3"]
    world.command("reconsider", 2)
    assert world.values("candidate") == ["2", "3"]
