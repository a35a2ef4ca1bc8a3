"""A predicate that held one value holds many now, or the other way round: its slots are settled anew.

The registry's change goes forward like every other: an entity is decided under it from the first record that brings the
new version. A slot that was settled under the old number of values is then folded again with the new one, at a place of
its own in the inbox, so that a replay does it there too.
"""

from datetime import datetime
from uuid import UUID

from processors.deciding.change import Change, Ruling
from processors.deciding.model import SlotKey
from processors.deciding.refold import Replay, refold
from processors.deciding.statement import Statement
from schemas.base import SEPARATOR
from schemas.commands import Command, CommandContent
from schemas.facts import Cardinality
from schemas.ids import derived_id, event_uuid
from schemas.inbox import Versions

ACTOR = "registry"


def registered(change: Change) -> Cardinality | None:
    """The cardinality of the slot's predicate in the registry that the entity is decided under; None without one."""
    spec = change.rules.registry.get(change.slot.key.predicate)
    return spec.cardinality if spec is not None else None


def resettle(change: Change, again: Replay) -> Ruling:
    """Folds the slot again under its predicate's cardinality of now, each record under the policy of its day."""
    wanted = registered(change)
    if wanted is None or wanted == change.slot.cardinality:
        return Ruling("command", "NOOP", "settled already", None)
    change.detail["cardinality"] = [change.slot.cardinality, wanted]
    refold(change, change.slot.key, again, status="superseded", gone="resettled", cardinality=wanted)
    return Ruling("command", "APPLIED", "resettle", None)


def ask_to_resettle(statement: Statement) -> None:
    """Puts `resettle` into the entity's own inbox when a statement meets a slot of another cardinality.

    The statement itself is decided under the slot's. The id is the same for all statements of one version of the
    registry: the second is a duplicate.
    """
    if statement.cardinality == statement.slot.cardinality:
        return
    wanted = registered(statement)
    if wanted is None or wanted == statement.slot.cardinality:
        return
    slot, version = statement.slot.key, statement.entity.registry
    because = event_uuid(slot.tenant, ACTOR, str(version))
    command = resettle_command(slot, wanted, because, statement.at, version)
    if command.id not in statement.ws.decided:
        statement.ws.events.append(command)


def resettle_command(
    slot: SlotKey, wanted: Cardinality, because: UUID, at: datetime, version: int
) -> Command:
    """The command for one slot; ``because`` is the event that made the registry's ``version``, ``at`` its time."""
    name = derived_id(because, SEPARATOR.join(("resettle", *slot)))
    return Command(
        tenant=slot.tenant,
        entity=slot.entity,
        id=name,
        source=ACTOR,
        event_id=str(name),
        event_time=at,
        received_at=at,
        versions=Versions(registry=version),
        actor=ACTOR,
        action="resettle",
        predicate=slot.predicate,
        scope=slot.scope,
        content=CommandContent(
            reason=f"{slot.predicate} holds {wanted} in version {version} of the registry"
        ),
    )
