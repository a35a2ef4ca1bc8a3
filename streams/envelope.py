"""One record from one event: topic, key, headers, and whether it is small enough to be sent at all."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime

from schemas.commands import Command
from schemas.control_records import ControlRecord
from schemas.errors import RecordTooLarge
from schemas.turn import Record, Turn
from streams.publisher import Publisher, size_bytes
from streams.settings import Settings
from streams.stage import OutRecord
from streams.stages.outgoing import inbox_record
from topics.admin import TopicsMissing, partition_counts
from topics.declaration import size_limits, topic
from topics.headers import cloud_headers
from topics.partitioner import encode_key

Input = Turn | Record
Control = ControlRecord


def stamped(event: Input, now: datetime) -> Input:
    """The event with `received_at` set, when the producer did not say when it was received."""
    return event if event.received_at is not None else event.model_copy(update={"received_at": now})


def input_record(event: Input, settings: Settings) -> OutRecord:
    """The record of a turn or of a system's record, for the turns topic. Raises RecordTooLarge."""
    return _record("turns", encode_key(event.tenant, event.stream_id), event, settings)


def control_record(event: Control, settings: Settings) -> OutRecord:
    """The record of a policy, authority or registry event, for the control topic. Raises RecordTooLarge."""
    return _record("control", encode_key(event.tenant), event, settings)


def command_record(event: Command, settings: Settings) -> OutRecord:
    """The record of a person's command, for the inbox of the entity. Raises RecordTooLarge."""
    declared = topic("inbox")
    record = inbox_record(event, settings.topic_prefix)
    return _small_enough(record, min(settings.max_record_bytes, declared.max_message_bytes), settings)


def _record(short: str, key: bytes, event: Input | Control, settings: Settings) -> OutRecord:
    declared = topic(short)
    headers = cloud_headers(event.TYPE, event.MAJOR, event.tenant, event.source, event.event_id, event.at)
    record = OutRecord(declared.full_name(settings.topic_prefix), key, event.to_json(), headers)
    return _small_enough(record, min(settings.max_record_bytes, declared.max_message_bytes), settings)


def _small_enough(record: OutRecord, limit: int, settings: Settings) -> OutRecord:
    if size_bytes(record) > limit:
        hint = " or raise CLAIMSTREAM_MAX_RECORD_BYTES" if limit == settings.max_record_bytes else ""
        raise RecordTooLarge(
            f"the record has {size_bytes(record):,} bytes, the limit is {limit:,}: split it{hint}"
        )
    return record


@asynccontextmanager
async def open_publisher(settings: Settings, *needed: str) -> AsyncIterator[Publisher]:
    """A connected publisher; the `needed` topics (short names) exist.

    Raises TransientError when no broker answers, TopicsMissing. Asking first matters: a broker that creates topics
    by itself would make one with the wrong number of partitions.
    """
    counts = await partition_counts(settings.bootstrap)
    names = [topic(short).full_name(settings.topic_prefix) for short in needed]
    missing = [name for name in names if name not in counts]
    if missing:
        raise TopicsMissing(
            f"not on the broker at {settings.bootstrap}: {', '.join(missing)}; run `claimstream topics create`"
        )
    publisher = Publisher(
        settings.bootstrap,
        client_id="claimstream-publish",
        limits=size_limits(settings.topic_prefix),
        max_record_bytes=max(settings.max_record_bytes, topic("control").max_message_bytes),
        timeout_s=settings.broker_timeout_s,
    )
    await publisher.start()
    try:
        yield publisher
    finally:
        await publisher.stop()
