"""adjudicate: inbox records in, decisions into the ledger; claims, disputes and reviews out. No model is called."""

from collections.abc import Sequence

from processors.deciding.fold import fold
from processors.deciding.model import EntityKey
from processors.deciding.working_set import WorkingSet, plan
from schemas.base import check_version, read_object
from schemas.errors import KeyMismatch, PoisonError, UnreadableRecord
from schemas.inbox import INBOX, Proposal, Versions
from sinks.ports import Transaction
from streams.controls import Controls
from streams.stage import InRecord
from streams.stages.outgoing import ledger_record
from streams.transactional import Applied, DeadLetter
from topics.partitioner import encode_key


class Adjudicate:
    """The handler of the stage: load what the batch can touch, fold it, write what changed, publish what to tell."""

    def __init__(self, controls: Controls, prefix: str) -> None:
        self._controls = controls
        self._prefix = prefix

    async def prepare(self, records: Sequence[InRecord]) -> list[Proposal | DeadLetter]:
        return [_read(record) for record in records]

    async def apply(self, tx: Transaction, items: Sequence[tuple[InRecord, Proposal]]) -> Applied:
        proposals = [proposal for _, proposal in items]
        ws = await tx.load(plan(proposals))
        await self._controls.ensure(tx, _versions(ws, proposals))
        duplicates = fold(ws, proposals, self._controls)
        await tx.flush(ws)
        if duplicates:
            tx.count("discarded", "duplicate_record", duplicates)
        for decision in ws.decisions:
            tx.count("decided", decision.outcome)
        return Applied([ledger_record(event, self._prefix) for event in ws.events])


def _read(record: InRecord) -> Proposal | DeadLetter:
    try:
        body = read_object(record.value)
        kind = body.get("type")
        model = INBOX.get(kind) if isinstance(kind, str) else None
        if model is None:
            raise UnreadableRecord(f"type {str(kind)[:40]!r}: the inbox takes {', '.join(sorted(INBOX))}")
        check_version(body, model)
        proposal = model.from_json(record.value)
        if record.key != encode_key(proposal.tenant, proposal.entity):
            raise KeyMismatch()
        return proposal
    except PoisonError as error:
        return DeadLetter(error)


def _versions(ws: WorkingSet, proposals: Sequence[Proposal]) -> list[tuple[str, Versions]]:
    """What the batch will be decided under: the stamps, and what its entities were decided under before."""
    needed = [(proposal.tenant, proposal.versions) for proposal in proposals]
    for proposal in proposals:
        entity = ws.entities.get(EntityKey(proposal.tenant, proposal.entity))
        if entity is not None:
            held = Versions(policy=entity.policy, authority=entity.authority, registry=entity.registry)
            needed.append((proposal.tenant, held))
    return needed
