"""Records decided alone, through a ledger: commands, verdicts and due moments beside statements."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from processors.deciding.fold import fold
from processors.deciding.late import plan_late
from processors.deciding.model import Decision, SlotKey
from processors.deciding.others import fold_alone, is_alone, locate, plan_alone
from processors.deciding.working_set import LoadPlan, WorkingSet, plan
from schemas.commands import Command, CommandContent
from schemas.ids import fact_id
from schemas.inbox import Proposal, Versions
from schemas.inbox_records import InboxRecord
from sinks.ports import Ledger, Transaction
from tests.contract.ledger_world import LOG
from tests.unit.deciding.world import START, World


def slot(predicate: str = "office", entity: str = "user:u1") -> SlotKey:
    return SlotKey("t", entity, predicate, "")


def spoken(made: World, event: str, at: float, entity: str = "user:u1") -> dict[str, Any]:
    """The fields that every inbox record has; ``at`` in hours after START."""
    versions = Versions(policy=len(made.view.policies) - 1, authority=len(made.view.authorities) - 1)
    moment = START + timedelta(hours=at)
    return {
        "tenant": "t",
        "entity": entity,
        "id": fact_id("t", "s", event, 0),
        "source": "s",
        "event_id": event,
        "event_time": moment,
        "received_at": moment,
        "versions": versions,
    }


def command(made: World, event: str, action: str, at: float, **other: Any) -> Command:
    content = CommandContent(reason=other.pop("reason", ""))
    entity = other.pop("entity", "user:u1")
    fields = spoken(made, event, at, entity) | {"actor": "boss", "action": action, "content": content} | other
    return Command(**fields)


async def decide_in(tx: Transaction, made: World, record: InboxRecord) -> Decision:
    """One record, as adjudicate does it."""
    if is_alone(record):
        (found,) = await tx.locate([locate(record)])
        ws = await tx.load(plan_alone(record, found))
        fold_alone(ws, record, made.view, found)
    else:
        assert isinstance(record, Proposal)
        ws = await tx.load(plan([record]))
        late = plan_late(ws, [record])
        if late is not None:
            ws.merge(await tx.load(late))
        fold(ws, [record], made.view)
    await tx.flush(ws)
    return ws.decisions[-1]


async def decide(
    ledger: Ledger, made: World, records: Sequence[InboxRecord], batch: int = 1
) -> list[Decision]:
    """The decisions on the records, ``batch`` of them in one transaction."""
    found = []
    for start in range(0, len(records), batch):
        async with ledger.transaction(LOG) as tx:
            found += [await decide_in(tx, made, record) for record in records[start : start + batch]]
    return found


async def whole(ledger: Ledger, *slots: SlotKey) -> WorkingSet:
    """The slots, loaded whole."""
    owners = tuple(dict.fromkeys(key.owner for key in slots))
    async with ledger.transaction(LOG) as tx:
        return await tx.load(LoadPlan((), owners, slots, {}, (), whole=slots))


def disputed() -> World:
    """a outweighs b; boss outweighs both."""
    made = World()
    made.policy("authority", {"a": 0.9, "b": 0.2, "c": 0.3, "boss": 0.95})
    return made
