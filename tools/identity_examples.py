"""Examples of the events about who is who: two entities are one, and what of that reaches their inboxes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from processors.identity.commands import check_merge
from processors.identity.memory import MemoryIdentity
from processors.identity.moving import adopted, moved
from schemas.base import Event
from schemas.identity import AliasSet, AssignUnresolved, ForwardEnded, MergeEntities, SplitEntity
from schemas.ids import derived_id, event_uuid
from schemas.inbox import Proposal

TENANT: Final = "acme"
AT: Final = datetime(2026, 3, 3, 9, 0, tzinfo=UTC)

MERGE: Final = MergeEntities(
    tenant=TENANT,
    event_id="merge-1",
    at=AT,
    reason="one account, two logins",
    entity="user:u1",
    into="user:u1-work",
)
SPLIT: Final = SplitEntity(
    tenant=TENANT,
    event_id="split-1",
    at=AT + timedelta(days=1),
    reason="they are two after all",
    entity="user:u1-work",
    new_entity="user:u1",
)
ALIAS: Final = AliasSet(
    tenant=TENANT, event_id="alias-1", at=AT, alias="HQ", alias_type="place", entity="place:harbor-street-1"
)
ASSIGN: Final = AssignUnresolved(
    tenant=TENANT,
    event_id="assign-1",
    at=AT,
    unresolved="unresolved:the-office",
    entity="place:harbor-street-1",
)


def identity_examples(decided: Proposal) -> tuple[Event, ...]:
    """The four commands; what the merge puts into the inboxes when `decided` is the evidence of its entity."""
    move = check_merge(MERGE, MemoryIdentity())
    sent = moved(MERGE, "merge", move, received_at=AT, versions=decided.versions)
    ended = ForwardEnded(
        tenant=TENANT,
        entity=SPLIT.new_entity,
        id=derived_id(event_uuid(TENANT, SPLIT.source, SPLIT.event_id), "forward_ended"),
        source=SPLIT.source,
        event_id=SPLIT.event_id,
        event_time=AT + timedelta(days=1),
        received_at=AT + timedelta(days=1),
        versions=decided.versions,
        reason=SPLIT.reason,
    )
    return (MERGE, SPLIT, ALIAS, ASSIGN, sent, *adopted(sent, [decided]), ended)
