"""adjudicate: inbox records in, decisions into the ledger; claims, disputes, reviews and questions out.

No model is called and no clock is read: the inbox alone gives the same ledger again.
"""

from collections.abc import Iterator, Sequence

from processors.deciding.fold import fold
from processors.deciding.late import plan_late
from processors.deciding.model import EntityKey
from processors.deciding.others import fold_alone, is_alone, locate, plan_alone
from processors.deciding.working_set import WorkingSet, apart, parties, plan
from processors.identity.moving import proposal_at
from schemas.base import read_object
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


class Adjudicate:
    """The handler of the stage: load what the batch can touch, fold it, write what changed, publish what to tell."""

    def __init__(self, controls: Controls, prefix: str) -> None:
        self._controls = controls
        self._prefix = prefix

    async def prepare(self, records: Sequence[InRecord]) -> list[InboxRecord | DeadLetter]:
        return [_read(record) for record in records]

    async def apply(self, tx: Transaction, items: Sequence[tuple[InRecord, InboxRecord]]) -> Applied:
        applied = Applied()
        # Commands come from outside, everything else of the inbox out of an outbox: the equations tell them apart.
        tx.count("commands", "received", sum(isinstance(record, Command) for _, record in items))
        for run in runs([record for _, record in items]):
            alone = run[0] if is_alone(run[0]) else None
            ws = await (self._statements(tx, run) if alone is None else self._alone(tx, alone))
            await tx.flush(ws)
            for decision in ws.decisions:
                tx.count("decided", decision.outcome)
            tx.count("discarded", "duplicate_record", len(run) - len(ws.decisions))
            tx.count("commands", "sent_on", sum(isinstance(event, Command) for event in ws.events))
            applied.outgoing += [published(event, self._prefix) for event in ws.events]
        return applied

    async def _statements(self, tx: Transaction, run: Sequence[InboxRecord]) -> WorkingSet:
        proposals = [record for record in run if isinstance(record, Proposal)]
        ws = await tx.load(plan(proposals))
        for more in (apart(ws, proposals), parties(ws), plan_late(ws, proposals)):
            if more is not None:
                ws.merge(await tx.load(more))
        await self._controls.ensure(tx, _versions(ws, proposals))
        fold(ws, proposals, self._controls)
        return ws

    async def _alone(self, tx: Transaction, record: InboxRecord) -> WorkingSet:
        found = await tx.locate(locate(record))
        ws = await tx.load(plan_alone(record, found))
        await self._controls.ensure(tx, _versions(ws, [record]))
        fold_alone(ws, record, self._controls, found)
        return ws


def runs(records: Sequence[InboxRecord]) -> Iterator[list[InboxRecord]]:
    """The batch cut into runs of statements and single records that must be decided alone, in order."""
    run: list[InboxRecord] = []
    for record in records:
        if is_alone(record):
            if run:
                yield run
            yield [record]
            run = []
        else:
            run.append(record)
    if run:
        yield run


def _read(record: InRecord) -> InboxRecord | DeadLetter:
    try:
        kind = read_object(record.value).get("type")
        model = INBOX_TOPIC.get(kind) if isinstance(kind, str) else None
        if model is None:
            raise UnreadableRecord(
                f"type {str(kind)[:40]!r}: the inbox takes {', '.join(sorted(INBOX_TOPIC))}"
            )
        event = model.from_json(record.value)
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
