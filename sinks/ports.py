"""What the stages need from a ledger, as Protocols. `sinks.postgres` and `sinks.memory_ledger` implement them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol
from uuid import UUID

from processors.deciding.model import DueAt, SlotKey
from processors.deciding.others import Locate
from processors.deciding.working_set import LoadPlan, WorkingSet
from processors.digest import EntityRows
from schemas.facts import Cardinality
from sinks.identity_ports import IdentityReads, IdentityStore

Headers = tuple[tuple[str, bytes], ...]


class LogKey(NamedTuple):
    """One partition as read by one stage: what a progress row is about. `topic` is a full name."""

    stage: str
    topic: str
    partition: int


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a stage is in a partition.

    Everything before `next_offset` is done; everything before `published_offset` is also published.
    `last_offset` and `last_hash` name the last processed record, so that a log made anew is noticed.
    """

    next_offset: int = 0
    last_offset: int | None = None
    last_hash: bytes | None = None
    published_offset: int = 0


class Outgoing(Protocol):
    """A record to be published (`streams.stage.OutRecord` is one)."""

    @property
    def topic(self) -> str: ...
    @property
    def key(self) -> bytes: ...
    @property
    def value(self) -> bytes: ...
    @property
    def headers(self) -> Headers: ...


class OutboxRow(NamedTuple):
    """An outgoing record with its place: the last source offset of its batch, then its number within it."""

    source_offset: int
    ordinal: int
    topic: str
    key: bytes
    value: bytes
    headers: Headers


@dataclass(frozen=True, slots=True)
class DeadLetterRow:
    """Where a dead letter came from; never its text. `item` numbers several of one record, `event` is its event."""

    offset: int
    error_class: str
    attempts: int = 1
    item: int = 0
    tenant: str = ""
    event: UUID | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """The first extraction of an event; `id` is `schemas.ids.event_uuid`, `record` the facts record as published."""

    id: UUID
    tenant: str
    source: str
    event_id: str
    body_hash: bytes
    outcome: str
    n_facts: int
    record: bytes


@dataclass(frozen=True, slots=True)
class Resolution:
    """The first resolution of a fact; `body` is the inbox record as published."""

    fact_id: UUID
    tenant: str
    entity: str
    body: bytes


@dataclass(frozen=True, slots=True)
class ControlVersion:
    """One version on the control log; `body` is the event as received (JSON)."""

    tenant: str
    kind: str
    version: int
    event: UUID
    body: bytes


class Reads(Protocol):
    """What a stage may ask, inside its transaction or (`Ledger.snapshot`) before it. Missing ids are left out."""

    async def extractions(self, ids: Collection[UUID]) -> dict[UUID, Extraction]: ...

    async def resolutions(self, ids: Collection[UUID]) -> dict[UUID, Resolution]: ...

    async def control_heads(self, tenants: Collection[str]) -> dict[tuple[str, str], int]:
        """(tenant, kind) to the highest version; what was never set is left out."""
        ...

    async def control_log(self, tenant: str, kind: str, after: int = 0) -> list[ControlVersion]:
        """The versions above `after`, in order."""
        ...

    @property
    def identity(self) -> IdentityReads:
        """The id map."""
        ...

    async def predicates_held(self) -> list[tuple[str, str, Cardinality, int]]:
        """(tenant, predicate, cardinality, number of slots) of all slots of which something was said."""
        ...

    async def due_before(self, moment: datetime, limit: int) -> list[DueAt]:
        """What has come due up to `moment` and was not sent yet, oldest first, at most `limit`."""
        ...


