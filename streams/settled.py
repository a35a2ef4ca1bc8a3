"""Waiting until nothing is under way: every stage is at the end of what it reads, and has published what it wrote."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from typing import Final

from schemas.errors import ClaimstreamError
from sinks.ledger_reads import LedgerReads
from sinks.ledger_views import ProgressRow
from streams.ends import EndOffsets, Ends, total
from streams.topology import BY_NAME
from topics.declaration import topic_name

_POLL_S: Final = 0.05


class NotSettled(ClaimstreamError):
    """The stages did not get to the end of their topics in time."""


async def settled(
    ends: Ends,
    reads: LedgerReads,
    prefix: str,
    timeout_s: float,
    stages: Iterable[str] = tuple(BY_NAME),
) -> EndOffsets:
    """Return the ends of the topics once `stages` have done and published all of them.

    Raises NotSettled after `timeout_s` seconds, naming the stages that lag; TransientError.
    """
    names = tuple(stages)
    deadline = time.monotonic() + timeout_s
    before: tuple[EndOffsets, Sequence[ProgressRow]] | None = None
    while True:
        # Ends first, progress after, and twice the same: a stage that finished between the two looks may have
        # written what the first look at the next topic did not see.
        now = await ends.now(), await reads.progress()
        behind = lagging(*now, prefix, names)
        if not behind and now == before:
            return now[0]
        if time.monotonic() > deadline:
            raise NotSettled(
                f"after {timeout_s:g} s {'; '.join(behind) or 'records still come in'}. Do the workers run? "
                "See their log; CLAIMSTREAM_WAIT_TIMEOUT_S waits longer"
            )
        before = now
        await asyncio.sleep(_POLL_S)


def lagging(at: EndOffsets, progress: Sequence[ProgressRow], prefix: str, stages: Iterable[str]) -> list[str]:
    """One line for each stage that has something left to read or to publish."""
    lines = []
    for name in stages:
        topic = topic_name(BY_NAME[name].reads, prefix)
        mine = [row for row in progress if row.stage == name and row.topic == topic]
        done, published = sum(row.next_offset for row in mine), sum(row.published_offset for row in mine)
        if done != total(at, topic) or published != done:
            lines.append(f"{name} is at {done:,} of {total(at, topic):,} records of {topic}")
    return lines
