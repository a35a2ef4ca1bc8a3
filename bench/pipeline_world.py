"""A broker, a Postgres and workers as processes for the pipeline bench, and what each of them costs."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from inference.offline_minilm import OfflineMiniLM
from inference.stub import StubEmbedder
from sinks.ledger_reads import LedgerReads
from sinks.vectors import LanceVectors
from streams.embedded.process import Child
from streams.ends import Ends, open_ends
from streams.heartbeat import unwell
from streams.settings import Settings, load
from tests.fixtures.broker import Broker, start_broker
from tests.fixtures.postgres import start_postgres
from topics.admin import create_topics

#: Half of it is the time of the first join on Tansu.
_SESSION_TIMEOUT_S = "6"
_READY_S = 120.0


@dataclass(slots=True)
class Servers:
    """The broker and the Postgres, shared by all runs."""

    broker: Broker
    dsn: str
    #: What to call a process, and its id.
    pids: dict[str, int]


@contextmanager
def servers() -> Iterator[Servers]:
    """Start both, end both. The broker is the one the tests take."""
    with ExitStack() as stack:
        broker_server, broker = start_broker()
        if broker_server is not None:
            stack.callback(broker_server.stop)
        postgres_server, postgres = start_postgres()
        if postgres_server is not None:
            stack.callback(postgres_server.stop)
        pids = {
            name: server.pid
            for name, server in (("broker", broker_server), ("postgres", postgres_server))
            if hasattr(server, "pid")
        }
        yield Servers(broker, postgres.dsn, pids)


@dataclass(slots=True)
class World:
    """One pipeline: its settings, its workers, and the stores to look into."""

    settings: Settings
    workers: list[Child]
    servers: Servers

    def cpu_s(self) -> dict[str, float]:
        """CPU seconds so far of each worker, the broker, Postgres with its connections, and this process."""
        used = {child.name: _tree_cpu_s(child.pid) for child in self.workers}
        used |= {name: _tree_cpu_s(pid) for name, pid in self.servers.pids.items()}
        mine = psutil.Process().cpu_times()
        return {**used, "this bench": mine.user + mine.system}


@contextmanager
def world(
    servers: Servers, name: str, groups: Sequence[Sequence[str]], embedder: str, **extra: Any
) -> Iterator[World]:
    """Topics, a schema and an index of its own, and a worker process for each group of stages, all ready."""
    with tempfile.TemporaryDirectory(prefix="claimstream-bench-") as folder, ExitStack() as stack:
        values = {
            "bootstrap": servers.broker.bootstrap,
            "dsn": servers.dsn,
            "topic_prefix": f"{name}{os.getpid()}",
            "db_schema": f"{name}_{os.getpid()}",
            "lancedb_uri": f"{folder}/lancedb",
            "health_dir": f"{folder}/health",
            "session_timeout_s": _SESSION_TIMEOUT_S,
            "embedder": embedder,
            **{key: str(value) for key, value in extra.items()},
        }
        settings = load(**values)
        asyncio.run(create_topics(settings.bootstrap, settings.topic_prefix, settings.partitions))
        kept = {k: v for k, v in os.environ.items() if not k.startswith("CLAIMSTREAM_")}
        env = {**kept, **{f"CLAIMSTREAM_{key.upper()}": value for key, value in values.items()}}
        workers = []
        for stages in groups:
            title = "+".join(stages)
            command = [
                sys.executable,
                *os.environ.get("BENCH_PYTHON", "").split(),
                "-m",
                "streams.cli",
                "worker",
            ]
            child = Child(title, [*command, *stages], Path(folder) / f"{title}.log", env=env, grace_s=20.0)
            stack.callback(_stop, child)
            workers.append(child)
        for child, stages in zip(workers, groups, strict=True):
            child.wait_until(
                lambda stages=stages: not any(unwell(settings.health_dir, stage, 30.0) for stage in stages),
                _READY_S,
            )
        yield World(settings, workers, servers)


def _stop(child: Child) -> None:
    ended = child.poll()
    child.stop()
    lines = child.log_path.read_text(errors="replace").splitlines()
    bad = [line for line in lines if "[warning" in line or "[error" in line or "[critical" in line]
    if ended is not None:
        print(f"  {child.name} ended by itself with exit code {ended}")
    if bad:
        print(f"  {child.name} logged:\n    " + "\n    ".join(line[:300] for line in bad[:10]))
    if keep := os.environ.get("BENCH_LOGS"):
        shutil.copy(child.log_path, keep)


def _tree_cpu_s(pid: int) -> float:
    total = 0.0
    process = psutil.Process(pid)
    for each in (process, *process.children(recursive=True)):
        try:
            times = each.cpu_times()
        except psutil.Error:
            continue
        total += times.user + times.system
    return total


@dataclass(slots=True)
class Look:
    """Ends, ledger and index of a world, opened."""

    ends: Ends
    reads: LedgerReads
    vectors: LanceVectors
    prefix: str

    async def projected(self, stage: str = "project") -> int:
        """Records that a stage has done."""
        return sum(row.next_offset for row in await self.reads.progress() if row.stage == stage)


@asynccontextmanager
async def look(settings: Settings) -> AsyncIterator[Look]:
    """Open them. The workers have made the schema."""
    profile = StubEmbedder.profile if settings.embedder == "stub" else OfflineMiniLM.profile
    async with (
        open_ends(settings) as ends,
        LedgerReads(settings.dsn.get_secret_value(), schema=settings.db_schema) as reads,
    ):
        vectors = await LanceVectors.open(settings.lancedb_uri, profile)
        try:
            yield Look(ends, reads, vectors, settings.topic_prefix)
        finally:
            await vectors.close()


def spent(before: dict[str, float], after: dict[str, float]) -> dict[str, float]:
    """CPU seconds between two looks."""
    return {name: round(after[name] - before.get(name, 0.0), 2) for name in after}


def now() -> float:
    """Seconds of a clock that never jumps."""
    return time.perf_counter()
