"""What people decide, what is taken back, what the judge and the clock say."""

from datetime import timedelta

import pytest

from processors.deciding.strategies import independent
from tests.unit.deciding.world import World, hours


def disputed() -> World:
    world = World()
    world.policy("authority", {"a": 0.9, "b": 0.2, "c": 0.3, "d": 0.1, "boss": 0.95})
    world.say("a", "214", 1)
    world.say("b", "113", 2)
    return world


def test_accepting_the_challenger_ends_the_dispute_and_rejects_the_incumbent() -> None:
    world = disputed()
    assert world.rule("accept_challenger", 3).outcome == "APPLIED"
    assert (world.values("active"), world.values("rejected")) == (["113"], ["214"])
    event = world.published("dispute")[-1]
    assert event.change == "resolved" and "accept_challenger by boss" in event.reason
    assert not world.disputes()


def test_upholding_rejects_the_challenger() -> None:
    world = disputed()
    world.rule("uphold_incumbent", 3)
    assert (world.values("active"), world.values("rejected")) == (["214"], ["113"])


def test_a_rejected_value_told_again_by_the_same_agent_is_suppressed() -> None:
    world = disputed()
    world.rule("uphold_incumbent", 3)
    decision = world.say("b", "113", 4)
    assert (decision.case, decision.outcome) == ("a", "SUPPRESSED")
    assert not world.disputes()


def test_a_rejected_value_with_a_new_independent_origin_is_a_new_dispute() -> None:
    world = disputed()
    world.rule("uphold_incumbent", 3)
    decision = world.say("d", "113", 4)
    assert decision.outcome == "DISPUTED" and "new_origin" in decision.rule
    assert world.values("active") == ["214"]


def test_a_rejected_value_never_wins_by_recency() -> None:
    world = World()
    world.say("a", "PST", 1, predicate="timezone")
    world.say("b", "EST", 2, predicate="timezone", match="weak")
    world.rule("uphold_incumbent", 3, predicate="timezone")
    assert world.say("c", "EST", 9, predicate="timezone").outcome == "DISPUTED"
    assert world.values("active", "timezone") == ["PST"]


def test_a_command_for_parties_of_before_is_stale() -> None:
    world = disputed()
    seen = world.slot_version()
    world.say("a", "300", 3)
    decision = world.rule("accept_challenger", 4, expected=seen)
    assert decision.outcome == "REJECTED_STALE"
    assert world.values("active") == ["300"]
    event = world.published("dispute")[-1]
    assert event.change == "rejected_stale" and event.content.incumbents[0].value == "300"


def test_a_command_still_applies_when_only_evidence_came_in_between() -> None:
    world = disputed()
    seen = world.slot_version()
    world.say("b", "113", 3)
    assert world.slot_version() > seen
    assert world.rule("accept_challenger", 4, expected=seen).outcome == "APPLIED"


def test_both_hold_under_their_own_scopes() -> None:
    world = disputed()
    world.rule("both_hold", 3, challenger_scope="org:mill", incumbent_scope="org:harbor")
    held = {claim.cell.slot.scope: claim.value.text for claim in world.claims("active")}
    assert held == {"org:mill": "113", "org:harbor": "214"}


def test_a_dismissed_conflict_leaves_both_active_and_stays_dismissed() -> None:
    world = disputed()
    world.rule("dismiss", 3)
    assert sorted(world.values("active")) == ["113", "214"]
    assert world.say("b", "113", 4).outcome == "NOOP"
    assert not world.disputes() and sorted(world.values("active")) == ["113", "214"]


def test_what_the_detector_said_and_what_the_person_decided_are_apart() -> None:
    world = disputed()
    decision = world.rule("dismiss", 3, reason="another building")
    assert decision.detail["reason"] == "another building"
    assert decision.detail["detected"] == "authority 0.2 <= 0.9"


