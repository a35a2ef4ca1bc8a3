"""The decision table, case by case."""

import pytest

from tests.unit.deciding.world import World, hours


def test_first_statement_is_added() -> None:
    world = World()
    decision = world.say("a", "214")
    assert (decision.case, decision.outcome) == ("j", "ADD")
    assert world.values("active") == ["214"]
    assert [event.entity_version for event in world.published("claim")] == [1]


def test_same_record_twice_is_decided_once() -> None:
    world = World()
    world.say("a", "214", event_id="e1")
    from processors.deciding.fold import fold

    assert fold(world.ws, [world.records[0]], world.view) == 1
    assert len(world.ws.decisions) == 1 and len(world.published("claim")) == 1


def test_b_older_than_own_latest_is_history_closed_at_the_next_assertion() -> None:
    world = World()
    world.say("a", "214", 5)
    decision = world.say("a", "113", 1)
    assert (decision.case, decision.outcome) == ("b", "HISTORY")
    assert world.values("active") == ["214"]
    (past,) = world.claims("superseded")
    assert (past.value.text, past.valid_from, past.valid_to) == ("113", hours(1), hours(5))
    assert [row.claim_id for row in world.ws.supports[past.cell].values()] == [world.claims("active")[0].id]


def test_b_closed_period_leaves_the_present_alone() -> None:
    world = World()
    world.say("a", "bicycle", 5)
    decision = world.say("a", "tram", 6, valid_to=hours(2), valid_from=hours(0))
    assert (decision.case, decision.outcome) == ("b", "HISTORY")
    assert world.values("active") == ["bicycle"]
    (past,) = world.claims("ended")
    assert (past.value.text, past.valid_to) == ("tram", hours(2))


def test_c_same_adds_support_not_a_claim() -> None:
    world = World()
    world.say("a", "214", 1)
    decision = world.say("b", "214", 2)
    assert (decision.case, decision.outcome) == ("c", "NOOP")
    (claim,) = world.claims()
    assert [row.agent for row in world.ws.supporters(claim)] == ["a", "b"]
    assert claim.last_confirmed == hours(2)


def test_c_repetition_adds_no_confidence() -> None:
    world = World()
    world.say("a", "214", 1, confidence=0.7)
    for number in range(20):
        world.say("a", "214", 2 + number, confidence=0.7)
    assert world.claims()[0].confidence == 0.7


def test_c_more_general_than_the_claim_is_no_conflict() -> None:
    world = World()
    world.say("a", "Berlin", 1)
    assert world.say("b", "Germany", 2).outcome == "NOOP"
    assert world.values("active") == ["Berlin"]


def test_d_own_claim_ends_and_nothing_takes_its_place() -> None:
    world = World()
    world.say("a", "on", 1)
    decision = world.say("a", "on", 2, ended=True)
    assert (decision.case, decision.outcome) == ("d", "ENDED")
    (claim,) = world.claims()
    assert (claim.status, claim.valid_to) == ("ended", hours(2))


def test_d_marker_closes_an_older_assertion_that_arrives_later() -> None:
    world = World()
    assert world.say("a", "on", 2, ended=True).outcome == "HISTORY"
    world.say("a", "on", 1)
    (claim,) = world.claims()
    assert (claim.status, claim.valid_to) == ("ended", hours(2))
    world.say("a", "on", 3)
    assert world.values("active") == ["on"]


def test_d_by_another_agent_is_a_challenge_with_an_empty_value() -> None:
    world = World()
    world.policy("authority", {"a": 0.9, "b": 0.2})
    world.say("a", "on", 1)
    assert world.say("b", "on", 2, ended=True).outcome == "DISPUTED"
    assert world.values("active") == ["on"]
    (event,) = world.published("dispute")
    assert event.content.challenger.value == "" and event.content.incumbents[0].value == "on"


def test_e_a_more_precise_value_replaces_and_inherits_the_support() -> None:
    world = World()
    world.policy("authority", {"a": 0.9, "b": 0.2})
    world.say("a", "Germany", 1)
    decision = world.say("b", "Berlin", 2)
    assert (decision.case, decision.outcome) == ("e", "UPDATE")
    (claim,) = world.claims("active")
    assert claim.value.text == "Berlin"
    assert [row.agent for row in world.ws.supporters(claim)] == ["a", "b"]
    assert world.claims("superseded")[0].superseded_by == claim.id
    assert not world.published("dispute")


