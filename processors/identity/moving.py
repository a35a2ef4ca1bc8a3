"""The inbox records that carry out a move, and the evidence that comes with them."""

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from processors.identity.commands import Move
from schemas.control import ControlEvent
from schemas.errors import PoisonError
from schemas.identity import Adopt, ForwardEnded, Moved
from schemas.ids import derived_id, event_uuid
from schemas.inbox import MAX_HOPS, Adopted, Proposal, Versions


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
        restores=move.unforward,
        evidence=move.evidence,
        mention=move.mention,
        resolved_as=move.resolved_as,
        reason=command.reason,
    )


def forward_ended(
    command: ControlEvent, move: Move, *, received_at: datetime, versions: Versions
) -> ForwardEnded:
    """The record for the inbox of ``move.to``, which was merged and stands for itself again."""
    key = event_uuid(command.tenant, command.source, command.event_id)
    return ForwardEnded(
        tenant=command.tenant,
        entity=move.to,
        id=derived_id(key, "forward_ended"),
        source=command.source,
        event_id=command.event_id,
        event_time=command.at or received_at,
        received_at=received_at,
        versions=versions,
        actor=command.actor,
        reason=command.reason,
    )


def adopted(record: Moved, proposals: Iterable[Proposal]) -> list[Adopt]:
    """One record for the inbox of ``record.to`` for each original proposal, in the order of evidence.

    The id follows from the original and the ``moved`` record: the same move gives the same ids, a second move of one
    piece of evidence gives another. A merge and its undoing leave what the statement was resolved as; with a split or
    an assignment a person has resolved it anew.
    """
    kept = record.command == "merge" or record.resolved_as
    rows = proposals if kept else (row.model_copy(update={"resolved_as": record.to}) for row in proposals)
    order = sorted(rows, key=lambda row: (row.event_time, row.source, row.event_id, row.ordinal))
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
    that whoever said it last is still the one who said it last. It keeps what it was first resolved as.
    """
    row = adopt.proposal
    before = row.adopted
    adopted_by = Adopted(
        original=before.original if before is not None else row.id,
        moved_from=adopt.moved_from,
        moved_by=adopt.moved_by,
        hops=adopt.hops,
    )
    return row.model_copy(
        update={
            "id": adopt.id,
            "entity": adopt.entity,
            "resolved_as": row.resolved_as or row.entity,
            "adopted": adopted_by,
        }
    )


def forwarded(proposal: Proposal, to: str) -> Adopt:
    """A statement that came for a merged entity, for the inbox of the one that stayed.

    The id follows from the proposal's, so that it is the same whenever it is sent. Raises PoisonError after
    ``MAX_HOPS`` hops.
    """
    hops = 1 + (proposal.adopted.hops if proposal.adopted is not None else 0)
    if hops > MAX_HOPS:
        raise PoisonError(
            f"proposal {proposal.id} was forwarded {MAX_HOPS} times, at last from {proposal.entity} to {to}; merge the "
            "entities again in one step, then redrive it"
        )
    return Adopt(
        tenant=proposal.tenant,
        entity=to,
        id=derived_id(proposal.id, f"forwarded:{to}"),
        source=proposal.source,
        event_id=proposal.event_id,
        event_time=proposal.event_time,
        received_at=proposal.received_at,
        versions=proposal.versions,
        moved_from=proposal.entity,
        hops=hops,
        proposal=proposal,
    )
