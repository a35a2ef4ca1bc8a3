"""A canonical digest of what is believed and why: equal ledgers give equal digests, on any machine and store.

It covers every column of the entity's rows, vectors too; Kafka offsets, the outbox, counters, wall times
(``received_at``) and the bodies of inbox records, which hold such times, are left out. So are the moments that the
timekeeper waits for: which of them it has sent is a matter of the clock.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any

from processors.deciding.model import (
    Claim,
    Decision,
    Dispute,
    Ending,
    Entity,
    Evidence,
    Pending,
    Retraction,
    Slot,
    SlotKey,
    Standing,
    Support,
    microseconds,
)
from schemas.base import canonical_json

_MODULUS = 1 << 256


@dataclass(slots=True)
class EntityRows:
    """Every row of one entity, in any order."""

    entity: Entity
    slots: list[Slot] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    supports: list[Support] = field(default_factory=list)
    endings: list[Ending] = field(default_factory=list)
    disputes: list[Dispute] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    standings: list[Standing] = field(default_factory=list)
    retractions: list[Retraction] = field(default_factory=list)
    pending: list[Pending] = field(default_factory=list)


def canonical_rows(rows: EntityRows) -> dict[str, Any]:
    """The rows as plain JSON values, each list in a fixed order."""
    entity = rows.entity
    return {
        "entity": [
            *entity.key,
            entity.version,
            entity.decisions,
            entity.policy,
            entity.authority,
            entity.registry,
            entity.moved_to,
        ],
        "slots": sorted((_held_slot(row) for row in rows.slots), key=canonical_json),
        "claims": sorted((_claim(row) for row in rows.claims), key=_by_id),
        "supports": sorted((_support(row) for row in rows.supports), key=canonical_json),
        "endings": sorted((_ending(row) for row in rows.endings), key=canonical_json),
        "disputes": sorted((_dispute(row) for row in rows.disputes), key=_by_id),
        # A record may be evidence in several slots.
        "evidence": sorted((_evidence(row) for row in rows.evidence), key=canonical_json),
        "decisions": sorted((_decision(row) for row in rows.decisions), key=_by_id),
        "standings": sorted((_standing(row) for row in rows.standings), key=canonical_json),
        "retractions": sorted((_retraction(row) for row in rows.retractions), key=canonical_json),
        "pending": sorted((_pending(row) for row in rows.pending), key=canonical_json),
    }


def entity_digest(rows: EntityRows) -> str:
    """SHA-256 over the canonical JSON of the entity's rows, in hexadecimal."""
    return sha256(canonical_json(canonical_rows(rows))).hexdigest()


class LedgerDigest:
    """The digest of a whole ledger, fed one entity at a time in any order.

    The sum modulo 2^256 of the entities' digests and their number (AdHash, Bellare and Micciancio 1997): made to
    tell ledgers apart, not to withstand someone who forges one.
    """

    def __init__(self) -> None:
        self._sum = 0
        self.n = 0

    def add(self, rows: EntityRows) -> str:
        """Adds an entity; returns its digest."""
        digest = entity_digest(rows)
        self._sum = (self._sum + int(digest, 16)) % _MODULUS
        self.n += 1
        return digest

    def hexdigest(self) -> str:
        return sha256(f"{self.n}:{self._sum:064x}".encode()).hexdigest()


def ledger_digest(entities: Iterable[EntityRows]) -> str:
    """The digest of all entities, whatever their order."""
    digest = LedgerDigest()
    for rows in entities:
        digest.add(rows)
    return digest.hexdigest()


def _by_id(row: dict[str, Any]) -> str:
    return str(row["id"])


def _slot(key: SlotKey) -> list[str]:
    # The tenant and the entity are the same for all rows.
    return [key.predicate, key.scope]


def _held_slot(row: Slot) -> list[Any]:
    latest = None if row.latest is None else list(row.latest)
    return [*_slot(row.key), row.cardinality, row.version, row.records, latest, row.tangled]