def test_f_own_contradiction_replaces_without_asking_the_strategy() -> None:
    world = World()
    world.policy("authority", {"a": 0.1})
    world.say("a", "214", 1)
    decision = world.say("a", "113", 2)
    assert (decision.case, decision.outcome, decision.strategy) == ("f", "REPLACE", "")
    assert (world.values("active"), world.values("superseded")) == (["113"], ["214"])
    assert world.claims("superseded")[0].valid_to == hours(2)


def test_f_with_co_supporters_asks_the_strategy() -> None:
    world = World()
    world.policy("authority", {"a": 0.5, "b": 0.9})
    world.say("a", "214", 1)
    world.say("b", "214", 2)
    decision = world.say("a", "113", 3)
    assert (decision.case, decision.outcome, decision.strategy) == ("g", "DISPUTED", "authority")
    assert world.values("active") == ["214"]


def test_g_recency_newer_supersedes_older_is_history() -> None:
    world = World()
    world.say("a", "214", 2)
    assert world.say("b", "113", 3).outcome == "SUPERSEDE"
    assert world.say("c", "99", 1).outcome == "HISTORY"
    assert world.values("active") == ["113"]
    assert world.values("superseded") == ["99", "214"]


def test_g_recency_counts_the_latest_confirmation() -> None:
    world = World()
    world.say("a", "214", 1)
    world.say("b", "214", 5)
    assert world.say("c", "113", 3).outcome == "HISTORY"
    assert world.values("active") == ["214"]


def test_g_polarity_is_a_contradiction() -> None:
    world = World()
    world.say("a", "cilantro", 1, cardinality_hint="many")
    world.say("b", "cilantro", 2, cardinality_hint="many", polarity="-")
    assert world.values("active") == ["not cilantro"]
    assert world.values("superseded") == ["cilantro"]


@pytest.mark.parametrize(("mine", "outcome"), [(0.95, "SUPERSEDE"), (0.9, "DISPUTED"), (0.2, "DISPUTED")])
def test_g_authority_must_be_greater(mine: float, outcome: str) -> None:
    world = World()
    world.policy("authority", {"a": 0.9, "b": mine})
    world.say("a", "214", 1)
    assert world.say("b", "113", 2).outcome == outcome


def test_g_late_heavier_source_wins() -> None:
    world = World()
    world.policy("authority", {"a": 0.2, "b": 0.9})
    world.say("a", "214", 5)
    assert world.say("b", "113", 1).outcome == "SUPERSEDE"
    assert world.values("active") == ["113"]


def test_g_authority_without_any_weight_falls_back_to_recency_and_says_so() -> None:
    world = World()
    world.policy("authority")
    world.say("a", "214", 1)
    decision = world.say("b", "113", 2)
    assert decision.outcome == "SUPERSEDE" and decision.rule.startswith("authority_unseeded")


def test_g_a_missing_weight_is_zero_once_any_party_has_one() -> None:
    world = World()
    world.policy("authority", {"b": 0.1})
    world.say("a", "214", 1)
    assert world.say("b", "113", 2).outcome == "SUPERSEDE"
    assert world.say("c", "99", 3).outcome == "DISPUTED"


def test_g_a_repeated_challenge_is_one_dispute_with_a_count() -> None:
    world = World()
    world.policy("authority", {"a": 0.9})
    world.say("a", "214", 1)
    for number in range(3):
        world.say("b", "113", 2 + number)
    (dispute,) = world.disputes()
    assert (dispute.version, dispute.repeats) == (3, 2)
    assert [event.change for event in world.published("dispute")] == ["opened", "repeated", "repeated"]
    assert world.values("disputed") == ["113"]


def test_a_heavier_backer_lets_the_challenger_win() -> None:
    world = World()
    world.policy("authority", {"a": 0.5, "b": 0.2, "c": 0.9})
    world.say("a", "214", 1)
    world.say("b", "113", 2)
    world.say("c", "113", 3)
    assert (world.values("active"), world.values("superseded")) == (["113"], ["214"])
    assert not world.disputes()
    assert world.published("dispute")[-1].change == "resolved"


def test_a_challenger_without_support_withdraws() -> None:
    world = World()
    world.policy("authority", {"a": 0.9, "b": 0.2})
    world.say("a", "214", 1)
    world.say("b", "113", 2)
    world.say("b", "214", 3)
    assert world.values("superseded") == ["113"]
    assert world.published("dispute")[-1].change == "withdrawn"


