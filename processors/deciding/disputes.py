"""Disputes: a challenger that no policy lets win is parked beside the incumbents, visibly."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from processors.deciding.change import Change
from processors.deciding.model import CellKey, Claim, Dispute, DueAt, Support
from processors.deciding.placing import conflicting, displace, end_by, place
from processors.deciding.strategies import Contest, contest_by
from schemas.disputes import DisputeChange, DisputeChanged, DisputeContent, Party
from schemas.ids import derived_id


def park(change: Change, challenger: Claim, conflicts: list[Claim], strategy: str, reason: str) -> Dispute:
    """Opens the dispute of ``challenger`` against ``conflicts``, or counts a repeat of the open one."""
    for dispute in change.open_disputes(challenger.cell):
        if dispute.challenger == challenger.id:
            again = replace(
                dispute, repeats=dispute.repeats + 1, incumbents=tuple(row.id for row in conflicts)
            )
            return publish(change, again, "repeated", reason)
    opened = Dispute(
        id=derived_id(change.record_id, "dispute"),
        cell=challenger.cell,
        challenger=challenger.id,
        incumbents=tuple(row.id for row in conflicts),
        status="open",
        strategy=strategy,
        reason=reason,
        policy_version=change.entity.policy,
        opened_at=change.at,
        opened_by=change.record_id,
    )
    return publish(change, opened, "opened", reason)


def settle(change: Change, cell: CellKey, joining: Sequence[Claim] = ()) -> None:
    """Runs the open disputes of the cell again after its claims or their support changed.

    An unsupported challenger withdraws; with no incumbent left the best challenger is promoted; a challenger that
    now wins replaces the incumbents; else the dispute stays, against the incumbents of now. ``joining``: active claims
    of other cells that a rule of the registry says cannot hold together with what the cell holds.
    """
    while any(_look_again(change, dispute, joining) for dispute in _best_first(change, cell)):
        pass  # a promotion gives the disputes that were looked at before it another incumbent


def _look_again(change: Change, dispute: Dispute, joining: Sequence[Claim]) -> bool:
    """Whether the challenger was promoted."""
    challenger = change.ws.claims[dispute.challenger]
    if challenger.status == "active":
        publish(change, replace(dispute, status="resolved"), "resolved", "the policy let the challenger win")
        return False
    if challenger.status == "disputed" and change.ws.supporters(challenger):
        return _run_again(change, dispute, challenger, joining)
    if challenger.status == "disputed":
        until = max(challenger.valid_from, change.at)
        change.set_status(challenger, "superseded", "support_withdrawn", valid_to=until)
    publish(change, replace(dispute, status="withdrawn"), "withdrawn", "nobody supports the challenger")
    return False


def _run_again(change: Change, dispute: Dispute, challenger: Claim, joining: Sequence[Claim]) -> bool:
    conflicts = conflicting(change, challenger) + _elsewhere(change, dispute, challenger, joining)
    wins = bool(conflicts) and not challenger.weak and _wins(change, challenger, conflicts)
    if wins or not conflicts:
        _promote(change, challenger, conflicts)
        said = "the challenger's source now wins" if wins else "no incumbent left"
        publish(change, replace(dispute, status="resolved"), "resolved", said)
        return True
    if {row.id for row in conflicts} != set(dispute.incumbents):
        moved = replace(dispute, incumbents=tuple(row.id for row in conflicts))
        publish(change, moved, "retargeted", "the incumbent changed")
    return False


def _elsewhere(change: Change, dispute: Dispute, challenger: Claim, joining: Sequence[Claim]) -> list[Claim]:
    """Incumbents of other cells: values that a rule of the registry excludes."""
    joined = [row.id for row in joining if row.polarity == challenger.polarity == "+"]
    keys = dict.fromkeys((*dispute.incumbents, *joined))
    rows = (change.ws.claims.get(key) for key in keys)
    return [row for row in rows if row is not None and row.status == "active" and row.cell != challenger.cell]


def _wins(change: Change, challenger: Claim, conflicts: list[Claim]) -> bool:
    strategy = change.rules.rule_for(change.slot.key).strategy
    opponents = [support for claim in conflicts for support in change.ws.supporters(claim)]
    if strategy == "recency" or not opponents:
        # A dispute under recency was opened by a weak alignment; age alone does not make it certain.
        return not opponents
    backers = change.ws.supporters(challenger)
    return any(_contest(change, backer, opponents, strategy) for backer in backers)


def _contest(change: Change, backer: Support, opponents: list[Support], strategy: str) -> bool:
    others = [
        row for row in change.ws.supporters(change.ws.claims[backer.claim_id]) if row.agent != backer.agent
    ]
    contest = Contest(
        change.slot.key, backer.agent, backer.order, backer.origins, others, opponents, change.rules
    )
    return contest_by(strategy, contest).verdict == "wins"


def _promote(change: Change, challenger: Claim, conflicts: list[Claim]) -> None:
    if challenger.value.type == "ending":
        end_by(change, conflicts, challenger, "dispute_won")
        return
    elsewhere = [row for row in conflicts if row.cell != challenger.cell]
    placed = place(change, challenger, "dispute_won")
    if placed.id == challenger.id and placed.status == "active":
        displace(change, elsewhere, placed, "dispute_won")


def _best_first(change: Change, cell: CellKey) -> list[Dispute]:
    """Heaviest supporter first, then the latest evidence, so that the promotion order is fixed."""

    def rank(dispute: Dispute) -> tuple[float, int, str]:
        backers = change.ws.supporters(change.ws.claims[dispute.challenger])
        weights = (change.rules.weight(row.agent, change.slot.key) or 0.0 for row in backers)
        latest = max((row.order.at_us for row in backers), default=0)
        return (-max(weights, default=0.0), -latest, str(dispute.id))

    return sorted(change.open_disputes(cell), key=rank)


def publish(change: Change, dispute: Dispute, step: DisputeChange, reason: str) -> Dispute:
    """Writes the dispute's next version and its event."""
    since = change.slot.version if step in ("opened", "retargeted") else dispute.parties_since
    dispute = replace(dispute, version=dispute.version + 1, reason=reason, parties_since=since)
    change.ws.put_dispute(dispute)
    _schedule(change, dispute)
    claims = change.ws.claims
    change.announcements.append(
        DisputeChanged(
            tenant=change.entity.key.tenant,
            entity=change.entity.key.entity,
            dispute_version=dispute.version,
            entity_version=change.entity.version,
            dispute_id=dispute.id,
            predicate=change.slot.key.predicate,
            scope=change.slot.key.scope,
            slot_version=max(change.slot.version, 1),
            change=step,
            strategy=dispute.strategy,
            policy_version=change.entity.policy,
            reason=reason,
            opened_at=dispute.opened_at,
            at=change.at,
            repeats=dispute.repeats,
            decided_by=change.record_id,
            content=DisputeContent(
                challenger=party(change, claims[dispute.challenger]),
                incumbents=tuple(party(change, claims[key]) for key in dispute.incumbents if key in claims),
                explanation=_explain(change, dispute, step, reason),
            ),
        )
    )
    return dispute


def _schedule(change: Change, dispute: Dispute) -> None:
    """Asks the timekeeper for the moments at which an open dispute is looked at again; a closed one needs none."""
    auto = change.rules.policy.auto
    for what, days in (("dispute_age", auto.age_days), ("dispute_expiry", auto.expiry_days)):
        if days is not None:
            at = dispute.opened_at + timedelta(days=days) if dispute.status == "open" else None
            change.ws.put_due(DueAt(change.entity.key, dispute.id, what, at))


def party(change: Change, claim: Claim) -> Party:
    supporters = tuple(row.agent for row in change.ws.supporters(claim))
    weights = [change.rules.weight(agent, change.slot.key) for agent in supporters]
    known = [weight for weight in weights if weight is not None]
    return Party(
        claim_id=claim.id,
        value=claim.value.text,
        value_key=claim.value.key,
        polarity=claim.polarity,
        supporters=supporters,
        weight=max(known) if known else None,
    )


def _explain(change: Change, dispute: Dispute, step: DisputeChange, reason: str) -> str:
    name = change.slot.key.predicate + (f"@{change.slot.key.scope}" if change.slot.key.scope else "")
    return f"{step}: {name} under {dispute.strategy}: {reason}"[:1024]
