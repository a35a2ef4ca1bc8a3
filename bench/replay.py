"""Recorded inboxes decided again: the same ledger, and how fast beside the bare COPY of its rows.

    python -m bench.replay [--records 100000] [--processes 0] [--seed 7]

A life (bench.recorded) is lived over a real ledger and its control log and inboxes are written to a real broker. Then
`claimstream replay` decides them again, each time in a process of its own: twice as recorded, and once with the records
of different entities mixed anew over another number of partitions. All digests must be those of the live ledger.

``limit_per_s``: the very rows of the replayed ledger by bare COPY into empty tables with the same indexes, in as many
transactions as the replay has batches, over as many connections as it has processes. The last line is JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from aiokafka import AIOKafkaProducer
from psycopg import sql

from bench.pipeline_world import servers
from bench.recorded import Life, shuffled
from schemas.base import read_object
from sinks.ledger_reads import LedgerReads
from sinks.postgres import PostgresLedger
from streams.driver import MemoryLog
from streams.replay import digest_of
from topics.admin import create_topics
from topics.declaration import topic_name
from topics.partitioner import partition_of

PARTITIONS = 8
#: As many records as a batch of the replay has.
BATCH = 2000
#: Neither of them is a row of what was decided.
_NOT_COPIED = ("outbox", "progress", "counters", "logs", "migrations")

Written = Iterable[tuple[str, bytes, bytes, int, int]]


class NotEqual(Exception):
    """A replay gave another ledger."""


async def write(bootstrap: str, rows: Written) -> None:
    """Each (topic, key, value, partition, time) to the broker, in order."""
    producer = AIOKafkaProducer(bootstrap_servers=bootstrap, linger_ms=20, max_batch_size=512 * 1024)
    await producer.start()
    try:
        sent = [
            await producer.send(topic, value, key=key, partition=partition, timestamp_ms=at)
            for topic, key, value, partition, at in rows
        ]
        await asyncio.gather(*sent)
    finally:
        await producer.stop()


def as_recorded(log: MemoryLog, short: str, prefix: str) -> Iterator[tuple[str, bytes, bytes, int, int]]:
    for row in log.records(short):
        yield topic_name(short, prefix), row.key or b"", row.value or b"", row.partition, row.timestamp_ms


def mixed(
    log: MemoryLog, prefix: str, partitions: int, seed: int
) -> Iterator[tuple[str, bytes, bytes, int, int]]:
    name = topic_name("inbox", prefix)
    for key, value, at in shuffled(log, seed):
        yield name, key, value, partition_of(key, partitions), at


def replayed(prefix: str, schema: str, place: dict[str, str], processes: int) -> tuple[dict[str, Any], float]:
    """What `claimstream replay` printed, and the seconds of its whole process."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("CLAIMSTREAM_")}
    env |= {f"CLAIMSTREAM_{key.upper()}": value for key, value in place.items()} | {
        "CLAIMSTREAM_TOPIC_PREFIX": prefix
    }
    command = [sys.executable, "-m", "streams.cli", "replay", schema, "--json", "--processes", str(processes)]
    began = time.perf_counter()
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - began
    if not done.stdout:
        raise NotEqual(f"replay into {schema} failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout), seconds


def bare_copy(dsn: str, source: str, batches: int, connections: int) -> float:
    """Seconds of writing the rows of the schema `source` into empty tables, in so many transactions."""
    target = f"{source}_bare"
    with psycopg.connect(dsn, autocommit=True) as admin:
        names = [
            row[0]
            for row in admin.execute(
                "SELECT tablename FROM pg_tables WHERE schemaname = %s ORDER BY 1", [source]
            )
            if row[0] not in _NOT_COPIED
        ]
        admin.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(target)))
        work: list[list[tuple[str, bytes]]] = [[] for _ in range(batches)]
        for name in names:
            like = sql.SQL("CREATE TABLE {} (LIKE {} INCLUDING ALL)").format(
                sql.Identifier(target, name), sql.Identifier(source, name)
            )
            admin.execute(like)
            for n, part in enumerate(_parts(admin, source, name, batches)):
                work[n].append((name, part))
    began = time.perf_counter()
    asyncio.run(_copy_all(dsn, target, work, connections))
    return time.perf_counter() - began