def _claim(row: Claim) -> dict[str, Any]:
    return {
        "id": str(row.id),
        "cell": [*_slot(row.cell.slot), row.cell.value_key],
        "value": [row.value.type, row.value.text, row.value.key, *row.value.within],
        "polarity": row.polarity,
        "kind": row.kind,
        "basis": row.basis,
        "status": row.status,
        "reason": row.reason,
        "text": row.text,
        "vector": row.vector,
        "embedding_model": row.embedding_model,
        "confidence": row.confidence,
        "valid": [_micro(row.valid_from), _micro(row.valid_to), _micro(row.last_confirmed)],
        "order": list(row.order),
        "slot_version": row.slot_version,
        "created_by": str(row.created_by),
        "decided_by": str(row.decided_by),
        "superseded_by": str(row.superseded_by),
        "weak": row.weak,
    }


def _support(row: Support) -> dict[str, Any]:
    return {
        "cell": [*_slot(row.cell.slot), row.cell.value_key],
        "agent": row.agent,
        "claim": str(row.claim_id),
        "order": list(row.order),
        "confidence": row.confidence,
        "origins": row.origins,
    }


def _ending(row: Ending) -> dict[str, Any]:
    return {
        "slot": _slot(row.slot),
        "value_key": row.value_key,
        "agent": row.agent,
        "order": list(row.order),
        "ended_at": _micro(row.ended_at),
        "record": str(row.record_id),
    }


def _dispute(row: Dispute) -> dict[str, Any]:
    return {
        "id": str(row.id),
        "cell": [*_slot(row.cell.slot), row.cell.value_key],
        "challenger": str(row.challenger),
        "incumbents": [str(key) for key in row.incumbents],
        "status": [row.status, row.strategy, row.reason],
        "policy": row.policy_version,
        "opened": [_micro(row.opened_at), str(row.opened_by)],
        "version": row.version,
        "repeats": row.repeats,
        "parties_since": row.parties_since,
    }


def _evidence(row: Evidence) -> dict[str, Any]:
    return {
        "id": str(row.id),
        "slot": _slot(row.slot),
        "claim": str(row.claim_id),
        "agent": row.agent,
        "order": list(row.order),
        "origins": row.origins,
        "confidence": row.confidence,
        "said": [row.basis, row.polarity, row.ended, row.value_key, row.mention, row.label, row.match],
        "text": [row.text, row.quote],
    }


def _decision(row: Decision) -> dict[str, Any]:
    return {
        "id": str(row.id),
        "slot": _slot(row.slot),
        "number": row.number,
        "ruling": [row.case, row.outcome, row.rule, str(row.claim_id), row.strategy],
        "changed": [[str(key), status] for key, status in row.changed],
        "slot_version": row.slot_version,
        "control": [row.policy, row.authority, row.registry],
        "agent": row.agent,
        "order": list(row.order),
        "detail": row.detail,
    }


def _standing(row: Standing) -> dict[str, Any]:
    return {
        "slot": _slot(row.slot),
        "value": [row.value_key, row.polarity],
        "ruling": [row.ruling, row.scope, row.actor, str(row.record_id)],
        "agents": row.agents,
        "origins": row.origins,
        "weight": row.weight,
        "order": list(row.order),
    }


def _retraction(row: Retraction) -> dict[str, Any]:
    return {
        "id": str(row.id),
        "slot": _slot(row.slot),
        "value_key": row.value_key,
        "up_to": _micro(row.up_to),
        "said": [row.actor, row.reason],
        "undone": row.undone,
    }


def _pending(row: Pending) -> dict[str, Any]:
    return {
        "claim": str(row.claim_id),
        "slot": _slot(row.slot),
        "asked": [str(key) for key in row.asked],
        "round": row.round,
    }


def _micro(moment: datetime | None) -> int | None:
    return None if moment is None else microseconds(moment)
