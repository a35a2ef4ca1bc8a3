"""control: policies, authority and the registry become versions, in the order of the control log."""

from collections.abc import Sequence

from processors.registry import shipped
from schemas.base import read_object
from schemas.control import CONTROL, AuthoritySet, PolicySet, RegistrySet
from schemas.errors import KeyMismatch, PoisonError, UnreadableRecord
from schemas.ids import event_uuid
from sinks.ports import Transaction
from streams.stage import InRecord
from streams.transactional import Applied, DeadLetter
from topics.partitioner import encode_key

ControlRecord = PolicySet | AuthoritySet | RegistrySet


class Control:
    """The handler of the stage."""

    async def prepare(self, records: Sequence[InRecord]) -> list[ControlRecord | DeadLetter]:
        return [_read(record) for record in records]

    async def apply(self, tx: Transaction, items: Sequence[tuple[InRecord, ControlRecord]]) -> Applied:
        for _, event in items:
            key = event_uuid(event.tenant, event.source, event.event_id)
            version = await tx.add_control(event.tenant, event.TYPE, key, event.to_json())
            if version is None:
                tx.count("discarded", "duplicate_event")
            else:
                tx.count("versions", event.TYPE)
        return Applied()


def _read(record: InRecord) -> ControlRecord | DeadLetter:
    try:
        kind = read_object(record.value).get("type")
        model = CONTROL.get(kind) if isinstance(kind, str) else None
        if model is None:
            raise UnreadableRecord(
                f"type {str(kind)[:40]!r}: the control log takes {', '.join(sorted(CONTROL))}"
            )
        event = model.from_json(record.value)
        if record.key != encode_key(event.tenant):
            raise KeyMismatch("the Kafka key of a control record is its tenant")
        if isinstance(event, RegistrySet):
            shipped().merged(event)  # raises what is wrong with it now, not when a proposal needs it
        return event
    except PoisonError as error:
        return DeadLetter(error)
