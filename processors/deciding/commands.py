"""What a person decides: about a dispute, a candidate, a claim that was wrong."""

from collections.abc import Callable
from dataclasses import replace

from processors.deciding.change import Change, Ruling
from processors.deciding.disputes import conflicting, publish
from processors.deciding.model import CellKey, Claim, Dispute, Slot, SlotKey, Standing
from processors.identity.naming import is_unresolved
from schemas.claims import Status
from schemas.commands import Command
from schemas.ids import derived_id

ON_DISPUTES = frozenset({"accept_challenger", "uphold_incumbent", "both_hold", "dismiss"})


def rule(change: Change, command: Command) -> Ruling:
    """Applies a command on a dispute.

    The person saw the slot at ``expected_slot_version``. If it moved on since but the parties are the same, the
    command still means what it meant; else it is ``rejected_stale`` and the event shows the parties of now.
    """
    dispute = _dispute(change, command)
    if dispute is None or dispute.status != "open":
        return Ruling("command", "REJECTED", "no_open_dispute", None)
    change.detail = {"action": command.action, "reason": command.content.reason, "detected": dispute.reason}
    if (command.expected_slot_version or 0) < dispute.parties_since:
        publish(change, dispute, "rejected_stale", "the parties have changed since; look again")
        return Ruling("command", "REJECTED_STALE", command.action, dispute.challenger)
    _ACTIONS[command.action](change, command, dispute)
    return Ruling("command", "APPLIED", command.action, dispute.challenger)


def confirm(change: Change, command: Command) -> Ruling:
    """A person vouches for a candidate: it becomes active, or a dispute with what it contradicts."""
    claim = change.ws.claims.get(command.claim_id) if command.claim_id else None
    if claim is None or claim.status != "candidate":
        return Ruling("command", "REJECTED", "no_candidate", claim.id if claim else None)
    if is_unresolved(change.slot.key.entity):
        return Ruling("command", "REJECTED", "unresolved: assign it first", claim.id)
    for other in conflicting(change, claim):
        _lose(change, other, "superseded", "confirmed_other", claim)
    promoted = change.set_status(claim, "active", "confirmed", basis="observed", valid_to=None)
    _vouch(change, promoted)
    return Ruling("command", "APPLIED", "confirm", claim.id)


def _dispute(change: Change, command: Command) -> Dispute | None:
    rows = (row for rows in change.ws.disputes.values() for row in rows.values())
    found = next((row for row in rows if row.id == command.dispute_id), None)
    return found or (change.ws.closed_disputes.get(command.dispute_id) if command.dispute_id else None)


def _accept(change: Change, command: Command, dispute: Dispute) -> None:
    challenger = change.ws.claims[dispute.challenger]
    for loser in _incumbents(change, dispute):
        _stand(change, command, loser, "rejected")
        if challenger.value.type == "ending":
            _lose(change, loser, "ended", "ending_accepted", challenger)
        else:
            _lose(change, loser, "rejected", "ruled", challenger)
    won = change.set_status(challenger, "ended" if challenger.value.type == "ending" else "active", "ruled")
    _vouch(change, won)
    _close(change, command, dispute)


def _uphold(change: Change, command: Command, dispute: Dispute) -> None:
    challenger = change.ws.claims[dispute.challenger]
    incumbents = _incumbents(change, dispute)
    _stand(change, command, challenger, "rejected")
    _lose(change, challenger, "rejected", "ruled", incumbents[0] if incumbents else None)
    for claim in incumbents[:1]:
        _vouch(change, claim)
    _close(change, command, dispute)


def _both_hold(change: Change, command: Command, dispute: Dispute) -> None:
    challenger = change.ws.claims[dispute.challenger]
    _rescope(change, command, challenger, command.challenger_scope)
    for claim in _incumbents(change, dispute):
        if command.incumbent_scope != claim.cell.slot.scope:
            _rescope(change, command, claim, command.incumbent_scope)
    _close(change, command, dispute)


def _dismiss(change: Change, command: Command, dispute: Dispute) -> None:
    """No conflict at all: the challenger gets a slot of its own, and statements of it go there from now on."""
    challenger = change.ws.claims[dispute.challenger]
    _rescope(change, command, challenger, f"apart:{str(challenger.id)[:8]}")
    _close(change, command, dispute)


def _incumbents(change: Change, dispute: Dispute) -> list[Claim]:
    rows = (change.ws.claims.get(key) for key in dispute.incumbents)
    return [row for row in rows if row is not None and row.status == "active"]


def _lose(change: Change, claim: Claim, status: Status, reason: str, winner: Claim | None) -> None:
    until = max(claim.valid_from, winner.valid_from if winner is not None else change.at)
    change.set_status(
        claim,
        status,
        reason,
        valid_to=claim.valid_to or until,
        superseded_by=winner.id if winner is not None and status != "ended" else None,
    )


def _vouch(change: Change, claim: Claim) -> None:
    """A ruling is evidence with the actor's weight."""
    change.put_support(claim, change.agent, 1.0, (f"command:{change.record_id}",))


def _stand(change: Change, command: Command, loser: Claim, ruling: str, scope: str = "") -> None:
    supports = change.ws.supporters(loser)
    weights = [change.rules.weight(row.agent, change.slot.key) for row in supports]
    known = [weight for weight in weights if weight is not None]
    change.ws.put_standing(
        Standing(
            slot=change.slot.key,
            value_key=loser.value.key,
            polarity=loser.polarity,
            ruling="apart" if ruling == "apart" else "rejected",
            scope=scope,
            agents=tuple(row.agent for row in supports),
            origins=tuple(dict.fromkeys(name for row in supports for name in row.origins)),
            weight=max(known) if known else None,
            actor=command.actor,
            order=change.order,
            record_id=change.record_id,
        )
    )


def _rescope(change: Change, command: Command, claim: Claim, scope: str) -> None:
    """Moves a claim to the slot of the same predicate with ``scope``; the old one stays as its history."""
    key = SlotKey(*change.slot.key[:3], scope)
    _stand(change, command, claim, "apart", scope)
    slot = change.ws.slots.get(key) or Slot(key, change.slot.cardinality)
    slot = replace(slot, version=slot.version + 1)
    change.ws.put_slot(slot)
    cell = CellKey(key, claim.cell.value_key)
    for other in change.ws.active(cell):
        if other.value.key == claim.value.key and other.polarity == claim.polarity:
            change.set_status(
                claim, "superseded", "rescoped", valid_to=claim.valid_from, superseded_by=other.id
            )
            return
    moved = replace(
        claim,
        id=derived_id(claim.id, f"scope:{scope}"),
        cell=cell,
        status="active",
        reason="rescoped",
        slot_version=slot.version,
        decided_by=change.record_id,
        valid_to=None,
    )
    for support in change.ws.supporters(claim):
        change.ws.put_support(replace(support, cell=cell, claim_id=moved.id))
    change.set_status(claim, "superseded", "rescoped", valid_to=claim.valid_from, superseded_by=moved.id)
    change.changed[moved.id] = "active"
    change.touch(moved, "added")


def _close(change: Change, command: Command, dispute: Dispute) -> None:
    said = command.content.reason or "no reason given"
    publish(
        change,
        replace(dispute, status="resolved"),
        "resolved",
        f"{command.action} by {command.actor}: {said}",
    )


_ACTIONS: dict[str, Callable[[Change, Command, Dispute], None]] = {
    "accept_challenger": _accept,
    "uphold_incumbent": _uphold,
    "both_hold": _both_hold,
    "dismiss": _dismiss,
}
