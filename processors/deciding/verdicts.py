"""The judge's answer: decided against the state of the moment in which it arrives."""

from dataclasses import replace

from processors.deciding.cases import join, lose, win
from processors.deciding.change import Ruling
from processors.deciding.disputes import conflicting, park
from processors.deciding.judging import ask
from processors.deciding.model import Claim
from processors.deciding.statement import Statement
from schemas.commands import Verdict

#: A judge is asked again when the claims changed meanwhile, at most this often; then it counts as undecided.
MAX_ROUNDS = 3


def judged(statement: Statement, verdict: Verdict) -> Ruling:
    """``statement`` is the proposal that waits (its claim is a candidate ``pending_judge``)."""
    claim = statement.twin("candidate")
    if claim is None or claim.reason != "pending_judge":
        return Ruling("verdict", "HISTORY", "no_longer_pending", claim.id if claim else None)
    conflicts = conflicting(statement, claim)
    pending = statement.ws.pending.get(claim.id)
    if pending is not None and set(pending.asked) != {row.id for row in conflicts} and conflicts:
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
        return win(statement, "verdict", reason, conflicts)
    if verdict.relation in ("same", "refines") and len(conflicts) == 1:
        return join(statement, claim, conflicts[0], verdict.relation, reason)
    if verdict.relation == "contradicts" and verdict.prevails is False:
        return lose(statement, claim, reason)
    moved = statement.set_status(claim, "disputed", "judge_undecided")
    statement.support(moved)
    park(statement, replace(moved), conflicts, "llm-judge", reason)
    return Ruling("verdict", "DISPUTED", reason, moved.id, "llm-judge")
