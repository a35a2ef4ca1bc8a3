"""Disputes: a challenger that no policy lets win is parked beside the incumbents, visibly."""

from dataclasses import replace

from processors.deciding.compare import compare
from processors.deciding.model import Claim, Dispute, Support
from processors.deciding.statement import Statement, open_disputes
from processors.deciding.strategies import Contest, contest_by
from schemas.disputes import DisputeChange, DisputeChanged, DisputeContent, Party
from schemas.ids import derived_id


def conflicting(statement: Statement, claim: Claim) -> list[Claim]:
    """The active claims of the cell that cannot hold together with ``claim``."""
    active = statement.ws.active(statement.cell)
    cardinality = statement.slot.cardinality
    if claim.value.type == "ending":
        return [other for other in active if _ends(claim, other)]
    return [
        other
        for other in active
        if other.id != claim.id and compare(other, claim.value, claim.polarity, cardinality) == "contradicts"
    ]


def _ends(challenge: Claim, other: Claim) -> bool:
    ended = challenge.value.within[0] if challenge.value.within else ""
    return not ended or ended == other.value.key or ended in other.value.within


def park(
    statement: Statement, challenger: Claim, conflicts: list[Claim], strategy: str, reason: str
) -> Dispute:
    """Opens the dispute of ``challenger`` against ``conflicts``, or counts a repeat of the open one."""
    for dispute in open_disputes(statement.ws, statement.cell):
        if dispute.challenger == challenger.id:
            again = replace(
                dispute, repeats=dispute.repeats + 1, incumbents=tuple(row.id for row in conflicts)
            )
            return publish(statement, again, "repeated", reason)
    opened = Dispute(
        id=derived_id(statement.proposal.id, "dispute"),
        cell=statement.cell,
        challenger=challenger.id,
        incumbents=tuple(row.id for row in conflicts),
        status="open",
        strategy=strategy,
        reason=reason,
        policy_version=statement.entity.policy,
        opened_at=statement.proposal.event_time,
        opened_by=statement.proposal.id,
    )
    return publish(statement, opened, "opened", reason)


def settle(statement: Statement) -> None:
    """Runs the open disputes of the cell again after its claims or their support changed.

    An unsupported challenger withdraws; with no incumbent left the best challenger is promoted; a challenger that
    now wins replaces the incumbents; else the dispute stays, against the incumbents of now.
    """
    for dispute in _best_first(statement):
        challenger = statement.ws.claims[dispute.challenger]
        if challenger.status == "active":
            publish(
                statement,
                replace(dispute, status="resolved"),
                "resolved",
                "the policy let the challenger win",
            )
        elif challenger.status != "disputed" or not statement.ws.supporters(challenger):
            if challenger.status == "disputed":
                statement.set_status(challenger, "superseded", "support_withdrawn")
            publish(
                statement, replace(dispute, status="withdrawn"), "withdrawn", "nobody supports the challenger"
            )
        else:
            _run_again(statement, dispute, challenger)


def _run_again(statement: Statement, dispute: Dispute, challenger: Claim) -> None:
    conflicts = conflicting(statement, challenger)
    if not conflicts:
        _promote(statement, challenger, conflicts)
        publish(statement, replace(dispute, status="resolved"), "resolved", "no incumbent left")
    elif not challenger.weak and _wins(statement, challenger, conflicts):
        _promote(statement, challenger, conflicts)
        publish(
            statement, replace(dispute, status="resolved"), "resolved", "the challenger's source now wins"
        )
    elif tuple(row.id for row in conflicts) != dispute.incumbents:
        moved = replace(dispute, incumbents=tuple(row.id for row in conflicts))
        publish(statement, moved, "retargeted", "the incumbent changed")


def _wins(statement: Statement, challenger: Claim, conflicts: list[Claim]) -> bool:
    strategy = statement.rules.rule_for(statement.slot.key).strategy
    opponents = [support for claim in conflicts for support in statement.ws.supporters(claim)]
    if strategy == "recency" or not opponents:
        # A dispute under recency was opened by a weak alignment; age alone does not make it certain.
        return not opponents
    backers = statement.ws.supporters(challenger)
    return any(_contest(statement, backer, opponents, strategy) for backer in backers)


def _contest(statement: Statement, backer: Support, opponents: list[Support], strategy: str) -> bool:
    contest = Contest(statement.slot.key, backer.agent, backer.order, opponents, statement.rules)
    return contest_by(strategy, contest).verdict == "wins"


def _promote(statement: Statement, challenger: Claim, conflicts: list[Claim]) -> None:
    ends = challenger.value.type == "ending"
    for claim in conflicts:
        until = max(claim.valid_from, challenger.valid_from)
        if ends:
            statement.set_status(claim, "ended", "ending_accepted", valid_to=until)
        else:
            statement.set_status(
                claim, "superseded", "dispute_won", valid_to=until, superseded_by=challenger.id
            )
    statement.set_status(challenger, "ended" if ends else "active", "dispute_won", valid_to=None)


def _best_first(statement: Statement) -> list[Dispute]:
    """Heaviest supporter first, then the latest evidence, so that the promotion order is fixed."""

    def rank(dispute: Dispute) -> tuple[float, int, str]:
        backers = statement.ws.supporters(statement.ws.claims[dispute.challenger])
        weights = (statement.rules.weight(row.agent, statement.slot.key) or 0.0 for row in backers)
        latest = max((row.order.at_us for row in backers), default=0)
        return (-max(weights, default=0.0), -latest, str(dispute.id))

    return sorted(open_disputes(statement.ws, statement.cell), key=rank)


def publish(statement: Statement, dispute: Dispute, change: DisputeChange, reason: str) -> Dispute:
    """Writes the dispute's next version and its event."""
    dispute = replace(dispute, version=dispute.version + 1, reason=reason)
    statement.ws.put_dispute(dispute)
    proposal, claims = statement.proposal, statement.ws.claims
    statement.announcements.append(
        DisputeChanged(
            tenant=proposal.tenant,
            entity=proposal.entity,
            dispute_version=dispute.version,
            entity_version=statement.entity.version,
            dispute_id=dispute.id,
            predicate=statement.slot.key.predicate,
            scope=statement.slot.key.scope,
            slot_version=max(statement.slot.version, 1),
            change=change,
            strategy=dispute.strategy,
            policy_version=statement.entity.policy,
            reason=reason,
            opened_at=dispute.opened_at,
            at=proposal.event_time,
            repeats=dispute.repeats,
            decided_by=proposal.id,
            content=DisputeContent(
                challenger=party(statement, claims[dispute.challenger]),
                incumbents=tuple(
                    party(statement, claims[key]) for key in dispute.incumbents if key in claims
                ),
                explanation=_explain(statement, dispute, change, reason),
            ),
        )
    )
    return dispute


def party(statement: Statement, claim: Claim) -> Party:
    supporters = tuple(row.agent for row in statement.ws.supporters(claim))
    weights = [statement.rules.weight(agent, statement.slot.key) for agent in supporters]
    known = [weight for weight in weights if weight is not None]
    return Party(
        claim_id=claim.id,
        value=claim.value.text,
        value_key=claim.value.key,
        polarity=claim.polarity,
        supporters=supporters,
        weight=max(known) if known else None,
    )


def _explain(statement: Statement, dispute: Dispute, change: DisputeChange, reason: str) -> str:
    name = statement.slot.key.predicate + (f"@{statement.slot.key.scope}" if statement.slot.key.scope else "")
    return f"{change}: {name} under {dispute.strategy}: {reason}"[:1024]