def test_confirming_a_candidate_makes_it_active() -> None:
    world = World()
    world.say("a", "214", 1)
    world.say("b", "113", 2, basis="inferred")
    candidate = world.claims("candidate")[0]
    assert world.command("confirm", 3, claim_id=candidate.id).outcome == "APPLIED"
    assert world.values("active") == ["113"]


def test_a_retracted_value_is_gone_and_what_it_replaced_is_back() -> None:
    world = World()
    world.say("a", "Elm Street", 1)
    world.say("a", "Oak Street", 2)
    wrong = world.claims("active")[0]
    assert world.command("retract", 3, claim_id=wrong.id).outcome == "APPLIED"
    assert (world.values("active"), world.values("retracted")) == (["Elm Street"], ["Oak Street"])


@pytest.mark.parametrize("at", [1, 3])
def test_old_evidence_never_brings_it_back_whatever_its_id(at: int) -> None:
    world = World()
    world.say("a", "214", 1)
    world.command("retract", 3, predicate="office", value_key="text:214")
    decision = world.say("importer", "214", at, event_id="copy")
    assert (decision.case, decision.outcome) == ("a", "SUPPRESSED")
    assert world.values("active") == []


def test_a_new_statement_after_a_retraction_counts() -> None:
    world = World()
    world.say("a", "214", 1)
    world.command("retract", 3, predicate="office", value_key="text:214")
    assert world.say("a", "214", 4).outcome == "ADD"
    assert world.values("active") == ["214"]


def test_retraction_by_event_takes_all_it_said() -> None:
    world = World()
    world.say("a", "214", 1, event_id="wrong")
    world.command("retract", 2, target_event="wrong", target_source="s")
    assert world.values("active") == [] and world.values("retracted") == ["214"]


def test_a_restored_retraction_counts_again() -> None:
    world = World()
    world.say("a", "214", 1)
    taken = world.command("retract", 3, predicate="office", value_key="text:214")
    world.command("restore", 4, retraction_id=taken.id)
    assert world.values("active") == ["214"]
    assert world.say("importer", "214", 2, event_id="copy").outcome == "NOOP"


def test_forget_that_is_a_retraction() -> None:
    world = World()
    world.say("a", "214", 1)
    assert world.say("a", "214", 2, act="retract").outcome == "RETRACTED"
    assert world.values("retracted") == ["214"]


def test_another_agent_cannot_retract_what_a_heavier_one_holds() -> None:
    world = World()
    world.policy("authority", {"a": 0.9, "b": 0.2})
    world.say("a", "214", 1)
    assert world.say("b", "214", 2, act="retract").outcome == "DISPUTED"
    assert world.values("active") == ["214"]


def test_a_ruling_survives_a_refold() -> None:
    world = disputed()
    world.rule("uphold_incumbent", 3)
    world.say("d", "99", 4)
    world.command("retract", 5, predicate="office", value_key="text:99")
    assert world.values("rejected") == ["113"]
    assert world.say("b", "113", 6).outcome == "SUPPRESSED"


def test_consensus_counts_independent_origins() -> None:
    world = World()
    world.policy("consensus")
    world.say("a", "214", 1)
    assert world.say("b", "113", 2).outcome == "DISPUTED"
    assert world.say("b", "113", 3).outcome == "DISPUTED", "repetition is no proof"
    world.say("c", "113", 4, origins=("s:e2",))
    assert world.values("active") == ["214"], "an echo of b's source is no second vote"
    world.say("d", "113", 5)
    assert world.values("active") == ["113"]


def test_independent_origins() -> None:
    assert independent([("a", ("p",)), ("b", ("p",))]) == 1
    assert independent([("a", ("p", "q")), ("b", ("r",)), ("c", ("q",))]) == 2
    assert independent([]) == 0


def test_echo_of_a_recalled_claim_is_no_evidence() -> None:
    world = World()
    world.say("a", "214", 1)
    claim = world.claims("active")[0]
    decision = world.say("b", "214", 5, recalled=(str(claim.id),))
    assert (decision.outcome, decision.rule) == ("NOOP", "echo")
    (after,) = world.claims()
    assert after.last_confirmed == hours(1) and len(world.ws.supporters(after)) == 1


