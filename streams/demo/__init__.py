"""Two agents and one memory, played on a running pipeline and checked: `claimstream demo`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Final

from schemas.errors import ClaimstreamError
from sinks.ledger_views import LedgerCounts
from streams.cli import output
from streams.demo.conversation import Conversation, load
from streams.demo.scenes import SCENES, Outcome
from streams.demo.stage import AGENTS, TENANT, Stage, open_stage
from streams.envelope import Control
from streams.equations import equations, measure
from streams.policy_file import read_policy_file
from streams.settings import Settings

_INDENT: Final = "   "
_CHECK_S: Final = 0.2
Say = Callable[[str], None]


class NotAsExpected(ClaimstreamError):
    """The demo showed something that must not be."""


def run_demo(
    settings: Settings,
    *,
    conversation: Path | None = None,
    as_json: bool = False,
    check: Callable[[], None] = lambda: None,
) -> None:
    """Play the demo on the pipeline of `settings` and print it.

    `check` is called now and then and ends the demo by what it raises: a pipeline that crashed is not waited for.
    Raises NotAsExpected, naming each result that is not what it must be; else what the parts raise.
    """
    say: Say = output.note if as_json else output.say
    results = asyncio.run(_watched(play(settings, say, conversation), check))
    if as_json:
        output.print_json(results)
    if wrong := results["wrong"]:
        raise NotAsExpected(f"not as it must be: {'; '.join(wrong)}")


async def play(settings: Settings, say: Say, conversation: Path | None = None) -> dict[str, Any]:
    """Play it, telling `say` line by line; the results as plain values, `wrong` being what is not as it must be.

    `conversation`: a file in LoCoMo's format; None takes the one that ships. Raises BadConversation, NotAsExpected
    when the ledger already holds a demo, NotSettled, TransientError.
    """
    began = time.monotonic()
    talk = load(conversation)
    async with open_stage(settings) as stage:
        if await stage.reads.entities(TENANT, limit=1):
            raise NotAsExpected(f"this ledger already holds a demo (tenant {TENANT}): take a fresh one")
        scenes = await _scenes(stage, say)
        counted = await _conversation(stage, say, talk)
    wrong = [f"{scene['title']}: {text}" for scene in scenes for text in scene["wrong"]] + counted.pop(
        "wrong"
    )
    seconds = time.monotonic() - began
    say("")
    say(f"{'As it must be' if not wrong else 'NOT as it must be'}, in {seconds:.1f} s.")
    return {"scenes": scenes, **counted, "wrong": wrong, "ok": not wrong, "seconds": round(seconds, 2)}


async def _watched(playing: Coroutine[Any, Any, dict[str, Any]], check: Callable[[], None]) -> dict[str, Any]:
    task = asyncio.create_task(playing)
    try:
        while not task.done():
            await asyncio.wait({task}, timeout=_CHECK_S)
            check()
    finally:
        task.cancel()
        await asyncio.wait({task})
    return task.result()


async def _scenes(stage: Stage, say: Say) -> list[dict[str, Any]]:
    await stage.rule(_policy(stage.settings))
    for scene in SCENES:
        await scene.play(stage)
    await stage.through()
    results = []
    for number, scene in enumerate(SCENES, start=1):
        say("")
        say(f"{number}. {scene.title}")
        outcome = await scene.check(stage)
        _tell(say, outcome)
        results.append(
            {"title": scene.title, "ok": not outcome.wrong, "wrong": outcome.wrong, **outcome.data}
        )
    return results


def _policy(settings: Settings) -> list[Control]:
    with as_file(files(__package__).joinpath("policy.yaml")) as path:
        return read_policy_file(path, TENANT, settings.default_tenant, datetime.now(UTC))


async def _conversation(stage: Stage, say: Say, talk: Conversation) -> dict[str, Any]:
    say("")
    say(
        f"{len(SCENES) + 1}. a conversation: {len(talk.turns):,} turns between {' and '.join(talk.speakers)} "
        f"({talk.name}), each speaker heard by an agent of its own"
    )
    before = await stage.reads.counts()
    began = time.monotonic()
    await asyncio.gather(*(stage.publish(agent, talk.by(agent)) for agent in AGENTS))
    await stage.through()
    seconds = time.monotonic() - began
    numbers = await measure(stage.ends, stage.reads, stage.settings.topic_prefix, stage.vectors)
    made = _made(before, numbers.ledger)
    say(
        f"{_INDENT}{made['extracted']:,} turns stated {made['facts']:,} facts, the others none (questions, greetings, "
        f"opinions); {made['claims']:,} claims, in {seconds:.1f} s"
    )
    say(f"{_INDENT}nothing lost, nothing double, of all that was said so far:")
    found = equations(numbers)
    for equation in found:
        say(f"{_INDENT}{'ok    ' if equation.ok else 'NOT ok'} {equation}")
    wrong = [f"the sum does not add up: {equation}" for equation in found if not equation.ok]
    if not made["facts"]:
        wrong.append("the conversation gave no facts at all")
    return {
        "conversation": {"name": talk.name, "turns": len(talk.turns), "seconds": round(seconds, 2), **made},
        "equations": [equation.as_json() for equation in found],
        "wrong": wrong,
    }


def _made(before: LedgerCounts, after: LedgerCounts) -> dict[str, int]:
    made = {name: after.tables[name] - before.tables[name] for name in ("facts", "claims")}
    both = [counts.counter("extract", "extracted", "facts") for counts in (before, after)]
    return {"extracted": both[1] - both[0], **made}


def _tell(say: Say, outcome: Outcome) -> None:
    for line in outcome.lines:
        say(_INDENT + line)
    for line in outcome.wrong:
        say(f"{_INDENT}NOT as it must be: {line}")
