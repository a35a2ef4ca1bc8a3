"""What must hold after every record, told independently of how the deciding does it."""

from collections import Counter

from processors.deciding.model import Claim
from tests.unit.deciding.world import World


def check_state(world: World) -> None:
    """The shape of what is held, whatever was said."""
    ws = world.ws
    one_per_cell(world)
    open_now = [row for rows in ws.disputes.values() for row in rows.values()]
    for dispute in open_now:
        challenger = ws.claims[dispute.challenger]
        assert challenger.status == "disputed", f"an open dispute over a claim that is {challenger.status}"
        assert ws.supporters(challenger), "a challenger that nobody supports"
        assert any(ws.claims[key].status == "active" for key in dispute.incumbents), (
            "a dispute without incumbent"
        )
    over = Counter(dispute.challenger for dispute in open_now)
    for claim in ws.claims.values():
        assert claim.valid_to is None or claim.valid_from <= claim.valid_to, (
            "a period that ends before it begins"
        )
        assert over[claim.id] == (claim.status == "disputed"), (
            f"{claim.status} claim in {over[claim.id]} disputes"
        )
        if claim.status == "active":
            assert ws.supporters(claim), "an active claim that nobody supports"
        if claim.superseded_by is not None:
            assert chain_ends(world, claim), "a supersede chain that goes in a circle"
    what_was_taken_back_stays_away(world)
    decided_equals_current(world)
    versions_are_dense(world)


def what_was_taken_back_stays_away(world: World) -> None:
    """Nothing is believed on evidence that a retraction in force covers, under whatever id it was told."""
    for row in world.ws.retractions.values():
        for claim in world.claims("active", row.slot.predicate):
            if not row.undone and claim.cell.slot == row.slot and row.value_key in ("", claim.value.key):
                supports = world.ws.supporters(claim)
                assert any(support.order.at > row.up_to for support in supports), "a deleted value came back"


def one_per_cell(world: World) -> None:
    active = Counter(claim.cell for claim in world.ws.claims.values() if claim.status == "active")
    assert not [cell for cell, n in active.items() if n > 1], "two active claims in one cell"


def chain_ends(world: World, claim: Claim) -> bool:
    seen = {claim.id}
    while claim.superseded_by is not None:
        if claim.superseded_by in seen:
            return False
        seen.add(claim.superseded_by)
        claim = world.ws.claims[claim.superseded_by]
    return True


def decided_equals_current(world: World) -> None:
    """fold(decisions) = current: the last status that a decision gave a claim is the one it has."""
    last = {key: status for decision in world.ws.decisions for key, status in decision.changed}
    assert last == {key: claim.status for key, claim in world.ws.claims.items()}


def versions_are_dense(world: World) -> None:
    ws = world.ws
    for key, entity in ws.entities.items():
        said = [event.entity_version for event in world.published("claim") if event.entity == key.entity]
        assert said == list(range(1, entity.version + 1)), "entity versions are not dense"
        numbers = [row.number for row in ws.decisions if row.slot.owner == key]
        assert numbers == list(range(1, entity.decisions + 1)), "decision numbers are not dense"
    for decision, after in zip(ws.decisions, ws.decisions[1:], strict=False):
        if decision.slot == after.slot and after.changed:
            assert after.slot_version > decision.slot_version, "a change without a new version of the slot"
