"""adjudicate: inbox records in, decisions into the ledger; claims, disputes, reviews and questions out.

No model is called and no clock is read: the inbox alone gives the same ledger again.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from processors.deciding.by_entity import by_entity, together
from processors.deciding.fold import fold
from processors.deciding.late import plan_late
from processors.deciding.limits import HELD_RULES
from processors.deciding.model import EntityKey
from processors.deciding.others import fold_alone, is_alone, locate, plan_alone
from processors.deciding.working_set import WorkingSet, apart, joined, parties, plan
from processors.identity.moving import proposal_at
from schemas.base import Event, read_object
from schemas.commands import Command
from schemas.errors import KeyMismatch, PoisonError, UnreadableRecord
from schemas.identity import Adopt
from schemas.inbox import Proposal, Versions
from schemas.inbox_records import INBOX_TOPIC, InboxRecord
from sinks.ports import Transaction
from streams.controls import Controls
from streams.stage import InRecord
from streams.stages.outgoing import published
from streams.transactional import Applied, DeadLetter
from topics.partitioner import encode_key

Item = tuple[InRecord, InboxRecord]


class Adjudicate:
    """The handler of the stage: load what the batch can touch, fold it, write what changed, publish what to tell."""

    def __init__(self, controls: Controls, prefix: str, *, silent: bool = False) -> None:
        """``silent``: decide and write, and publish nothing of it (replay)."""
        self._controls = controls
        self._prefix = prefix
        self._silent = silent

    async def prepare(self, records: Sequence[InRecord]) -> list[InboxRecord | DeadLetter]:
        return [_read(record) for record in records]

    async def apply(self, tx: Transaction, items: Sequence[tuple[InRecord, InboxRecord]]) -> Applied:
        applied = Applied()
        # Commands come from outside, everything else of the inbox out of an outbox: the equations tell them apart.
        tx.count("commands", "received", sum(isinstance(record, Command) for _, record in items))
        for part in rounds(items):
            told = await (self._alone(tx, part) if is_alone(part[0][1]) else self._statements(tx, part))
            await tx.flush(told.ws)
            for outcome, n in Counter(decision.outcome for decision in told.ws.decisions).items():
                tx.count("decided", outcome, n)
            for rule, n in Counter(row.rule for row in told.ws.decisions if row.rule in HELD_RULES).items():
                tx.count("held", rule, n)
            tx.count("discarded", "duplicate_record", len(part) - len(told.ws.decisions))
            tx.count("commands", "sent_on", sum(isinstance(event, Command) for event in told.ws.events))
            for because, events in () if self._silent else told.of_partition:
                applied.send(because, *(published(event, self._prefix) for event in events))
        return applied

    async def _statements(self, tx: Transaction, part: Sequence[Item]) -> "_Told":
        proposals = [record for _, record in part if isinstance(record, Proposal)]
        ws = await tx.load(plan(proposals))
        for more in (apart(ws, proposals), parties(ws), plan_late(ws, proposals)):
            if more is not None:
                ws.merge(await tx.load(more))
        await self._controls.ensure(tx, _versions(ws, proposals))
        told = _Told(ws, [])
        # Partition by partition (they have no entity in common): what a decision tells belongs to its partition.
        for because, mine in _by_partition(part):
            before = len(ws.events)
            fold(ws, mine, self._controls)
            told.of_partition.append((because, ws.events[before:]))
        return told

    async def _alone(self, tx: Transaction, part: Sequence[Item]) -> "_Told":
        """Records decided alone, of as many entities: loaded and written together, each decided on its own."""
        records = [record for _, record in part]
        found = await tx.locate([locate(record) for record in records])
        plans = [plan_alone(record, slots) for record, slots in zip(records, found, strict=True)]
        ws = await tx.load(joined(plans))
        await self._controls.ensure(tx, _versions(ws, records))
        parts = by_entity(ws)
        of_partition: dict[int, tuple[InRecord, list[Event]]] = {}
        for (because, record), slots in zip(part, found, strict=True):
            key = EntityKey(record.tenant, record.entity)
            mine = parts.setdefault(key, WorkingSet(decided=ws.decided))
            fold_alone(mine, record, self._controls, slots)
            of_partition.setdefault(because.partition, (because, []))[1].extend(mine.events)
        return _Told(together(parts.values()), list(of_partition.values()))


@dataclass(slots=True)
class _Told:
    """What was decided, and the events of it by partition, each with a record of that partition."""

    ws: WorkingSet
    of_partition: list[tuple[InRecord, list[Event]]]


def _by_partition(part: Sequence[Item]) -> Iterator[tuple[InRecord, list[Proposal]]]:
    found: dict[int, tuple[InRecord, list[Proposal]]] = {}
    for because, record in part:
        if isinstance(record, Proposal):
            found.setdefault(because.partition, (because, []))[1].append(record)
    yield from found.values()


def rounds(items: Iterable[Item]) -> list[list[Item]]:
    """The batch in parts that are decided in turn: statements, then records that are decided alone, and again.

    Only the order within an entity means something, so the parts are few however the records are mixed: each takes of
    every entity what comes next. A part of records decided alone has one of an entity at most.
    """
    parts: dict[tuple[int, bool], list[Item]] = {}
    at: dict[EntityKey, tuple[int, bool]] = {}
    for item in items:
        record = item[1]
        key, alone = EntityKey(record.tenant, record.entity), is_alone(record)
        turn, was_alone = at.get(key, (0, False))
        at[key] = (turn + was_alone, alone)
        parts.setdefault(at[key], []).append(item)
    return [parts[place] for place in sorted(parts)]


def _read(record: InRecord) -> InboxRecord | DeadLetter:
    try:
        body = read_object(record.value)
        kind = body.get("type")
        model = INBOX_TOPIC.get(kind) if isinstance(kind, str) else None
        if model is None:
            raise UnreadableRecord(
                f"type {str(kind)[:40]!r}: the inbox takes {', '.join(sorted(INBOX_TOPIC))}"
            )
        event = model.from_object(body)
        if record.key != encode_key(event.tenant, event.entity):
            raise KeyMismatch()
        return proposal_at(event) if isinstance(event, Adopt) else event
    except PoisonError as error:
        return DeadLetter(error)


def _versions(ws: WorkingSet, records: Sequence[InboxRecord]) -> list[tuple[str, Versions]]:
    """What the batch will be decided under: the stamps, and what its entities were decided under before."""
    needed = [(record.tenant, record.versions) for record in records]
    for record in records:
        entity = ws.entities.get(EntityKey(record.tenant, record.entity))
        if entity is not None:
            held = Versions(policy=entity.policy, authority=entity.authority, registry=entity.registry)
            needed.append((record.tenant, held))
    return list(dict.fromkeys(needed))
