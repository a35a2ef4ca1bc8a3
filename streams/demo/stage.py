"""What the scenes of the demo play with: two producers, a consumer of disputes, and the stores to look into."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from processors.deciding.model import Claim
from processors.ports import Embedder
from schemas.disputes import DisputeChanged
from schemas.errors import ClaimstreamError
from schemas.facts import Mention, StatedFact
from schemas.turn import Message, Record, RecordContent, Turn, TurnContent
from sinks.ledger_reads import LedgerReads
from sinks.vector_rows import VectorHit, VectorStore
from streams.assembly import open_embedder, open_vectors
from streams.ends import Ends, open_ends
from streams.envelope import Control, control_record, input_record, open_publisher, stamped
from streams.follow import Follower, follow
from streams.publisher import Publisher
from streams.settings import Settings
from streams.settled import settled
from streams.waiting import until_decided

TENANT: Final = "demo"
AGENTS: Final = ("agent-a", "agent-b")


class NotHeard(ClaimstreamError):
    """The dispute topic could not be read to its end."""


@dataclass(slots=True)
class Stage:
    """The running pipeline as the demo sees it. Made by `open_stage`."""

    settings: Settings
    producers: dict[str, Publisher]
    disputes: Follower
    ends: Ends
    reads: LedgerReads
    embedder: Embedder
    vectors: VectorStore
    #: Events on the dispute topic before ours.
    _before: int
    heard: list[DisputeChanged] = field(default_factory=list)
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _said: int = 0

    async def rule(self, events: Sequence[Control]) -> None:
        """Publish policy and authority, and wait until they are in force."""
        await self.producers[AGENTS[0]].publish([control_record(event, self.settings) for event in events])
        await settled(
            self.ends, self.reads, self.settings.topic_prefix, self.settings.wait_timeout_s, ["control"]
        )

    async def say(self, agent: str, user: str, text: str) -> str:
        """A turn: what `user` said, as `agent` heard it. Returns its event id when the broker has it."""
        turn = Turn(
            tenant=TENANT,
            source=agent,
            event_id=self._next_id(),
            agent=agent,
            conversation=f"with-{user}",
            user=user,
            content=TurnContent(messages=(Message(text=text),)),
        )
        await self.publish(agent, [turn])
        return turn.event_id

    async def record(self, agent: str, user: str, label: str, value: str) -> None:
        """A record: a fact as `agent` has it in its own system, under its own label."""
        fact = StatedFact(
            subject=Mention(text=user, type="user", entity=f"user:{user}"), predicate=label, value=value
        )
        number = self._next_id()
        record = Record(
            tenant=TENANT,
            source=agent,
            event_id=number,
            agent=agent,
            record_id=number,
            content=RecordContent(facts=(fact,)),
        )
        await self.publish(agent, [record])

    async def publish(self, agent: str, events: Sequence[Turn | Record]) -> None:
        """Send what `agent` observed. Returns when the broker has all of it."""
        now = datetime.now(UTC)
        await self.producers[agent].publish(
            [input_record(stamped(event, now), self.settings) for event in events]
        )

    async def decided(self, agent: str, event_id: str) -> None:
        """Wait until everything that `agent` said with this event is decided. Raises NotYet."""
        await until_decided(self.reads, TENANT, agent, event_id, self.settings.wait_timeout_s)

    async def through(self) -> None:
        """Wait until every stage is through with everything. Raises NotSettled."""
        await settled(self.ends, self.reads, self.settings.topic_prefix, self.settings.wait_timeout_s)

    async def dispute_about(self, entity: str) -> DisputeChanged | None:
        """The first event about an entity on the dispute topic, all of which is heard first; None when there is none.

        Raises NotHeard when the topic cannot be read to its end.
        """
        n = await self.ends.total("disputes") - self._before
        try:
            async with asyncio.timeout(self.settings.wait_timeout_s):
                while len(self.heard) < n:
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise NotHeard(f"heard {len(self.heard)} of {n} events of the dispute topic") from None
        return next((event for event in self.heard if event.entity == entity), None)

    async def listen(self) -> None:
        """Keep what the dispute topic says, until cancelled."""
        async for record in self.disputes.records():
            self.heard.append(DisputeChanged.from_json(record.value))
            self._news.set()

    async def claims(self, entity: str, predicate: str) -> list[tuple[Claim, tuple[str, ...]]]:
        """The claims of a slot with their supporters, oldest first."""
        found = await self.reads.claims(TENANT, entity)
        return [row for row in found if row[0].cell.slot.predicate == predicate]

    async def search(self, question: str, entity: str) -> list[VectorHit]:
        """What the index has on an entity, nearest in meaning first."""
        (vector,) = await self.embedder.embed([question])
        return await self.vectors.search(vector, TENANT, 3, {"entity": entity})

    def _next_id(self) -> str:
        self._said += 1
        return f"said-{self._said}"


@asynccontextmanager
async def open_stage(settings: Settings) -> AsyncIterator[Stage]:
    """Connect to the pipeline that the settings name. Raises TransientError, ConfigurationError, TopicsMissing."""
    async with AsyncExitStack() as opened:
        ends = await opened.enter_async_context(open_ends(settings))
        reads = await opened.enter_async_context(
            LedgerReads(
                settings.dsn.get_secret_value(),
                schema=settings.db_schema,
                timeout_s=settings.database_timeout_s,
            )
        )
        producers = {
            agent: await opened.enter_async_context(open_publisher(settings, "turns", "control"))
            for agent in AGENTS
        }
        # Before anything is said: what comes after is not missed.
        disputes = await opened.enter_async_context(follow(settings, "disputes", "latest"))
        embedder = open_embedder(settings)
        opened.callback(embedder.close)
        vectors = await open_vectors(settings, embedder)
        opened.push_async_callback(vectors.close)
        stage = Stage(
            settings, producers, disputes, ends, reads, embedder, vectors, await ends.total("disputes")
        )
        listening = asyncio.create_task(stage.listen())
        try:
            yield stage
        finally:
            listening.cancel()
            with suppress(asyncio.CancelledError):
                await listening
