"""Facts per second from the turns topic to the index, beside what the embedder alone can do in the same run.

    python -m bench.pipeline [--turns 5000] [--separate]

Everything shares the machine: the broker, Postgres, the workers and this program. `--separate`: a process for each
stage, which shows where the CPU time goes; the default is the layout of docs/performance.md. The last line is JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.pipeline_turns import TENANT, turns
from bench.pipeline_world import Look, Servers, World, look, now, servers, spent, world
from inference.offline_minilm import OfflineMiniLM
from schemas.turn import Turn
from streams.envelope import input_record, open_publisher
from streams.equations import equations, measure
from streams.settled import settled
from streams.topology import STAGES
from topics.declaration import topic_name

LAYOUT: Sequence[Sequence[str]] = (("extract", "resolve"), ("adjudicate", "judge", "control", "project"))
_CHUNK = 500
_TIMEOUT_S = 600.0
#: One turn in so many is looked for in the index, until it is found.
_PROBE_EVERY = 5
_LATENCY_S = 20.0


@dataclass(frozen=True, slots=True)
class Run:
    """What one run of the pipeline gave."""

    seconds: float
    facts: int
    cpu_s: dict[str, float]

    @property
    def per_s(self) -> float:
        return self.facts / self.seconds


def embedder_rate(sentences: Sequence[str]) -> tuple[float, str]:
    """The best of the settings that pay: sentences per second, and which setting it was."""
    best = (0.0, "")
    for threads, batch in ((1, 32), (2, 32), (2, 64)):
        embedder = OfflineMiniLM(threads=threads, batch_size=batch)
        embedder.embed_now(sentences[:100])
        began = now()
        embedder.embed_now(sentences)
        rate = len(sentences) / (now() - began)
        embedder.close()
        print(f"  embedder alone, {threads} threads, batches of {batch}: {rate:.0f} facts/s")
        best = max(best, (rate, f"{threads} threads, batches of {batch}"))
    return best


async def throughput(running: World, said: Sequence[Turn]) -> Run:
    """Publish all at once; the clock stops when the index has everything. Raises SystemExit when sums do not add up."""
    async with look(running.settings) as seen:
        before, began = running.cpu_s(), now()
        await _publish(running, said)
        published = now() - began
        await _until_projected(running, seen, len(said))
        seconds, after = now() - began, running.cpu_s()
        await settled(seen.ends, seen.reads, seen.prefix, _TIMEOUT_S)
        numbers = await measure(seen.ends, seen.reads, seen.prefix, seen.vectors)
        print(f"  published in {published:.1f} s, all queryable after {seconds:.1f} s")
        for equation in equations(numbers):
            if not equation.ok:
                raise SystemExit(f"NOT ok: {equation}")
        if numbers.facts != len(said):
            raise SystemExit(f"NOT ok: {len(said)} turns stated {numbers.facts} facts, each must state one")
    return Run(seconds, numbers.facts, spent(before, after))


async def _publish(running: World, said: Sequence[Turn]) -> None:
    async with open_publisher(running.settings, "turns") as publisher:
        for first in range(0, len(said), _CHUNK):
            chunk = said[first : first + _CHUNK]
            await publisher.publish([input_record(turn, running.settings) for turn in chunk])


async def _until_projected(running: World, seen: Look, n: int) -> None:
    deadline = now() + _TIMEOUT_S
    while True:
        progress = await seen.reads.progress()
        done = {stage.name: sum(r.next_offset for r in progress if r.stage == stage.name) for stage in STAGES}
        if done["extract"] >= n and done["resolve"] >= n and done["adjudicate"] >= n:
            claims = topic_name("claims", seen.prefix)
            sent = [row for row in (await seen.reads.counts()).counters if row.name == "emitted"]
            if done["project"] >= sum(row.n for row in sent if row.detail == claims):
                return
        for child in running.workers:
            if child.poll() is not None:
                raise SystemExit(f"{child.name} ended:\n{child.log_tail()}")
        if now() > deadline:
            raise SystemExit(f"after {_TIMEOUT_S:.0f} s the stages have done {done} of {n}")
        await asyncio.sleep(0.1)


async def latency(running: World, said: Sequence[Turn], rate: float) -> tuple[float, float]:
    """(p50, p95) in ms from the moment a turn is handed to the producer until a search finds its claim.

    Turns go out one by one at `rate` per second, whatever the pipeline does.
    """
    waiting: dict[str, float] = {}
    took: list[float] = []
    every = 1.0 / rate
    async with look(running.settings) as seen, open_publisher(running.settings, "turns") as publisher:
        sending: set[asyncio.Task[None]] = set()
        began = now()
        finder = asyncio.create_task(_find(seen, waiting, took))
        for number, turn in enumerate(said):
            await asyncio.sleep(max(0.0, began + number * every - now()))
            if number % _PROBE_EVERY == 0:
                waiting[f"user:{turn.user}"] = now()
            sending.add(
                task := asyncio.create_task(publisher.publish([input_record(turn, running.settings)]))
            )
            task.add_done_callback(sending.discard)
        await asyncio.gather(*sending)
        deadline = now() + 60.0
        while waiting and now() < deadline:  # noqa: ASYNC110 (the finder empties it a few at a time)
            await asyncio.sleep(0.05)
        finder.cancel()
        if waiting:
            raise SystemExit(f"NOT ok: never found in the index: {sorted(waiting)[:5]}")
    return float(np.percentile(took, 50)) * 1000, float(np.percentile(took, 95)) * 1000


async def _find(seen: Look, waiting: dict[str, float], took: list[float]) -> None:
    anywhere = np.ones(384, dtype=np.float32)
    while True:
        asked = list(waiting)
        if asked:
            hits = await seen.vectors.search(anywhere, TENANT, len(asked) * 2, {"entity": asked})
            found = now()
            for entity in {hit.row.entity for hit in hits}:
                took.append(found - waiting.pop(entity))
        await asyncio.sleep(0.02)


def _probed(said: Sequence[Turn], n: int) -> list[Turn]:
    """`n` turns, each of a user of its own, so that finding the user's claim is finding the turn's."""
    return [
        turn.model_copy(update={"user": f"late{i}", "conversation": f"late{i}", "event_id": f"late{i}"})
        for i, turn in enumerate(said[:n])
    ]


def bench(n: int, layout: Sequence[Sequence[str]], threads: int) -> dict[str, object]:
    """All measurements; the last line as a mapping."""
    made = turns(n)
    said, sentences = [each.turn for each in made], [each.sentence for each in made]
    late = [each.turn for each in made if each.about_user]
    with servers() as both:
        print(f"broker: {both.broker.kind}; {n:,} turns, one fact each; workers: {_shown(layout)}")
        embedder_per_s, _ = embedder_rate(sentences)
        run, (p50, p95) = _embedded(both, layout, said, late, threads)
        with world(both, "stubbed", layout, "stub") as running:
            stubbed = asyncio.run(throughput(running, said))
    _report(run, stubbed, embedder_per_s)
    return {
        "bench": "pipeline",
        "facts_per_s": round(run.per_s, 1),
        "embedder_per_s": round(embedder_per_s, 1),
        "ratio": round(run.per_s / embedder_per_s, 3),
        "stubbed_turns_per_s": round(stubbed.per_s, 1),
        "queryable_p50_ms": round(p50),
        "queryable_p95_ms": round(p95),
        "broker": both.broker.kind,
    }


def one(n: int, layout: Sequence[Sequence[str]], threads: int, kind: str) -> int:
    """One throughput run, for profiling."""
    said = [each.turn for each in turns(n)]
    embedder = "offline" if kind == "embedded" else "stub"
    with servers() as both, world(both, kind, layout, embedder, embedder_threads=threads) as running:
        print("workers are ready", flush=True)
        run = asyncio.run(throughput(running, said))
    for name, cpu_s in run.cpu_s.items():
        print(f"{name:<40}{1000 * cpu_s / run.facts:>8.2f} ms of CPU per turn")
    print(f"{run.per_s:.0f} facts/s")
    return 0


def _embedded(
    both: Servers,
    layout: Sequence[Sequence[str]],
    said: Sequence[Turn],
    late: Sequence[Turn],
    threads: int,
) -> tuple[Run, tuple[float, float]]:
    with world(both, "bench", layout, "offline", embedder_threads=threads) as running:
        run = asyncio.run(throughput(running, said))
        half = run.per_s / 2
        n = min(len(late), round(half * _LATENCY_S))
        waited = asyncio.run(latency(running, _probed(late, n), half))
    print(f"  at {half:.0f} turns/s: queryable after {waited[0]:.0f} ms (median), {waited[1]:.0f} ms (p95)")
    return run, waited


def _shown(layout: Sequence[Sequence[str]]) -> str:
    return " | ".join("+".join(group) for group in layout)


def _report(run: Run, stubbed: Run, embedder_per_s: float) -> None:
    print()
    print(f"{'CPU, ms per turn':<40}{'embedding':>12}{'stubbed':>12}")
    for name in run.cpu_s:
        with_model, without = (1000 * r.cpu_s.get(name, 0.0) / r.facts for r in (run, stubbed))
        print(f"{name:<40}{with_model:>12.2f}{without:>12.2f}")
    sums = [1000 * sum(r.cpu_s.values()) / r.facts for r in (run, stubbed)]
    print(f"{'all':<40}{sums[0]:>12.2f}{sums[1]:>12.2f}")
    print(f"{'per turn, wall clock':<40}{1000 / run.per_s:>12.2f}{1000 / stubbed.per_s:>12.2f}")
    print()
    print(
        f"{run.per_s:.0f} facts/s with embedding, {100 * run.per_s / embedder_per_s:.0f} % of the embedder's "
        f"{embedder_per_s:.0f}; {stubbed.per_s:.0f} turns/s without"
    )


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=5000)
    parser.add_argument("--separate", action="store_true")
    parser.add_argument(
        "--layout", help="other groups of stages, for example extract+control,resolve,adjudicate+project"
    )
    parser.add_argument(
        "--only", choices=["embedded", "stubbed"], help="leave the other runs out (no JSON line)"
    )
    parser.add_argument("--threads", type=int, default=1, help="threads of the embedder in a worker")
    args = parser.parse_args()
    # Workers are started while the index of a former run is closed; nothing of it is used in the child.
    warnings.filterwarnings("ignore", message="lancedb fork support")
    layout = LAYOUT
    if args.separate:
        layout = [[stage.name] for stage in STAGES]
    elif args.layout:
        layout = [group.split("+") for group in args.layout.split(",")]
    if args.only:
        return one(args.turns, layout, args.threads, args.only)
    result = bench(args.turns, layout, args.threads)
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
