"""What the stage extract does around its extractor."""

import asyncio

from inference.rules import RuleExtractor
from streams.stage import InRecord
from streams.stages.extract import Extract
from tests.fixtures.pipeline import turn


async def test_a_batch_lets_others_run_between_its_turns() -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    records = [
        InRecord("conversations.v1", 0, n, None, turn(n, "I live in Oslo.").to_json()) for n in range(20)
    ]
    async with asyncio.timeout(60):
        ticker = asyncio.create_task(tick())
        await Extract(RuleExtractor(), "").prepare(records)
        ticker.cancel()
    assert ticks >= len(records)
