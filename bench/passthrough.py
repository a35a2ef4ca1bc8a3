"""What the hops cost by themselves: turns -> facts -> inbox -> Postgres, no thinking in between.

    python -m bench.passthrough [--turns 5000] [--separate] [--freeze]

`--separate`: a process for each stage instead of one for all. `--freeze`: two workers of the middle stage,
one of them stopped (SIGSTOP) in mid-flow for longer than the session timeout and woken again. Every run
checks that nothing was lost and that each key's turns arrived in order. The last line is JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil
import psycopg

from streams.embedded.process import Child
from streams.faust_adapter import FaustOptions
from streams.publisher import Publisher
from streams.stage import InRecord, OutRecord
from streams.worker import host
from tests.fixtures.broker import Broker, start_broker
from tests.fixtures.postgres import start_postgres
from topics.admin import create_topics
from topics.declaration import size_limits, topic_name
from topics.partitioner import encode_key

CONVERSATIONS = 200
ENTITIES = 500
VALUE_BYTES = 400
SESSION_TIMEOUT_S = 6.0
MAX_BATCH = 500
STAGES = ("extract", "resolve", "adjudicate")
TABLE = "CREATE TABLE arrived (position bigserial PRIMARY KEY, key text NOT NULL, number bigint NOT NULL)"


class Relay:
    """Reads one topic and writes another, keyed anew."""

    max_batch = MAX_BATCH

    def __init__(self, name: str, source: str, target: str, bootstrap: str, by_entity: bool) -> None:
        self.name = name
        self.input_topic = source
        self._target = target
        self._by_entity = by_entity
        self._publisher = Publisher(bootstrap, client_id=f"bench-{name}")

    async def start(self) -> None:
        await self._publisher.start()

    async def stop(self) -> None:
        await self._publisher.stop()

    async def process(self, batch: Sequence[InRecord]) -> None:
        await self._publisher.publish([OutRecord(self._target, self._key(r), r.value or b"") for r in batch])

    def _key(self, record: InRecord) -> bytes:
        return _entity_key(_number(record.value)) if self._by_entity else (record.key or b"")


class Sink:
    """Inserts by COPY, one transaction for a batch."""

    max_batch = MAX_BATCH

    def __init__(self, name: str, source: str, dsn: str) -> None:
        self.name = name
        self.input_topic = source
        self._dsn = dsn
        self._connection: psycopg.AsyncConnection | None = None

    async def start(self) -> None:
        self._connection = await psycopg.AsyncConnection.connect(self._dsn)

    async def stop(self) -> None:
        if self._connection is not None:
            await self._connection.close()

    async def process(self, batch: Sequence[InRecord]) -> None:
        assert self._connection is not None
        async with (
            self._connection.transaction(),
            self._connection.cursor() as cursor,
            cursor.copy("COPY arrived (key, number) FROM STDIN") as copy,
        ):
            for record in batch:
                await copy.write_row(((record.key or b"").decode(), _number(record.value)))


def _number(value: bytes | None) -> int:
    return int(json.loads(value or b"{}")["number"])


def _entity_key(number: int) -> bytes:
    # All turns of an entity are in one conversation: only then have they an order.
    return encode_key(
        "bench", f"user:{number % CONVERSATIONS}.{number % ENTITIES * CONVERSATIONS % ENTITIES}"
    )


def _turn(topic: str, number: int) -> OutRecord:
    body = {"number": number, "text": "x" * (VALUE_BYTES - 40)}
    return OutRecord(topic, encode_key("bench", f"c{number % CONVERSATIONS}"), json.dumps(body).encode())


def build(name: str, bootstrap: str, dsn: str, prefix: str) -> Relay | Sink:
    turns, facts, inbox = (topic_name(short, prefix) for short in ("turns", "facts", "inbox"))
    if name == "extract":
        return Relay(name, turns, facts, bootstrap, by_entity=False)
    if name == "resolve":
        return Relay(name, facts, inbox, bootstrap, by_entity=True)
    return Sink(name, inbox, dsn)


def run_worker(names: Sequence[str], bootstrap: str, dsn: str, prefix: str, ready_file: Path) -> int:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    logging.getLogger("faust").setLevel(logging.WARNING)
    logging.getLogger("aiokafka").setLevel(logging.ERROR)

    async def main() -> int:
        stages = [build(name, bootstrap, dsn, prefix) for name in names]
        options = FaustOptions(bootstrap, prefix, session_timeout_s=SESSION_TIMEOUT_S)
        return await host(stages, options, on_ready=ready_file.touch)

    return asyncio.run(main())


@contextmanager
def workers(groups: Sequence[Sequence[str]], bootstrap: str, dsn: str, prefix: str) -> Iterator[list[Child]]:
    """A child process for each group of stages, all of them ready."""
    with tempfile.TemporaryDirectory(prefix="claimstream-bench-") as folder, ExitStack() as stack:
        children: list[Child] = []
        for number, names in enumerate(groups):
            ready = Path(folder) / f"ready{number}"
            command = [sys.executable, "-m", "bench.passthrough", "--worker", ",".join(names)]
            command += [
                "--bootstrap",
                bootstrap,
                "--dsn",
                dsn,
                "--prefix",
                prefix,
                "--ready-file",
                str(ready),
            ]
            child = Child("+".join(names), command, Path(folder) / f"log{number}")
            stack.callback(child.stop)
            children.append(child)
        began = time.perf_counter()
        for number, child in enumerate(children):
            child.wait_until((Path(folder) / f"ready{number}").exists, 60.0)
        print(f"workers ready after {time.perf_counter() - began:.1f} s")
        try:
            yield children
        finally:
            for child in children:
                child.stop()
                _print_problems(child)


def _print_problems(child: Child) -> None:
    for line in child.log_path.read_text().splitlines():
        if any(word in line for word in ("WARNING", "ERROR", "CRITICAL", "Traceback")):
            print(f"  {child.name}: {line[:300]}")


def run(turns: int, separate: bool, freeze: bool) -> dict[str, object]:
    server, broker = start_broker()
    database, postgres = start_postgres()
    try:
        return _measure(turns, separate, freeze, broker, postgres.dsn)
    finally:
        for started in (database, server):
            if started is not None:
                started.stop()


def _measure(turns: int, separate: bool, freeze: bool, broker: Broker, dsn: str) -> dict[str, object]:
    prefix = f"bench{os.getpid()}"
    asyncio.run(create_topics(broker.bootstrap, prefix))
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute(TABLE)
        groups: list[Sequence[str]] = [[name] for name in STAGES] if separate or freeze else [STAGES]
        if freeze:
            groups.append(["resolve"])
        with workers(groups, broker.bootstrap, dsn, prefix) as children:
            cpu_before = {c.pid: _cpu_s(c.pid) for c in children}
            began = time.perf_counter()
            frozen = children[-1] if freeze else None
            asyncio.run(_publish(turns, broker.bootstrap, prefix, frozen.pid if frozen else None))
            _wait_for(db, turns)
            seconds = time.perf_counter() - began
            cpu: dict[str, float] = {}
            for child in children:
                cpu[child.name] = round(
                    cpu.get(child.name, 0.0) + _cpu_s(child.pid) - cpu_before[child.pid], 2
                )
            if freeze:
                time.sleep(SESSION_TIMEOUT_S)  # what the woken worker still holds comes out now
        rows = db.execute("SELECT key, number FROM arrived ORDER BY position").fetchall()
        db.execute("DROP TABLE arrived")
    _verify(rows, turns)
    return {
        "bench": "passthrough",
        "turns": turns,
        "turns_per_s": round(turns / seconds),
        "seconds": round(seconds, 2),
        "cpu_s": cpu,
        "cpu_ms_per_turn": round(1000 * sum(cpu.values()) / turns, 3),
        "duplicates": len(rows) - turns,
        "processes": len(groups),
        "frozen": freeze,
        "broker": broker.kind,
    }


async def _publish(turns: int, bootstrap: str, prefix: str, freeze_pid: int | None) -> None:
    publisher = Publisher(bootstrap, limits=size_limits(prefix))
    await publisher.start()
    topic = topic_name("turns", prefix)
    step = max(1, turns // 10)
    for first in range(0, turns, step):
        await publisher.publish([_turn(topic, n) for n in range(first, min(first + step, turns))])
        if freeze_pid is not None:
            if first == step * 3:
                os.kill(freeze_pid, signal.SIGSTOP)
            await asyncio.sleep(0.2)
    if freeze_pid is not None:
        await asyncio.sleep(SESSION_TIMEOUT_S + 2.0)
        os.kill(freeze_pid, signal.SIGCONT)
    await publisher.stop()


def _wait_for(db: psycopg.Connection, turns: int) -> None:
    deadline = time.monotonic() + 120.0
    while True:
        found = db.execute("SELECT count(*), count(DISTINCT number) FROM arrived").fetchone()
        if found is not None and found[1] >= turns:
            return
        if time.monotonic() > deadline:
            raise SystemExit(f"LOST: after 120 s {found} of {turns} turns arrived")
        time.sleep(0.02)


def _verify(rows: list[tuple[str, int]], turns: int) -> None:
    """Nothing lost, and each key's turns first seen in order (a redelivery repeats, it does not overtake)."""
    latest: dict[str, int] = {}
    seen: set[int] = set()
    for key, number in rows:
        if number in seen:
            continue
        seen.add(number)
        if number < latest.get(key, -1):
            raise SystemExit(f"ORDER: {key} got {number} after {latest[key]}")
        latest[key] = number
    if len(seen) != turns:
        raise SystemExit(f"LOST: {turns - len(seen)} turns")


def _cpu_s(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=5000)
    parser.add_argument("--separate", action="store_true")
    parser.add_argument("--freeze", action="store_true")
    for hidden in ("--worker", "--bootstrap", "--dsn", "--prefix"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    parser.add_argument("--ready-file", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        return run_worker(args.worker.split(","), args.bootstrap, args.dsn, args.prefix, args.ready_file)
    result = run(args.turns, args.separate, args.freeze)
    print(
        f"{result['turns_per_s']} turns/s over {result['processes']} processes, CPU seconds {result['cpu_s']}"
    )
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
