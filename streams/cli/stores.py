"""The stores that commands ask, opened for the length of a command."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from processors.deciding.model import Claim, Decision, Dispute
from sinks.ledger_reads import LedgerReads
from streams.settings import Settings


@asynccontextmanager
async def open_reads(settings: Settings) -> AsyncIterator[LedgerReads]:
    """The ledger, for questions. Raises ConfigurationError, TransientError, each in one line for a person."""
    async with LedgerReads(
        settings.dsn.get_secret_value(), schema=settings.db_schema, timeout_s=settings.database_timeout_s
    ) as reads:
        yield reads


def claim_json(claim: Claim, supporters: tuple[str, ...]) -> dict[str, Any]:
    """A claim for a program: no vector, times in RFC 3339."""
    slot = claim.cell.slot
    return {
        "claim_id": claim.id,
        "tenant": slot.tenant,
        "entity": slot.entity,
        "predicate": slot.predicate,
        "scope": slot.scope,
        "value": claim.value.text,
        "value_key": claim.value.key,
        "value_type": claim.value.type,
        "polarity": claim.polarity,
        "status": claim.status,
        "reason": claim.reason,
        "kind": claim.kind,
        "confidence": claim.confidence,
        "valid_from": time_text(claim.valid_from),
        "valid_to": None if claim.valid_to is None else time_text(claim.valid_to),
        "last_confirmed": time_text(claim.last_confirmed),
        "supporters": supporters,
        "text": claim.text,
        "superseded_by": claim.superseded_by,
    }


def decision_json(decision: Decision) -> dict[str, Any]:
    """A decision for a program."""
    return {
        "id": decision.id,
        "number": decision.number,
        "case": decision.case,
        "outcome": decision.outcome,
        "rule": decision.rule,
        "strategy": decision.strategy,
        "claim_id": decision.claim_id,
        "changed": [{"claim_id": key, "status": status} for key, status in decision.changed],
        "agent": decision.agent,
        "at": time_text(decision.order.at),
        "versions": {
            "policy": decision.policy,
            "authority": decision.authority,
            "registry": decision.registry,
        },
        "detail": decision.detail,
    }


def dispute_json(dispute: Dispute, challenger: Claim, incumbents: tuple[Claim, ...]) -> dict[str, Any]:
    """A dispute for a program."""
    slot = dispute.cell.slot
    return {
        "dispute_id": dispute.id,
        "tenant": slot.tenant,
        "entity": slot.entity,
        "predicate": slot.predicate,
        "scope": slot.scope,
        "status": dispute.status,
        "strategy": dispute.strategy,
        "reason": dispute.reason,
        "opened_at": time_text(dispute.opened_at),
        "repeats": dispute.repeats,
        "challenger": {"claim_id": challenger.id, "value": value_text(challenger)},
        "incumbents": [{"claim_id": claim.id, "value": value_text(claim)} for claim in incumbents],
    }


def strategy_text(decision: Decision) -> str:
    """`` by recency of policy 1``: the strategy that decided and whose it is; empty when none was asked."""
    if not decision.strategy:
        return ""
    whose = (
        f"registry {decision.registry}" if decision.detail.get("strategy_of") else f"policy {decision.policy}"
    )
    return f" by {decision.strategy} of {whose}"


def value_text(claim: Claim) -> str:
    """The value as stated, with its polarity."""
    return claim.value.text if claim.polarity == "+" else f"not {claim.value.text}"


def time_text(moment: datetime) -> str:
    """RFC 3339 in UTC."""
    return moment.isoformat().replace("+00:00", "Z")
