"""The parts of a scene: both ledgers, one embedder for the session."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from inference.offline_minilm import OfflineMiniLM
from tests.cases.scene import Scene
from tests.contract.ledger_world import KINDS, opened


@pytest.fixture(scope="session")
def embedder() -> Iterator[OfflineMiniLM]:
    """The offline default."""
    found = OfflineMiniLM(threads=1)
    yield found
    found.close()


@pytest.fixture(params=KINDS)
async def scene(request: pytest.FixtureRequest, embedder: OfflineMiniLM) -> AsyncIterator[Scene]:
    """Empty, over memory and over Postgres."""
    async with opened(request.param, request) as ledger:
        yield Scene(ledger, embedder)
