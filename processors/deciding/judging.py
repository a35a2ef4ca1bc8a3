"""Asking a judge: both sides with their evidence, as one request."""

from processors.deciding.model import Claim, Pending
from processors.deciding.statement import Statement
from schemas.ids import derived_id
from schemas.judge import JudgeContent, JudgeRequest, Side


def ask(statement: Statement, claim: Claim, conflicts: list[Claim], round_: int) -> None:
    """Sends the request and remembers which claims it was about."""
    statement.ws.put_pending(
        Pending(claim.id, statement.slot.key, tuple(row.id for row in conflicts), round_)
    )
    statement.announcements.append(
        JudgeRequest(
            tenant=statement.entity.key.tenant,
            entity=statement.entity.key.entity,
            request_id=derived_id(statement.proposal.id, f"judge{round_}"),
            proposal_id=statement.proposal.id,
            predicate=statement.slot.key.predicate,
            scope=statement.slot.key.scope,
            slot_version=statement.slot.version,
            round=round_,
            event_time=statement.proposal.event_time,
            policy_version=statement.entity.policy,
            content=JudgeContent(
                proposed=_side(statement, claim, (statement.agent,), statement.origins()),
                held=tuple(_held(statement, row) for row in conflicts),
            ),
        )
    )


def _held(statement: Statement, claim: Claim) -> Side:
    rows = statement.ws.supporters(claim)
    origins = dict.fromkeys(name for row in rows for name in row.origins)
    return _side(statement, claim, tuple(row.agent for row in rows), tuple(origins))


def _side(statement: Statement, claim: Claim, agents: tuple[str, ...], origins: tuple[str, ...]) -> Side:
    return Side(
        claim_id=claim.id,
        text=claim.text,
        value=claim.value.text,
        polarity=claim.polarity,
        agents=agents,
        origins=origins,
        since=claim.valid_from,
    )