class Transaction(Reads, Protocol):
    """One batch, of one partition or of several of one topic. Their progress rows are locked until the end."""

    #: In the order of the partitions.
    progress: Mapping[LogKey, Progress]

    @property
    def identity(self) -> IdentityStore: ...

    async def load(self, plan: LoadPlan) -> WorkingSet:
        """See LoadPlan for what comes. What this transaction has flushed is seen."""
        ...

    async def locate(self, wanted: Sequence[Locate]) -> list[list[SlotKey]]:
        """Per question the slots of the entity that a record decided alone is about, sorted, each once; ids of others
        find none.

        Of claims, disputes and retractions their slots ("*": all of the entity), of records the slots that they were
        decided on, of events the slots with evidence of them. Only slots of which something was said.
        """
        ...

    async def flush(self, ws: WorkingSet) -> None:
        """Writes what the fold changed; reviews among `ws.events` as well, other events are for the outbox.

        Raises IntegrityError when a record is decided already.
        """
        ...

    async def add_extractions(self, rows: Sequence[Extraction]) -> None: ...

    async def add_resolutions(self, rows: Sequence[Resolution]) -> None: ...

    async def add_control(self, tenant: str, kind: str, event: UUID, body: bytes) -> int | None:
        """The new version; None when the event is there already."""
        ...

    async def slots_held(self, tenant: str, predicates: Collection[str]) -> list[tuple[SlotKey, Cardinality]]:
        """The slots of these predicates (a name ending in ``*`` stands for all that begin so) with their cardinality,
        in order; without those of entities that were merged into another."""
        ...

    async def mark_due_sent(self, rows: Sequence[DueAt]) -> None:
        """Forgets them, unless their moment has changed meanwhile."""
        ...

    async def dead_letters(self, log: LogKey, rows: Sequence[DeadLetterRow]) -> None: ...

    def count(self, name: str, detail: str = "", n: int = 1) -> None:
        """Adds to a counter of the stage: `received`, `emitted` (topic), `discarded` (reason), ...

        It is kept with the first partition of the batch, so that workers do not wait for each other at its row: only
        the sum over the partitions means something.
        """
        ...

    async def enqueue(self, log: LogKey, source_offset: int, records: Sequence[Outgoing]) -> None:
        """Puts outgoing records behind those of earlier batches of the same partition."""
        ...

    async def advance(self, log: LogKey, progress: Progress) -> None:
        """Writes it; `published_offset` never goes back."""
        ...


class Ledger(Protocol):
    """A store of claims with transactions, progress and outbox."""

    async def open(self) -> None:
        """Connects, brings the schema up to date. Raises IntegrityError on a schema newer than the program."""
        ...

    async def close(self) -> None: ...

    def transaction(self, *logs: LogKey) -> AbstractAsyncContextManager[Transaction]:
        """All or nothing, for partitions of one stage and topic.

        Raises TransientError when the store is away or the transaction must be tried again.
        """
        ...

    def snapshot(self) -> AbstractAsyncContextManager[Reads]: ...

    async def register_log(self, stage: str, topic: str, cluster_id: str, partitions: int) -> None:
        """Remembers which log a stage reads; IntegrityError when it was another one (see `log_mismatch`)."""
        ...

    async def progress(self, log: LogKey) -> Progress | None:
        """None when the stage has not seen the partition."""
        ...

    async def unpublished(self, log: LogKey, limit: int) -> list[OutboxRow]:
        """The first rows (whole batches, at least one when there is one) at or after the published cursor."""
        ...

    async def mark_published(self, ends: Mapping[LogKey, int]) -> None:
        """Moves the published cursors, of partitions of one stage and topic, to at least the given offsets."""
        ...

    def entities(self, tenant: str | None = None) -> AsyncIterator[EntityRows]:
        """Every entity with all its rows, for digests and checks; None: of all tenants."""
        ...


def distinct(logs: Iterable[LogKey]) -> list[LogKey]:
    """The partitions of a transaction, each once, in the order in which they are locked.

    Raises ValueError when there is none, or when they are of several stages or topics.
    """
    ordered = sorted(set(logs))
    if len({(log.stage, log.topic) for log in ordered}) != 1:
        raise ValueError("a transaction is for partitions of one stage and topic")
    return ordered


def log_mismatch(stage: str, topic: str, known: tuple[str, int], found: tuple[str, int]) -> str | None:
    """Why a stage must not go on, None when it may. Pairs of (cluster id, number of partitions)."""
    if known[0] and found[0] and known[0] != found[0]:
        return (
            f"{stage}: the ledger follows {topic} of Kafka cluster {known[0]}, this is cluster {found[0]}; connect "
            "to the cluster it was made from, or replay into a fresh schema"
        )
    if known[1] != found[1]:
        return (
            f"{stage}: {topic} had {known[1]} partitions and now has {found[1]}, so keys moved to other partitions "
            "and their order is lost; set it back, or replay into a fresh schema"
        )
    return None
