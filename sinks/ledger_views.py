"""Answers of `sinks.ledger_reads`, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

from processors.deciding.model import Claim, Decision, Dispute, Ending, Evidence, Slot, Support


class Step(NamedTuple):
    """One decision and the observation it was about."""

    decision: Decision
    evidence: Evidence | None


@dataclass(frozen=True, slots=True)
class SlotChain:
    """Why a slot holds what it holds. `steps` are in the order of the decisions, `claims` in that of evidence."""

    slot: Slot
    steps: tuple[Step, ...]
    claims: tuple[Claim, ...]
    supports: tuple[Support, ...]
    endings: tuple[Ending, ...]
    disputes: tuple[Dispute, ...]


class DisputeView(NamedTuple):
    """A dispute with the claims it names."""

    dispute: Dispute
    challenger: Claim
    incumbents: tuple[Claim, ...]


class FactStatus(NamedTuple):
    """Where a fact is: `entity` once it is resolved, the rest once it is decided."""

    id: UUID
    entity: str | None = None
    case: str | None = None
    outcome: str | None = None
    claim_id: UUID | None = None


class Decided(NamedTuple):
    """What came of one inbox record."""

    outcome: str
    rule: str
    detail: dict[str, Any]


class DeadLetterOrigin(NamedTuple):
    stage: str
    topic: str
    partition: int
    offset: int
    item: int
    error_class: str
    attempts: int


class EventStatus(NamedTuple):
    """`outcome` of the extraction (`facts`, `no_facts`, `failed`), None while the event is not extracted."""

    outcome: str | None
    facts: tuple[FactStatus, ...]
    dead_letters: tuple[DeadLetterOrigin, ...]

    @property
    def done(self) -> bool:
        """Nothing is under way: every fact is decided or a dead letter, or there is none, or the event is one."""
        waiting = sum(fact.outcome is None for fact in self.facts)
        if self.outcome is None:
            return bool(self.dead_letters)
        return waiting <= len(self.dead_letters)


class StoredCounter(NamedTuple):
    stage: str
    topic: str
    name: str
    detail: str
    n: int


@dataclass(frozen=True, slots=True)
class LedgerCounts:
    """`tables`: rows by table and by what the equations name (facts, active_claims, open_disputes)."""

    tables: dict[str, int]
    counters: tuple[StoredCounter, ...]

    def counter(self, stage: str, name: str, detail: str | None = None) -> int:
        """The sum of a stage's counter, over all details when none is given."""
        return sum(
            row.n
            for row in self.counters
            if row.stage == stage and row.name == name and detail in (None, row.detail)
        )


class ProgressRow(NamedTuple):
    stage: str
    topic: str
    partition: int
    next_offset: int
    published_offset: int