def _parts(admin: psycopg.Connection[Any], schema: str, name: str, batches: int) -> Iterator[bytes]:
    """The rows of a table in as many parts, in the order they lie in, as COPY's binary form."""
    (rows,) = admin.execute(
        sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(schema, name))
    ).fetchone() or (0,)
    size = max(1, -(-rows // batches))
    for first in range(0, rows, size):
        query = sql.SQL(
            "COPY (SELECT * FROM {} ORDER BY ctid OFFSET {} LIMIT {}) TO STDOUT (FORMAT BINARY)"
        ).format(sql.Identifier(schema, name), sql.Literal(first), sql.Literal(size))
        with admin.cursor().copy(query) as copy:
            yield b"".join(bytes(block) for block in copy)


async def _copy_all(dsn: str, schema: str, work: list[list[tuple[str, bytes]]], connections: int) -> None:
    async def lane(batches: list[list[tuple[str, bytes]]]) -> None:
        async with await psycopg.AsyncConnection.connect(dsn) as connection:
            for batch in batches:
                for name, data in batch:
                    statement = sql.SQL("COPY {} FROM STDIN (FORMAT BINARY)").format(
                        sql.Identifier(schema, name)
                    )
                    async with connection.cursor().copy(statement) as copy:
                        await copy.write(data)
                await connection.commit()

    await asyncio.gather(*(lane(work[n::connections]) for n in range(connections)))


@contextmanager
def told(what: str, total: int) -> Iterator[Callable[[int], None]]:
    began, done, shown = time.perf_counter(), 0, 0

    def advance(n: int) -> None:
        nonlocal done, shown
        done += n
        if done - shown >= total // 10:
            shown = done
            print(
                f"  {what}: {done:,} of {total:,}, {done / (time.perf_counter() - began):,.0f} a second",
                flush=True,
            )

    yield advance


def kinds(log: MemoryLog) -> dict[str, int]:
    counted: Counter[str] = Counter()
    for row in log.records("inbox"):
        body = read_object(row.value)
        kind = str(body["type"])
        counted[f"{kind} {body['action']}" if kind == "command" else kind] += 1
    return dict(counted.most_common())


async def live(dsn: str, schema: str, log: MemoryLog, records: int, seed: int) -> str:
    ledger = PostgresLedger(dsn, schema=schema)
    await ledger.open()
    try:
        with told("lived", records) as advance:
            await Life(log, ledger, seed=seed).live(records, advance)
    finally:
        await ledger.close()
    return await digest(dsn, schema)


async def digest(dsn: str, schema: str) -> str:
    async with LedgerReads(dsn, schema=schema) as reads:
        return (await digest_of(reads)).digest


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=100_000, help="inbox records (100000)")
    parser.add_argument("--processes", type=int, default=0, help="of a replay; 0: one per core")
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    lanes = min(PARTITIONS, args.processes or os.cpu_count() or 1)
    with servers() as both:
        name = f"replay{os.getpid()}"
        log = MemoryLog(partitions=PARTITIONS, prefix=name)
        print(f"broker {both.broker.kind}; living a life of {args.records:,} inbox records")
        began = time.perf_counter()
        wanted = asyncio.run(live(both.dsn, name, log, args.records, args.seed))
        total = log.size("inbox") + log.size("control")
        print(
            f"lived in {time.perf_counter() - began:.0f} s: {kinds(log)}, {log.size('control')} control records"
        )
        prefixes = {name: PARTITIONS, f"{name}mixed": PARTITIONS - 3}
        for prefix, partitions in prefixes.items():
            asyncio.run(create_topics(both.broker.bootstrap, prefix, partitions))
            asyncio.run(write(both.broker.bootstrap, as_recorded(log, "control", prefix)))
        asyncio.run(write(both.broker.bootstrap, as_recorded(log, "inbox", name)))
        asyncio.run(write(both.broker.bootstrap, mixed(log, f"{name}mixed", PARTITIONS - 3, args.seed)))
        place = {"bootstrap": both.broker.bootstrap, "dsn": both.dsn, "db_schema": name}
        rates, limits, digests = [], [], []
        for n, prefix in enumerate((name, name, f"{name}mixed")):
            schema = f"{name}_{n}"
            result, seconds = replayed(prefix, schema, place, args.processes)
            bare = bare_copy(both.dsn, schema, -(-total // BATCH), lanes)
            rates.append(result["records_per_s"])
            limits.append(total / bare)
            digests.append(result["digest"])
            print(
                f"  replay {n + 1} ({'mixed anew' if n == 2 else 'as recorded'}): {result['records']:,} records in "
                f"{seconds:.1f} s, {result['records_per_s']:,} a second; bare COPY {limits[-1]:,.0f} a second; "
                f"{'equal' if result['digest'] == wanted else 'NOT EQUAL'}",
                flush=True,
            )
        equal = set(digests) == {wanted}
        rate, limit = statistics.median(rates), statistics.median(limits)
        print(
            json.dumps(
                {
                    "bench": "replay",
                    "records": total,
                    "records_per_s": round(rate),
                    "limit_per_s": round(limit),
                    "ratio": round(rate / limit, 3),
                    "processes": lanes,
                    "digest_equal": equal,
                    "broker": both.broker.kind,
                }
            )
        )
        if not equal:
            raise SystemExit(f"claimstream diff {name} {name}_0 shows where they differ")


if __name__ == "__main__":
    main()
