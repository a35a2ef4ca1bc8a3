"""What the ledger holds, as plain values.

A *cell* is where claims compete: the whole slot when its cardinality is ``one``, one value of it when ``many``.
So at most one claim of a cell is active, and an agent supports at most one claim of a cell.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple
from uuid import UUID

from schemas.claims import Status
from schemas.facts import Basis, Cardinality, Kind, Polarity
from schemas.values import TypedValue

#: Later than every moment; a day short of the last one, so that no zone's offset overflows it.
FOREVER = datetime(9999, 12, 30, tzinfo=UTC)
#: Before anything was said.
BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
LIVE: frozenset[Status] = frozenset({"active", "disputed", "candidate", "scheduled"})


class Order(NamedTuple):
    """The order of evidence: (event time in microseconds since 1970 UTC, source, event id, ordinal). No ties."""

    at_us: int
    source: str
    event_id: str
    ordinal: int

    @property
    def at(self) -> datetime:
        return datetime.fromtimestamp(self.at_us // 1_000_000, UTC).replace(
            microsecond=self.at_us % 1_000_000
        )


def microseconds(moment: datetime) -> int:
    """Exact microseconds since 1970 UTC (``timestamp()`` would round)."""
    delta = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


class EntityKey(NamedTuple):
    tenant: str
    entity: str


class SlotKey(NamedTuple):
    tenant: str
    entity: str
    predicate: str
    scope: str

    @property
    def owner(self) -> EntityKey:
        return EntityKey(self.tenant, self.entity)

    @property
    def pattern_name(self) -> str:
        """What policy patterns match: ``<entity type>.<predicate>``."""
        return f"{self.entity.split(':', 1)[0]}.{self.predicate}"


class CellKey(NamedTuple):
    slot: SlotKey
    #: The value key in a ``many`` slot, empty in a ``one`` slot.
    value_key: str


@dataclass(slots=True)
class Entity:
    """Per entity: the dense version of its claim events, the number of decisions, the highest control versions."""

    key: EntityKey
    version: int = 0
    decisions: int = 0
    policy: int = 0
    authority: int = 0
    registry: int = 0
    #: The entity that it was merged into; empty while it stands for itself.
    moved_to: str = ""
    #: Agent to what it said of late (processors.deciding.limits). Replaced, never changed in place.
    rates: dict[str, list[int]] = field(default_factory=dict)


def versions_of(held: "Entity | Decision") -> tuple[int, int, int]:
    """The versions of policy, authority and registry."""
    return held.policy, held.authority, held.registry


@dataclass(slots=True)
class Slot:
    key: SlotKey
    cardinality: Cardinality
    version: int = 0
    #: How many records it has, and the latest of them in the order of evidence.
    records: int = 0
    latest: Order | None = None
    #: True once something was said of it that concerns other values too: a denial, an end, a value within another.
    tangled: bool = False


@dataclass(slots=True)
class Claim:
    id: UUID
    cell: CellKey
    value: TypedValue
    polarity: Polarity
    kind: Kind
    basis: Basis
    status: Status
    #: Why it has this status: ``low_confidence``, ``inferred``, ``late``, ``replaced``, ...
    reason: str
    text: str
    vector: str
    embedding_model: str
    confidence: float
    valid_from: datetime
    valid_to: datetime | None
    last_confirmed: datetime
    #: Order of the evidence that created it.
    order: Order
    #: Slot version at which it was created.
    slot_version: int
    #: The inbox record that created it, and the one that decided its present status.
    created_by: UUID
    decided_by: UUID
    superseded_by: UUID | None = None
    #: True when its predicate was aligned by similarity only: such a claim never supersedes.
    weak: bool = False

    @property
    def live(self) -> bool:
        return self.status in LIVE

    @property
    def away(self) -> bool:
        """Whether what it rested on turned out to be about another entity: here it was never said."""
        return self.status == "superseded" and self.reason == "moved"

    @property
    def reach(self) -> datetime:
        """How late a fact may still meet this claim: for ever while live, else its end, else its last confirmation."""
        if self.status in LIVE:
            return FOREVER
        return max(self.valid_from if self.valid_to is None else self.valid_to, self.last_confirmed)


@dataclass(slots=True)
class Support:
    """The latest assertion of one agent in one cell, in the order of evidence; it supports that claim."""

    cell: CellKey
    agent: str
    claim_id: UUID
    order: Order
    confidence: float
    origins: tuple[str, ...]


@dataclass(slots=True)
class Ending:
    """The latest "no longer" on a value of a slot (``value_key`` empty: on whatever it holds)."""

    slot: SlotKey
    value_key: str
    agent: str
    order: Order
    ended_at: datetime
    record_id: UUID


@dataclass(slots=True)
class Dispute:
    id: UUID
    cell: CellKey
    challenger: UUID
    incumbents: tuple[UUID, ...]
    status: str
    strategy: str
    reason: str
    policy_version: int
    opened_at: datetime
    opened_by: UUID
    version: int = 0
    repeats: int = 0
    #: The slot's version when the parties last changed: a command that names an older one is stale.
    parties_since: int = 0


@dataclass(slots=True)
class Standing:
    """A person's ruling on a value of a slot: it stands against the same evidence told again.

    ``rejected``: the value lost a dispute; ``apart``: it was no conflict, statements of it go to ``scope``.
    ``agents``, ``origins`` and ``weight`` are what stood behind the value when it was ruled on.
    """

    slot: SlotKey
    value_key: str
    polarity: Polarity
    ruling: Literal["rejected", "apart"]
    scope: str
    agents: tuple[str, ...]
    origins: tuple[str, ...]
    weight: float | None
    actor: str
    order: Order
    record_id: UUID


@dataclass(slots=True)
class Retraction:
    """What was taken back: every statement of the value (``value_key`` empty: of any) up to ``up_to``.

    ``id`` is the inbox record that retracted; ``undone`` once it was restored.
    """

    id: UUID
    slot: SlotKey
    value_key: str
    up_to: datetime
    actor: str
    reason: str
    undone: bool = False


@dataclass(frozen=True, slots=True)
class Pending:
    """A claim that waits for a judge: which claims the question was about, in which round."""

    claim_id: UUID
    slot: SlotKey
    asked: tuple[UUID, ...]
    round: int


@dataclass(frozen=True, slots=True)
class DueAt:
    """A moment at which something about a claim or a dispute comes due. ``at`` None: no longer."""

    owner: EntityKey
    target: UUID
    what: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Story:
    """One inbox record of a slot, with its place among the entity's decisions.

    ``id`` is its decision's: a record that a ruling moved to another slot has an id of its own there. ``versions`` are
    those of policy, authority and registry that it was decided under.
    """

    number: int
    body: bytes
    id: UUID | None = None
    versions: tuple[int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """One observation, append-only; ``id`` is the inbox record's."""

    id: UUID
    slot: SlotKey
    claim_id: UUID | None
    agent: str
    order: Order
    origins: tuple[str, ...]
    confidence: float
    basis: Basis
    polarity: Polarity
    ended: bool
    value_key: str
    mention: str
    label: str
    match: str
    text: str
    quote: str
    received_at: datetime
    #: The inbox record as JSON: a slot can be folded again from its evidence.
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about one inbox record, and why. Append-only; ``id`` is the inbox record's."""

    id: UUID
    slot: SlotKey
    #: Position among the entity's decisions, from 1, dense.
    number: int
    case: str
    outcome: str
    rule: str
    claim_id: UUID | None
    #: Claims whose status changed, with the new status.
    changed: tuple[tuple[UUID, str], ...]
    slot_version: int
    strategy: str
    policy: int
    authority: int
    registry: int
    agent: str
    order: Order
    detail: dict[str, Any] = field(default_factory=dict)


def earliest(moments: Iterable[datetime]) -> datetime | None:
    """The smallest moment, None when there is none."""
    return min(moments, default=None)
