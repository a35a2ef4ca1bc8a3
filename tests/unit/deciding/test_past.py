"""Ends that meet nothing, guesses that meet observations, topics that are taken back."""

from typing import Any
from uuid import UUID

import pytest

from processors.deciding.past import OVER
from schemas.inbox import Candidate, Proposal
from schemas.values import TypedValue
from tests.unit.deciding.world import World, hours


def test_an_end_that_meets_nothing_is_history() -> None:
    world = World()
    decision = world.say("a", "tram", 5, ended=True, valid_to=hours(2))
    (claim,) = world.claims()
    assert (decision.outcome, decision.claim_id) == ("HISTORY", claim.id)
    assert (claim.status, claim.reason, claim.valid_from, claim.valid_to) == (
        "ended",
        OVER,
        hours(2),
        hours(2),
    )
    assert world.say("b", "tram", 6, ended=True).claim_id is None
    assert len(world.claims()) == 1


@pytest.mark.parametrize("hint", ["one", "many"])
def test_an_older_assertion_tells_since_when(hint: str) -> None:
    world = World()
    world.say("a", "tram", 5, ended=True, cardinality_hint=hint)
    assert world.say("b", "tram", 1, cardinality_hint=hint).rule == "reaches_back"
    (claim,) = world.claims()
    assert (claim.status, claim.valid_from, claim.valid_to) == ("ended", hours(1), hours(5))
    world.say("b", "tram", 7, cardinality_hint=hint)
    assert world.values("active") == ["tram"]


def test_in_a_slot_of_one_value_it_held_no_longer_than_until_the_present_one() -> None:
    world = World()
    world.say("a", "bicycle", 3)
    world.say("a", "tram", 5, ended=True)
    assert [(row.value.text, row.valid_to) for row in world.claims("ended")] == [("tram", hours(3))]
    assert world.values("active") == ["bicycle"]


def test_what_was_replaced_before_it_was_said_to_be_over_is_no_second_claim() -> None:
    world = World()
    world.say("a", "tram", 1)
    world.say("a", "bicycle", 3)
    world.say("a", "tram", 5, ended=True)
    assert [row.value.text for row in world.claims("superseded")] == ["tram"]
    assert not world.claims("ended")


def test_an_assertion_between_two_values_is_decided_with_them() -> None:
    """The bicycle came before the tram, so the tram took its place: nothing is left when the tram ends."""
    world = World()
    world.say("a", "tram", 5, ended=True)
    world.say("b", "bicycle", 1)
    world.say("a", "tram", 3)
    assert world.values("active") == []


@pytest.mark.parametrize("guess", [{"basis": "inferred"}, {"confidence": 0.2}])
def test_a_guess_does_not_tell_since_when(guess: dict[str, Any]) -> None:
    world = World()
    world.say("a", "tram", 5, ended=True)
    world.say("a", "tram", 1, **guess)
    (claim,) = world.claims("ended")
    assert claim.valid_from == hours(5)


@pytest.mark.parametrize("guess", [{"basis": "inferred"}, {"confidence": 0.2}])
@pytest.mark.parametrize("guess_first", [True, False])
def test_an_observation_outdoes_an_older_guess(guess: dict[str, Any], guess_first: bool) -> None:
    world = World()
    said = [("a", "open", 1, guess), ("b", "locked", 2, {})]
    for agent, text, at, more in said if guess_first else reversed(said):
        world.say(agent, text, at, **more)
    (lost,) = world.claims("superseded")
    (held,) = world.claims("active")
    assert (lost.value.text, lost.reason, lost.superseded_by) == ("open", "observed_otherwise", held.id)


def test_a_guess_after_the_observation_waits() -> None:
    world = World()
    world.say("b", "locked", 1)
    world.say("a", "open", 2, basis="inferred")
    assert world.values("candidate") == ["open"]
    world.say("b", "locked", 3)
    assert world.values("candidate") == [] and world.values("superseded") == ["open"]


def texts(world: World, status: str) -> list[str]:
    return [row.value.text for row in world.claims(status, None)]


def topic(world: World, agent: str, text: str, at: float, **more: Any) -> Proposal:
    """A retraction of what mentions ``text``."""
    said = world.proposal(agent, "", at, act="retract", **more)
    named = Candidate(
        predicate="*", match="exact", score=1.0, value=TypedValue(type="text", text=text, key=f"text:{text}")
    )
    return said.model_copy(update={"content": said.content.model_copy(update={"candidates": (named,)})})


def test_a_topic_takes_back_what_mentions_it() -> None:
    world = World()
    world.say("a", "orange", 1, predicate="tent_color")
    world.say("a", "two tents", 1, predicate="owns", cardinality_hint="many")
    world.say("a", "kayak", 1, predicate="owns", cardinality_hint="many")
    world.say("a", "pretentious", 1, predicate="mood")
    decision = world.decide(topic(world, "a", "the tent", 2), sorted(world.ws.slots))
    assert decision.outcome == "RETRACTED"
    assert sorted(texts(world, "retracted")) == ["orange", "two tents"]
    assert sorted(texts(world, "active")) == ["kayak", "pretentious"]


def test_a_slot_that_is_called_like_the_topic_goes_whole() -> None:
    """An older colour of the tent that is told later is covered; what is said afterwards counts."""
    world = World()
    world.say("a", "orange", 2, predicate="tent_color")
    world.decide(topic(world, "a", "tent", 3), sorted(world.ws.slots))
    assert world.say("a", "blue", 1, predicate="tent_color").outcome == "SUPPRESSED"
    assert world.say("a", "red", 4, predicate="tent_color").outcome == "ADD"


@pytest.mark.parametrize("text", ["that", "the", "canoe", "tent canoe", ""])
def test_a_topic_that_nothing_mentions_takes_back_nothing(text: str) -> None:
    world = World()
    world.say("a", "orange", 1, predicate="tent_color")
    record = topic(world, "a", text or " ", 2)
    assert world.decide(record, sorted(world.ws.slots)).rule == "nothing_to_retract"
    assert texts(world, "active") == ["orange"]


def test_what_the_policy_protects_stays_with_a_review() -> None:
    world = World()
    world.policy("authority", {"a": 0.9, "b": 0.2})
    world.say("a", "orange", 1, predicate="tent_color")
    world.say("b", "tent", 1, predicate="owns", cardinality_hint="many")
    world.decide(topic(world, "b", "tent", 2), sorted(world.ws.slots))
    assert (texts(world, "active"), texts(world, "retracted")) == (["orange"], ["tent"])
    assert [event.reason for event in world.published("review")] == ["retraction_contested"]


def test_the_event_that_takes_back_may_say_what_is_so() -> None:
    world = World()
    world.say("a", "guest", 1, predicate="network")
    record = topic(world, "a", "guest", 2, event_id="both")
    world.decide(record, sorted(world.ws.slots))
    said = world.proposal("a", "guest", 2, predicate="network", polarity="-", event_id="both", ordinal=1)
    said = said.model_copy(update={"id": UUID(int=7)})
    world.decide(said, sorted(world.ws.slots))
    assert [(row.value.text, row.polarity) for row in world.claims("active", None)] == [("guest", "-")]
