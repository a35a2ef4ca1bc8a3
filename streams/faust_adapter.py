"""Faust, and nothing else: one App for each stage, reading for the runner. The only file that imports faust.

What Faust 0.15 does with acknowledgements, and what follows, is in docs/decisions/0002-faust-batches.md. In
short: acknowledge a batch as a whole after its effects are durable; on any error end the App without a
word.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import faust
from aiokafka import TopicPartition
from aiokafka.errors import IllegalStateError
from faust.transport.drivers import aiokafka
from faust.types import TP, EventT
from mode import CrashingSupervisor

from streams import metrics
from streams.gaps import Gaps
from streams.runner import Runner
from streams.stage import InRecord, Stage

log = logging.getLogger(__name__)

Event = EventT[bytes]

_MIN_BUFFER: Final = 64
_STOP_TIMEOUT_S: Final = 15.0
_FETCH_WAIT_MS: Final = 50


@dataclass(frozen=True, slots=True)
class FaustOptions:
    """Where and how to read. Seconds throughout.

    `within_s`: the longest a record waits for others to share its batch. `session_timeout_s`: how long the
    broker waits for a silent worker before it gives its partitions away; a first join on Tansu takes half
    of it.
    """

    bootstrap: str
    prefix: str
    within_s: float = 0.03
    session_timeout_s: float = 10.0
    commit_interval_s: float = 0.5


class _ConsumerThread(aiokafka.AIOKafkaConsumerThread):
    def _create_worker_consumer(self, transport: Any) -> Any:
        consumer = super()._create_worker_consumer(transport)
        # Faust says 1,500 ms, with no setting. aiokafka has one fetch under way for a broker, so a record
        # of one partition waits until the fetch for the others has waited its time.
        consumer._fetch_max_wait_ms = _FETCH_WAIT_MS
        return consumer

    def verify_event_path(self, now: float, tp: TP) -> None:
        """Faust's look for a stuck partition. It only logs, but asserts that the client knows where it stands: between
        a seek to the beginning and the broker's answer it does not, and the whole App would end.
        """
        subscription = self._ensure_consumer()._subscription.subscription
        assignment = None if subscription is None else subscription.assignment
        # None also where a rebalance has just taken the partition away.
        state = None if assignment is None else assignment.state_value(TopicPartition(*tp))
        if state is not None and state.has_valid_position:
            super().verify_event_path(now, tp)


class _Consumer(aiokafka.Consumer):
    async def perform_seek(self) -> None:
        """After a rebalance, or when it threw away records it had fetched, Faust goes back to what was
        committed.

        Where nothing was committed yet it stays where it is, and the records thrown away are lost: go back
        to the beginning there.
        """
        await super().perform_seek()
        fresh = [TopicPartition(*tp) for tp in self.assignment() if not self._committed_offset[tp]]
        if fresh:
            # Not assigned any more: another rebalance is under way, and comes here again.
            with contextlib.suppress(IllegalStateError):
                await self._thread.seek_to_beginning(*fresh)

    def _new_consumer_thread(self) -> aiokafka.AIOKafkaConsumerThread:
        return _ConsumerThread(self, loop=self.loop, beacon=self.beacon)


class _Transport(aiokafka.Transport):
    Consumer = _Consumer


class _App(faust.App):
    def _create_directories(self) -> None:
        """None: Faust stores nothing for us, and what a killed worker made would stay behind."""


class StageApp:
    """A stage as a Faust App with a consumer group of its own, `{prefix}.{stage}`."""

    def __init__(
        self, stage: Stage, options: FaustOptions, on_assigned: Callable[[str, int], None] | None = None
    ) -> None:
        """`on_assigned(stage name, number of partitions)` is called after every rebalance."""
        self.name = stage.name
        self._stage = stage
        self._options = options
        self._on_assigned = on_assigned
        linger_s: float | None = getattr(stage, "linger_s", None)
        self._within_s = options.within_s if linger_s is None else linger_s
        self._gaps = Gaps(options.bootstrap)
        self._runner = Runner(stage, gap_has_records=self._gaps.has_records)
        self._app = self._build()

    async def start(self) -> None:
        """Join the consumer group and begin reading; returns before the first assignment."""
        await self._app.start()

    async def ended(self) -> None:
        """Return when the App was stopped; raise what it crashed with."""
        await self._app.wait_until_stopped()
        if self._app.crash_reason is not None:
            raise self._app.crash_reason

    async def stop(self) -> None:
        """Leave the group; what is under way and not acknowledged comes again."""
        try:
            async with asyncio.timeout(_STOP_TIMEOUT_S):
                await self._app.stop()
        except TimeoutError:
            log.warning("%s: did not stop within %s s", self.name, _STOP_TIMEOUT_S)
        finally:
            await self._gaps.stop()

    def _build(self) -> faust.App:
        options, stage = self._options, self._stage
        app = _App(
            f"{options.prefix}.{stage.name}",
            broker=f"kafka://{options.bootstrap.replace(',', ';kafka://')}",
            store="memory://",
            web_enabled=False,
            autodiscover=False,
            # Bytes in, our own decoding: Faust's own error hook can skip a good neighbour.
            key_serializer="raw",
            value_serializer="raw",
            processing_guarantee="at_least_once",
            agent_supervisor=CrashingSupervisor,
            topic_allow_declare=False,
            topic_disable_leader=True,
            consumer_auto_offset_reset="earliest",
            stream_wait_empty=False,
            stream_buffer_maxsize=max(_MIN_BUFFER, stage.max_batch),
            broker_commit_interval=options.commit_interval_s,
            broker_session_timeout=options.session_timeout_s,
            broker_heartbeat_interval=min(3.0, options.session_timeout_s / 3.0),
        )
        app.transport = _Transport(app.conf.broker_consumer, app)
        topic = app.topic(stage.input_topic, key_serializer="raw", value_serializer="raw")
        app.agent(topic, name=stage.name, concurrency=1)(self._consume)
        app.on_partitions_assigned.connect(self._assigned, weak=False)  # type: ignore[arg-type]
        app.on_partitions_revoked.connect(self._revoked, weak=False)  # type: ignore[arg-type]
        return app

    async def _consume(self, stream: Any) -> None:
        # Read from the channel, not from the stream: Faust's stream acknowledges what it skips in a rebalance
        # (its pure Python path), and costs a third of the time of an event.
        queue = stream.channel.queue
        try:
            while (events := await self._next_batch(queue)) is not None:
                current = self._still_ours(events)
                self._expect_from_commit(current)
                if await self._runner.run([_record(event) for event in current]):
                    # An acknowledgement belongs to the generation the record was read in. After a rebalance
                    # it could set back, or push past unread records, what the new owner commits.
                    for event in self._still_ours(current):
                        event.ack()
        except Exception as exc:
            # Faust would restart the agent and go on past the unacknowledged batch: end everything instead.
            await self._app.crash(exc)
            raise

    async def _next_batch(self, queue: Any) -> list[Event] | None:
        """Wait for an event, give others `within_s` to join it, take up to `max_batch`. None: the App
        stops.
        """
        max_batch = self._stage.max_batch
        try:
            events: list[Event] = [await queue.get()]
        except StopAsyncIteration:
            return None
        if queue.qsize() + 1 < max_batch:
            await asyncio.sleep(self._within_s)
        while len(events) < max_batch and not queue.empty():
            events.append(queue.get_nowait())
        return events

    def _still_ours(self, events: list[Event]) -> list[Event]:
        """Without what was read before a rebalance, or during one: the owner reads it again from the last
        commit.

        While partitions are being revoked (flow suspended) Faust has thrown its buffer away, but still puts
        the record it had in its hands behind the hole.
        """
        active, generation = self._app.flow_control.is_active(), self._app.consumer_generation_id
        current = [event for event in events if active and event.message.generation_id == generation]
        if len(current) < len(events):
            metrics.STALE.labels(self.name).inc(len(events) - len(current))
        return current

    def _expect_from_commit(self, events: list[Event]) -> None:
        """Tell the runner where each partition stood when it was assigned, before its first record is
        processed.
        """
        consumer: Any = self._app.consumer
        for tp in {event.message.tp for event in events}:
            if not self._runner.knows(tp.topic, tp.partition):
                committed = consumer._committed_offset[tp]
                self._runner.expect(tp.topic, tp.partition, max(0, committed or 0))

    async def _assigned(self, _app: Any, assigned: set[TP], **_: Any) -> None:
        metrics.ASSIGNED.labels(self.name).set(len(assigned))
        if self._on_assigned is not None:
            self._on_assigned(self.name, len(assigned))

    async def _revoked(self, _app: Any, revoked: set[TP], **_: Any) -> None:
        metrics.ASSIGNED.labels(self.name).set(0)
        self._runner.forget()


def _record(event: Event) -> InRecord:
    message = event.message
    return InRecord(
        topic=message.topic,
        partition=message.partition,
        offset=message.offset,
        key=message.key,
        value=message.value,
        headers=_headers(message.headers),
        timestamp_ms=round(message.timestamp * 1000),
    )


def _headers(raw: Any) -> tuple[tuple[str, bytes], ...]:
    if not raw:
        return ()
    return tuple(raw.items() if isinstance(raw, dict) else raw)
