"""What a person decides: about a dispute, a candidate, a claim that was wrong."""

from collections.abc import Callable
from dataclasses import replace

from processors.deciding.change import Change, Ruling
from processors.deciding.disputes import publish
from processors.deciding.model import Claim, Dispute
from processors.deciding.placing import displace, end_by, place
from processors.deciding.rulings import rescope, stand
from processors.identity.naming import is_unresolved
from schemas.claims import Status
from schemas.commands import Command

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
    """A person vouches for a candidate: it becomes active in place of what it contradicts."""
    claim = change.ws.claims.get(command.claim_id) if command.claim_id else None
    if claim is None or claim.status != "candidate":
        return Ruling("command", "REJECTED", "no_candidate", claim.id if claim else None)
    if is_unresolved(change.slot.key.entity):
        return Ruling("command", "REJECTED", "unresolved: assign it first", claim.id)
    change.ws.remove_standing((change.slot.key, claim.value.key, claim.polarity))
    placed = place(change, replace(claim, basis="observed"), "confirmed")
    if (
        placed.polarity == claim.polarity
    ):  # else it only follows from what is held, which the person did not say
        _vouch(change, placed)
    return Ruling("command", "APPLIED", "confirm", claim.id)


def _dispute(change: Change, command: Command) -> Dispute | None:
    rows = (row for rows in change.ws.disputes.values() for row in rows.values())
    found = next((row for row in rows if row.id == command.dispute_id), None)
    return found or (change.ws.closed_disputes.get(command.dispute_id) if command.dispute_id else None)


def _accept(change: Change, command: Command, dispute: Dispute) -> None:
    challenger = change.ws.claims[dispute.challenger]
    losers = _incumbents(change, dispute)
    for loser in losers:
        stand(change, command, loser, "rejected")
    change.ws.remove_standing((change.slot.key, challenger.value.key, challenger.polarity))
    _vouch(change, challenger)
    if challenger.value.type == "ending":
        end_by(change, losers, challenger, "ruled")
    else:
        placed = place(change, challenger, "ruled", status="rejected")
        if placed.status == "active":
            displace(change, losers, placed, "ruled", status="rejected")
    _close(change, command, dispute)


def _uphold(change: Change, command: Command, dispute: Dispute) -> None:
    challenger = change.ws.claims[dispute.challenger]
    incumbents = _incumbents(change, dispute)
    stand(change, command, challenger, "rejected")
    _lose(change, challenger, "rejected", "ruled", incumbents[0] if incumbents else None)
    for claim in incumbents[:1]:
        _vouch(change, claim)
    _close(change, command, dispute)


def _both_hold(change: Change, command: Command, dispute: Dispute) -> None:
    challenger = change.ws.claims[dispute.challenger]
    rescope(change, command, challenger, command.challenger_scope)
    for claim in _incumbents(change, dispute):
        if command.incumbent_scope != claim.cell.slot.scope:
            rescope(change, command, claim, command.incumbent_scope)
    _close(change, command, dispute)


def _dismiss(change: Change, command: Command, dispute: Dispute) -> None:
    """No conflict at all: the challenger gets a slot of its own, and statements of it go there from now on."""
    challenger = change.ws.claims[dispute.challenger]
    rescope(change, command, challenger, f"apart:{str(challenger.id)[:8]}")
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
