"""The judge's answer: decided against the state of the moment in which it arrives."""

from processors.deciding.change import Ruling
from processors.deciding.disputes import park
from processors.deciding.judging import ask
from processors.deciding.model import Claim
from processors.deciding.placing import absorb, conflicting, displace, place
from processors.deciding.statement import Statement
from schemas.commands import Verdict

#: A judge is asked again when the claims changed meanwhile, at most this often; then it counts as undecided.
MAX_ROUNDS = 3


def judged(statement: Statement, verdict: Verdict) -> Ruling:
    """``statement`` is the proposal that waits (its claim is a candidate ``pending_judge``)."""
    claim = statement.twin("candidate")
    if claim is None or claim.reason != "pending_judge":
        return Ruling("verdict", "HISTORY", "no_longer_pending", claim.id if claim else None)
    pending = statement.ws.pending.get(claim.id)
    if not statement.ws.supporters(claim):
        statement.ws.forget_pending(claim.id)
        until = claim.valid_to or max(claim.valid_from, statement.at)
        statement.set_status(claim, "superseded", "support_withdrawn", valid_to=until)
        return Ruling("verdict", "HISTORY", "support_withdrawn", claim.id)
    asked = pending.asked if pending is not None else ()
    named = (statement.ws.claims.get(key) for key in asked)
    elsewhere = [row for row in named if row and row.status == "active" and row.cell != claim.cell]
    conflicts = conflicting(statement, claim) + elsewhere
    if conflicts and set(asked) != {row.id for row in conflicts}:
        if verdict.round < MAX_ROUNDS:
            ask(statement, claim, conflicts, verdict.round + 1)
            return Ruling("verdict", "PENDING", "the claims changed, asked again", claim.id, "llm-judge")
        verdict = verdict.model_copy(update={"relation": "undecided", "prevails": None})
    statement.ws.forget_pending(claim.id)
    return _apply(statement, verdict, claim, conflicts)


def _apply(statement: Statement, verdict: Verdict, claim: Claim, conflicts: list[Claim]) -> Ruling:
    reason = f"judge {verdict.judge}: {verdict.relation}"
    statement.detail = {
        "judge": verdict.judge,
        "relation": verdict.relation,
        "reason": verdict.content.reason,
    }
    if not conflicts or (verdict.relation == "contradicts" and verdict.prevails):
        return _prevails(statement, claim, conflicts, reason)
    if verdict.relation in ("same", "refines") and len(conflicts) == 1:
        return _joins(statement, claim, conflicts[0], verdict.relation, reason)
    if verdict.relation == "contradicts" and verdict.prevails is False:
        until = claim.valid_to or max(claim.valid_from, statement.at)
        statement.set_status(claim, "rejected", reason, valid_to=until)
        return Ruling("verdict", "REJECTED", reason, claim.id, "llm-judge")
    moved = statement.set_status(claim, "disputed", "judge_undecided")
    park(statement, moved, conflicts, "llm-judge", reason)
    return Ruling("verdict", "DISPUTED", reason, moved.id, "llm-judge")


def _prevails(statement: Statement, claim: Claim, conflicts: list[Claim], reason: str) -> Ruling:
    placed = place(statement, claim, reason)
    if placed.id == claim.id and placed.status == "active":
        displace(statement, conflicts, placed, reason)
    return Ruling("verdict", "SUPERSEDE" if conflicts else "ADD", reason, placed.id, "llm-judge")


def _joins(statement: Statement, claim: Claim, held: Claim, relation: str, reason: str) -> Ruling:
    """The parked claim says the held one again, or more precisely: then the held one's supporters come along."""
    if relation == "same":
        absorb(statement, claim, held)
        return Ruling("verdict", "NOOP", reason, held.id, "llm-judge")
    if held.cell == claim.cell:
        absorb(statement, held, claim)
    placed = place(statement, claim, "refines")
    return Ruling("verdict", "UPDATE", reason, placed.id, "llm-judge")
