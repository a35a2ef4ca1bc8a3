"""Ends a process whose stage has something to do and does nothing: the supervisor starts it again.

A batch that never comes back, a client that fetches no more, an await that nobody resolves: none of them is an error
that somebody raises. What shows is a lag that does not move, of the stage as a whole: when another worker of it is the
one that hangs, this one ends too and comes back with all partitions shared out anew. A stage that tries again because a
store, broker or model is away is no such case: it says so itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, NamedTuple

from prometheus_client import REGISTRY

from schemas.errors import ClaimstreamError, TransientError
from sinks.ledger_reads import LedgerReads
from streams.settings import Settings
from streams.topology import BY_NAME
from topics.admin import offsets
from topics.declaration import topic_name

log = logging.getLogger(__name__)

_LEAST_POLL_S: Final = 0.5
_LONGEST_POLL_S: Final = 30.0


class Stalled(ClaimstreamError):
    """A stage has records to read and none was done for too long."""


class Lag(NamedTuple):
    """Of all partitions of a stage: records done and records written, as counts of offsets."""

    done: int
    written: int


Measure = Callable[[], Awaitable[Mapping[str, Lag]]]


class Watchdog:
    """A service of a worker (streams.worker). `measure` gives the lag of each stage that it looks after.

    `stall_s`: seconds after which a lag that did not move is a fault.
    """

    name = "watchdog"

    def __init__(
        self,
        stages: Sequence[str],
        measure: Measure,
        stall_s: float,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stages = tuple(stages)
        self._measure = measure
        self._stall_s = stall_s
        self._clock = clock
        #: Stage to (done, tries) and since when they have been so.
        self._seen: dict[str, tuple[tuple[int, float], float]] = {}

    async def run(self, stop: asyncio.Event) -> None:
        """Until `stop`. Raises Stalled."""
        poll_s = min(_LONGEST_POLL_S, max(_LEAST_POLL_S, self._stall_s / 10))
        while not stop.is_set():
            await self.look()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), poll_s)

    async def look(self) -> None:
        """Once. Raises Stalled. A store or broker that does not answer says nothing about the stages."""
        try:
            lags = await self._measure()
        except TransientError as error:
            log.info("watchdog: %s", error)
            self._seen.clear()
            return
        now = self._clock()
        for stage in self._stages:
            lag = lags[stage]
            state = (lag.done, _tries(stage))
            before, since = self._seen.get(stage, (None, now))
            if lag.done >= lag.written or state != before:
                self._seen[stage] = (state, now)
            elif now - since >= self._stall_s:
                raise Stalled(
                    f"{stage} is at {lag.done:,} of {lag.written:,} records and did not move for {now - since:.0f} s"
                )


def lag_of(names: Sequence[str], settings: Settings, reads: LedgerReads) -> Measure:
    """The lag of the stages, by the broker's ends and the ledger's progress."""
    topics = {name: topic_name(BY_NAME[name].reads, settings.topic_prefix) for name in names}

    async def measure() -> Mapping[str, Lag]:
        ends = await offsets(settings.bootstrap, set(topics.values()))
        rows = {(row.stage, row.topic, row.partition): row.next_offset for row in await reads.progress()}
        found = {}
        for name, topic in topics.items():
            mine = [end for end in ends if end.topic == topic]
            # What retention took away is nothing to be done.
            done = sum(max(rows.get((name, topic, end.partition), 0), end.earliest) for end in mine)
            found[name] = Lag(done, sum(end.latest for end in mine))
        return found

    return measure


def _tries(stage: str) -> float:
    return REGISTRY.get_sample_value("claimstream_retried_batches_total", {"stage": stage}) or 0.0
