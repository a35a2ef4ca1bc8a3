"""control: policies, authority and the registry become versions; who is who becomes rows and moves.

In the order of the control log. A command that cannot be carried out is a dead letter that says what to do instead.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

from processors.deciding.resettling import resettle_command
from processors.identity import Known, Lookup, lookup_of
from processors.identity.commands import Move, check_alias, check_assign, check_merge, check_split
from processors.identity.memory import MemoryIdentity
from processors.identity.model import Context
from processors.identity.moving import forward_ended, moved
from processors.registry import label_of, label_of_family, shipped
from processors.values.text import form
from schemas.base import read_object
from schemas.control import RegistrySet
from schemas.control_records import CONTROL_TOPIC, ControlRecord
from schemas.errors import KeyMismatch, PoisonError, UnreadableRecord
from schemas.facts import Mention
from schemas.identity import AliasSet, AssignUnresolved, MergeEntities, SplitEntity
from schemas.ids import event_uuid
from schemas.inbox import Versions
from sinks.identity_ports import IdentityChanges
from sinks.ports import Transaction
from streams.stage import InRecord, OutRecord
from streams.stages.outgoing import inbox_record
from streams.transactional import Applied, DeadLetter
from topics.partitioner import encode_key

IdentityCommand = MergeEntities | SplitEntity | AliasSet | AssignUnresolved
#: The commands about identity are numbered together, beside policy, authority and registry.
IDENTITY = "identity"


class Control:
    """The handler of the stage. ``prefix`` is the topic prefix."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    async def prepare(self, records: Sequence[InRecord]) -> list[ControlRecord | DeadLetter]:
        return [_read(record) for record in records]

    async def apply(self, tx: Transaction, items: Sequence[tuple[InRecord, ControlRecord]]) -> Applied:
        applied = Applied()
        for record, event in items:
            key = event_uuid(event.tenant, event.source, event.event_id)
            command = event if isinstance(event, IdentityCommand) else None
            kind = event.TYPE if command is None else IDENTITY
            version = await tx.add_control(event.tenant, kind, key, event.to_json())
            if version is None:
                tx.count("discarded", "duplicate_event")
                continue
            tx.count("versions", event.TYPE)
            if isinstance(event, RegistrySet):
                await self._resettle(tx, record, event, key, version, applied)
            if command is not None:
                # An invalid one raises: the batch is undone and comes again record by record.
                applied.send(record, *await self._identity(tx, record, command, key))
        return applied

    async def _resettle(
        self, tx: Transaction, record: InRecord, event: RegistrySet, key: UUID, version: int, applied: Applied
    ) -> None:
        """Asks the entities that hold a predicate in another number of values to settle its slots anew.

        What an entity makes of it is decided there: a later entry may be more special than one of a family.
        """
        wanted = {label_of(spec.name): spec.cardinality for spec in event.predicates}
        at = datetime.fromtimestamp(record.timestamp_ms / 1000, UTC)
        n = 0
        for slot, held in await tx.slots_held(event.tenant, wanted):
            now = wanted.get(slot.predicate) or wanted.get(label_of_family(slot.predicate))
            if now is None or now == held:
                continue
            command = resettle_command(slot, now, key, at, version)
            applied.send(record, inbox_record(command, self._prefix))
            n += 1
        # The equations count commands that come from outside; these are in the outbox.
        tx.count("commands", "sent_on", n)

    async def _identity(
        self, tx: Transaction, record: InRecord, command: IdentityCommand, key: UUID
    ) -> list[OutRecord]:
        await tx.identity.lock(command.tenant)
        view = await tx.identity.view(command.tenant, [lookup_for(command)])
        changes = IdentityChanges()
        out: list[OutRecord] = []
        if isinstance(command, AliasSet):
            changes.names.append(check_alias(command, view))
        else:
            move = check(command, view)
            at = datetime.fromtimestamp(record.timestamp_ms / 1000, UTC)
            if move.forward:
                changes.forwards.append((move.entity, move.to, key))
            if move.unforward:
                changes.forwards.append((move.to, None, key))
                ended = forward_ended(command, move, received_at=at, versions=Versions())
                out.append(inbox_record(ended, self._prefix))
            if move.mention:
                changes.moved += _renamed(view, move)
            sent = moved(command, command.type, move, received_at=at, versions=Versions())
            out.append(inbox_record(sent, self._prefix))
        await tx.identity.write(command.tenant, changes)
        return out


def check(command: MergeEntities | SplitEntity | AssignUnresolved, view: MemoryIdentity) -> Move:
    """The move that the command is. Raises InvalidCommand."""
    if isinstance(command, MergeEntities):
        return check_merge(command, view)
    return check_split(command, view) if isinstance(command, SplitEntity) else check_assign(command, view)


def lookup_for(command: IdentityCommand) -> Lookup:
    """What of the id map the command is checked against."""
    if isinstance(command, AliasSet):
        found = lookup_of(Mention(text=command.alias, type=command.alias_type), Context())
        return Lookup(found.family, found.keys, (), (command.entity,))
    if isinstance(command, MergeEntities):
        return Lookup("", (), (), (command.entity, command.into))
    if isinstance(command, SplitEntity):
        return Lookup("", (), (), (command.entity, command.new_entity))
    return Lookup("", (), (), (command.entity, command.unresolved))


def _renamed(view: MemoryIdentity, move: Move) -> list[tuple[Known, str]]:
    """The name that goes along with what was said under it, so that later mentions go there too."""
    rows = (row for row in view.names_of(move.entity) if row.entity == move.entity)
    return [(row, move.to) for row in rows if form(row.name.text) == form(move.mention)]


def _read(record: InRecord) -> ControlRecord | DeadLetter:
    try:
        body = read_object(record.value)
        kind = body.get("type")
        model = CONTROL_TOPIC.get(kind) if isinstance(kind, str) else None
        if model is None:
            raise UnreadableRecord(
                f"type {str(kind)[:40]!r}: the control log takes {', '.join(sorted(CONTROL_TOPIC))}"
            )
        event = model.from_object(body)
        if record.key != encode_key(event.tenant):
            raise KeyMismatch("the Kafka key of a control record is its tenant")
        if isinstance(event, RegistrySet):
            shipped().merged(event)  # raises what is wrong with it now, not when a proposal needs it
        return event
    except PoisonError as error:
        return DeadLetter(error)