def test_when_the_incumbent_leaves_the_challenger_is_promoted() -> None:
    world = World()
    world.policy("authority", {"a": 0.9, "b": 0.2})
    world.say("a", "214", 1)
    world.say("b", "113", 2)
    world.say("a", "214", 3, ended=True)
    assert world.values("active") == ["113"]
    assert world.published("dispute")[-1].change == "resolved"


def test_a_dispute_follows_the_incumbent() -> None:
    world = World()
    world.policy("authority", {"a": 0.9, "b": 0.2})
    world.say("a", "214", 1)
    world.say("b", "113", 2)
    world.say("a", "300", 3)
    (dispute,) = world.disputes()
    assert dispute.incumbents == (world.claims("active")[0].id,)
    assert world.published("dispute")[-1].change == "retargeted"


@pytest.mark.parametrize("unsure", [{"basis": "inferred"}, {"confidence": 0.3}])
def test_h_what_is_unsure_never_supersedes_nor_disputes(unsure: dict[str, object]) -> None:
    world = World()
    world.say("a", "214", 1)
    assert world.say("b", "113", 2, **unsure).outcome == "CANDIDATE"
    assert (world.values("active"), world.values("candidate")) == (["214"], ["113"])
    assert not world.published("dispute")


def test_h_an_observation_promotes_the_candidate() -> None:
    world = World()
    world.say("a", "213", 1, basis="inferred")
    world.say("b", "213", 2)
    (claim,) = world.claims()
    assert (claim.status, claim.basis) == ("active", "observed")


def test_i_a_value_of_another_type_is_undecided() -> None:
    world = World()
    world.say("a", "America/Los_Angeles", 1, kind_of_value="timezone")
    decision = world.say("b", "the mountains", 2)
    assert (decision.case, decision.outcome) == ("i", "CANDIDATE")
    assert [event.reason for event in world.published("review")] == ["undecided"]


def test_j_many_values_live_side_by_side() -> None:
    world = World()
    world.say("a", "fish wrap", 1, cardinality_hint="many")
    world.say("b", "corn soup", 2, cardinality_hint="many")
    assert world.values("active") == ["fish wrap", "corn soup"]


def test_a_weak_alignment_disputes_but_never_supersedes() -> None:
    world = World()
    world.say("a", "PST", 1, predicate="timezone", kind_of_value="timezone")
    decision = world.say("b", "EST", 2, predicate="timezone", kind_of_value="timezone", match="weak")
    assert decision.outcome == "DISPUTED" and decision.rule == "weak_alignment"
    assert world.values("active", "timezone") == ["PST"]


def test_a_denial_of_another_value_follows_from_the_claim() -> None:
    world = World()
    world.say("a", "214", 1)
    assert world.say("b", "113", 2, polarity="-").outcome == "NOOP"
    assert world.values("active") == ["214"]


def test_flip_back_is_a_new_period() -> None:
    world = World()
    for number, text in enumerate(("214", "113", "214")):
        world.say("a", text, number)
    assert world.values("active") == ["214"]
    assert world.values("superseded") == ["214", "113"]
    first, second, third = world.claims()
    assert (first.superseded_by, second.superseded_by, third.superseded_by) == (second.id, third.id, None)


def test_scopes_and_entities_are_other_slots() -> None:
    world = World()
    world.say("a", "214", 1, scope="org:harbor")
    world.say("a", "113", 2, scope="org:mill")
    world.say("a", "99", 3, entity="user:u2")
    assert len(world.claims("active")) == 3


def test_versions_never_go_back_for_an_entity() -> None:
    world = World()
    world.policy("authority", {"a": 0.9, "b": 0.2})
    world.say("a", "214", 1)
    from schemas.inbox import Versions

    decision = world.say("b", "113", 2, versions=Versions())
    assert decision.policy == 1 and decision.outcome == "DISPUTED"


def test_entity_versions_are_dense() -> None:
    world = World()
    world.policy("authority", {"a": 0.9, "b": 0.2})
    for number in range(12):
        world.say("ab"[number % 2], str(number % 3), number)
    versions = [event.entity_version for event in world.published("claim")]
    assert versions == list(range(1, len(versions) + 1))
