"""Topics against tables: what came in equals what came of it, counted from the records and the rows themselves."""

from __future__ import annotations

import asyncio
from typing import Any

import psycopg
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError

from audit.finding import NAMED, CannotAudit, Finding

_POLL_MS = 250
_ADVICE = "while records are under way this passes; else keep the topics and the schema, and report it"
Key = tuple[bytes, bytes]


async def records(
    bootstrap: str, topics: list[str], timeout_s: float
) -> dict[str, list[tuple[Key, dict[str, bytes]]]]:
    """Topic to its records that are still kept, as ((key, value), headers). Raises CannotAudit."""
    consumer = AIOKafkaConsumer(
        bootstrap_servers=bootstrap,
        client_id="claimstream-audit",
        enable_auto_commit=False,
        auto_offset_reset="earliest",
    )
    try:
        async with asyncio.timeout(timeout_s):
            await consumer.start()
            places = [
                TopicPartition(topic, n)
                for topic in topics
                for n in consumer.partitions_for_topic(topic) or ()
            ]
            known = {place.topic for place in places}
            if missing := [topic for topic in topics if topic not in known]:
                raise CannotAudit(f"not on the broker at {bootstrap}: {', '.join(missing)}")
            consumer.assign(places)
            ends = await consumer.end_offsets(places)
            await consumer.seek_to_beginning(*places)
        found: dict[str, list[tuple[Key, dict[str, bytes]]]] = {topic: [] for topic in topics}
        while any([await consumer.position(place) < ends[place] for place in places]):
            for place, batch in (await consumer.getmany(timeout_ms=_POLL_MS)).items():
                for record in batch:
                    row = ((record.key or b"", record.value or b""), dict(record.headers))
                    found[place.topic].append(row)
        return found
    except (KafkaError, OSError, TimeoutError) as error:
        raise CannotAudit(
            f"the broker at {bootstrap} cannot be read: {error or type(error).__name__}"
        ) from None
    finally:
        await consumer.stop()


def published(
    connection: psycopg.Connection[Any], topic: str, found: list[tuple[Key, dict[str, bytes]]], outside: bool
) -> list[Finding]:
    """Every outbox row for the topic is on it; and, unless others write there too, nothing else is.

    A record may be there twice: a worker that took over publishes again, and readers drop the second.
    """
    on_topic = {row for row, _ in found}
    ours: set[Key] = set()
    missing: list[str] = []
    with connection.cursor(name="audit_outbox") as cursor:
        cursor.itersize = 5000
        cursor.execute(
            "SELECT key, value, stage || ' ' || topic || '/' || partition || ' offset ' || source_offset "
            "FROM outbox WHERE target = %s",
            [topic],
        )
        for key, value, name in cursor:
            row = (bytes(key), bytes(value))
            ours.add(row)
            if row not in on_topic:
                missing.append(name)
    strangers = [] if outside else sorted(row[0].decode("utf-8", "replace") for row in on_topic - ours)
    return [
        Finding("topics", rule, len(rows), tuple(sorted(rows)[:NAMED]), _ADVICE)
        for rule, rows in (
            (f"committed for {topic} and not on it (retention removes old ones)", missing),
            (f"on {topic} and not in the outbox", strangers),
        )
        if rows
    ]


def received(
    connection: psycopg.Connection[Any], found: list[tuple[Key, dict[str, bytes]]]
) -> Finding | None:
    """Every event on the turns topic was extracted or is a dead letter: by CloudEvents source and id."""
    events = {(headers.get("ce_source", b""), headers.get("ce_id", b"")) for _, headers in found}
    unnamed = sum(1 for _, headers in found if "ce_id" not in headers)
    row = connection.execute(
        "SELECT (SELECT count(*) FROM extractions), (SELECT count(*) FROM dead_letters WHERE stage = 'extract')"
    ).fetchone()
    assert row is not None
    extracted, dead = row
    # A record without the headers may be anything: a dead letter, or an event that is there under its own id.
    if len(events) - bool(unnamed) <= extracted + dead:
        return None
    n = len(events) - extracted - dead
    return Finding("turns", "events on the turns topic that nothing came of", n, (), _ADVICE)
