"""The inboxes decided again, in several processes: each takes partitions of its own, so entities stay whole."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import pickle
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from processors.deciding.control import ControlView
from schemas.control import AuthoritySet, PolicySet
from schemas.errors import ClaimstreamError, IntegrityError
from sinks.postgres import PostgresLedger
from streams.assembly import Parts, build_stages
from streams.collector import settle_collector
from streams.controls import Controls
from streams.ends import EndOffsets, Ends, open_ends
from streams.envelope import Control
from streams.runner import Runner
from streams.settings import Settings
from streams.stage import InRecord, OutRecord

_BATCH: Final = 2000
_LOOK_S: Final = 0.2
#: Records that one process decides in about the time that others take to start.
_WORTH: Final = 5_000


class Nowhere:
    """A publisher that publishes nothing: all of it is on the topics already."""

    async def publish(self, records: Sequence[OutRecord]) -> None:
        """Takes them."""


class OtherRules(Controls):
    """The versions of the control log, with one policy and one authority in place of all of them."""

    def __init__(self, events: Sequence[Control]) -> None:
        super().__init__()
        self._policy = next((event for event in events if isinstance(event, PolicySet)), None)
        self._authority = next((event for event in events if isinstance(event, AuthoritySet)), None)

    def policy(self, tenant: str, version: int) -> PolicySet:
        return self._policy if self._rules(self._policy, tenant) else super().policy(tenant, version)  # type: ignore[return-value]

    def authority(self, tenant: str, version: int) -> AuthoritySet | None:
        return self._authority if self._rules(self._authority, tenant) else super().authority(tenant, version)

    def _rules(self, event: PolicySet | AuthoritySet | None, tenant: str) -> bool:
        return event is not None and event.tenant == tenant


@dataclass(frozen=True, slots=True)
class Work:
    """What of a topic is decided again, by which stage, into which schema; the same for every process.

    ``until``: only records that the broker took before it. ``rules``: in place of those of the control log.
    """

    settings: Settings
    schema: str
    stage: str
    topic: str
    ends: EndOffsets
    until: datetime | None
    rules: tuple[Control, ...]


async def decide_again(
    work: Work,
    ends: Ends,
    ledger: PostgresLedger,
    partitions: Sequence[int] | None,
    advance: Callable[[int], None],
) -> int:
    """Runs the stage over the recorded partitions (None: all); returns the number of records read.

    What it tells is not written down: it is on the topics already.
    """
    view: ControlView = OtherRules(work.rules) if work.rules else Controls()
    parts = Parts(ledger, Nowhere(), work.settings.topic_prefix, controls=view, silent=True)  # type: ignore[arg-type]
    (stage,) = build_stages([work.stage], parts)
    runner, n = Runner(stage), 0
    async for batch in _batches(ends.read(work.topic, work.ends, partitions), work.until):
        await runner.run(batch)
        n += len(batch)
        advance(len(batch))
    return n


async def decide_in_lanes(work: Work, lanes: Sequence[Sequence[int]], advance: Callable[[int], None]) -> int:
    """`decide_again` with a process for each lane, which is a list of partitions.

    Raises what a lane raises; IntegrityError when one was killed. The others are ended, and what they committed stays.
    """
    context = multiprocessing.get_context("spawn")
    done = context.Array("q", len(lanes))
    loop = asyncio.get_running_loop()
    pool = ProcessPoolExecutor(len(lanes), context, initializer=_begin, initargs=(done,))
    try:
        running = [loop.run_in_executor(pool, _lane, work, n, tuple(lane)) for n, lane in enumerate(lanes)]
        waiting, told = set(running), 0
        while waiting:
            ended, waiting = await asyncio.wait(waiting, timeout=_LOOK_S, return_when=asyncio.FIRST_EXCEPTION)
            now = sum(done[:])
            advance(now - told)
            told = now
            for one in ended:
                one.result()
        return told
    except (OSError, RuntimeError) as error:
        if isinstance(error, ClaimstreamError):
            raise
        raise IntegrityError(
            f"a process of the replay ended in the middle ({error}); run the same command again, "
            "it goes on where it was"
        ) from error
    finally:
        for process in list(getattr(pool, "_processes", None) or {}):
            _end(pool, process)
        pool.shutdown(wait=True, cancel_futures=True)


def _end(pool: ProcessPoolExecutor, pid: int) -> None:
    process = pool._processes.get(pid)
    if process is not None and process.is_alive():
        process.terminate()


def lanes_of(partitions: int, records: int, processes: int) -> list[list[int]]:
    """The partitions dealt out to at most so many processes; 0: one per core, where the records are worth it."""
    n = max(1, min(partitions, processes or (1 if records < _WORTH else os.cpu_count() or 1)))
    return [list(range(lane, partitions, n)) for lane in range(n)]


_done: Any = None


def _begin(done: Any) -> None:
    global _done
    _done = done


def _lane(work: Work, number: int, partitions: tuple[int, ...]) -> int:
    def advance(n: int) -> None:
        _done[number] += n

    async def run() -> int:
        settings = work.settings
        ledger = PostgresLedger(
            settings.dsn.get_secret_value(), schema=work.schema, timeout_s=settings.database_timeout_s
        )
        await ledger.open()
        try:
            async with open_ends(settings) as ends:
                settle_collector()
                return await decide_again(work, ends, ledger, partitions, advance)
        finally:
            await ledger.close()

    try:
        return asyncio.run(run())
    except Exception as error:
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            raise IntegrityError(f"{type(error).__name__}: {error}") from None
        raise


async def _batches(records: AsyncIterator[InRecord], until: datetime | None) -> AsyncIterator[list[InRecord]]:
    limit = None if until is None else until.timestamp() * 1000
    batch: list[InRecord] = []
    async for record in records:
        if limit is not None and record.timestamp_ms >= limit:
            continue
        batch.append(record)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