def test_the_judge_decides_a_pending_statement() -> None:
    world = World()
    world.policy("llm-judge")
    world.say("a", "214", 1)
    pending = world.say("b", "113", 2)
    assert pending.outcome == "PENDING" and world.values("active") == ["214"]
    (request,) = world.published("judge_request")
    assert request.content.proposed.value == "113" and request.content.held[0].value == "214"
    assert world.verdict(pending.id, 3, relation="contradicts", prevails=True).outcome == "SUPERSEDE"
    assert (world.values("active"), world.values("superseded")) == (["113"], ["214"])


def test_an_undecided_judge_leaves_a_dispute() -> None:
    world = World()
    world.policy("llm-judge")
    world.say("a", "214", 1)
    pending = world.say("b", "113", 2)
    assert world.verdict(pending.id, 3, relation="undecided").outcome == "DISPUTED"
    assert len(world.disputes()) == 1 and world.values("active") == ["214"]


def test_the_judge_is_asked_again_when_the_claims_changed() -> None:
    world = World()
    world.policy("llm-judge")
    world.say("a", "214", 1)
    pending = world.say("b", "113", 2)
    world.say("a", "300", 3)
    assert world.verdict(pending.id, 4, relation="contradicts", prevails=True).outcome == "PENDING"
    assert [event.round for event in world.published("judge_request")] == [1, 2]
    assert world.values("active") == ["300"]
    assert world.verdict(pending.id, 5, relation="contradicts", prevails=True, round=2).outcome == "SUPERSEDE"


def test_a_scheduled_fact_starts_when_it_is_due() -> None:
    world = World()
    world.say("a", "214", 1)
    assert world.say("a", "113", 2, valid_from=hours(10)).outcome == "SCHEDULED"
    assert world.values("active") == ["214"]
    scheduled = world.claims("scheduled")[0]
    assert world.ws.dues[scheduled.id, "starts"].at == hours(10)
    world.due("starts", scheduled.id, 10)
    assert (world.values("active"), world.values("superseded")) == (["113"], ["214"])


def test_a_dispute_expires() -> None:
    world = World()
    world.policy("authority", {"a": 0.9, "b": 0.2}, auto={"expiry_days": 30})
    world.say("a", "214", 1)
    world.say("b", "113", 2)
    (dispute,) = world.disputes()
    assert world.ws.dues[dispute.id, "dispute_expiry"].at == hours(2) + timedelta(days=30)
    world.due("dispute_expiry", dispute.id, 2 + 30 * 24)
    assert world.published("dispute")[-1].change == "expired"
    assert (world.values("active"), world.values("superseded")) == (["214"], ["113"])


def test_auto_rule_of_the_authority_gap() -> None:
    world = World()
    world.policy("authority", {"a": 0.9, "b": 0.2}, auto={"age_days": 7, "authority_gap": 0.5})
    world.say("a", "214", 1)
    world.say("b", "113", 2)
    (dispute,) = world.disputes()
    world.due("dispute_age", dispute.id, 2 + 7 * 24)
    assert world.values("rejected") == ["113"] and not world.disputes()


def test_reconsider_folds_again_under_the_policy_of_now() -> None:
    world = disputed()
    world.policy("recency")
    world.command("reconsider", 5)
    assert (world.values("active"), world.values("superseded")) == (["113"], ["214"])
    assert not world.disputes()


def test_excluded_values_cannot_hold_together() -> None:
    world = World()
    world.say("a", "completed", 1, cardinality_hint="many", predicate="status", excludes=("text:cancelled",))
    world.say("b", "cancelled", 2, cardinality_hint="many", predicate="status", excludes=("text:completed",))
    assert (world.values("active", "status"), world.values("superseded", "status")) == (
        ["cancelled"],
        ["completed"],
    )
