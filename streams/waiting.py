"""Waiting until the pipeline is through with something that was published."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar
from uuid import UUID

from schemas.errors import ClaimstreamError
from schemas.ids import event_uuid
from sinks.ledger_reads import LedgerReads
from sinks.ledger_views import Decided, EventStatus
from streams.envelope import Control

_FIRST_POLL_S: Final = 0.02
_LAST_POLL_S: Final = 0.5
Answer = TypeVar("Answer")


class NotYet(ClaimstreamError):
    """The pipeline was not through in time."""


async def until_decided(
    reads: LedgerReads, tenant: str, source: str, event_id: str, timeout_s: float
) -> EventStatus:
    """Where the event is once nothing of it is under way. Raises NotYet, naming the stage it waits for."""
    status = await _poll(
        lambda: reads.event_status(tenant, source, event_id), lambda status: status.done, timeout_s
    )
    if status.done:
        return status
    if status.outcome is None:
        stage = "extract"
    elif any(fact.entity is None for fact in status.facts):
        stage = "resolve"
    else:
        stage = "adjudicate"
    raise NotYet(
        f"event {event_id} was published, but {stage} was not through with it after {timeout_s:g} s; does it run "
        f"(`claimstream worker {stage}`), on the same topic prefix? It is not lost: it will be decided when it does"
    )


async def until_versions(
    reads: LedgerReads, tenant: str, events: Sequence[Control], timeout_s: float
) -> dict[str, int]:
    """Kind (policy, authority, registry) to the version that its event became. Raises NotYet."""
    kind_of = {event_uuid(event.tenant, event.source, event.event_id): event.TYPE for event in events}
    ids = list(kind_of)

    async def ask() -> dict[UUID, int]:
        return await reads.control_versions(tenant, ids)

    versions = await _poll(ask, lambda found: len(found) == len(ids), timeout_s)
    if len(versions) < len(ids):
        missing = ", ".join(kind for key, kind in kind_of.items() if key not in versions)
        raise NotYet(
            f"{missing} was published, but became no version within {timeout_s:g} s; does the control stage run "
            "(`claimstream worker control`)? A refused event is on the dead-letter topic"
        )
    return {kind_of[key]: version for key, version in versions.items()}


async def until_decided_one(reads: LedgerReads, tenant: str, record_id: UUID, timeout_s: float) -> Decided:
    """The decision about one record of an inbox. Raises NotYet."""
    decided = await _poll(
        lambda: reads.decided(tenant, record_id), lambda found: found is not None, timeout_s
    )
    if decided is None:
        raise NotYet(
            f"it was ordered, but not carried out within {timeout_s:g} s; does adjudicate run "
            "(`claimstream worker adjudicate`)? It is not lost: it will be when it does"
        )
    return decided


async def _poll(
    ask: Callable[[], Awaitable[Answer]], done: Callable[[Answer], bool], timeout_s: float
) -> Answer:
    """The first answer that is `done`, else the last one before `timeout_s` is over."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + timeout_s
    pause = _FIRST_POLL_S
    while not done(answer := await ask()) and loop.time() < deadline:
        await asyncio.sleep(min(pause, max(0.0, deadline - loop.time())))
        pause = min(_LAST_POLL_S, pause * 1.5)
    return answer
