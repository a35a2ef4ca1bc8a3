"""The inbox records that carry out a move, and the evidence that comes with them."""

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from processors.identity.commands import Move
from schemas.control import ControlEvent
from schemas.identity import Adopt, Moved
from schemas.ids import derived_id, event_uuid
from schemas.inbox import Proposal, Versions


def moved(
    command: ControlEvent,
    kind: Literal["merge", "split", "assign"],
    move: Move,
    *,
    received_at: datetime,
    versions: Versions,
) -> Moved:
    """The record for the inbox of ``move.entity``. Its time is the command's, else the moment it was received."""
    key = event_uuid(command.tenant, command.source, command.event_id)
    return Moved(
        tenant=command.tenant,
        entity=move.entity,
        id=derived_id(key, "moved"),
        source=command.source,
        event_id=command.event_id,
        event_time=command.at or received_at,
        received_at=received_at,
        versions=versions,
        to=move.to,
        command=kind,
        actor=command.actor,
        forward=move.forward,
        evidence=move.evidence,
        reason=command.reason,
    )


def adopted(record: Moved, proposals: Iterable[Proposal]) -> list[Adopt]:
    """One record for the inbox of ``record.to`` for each original proposal, in the order of evidence.

    The id follows from the original and the ``moved`` record: the same move gives the same ids, a second move of one
    piece of evidence gives another.
    """
    order = sorted(proposals, key=lambda row: (row.event_time, row.source, row.event_id, row.ordinal))
    return [
        Adopt(
            tenant=record.tenant,
            entity=record.to,
            id=derived_id(record.id, f"adopt:{row.id}"),
            source=record.source,
            event_id=record.event_id,
            event_time=row.event_time,
            received_at=record.received_at,
            versions=row.versions,
            moved_from=record.entity,
            moved_by=record.id,
            proposal=row,
        )
        for row in order
    ]


def proposal_at(adopt: Adopt) -> Proposal:
    """What is decided under the new entity: the original statement with the adoption's id.

    Its place in the order of evidence (event time, event key, ordinal) and its origins stay those of the original, so
    that whoever said it last is still the one who said it last.
    """
    return adopt.proposal.model_copy(update={"id": adopt.id, "entity": adopt.entity})


def forwarded(proposal: Proposal, to: str) -> Proposal:
    """A proposal that came for a merged entity, for the inbox of the one that stayed: same id, other key."""
    return proposal.model_copy(update={"entity": to})
