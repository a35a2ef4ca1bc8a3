"""Topics against tables: everything that came in has its row, everything that was committed is on its topic, in order.

Records are compared by what they say and where they lie, one topic at a time; only hashes of 16 bytes are held.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any, Final

import orjson
import psycopg

from audit.finding import NAMED, CannotAudit, Finding
from audit.kafka import Topics

_WAIT: Final = "while records are under way this passes; else keep the topics and the schema, and report it"
_GONE: Final = (
    "the topic was made anew or cut: see what a worker says at its start, and replay into a fresh schema"
)
#: Stage to the topic that it reads (short name).
READS: Final = {
    "extract": "turns",
    "resolve": "facts",
    "adjudicate": "inbox",
    "judge": "judge",
    "control": "control",
    "project": "claims",
}
#: Topics that only the outbox writes to; people and producers write to the others.
WRITTEN: Final = ("facts", "claims", "disputes", "reviews", "judge", "deadletters")
#: Of these every committed record must be there, and others may be.
SHARED: Final = ("inbox",)
#: Stage to what it makes of an event, the source of one that names none, and which there are.
_TAKEN_IN: Final = {
    "extract": ("an extraction", "default", "SELECT tenant, source, event_id FROM extractions"),
    "control": (
        "a version",
        "operator",
        "SELECT v.tenant, coalesce(b.source, 'operator'), b.event_id FROM control_versions AS v,"
        " json_to_record(convert_from(v.body, 'UTF8')::json) AS b (source text, event_id text)",
    ),
}
Connection = psycopg.Connection[Any]


async def compare(connection: Connection, topics: Topics, name_of: dict[str, str]) -> list[Finding]:
    """What does not fit between the topics (short name to full name) and the tables. Raises CannotAudit."""
    found = await events(connection, topics, name_of["turns"], "extract")
    found += await events(connection, topics, name_of["control"], "control")
    found += await inbox(connection, topics, name_of["inbox"])
    for short in (*WRITTEN, *SHARED):
        found += await published(connection, topics, name_of[short], outside=short in SHARED)
    found += await order(topics, name_of["claims"])
    # Last: what was read tells the ends more exactly than the broker.
    return found + progress(connection, topics, name_of)


async def events(connection: Connection, topics: Topics, name: str, stage: str) -> list[Finding]:
    """Every event from outside (turns, control log) has its row in the table of the stage that takes it in or is a dead
    letter, and no row is of another event."""
    what, nameless, query = _TAKEN_IN[stage]
    dead = _dead(connection, stage, name)
    held = {_hash(*row): row for row in _rows(connection, query, {})}
    seen: set[bytes] = set()
    missing: list[str] = []
    async for record in topics.read(name):
        body = _object(record.value)
        named = body.get("tenant", ""), body.get("source", nameless), body.get("event_id", "")
        key = _hash(*map(str, named))
        seen.add(key)
        if key not in held and (record.partition, record.offset) not in dead:
            missing.append(_place(record, body))
    strangers = [" ".join(held[key]) for key in held.keys() - seen] if topics.whole(name) else []
    return _findings(
        "events",
        {
            f"an event on {name} that nothing came of": missing,
            f"{what} of an event that is not on {name}": strangers,
        },
        _WAIT,
    )


async def inbox(connection: Connection, topics: Topics, name: str) -> list[Finding]:
    """Every inbox record has its one decision (the primary key forbids a second) or is a dead letter, and no decision
    is about anything else."""
    dead = _dead(connection, "adjudicate", name)
    held = {row[0] for row in _rows(connection, "SELECT uuid_send(id) FROM decisions", {})}
    left = set(held) if topics.whole(name) else set()
    missing: list[str] = []
    async for record in topics.read(name):
        body = _object(record.value)
        key = bytes.fromhex(str(body.get("id", "")).replace("-", "")) if _is_uuid(body.get("id")) else b""
        left.discard(key)
        if key not in held and (record.partition, record.offset) not in dead:
            missing.append(_place(record, body))
    return _findings(
        "inbox",
        {
            "an inbox record without a decision": missing,
            "a decision about a record that is not in the inbox": [f"decision {key.hex()}" for key in left],
        },
        _WAIT,
    )


async def published(connection: Connection, topics: Topics, name: str, outside: bool) -> list[Finding]:
    """Every outbox row for the topic is on it; and, unless others write there too, nothing else is.

    A record may be there twice: a worker that took over publishes again, and readers drop the second.
    """
    held: set[bytes] = set()
    strangers: list[str] = []
    query = "SELECT key, value FROM outbox WHERE target = %(target)s"
    for key, value in _rows(connection, query, {"target": name}):
        held.add(_hash(key, value))
    left = set(held)
    async for record in topics.read(name):
        digest = _hash(record.key or b"", record.value or b"")
        left.discard(digest)
        if not outside and digest not in held:
            strangers.append(f"{record.topic}/{record.partition} offset {record.offset}")
    missing = []
    if left:
        named = (
            "SELECT key, value, stage || ' ' || topic || '/' || partition || ' offset ' || source_offset"
            " FROM outbox WHERE target = %(target)s"
        )
        rows = _rows(connection, named, {"target": name})
        missing = [row[2] for row in rows if _hash(row[0], row[1]) in left]
    return _findings(
        "topics",
        {
            f"committed for {name} and not on it (retention removes old ones)": missing,
            f"on {name} and not in the outbox": strangers,
        },
        _WAIT,
    )


async def order(topics: Topics, name: str) -> list[Finding]:
    """The claim events of an entity come in the order of its versions, none is left out; a second copy may follow."""
    last: dict[bytes, int] = {}
    wrong: list[str] = []
    whole = topics.whole(name)
    async for record in topics.read(name):
        version = _object(record.value).get("entity_version")
        if not isinstance(version, int):
            continue
        before = last.get(record.key, 0 if whole else version - 1)
        if version > before + 1:
            wrong.append(f"{_place(record, {})}: version {version} after {before}")
        last[record.key] = max(before, version)
    return _findings("order", {"claim events of an entity that are not in its order": wrong}, _WAIT)


def progress(connection: Connection, topics: Topics, name_of: dict[str, str]) -> list[Finding]:
    """What the stages have done against where the logs begin and end."""
    done: dict[tuple[str, str, int], int] = {
        (row[0], row[1], row[2]): row[3]
        for row in _rows(connection, "SELECT stage, topic, partition, next_offset FROM progress", {})
    }
    logs = _rows(connection, "SELECT stage, topic, partitions FROM logs", {})
    other: list[str] = []
    behind: list[str] = []
    beyond: list[str] = []
    cut: list[str] = []
    for stage, topic, held in logs:
        there = sum(known == topic for known, _ in topics.ends)
        if there and there != held:
            other.append(f"{stage}: {topic} had {held} partitions, has {there}")
    for stage, short in READS.items():
        for (topic, partition), end in topics.ends.items():
            if topic != name_of[short]:
                continue
            at, start = done.get((stage, topic, partition), 0), topics.starts[topic, partition]
            told = f"{stage} {topic}/{partition}: done up to {at} of {start} to {end}"
            if at > end:
                beyond.append(told)
            elif at < end:
                (cut if at < start else behind).append(told)
    return [
        *_findings("progress", {"a stage has records left to do": behind}, _WAIT),
        *_findings(
            "progress",
            {
                "a stage is past the end of its log": beyond,
                "the log begins behind what a stage has done": cut,
                "a topic has another number of partitions than a stage began with": other,
            },
            _GONE,
        ),
    ]


def _findings(check: str, rules: dict[str, list[str]], advice: str) -> list[Finding]:
    return [
        Finding(check, rule, len(rows), tuple(sorted(rows)[:NAMED]), advice)
        for rule, rows in rules.items()
        if rows
    ]


def _rows(connection: Connection, query: str, values: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    """The rows, some thousand at a time. Raises CannotAudit."""
    try:
        with connection.cursor(name="audit", binary=True) as cursor:
            cursor.itersize = 5000
            yield from cursor.execute(query.encode(), values)
    except psycopg.Error as error:
        raise CannotAudit(f"Postgres cannot be read: {' '.join(str(error).split())}") from None


def _dead(connection: Connection, stage: str, topic: str) -> set[tuple[int, int]]:
    """Partition and offset of the stage's dead letters."""
    query = "SELECT partition, source_offset FROM dead_letters WHERE stage = %(stage)s AND topic = %(topic)s"
    return {(row[0], row[1]) for row in _rows(connection, query, {"stage": stage, "topic": topic})}


def _hash(*parts: bytes | str) -> bytes:
    digest = blake2b(digest_size=16)
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(b"%d:" % len(raw))
        digest.update(raw)
    return digest.digest()


def _object(value: bytes | None) -> dict[str, Any]:
    try:
        body = orjson.loads(value or b"")
    except orjson.JSONDecodeError:
        return {}
    return body if isinstance(body, dict) else {}


def _is_uuid(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 36 and not set(value) - set("0123456789abcdefABCDEF-")


def _place(record: Any, body: dict[str, Any]) -> str:
    named = " ".join(
        str(body[field]) for field in ("tenant", "source", "event_id", "entity", "id") if field in body
    )
    return f"{record.topic}/{record.partition} offset {record.offset} {named}".strip()
