"""A moment has come: a scheduled claim begins, a claim's stated period ends, a dispute is old."""

from dataclasses import replace

from processors.deciding.change import Change, Ruling
from processors.deciding.disputes import publish
from processors.deciding.model import Claim, Dispute, Support
from processors.deciding.placing import conflicting, displace, end_by, place
from processors.deciding.strategies import independent
from schemas.commands import Due


def come(change: Change, due: Due) -> Ruling:
    """Applies a due moment; one that no longer applies changes nothing."""
    if due.what in ("starts", "ends"):
        claim = change.ws.claims.get(due.target)
        if claim is None:
            return Ruling("due", "HISTORY", "no_such_claim", None)
        return _starts(change, claim) if due.what == "starts" else _ends(change, claim, due)
    dispute = next(
        (row for rows in change.ws.disputes.values() for row in rows.values() if row.id == due.target), None
    )
    if dispute is None:
        return Ruling("due", "HISTORY", "dispute_closed", None)
    return _age(change, dispute) if due.what == "dispute_age" else _expire(change, dispute)


def _starts(change: Change, claim: Claim) -> Ruling:
    """What was said for the future is now: it takes the place of what it contradicts, unless newer words stand."""
    if claim.status != "scheduled":
        return Ruling("due", "HISTORY", "no_longer_scheduled", claim.id)
    conflicts = conflicting(change, claim)
    newest = [row.order for other in conflicts for row in change.ws.supporters(other)]
    if any(order > claim.order for order in newest):
        change.set_status(claim, "superseded", "overtaken", valid_to=claim.valid_from)
        return Ruling("due", "HISTORY", "overtaken", claim.id)
    held = place(change, claim, "scheduled_start")
    return Ruling("due", "STARTED" if held.id == claim.id else "NOOP", "scheduled_start", held.id)


def _ends(change: Change, claim: Claim, due: Due) -> Ruling:
    if claim.status != "active" or claim.valid_to is None or claim.valid_to > due.due_at:
        return Ruling("due", "HISTORY", "no_longer_ending", claim.id)
    change.set_status(claim, "ended", "period_over")
    return Ruling("due", "ENDED", "period_over", claim.id)


def _age(change: Change, dispute: Dispute) -> Ruling:
    """Old enough for the auto-rules: a wide authority gap upholds, enough independent origins accept."""
    auto = change.rules.policy.auto
    challenger = change.ws.claims[dispute.challenger]
    named = (change.ws.claims.get(key) for key in dispute.incumbents)
    incumbents = [row for row in named if row is not None and row.status == "active"]
    backers = change.ws.supporters(challenger)
    holders = [row for claim in incumbents for row in change.ws.supporters(claim)]
    mine = independent([(row.agent, row.origins) for row in backers])
    theirs = independent([(row.agent, row.origins) for row in holders])
    if auto.origins is not None and mine >= auto.origins and mine > theirs and not challenger.weak:
        if challenger.value.type == "ending":
            end_by(change, incumbents, challenger, "auto_origins")
        else:
            displace(change, incumbents, place(change, challenger, "auto_origins"), "auto_origins")
        publish(change, replace(dispute, status="resolved"), "resolved", f"auto: {mine} independent origins")
        return Ruling("due", "APPLIED", "auto_origins", challenger.id)
    gap = _weight(change, holders) - _weight(change, backers)
    if auto.authority_gap is not None and gap >= auto.authority_gap:
        change.set_status(
            challenger, "rejected", "auto_authority", valid_to=max(challenger.valid_from, change.at)
        )
        publish(change, replace(dispute, status="resolved"), "resolved", f"auto: authority gap {gap:g}")
        return Ruling("due", "APPLIED", "auto_authority", challenger.id)
    return Ruling("due", "HISTORY", "no_auto_rule", challenger.id)


def _weight(change: Change, rows: list[Support]) -> float:
    return max((change.rules.weight(row.agent, change.slot.key) or 0.0 for row in rows), default=0.0)


def _expire(change: Change, dispute: Dispute) -> Ruling:
    """Nobody decided in time: the incumbent stays, the challenger becomes history."""
    challenger = change.ws.claims[dispute.challenger]
    until = max(challenger.valid_from, change.at)
    change.set_status(challenger, "superseded", "dispute_expired", valid_to=until)
    publish(change, replace(dispute, status="expired"), "expired", "nobody decided in time")
    return Ruling("due", "APPLIED", "dispute_expired", challenger.id)
